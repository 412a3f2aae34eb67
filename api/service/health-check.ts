/**
 * Asks the instance that runs beside it, with the same settings, whether it is well, and ends with 0 or 1:
 * `node api/service/health-check.ts`, for containers, which need no other program for it.
 *
 * @module
 */
import process from 'node:process'
import { readConfig, readEnvironment } from '../config.ts'
import { localOrigin } from './local-url.ts'

const config = readConfig(readEnvironment(process.env))
const { port, baseUrl } = config
const basePath = baseUrl === undefined ? '' : new URL(baseUrl).pathname.replace(/\/$/, '')
try {
  const answer = await fetch(`${localOrigin(config)}${basePath}/health`)
  console.log(await answer.text())
  process.exitCode = answer.ok ? 0 : 1
} catch {
  console.log(`nothing answers on port ${port}`)
  process.exitCode = 1
}
