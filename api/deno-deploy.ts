/**
 * The service where a platform listens, starts and ends instances as it likes: Deno Deploy, or `deno serve`. It asks
 * nothing of the database before the first request, brings no schema up to date, and writes no file.
 *
 * @module
 */
import process from 'node:process'
import { ConfigError, readConfig, readEnvironment } from './config.ts'
import { openDatabase } from './database/database.ts'
import { refuseFaulty } from './server/deno-request.ts'
import { createConfiguredApp } from './service/configured-app.ts'
import { configureLog } from './telemetry/log.ts'
import { startTraceExport } from './telemetry/trace-export-deno.ts'
import { createTracing } from './telemetry/tracing.ts'

const config = readConfig(readEnvironment(process.env))
if (config.databaseUrl === undefined) {
  throw new ConfigError('DATABASE_URL: it must be set, as an instance has no disk for the embedded database')
}
const database = await openDatabase(config)
const traceExport = await startTraceExport(process.env)
const { app, refuse, close } = createConfiguredApp(config, {
  database,
  logger: await configureLog(config),
  runtime: `deno ${Deno.version.deno}`,
  tracing: traceExport && (await createTracing(traceExport)),
})
const respondToRequest = refuseFaulty((request) => app.fetch(request), refuse)
const underWay = new Set<Promise<Response>>()

process.once('SIGINT', stop)

export default {
  async fetch(request: Request): Promise<Response> {
    const answer = Promise.resolve(respondToRequest(request))
    underWay.add(answer)
    try {
      return await answer
    } finally {
      underWay.delete(answer)
    }
  },
} satisfies Deno.ServeDefaultExport

/** The platform sends no more requests: answers those under way, then leaves the database. */
async function stop(): Promise<void> {
  await Promise.allSettled(underWay)
  await close()
  await database.close()
  process.exit(0)
}
