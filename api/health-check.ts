/**
 * Asks the instance that runs beside it, with the same settings, whether it is well, and ends with 0 or 1:
 * `node api/health-check.ts`, for containers, which need no other program for it.
 *
 * @module
 */
import process from 'node:process'
import { readConfig, readEnvironment } from './config.ts'

const { host, port, baseUrl } = readConfig(readEnvironment(process.env))
const everywhere = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '[::1]'],
])
const address = everywhere.get(host) ?? (host.includes(':') ? `[${host}]` : host)
const basePath = baseUrl === undefined ? '' : new URL(baseUrl).pathname.replace(/\/$/, '')
try {
  const answer = await fetch(`http://${address}:${port}${basePath}/health`)
  console.log(await answer.text())
  process.exitCode = answer.ok ? 0 : 1
} catch {
  console.log(`nothing answers on port ${port}`)
  process.exitCode = 1
}
