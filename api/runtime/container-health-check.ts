/**
 * The health check of the container image: `node api/runtime/container-health-check.js` requests `/health` from the
 * instance with the same settings on this machine, and exits with 0 or 1.
 */
import process from 'node:process'
import { readBasePath, readConfig, readEnvironment } from '../config.ts'
import { localOrigin } from './local-url.ts'

const config = readConfig(readEnvironment(process.env))
try {
  const response = await fetch(`${localOrigin(config)}${readBasePath(config.baseUrl)}/health`)
  console.log(await response.text())
  process.exitCode = response.ok ? 0 : 1
} catch {
  console.log(`No response on port ${config.port}`)
  process.exitCode = 1
}
