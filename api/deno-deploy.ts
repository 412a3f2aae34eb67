/**
 * The service on a platform that starts and stops instances: Deno Deploy, or `deno serve`. It asks nothing of the
 * database before the first request, runs no migrations, and writes no file.
 *
 * @module
 */
import process from 'node:process'
import { ConfigError, readConfig, readEnvironment } from './config.ts'
import { openDatabase } from './database/database.ts'
import { checkRequests } from './server/deno-request.ts'
import { createConfiguredApp } from './service/configured-app.ts'
import { configureLog } from './telemetry/log.ts'
import { startDenoTraceExport } from './telemetry/trace-export.ts'
import { createTracing } from './telemetry/tracing.ts'

const config = readConfig(readEnvironment(process.env))
if (config.databaseUrl === undefined) {
  throw new ConfigError('DATABASE_URL: it must be set, as an instance has no disk for the embedded database')
}
const database = await openDatabase(config)
const traceExport = await startDenoTraceExport(process.env)
const { fetch, loadShedder, refuse, close } = createConfiguredApp(config, {
  database,
  logger: await configureLog(config),
  runtime: `deno ${Deno.version.deno}`,
  tracing: traceExport && (await createTracing(traceExport)),
})
const respond = checkRequests(fetch, { loadShedder, refuse })
const inProgress = new Set<Promise<Response>>()

process.once('SIGINT', stop)

export default {
  async fetch(request: Request): Promise<Response> {
    const response = Promise.resolve(respond(request))
    inProgress.add(response)
    try {
      return await response
    } finally {
      inProgress.delete(response)
    }
  },
} satisfies Deno.ServeDefaultExport

/** The platform sends no more requests. */
async function stop(): Promise<void> {
  await Promise.allSettled(inProgress)
  await close()
  await database.close()
  process.exit(0)
}
