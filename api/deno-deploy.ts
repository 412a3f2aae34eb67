/**
 * The service on a platform that starts and stops instances: Deno Deploy, or `deno serve`. It asks nothing of the
 * database before the first request, runs no migrations, and writes no file.
 */
import process from 'node:process'
import { createApp } from './app.ts'
import { readBuildInfo } from './build-info.ts'
import { ConfigError, readConfig, readEnvironment } from './config.ts'
import { openDatabase } from './database/database.ts'
import { docsDirectory } from './portal/docs-manifest.ts'
import { checkRequests } from './runtime/deno-request.ts'
import { configureLog } from './telemetry/log.ts'
import { startDenoTraceExport } from './telemetry/trace-export.ts'
import { createTracing } from './telemetry/tracing.ts'

const config = readConfig(readEnvironment(process.env))
if (config.databaseUrl === undefined) {
  throw new ConfigError('DATABASE_URL: it must be set, as an instance has no disk for the embedded database')
}
const database = await openDatabase(config)
const traceExport = await startDenoTraceExport(process.env, { createsRequestSpans: true })
const logger = await configureLog(config)
if (config.webhook !== undefined) {
  logger.warning('WEBHOOK_URL is set, but this entrypoint sends no messages: run another instance that does')
}
const app = createApp({
  ...config,
  database,
  logger,
  docsDirectory,
  buildInfo: readBuildInfo(`deno ${Deno.version.deno}`, config.commit),
  tracing: traceExport && (await createTracing(traceExport)),
})
const respond = checkRequests(app)
const inProgress = new Set<Promise<Response>>()

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop)

export default {
  async fetch(request: Request, { completed }: Deno.ServeHandlerInfo): Promise<Response> {
    const response = Promise.resolve(respond(request, { onClosed: (act) => void completed.then(act, act) }))
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
  await database.close()
  process.exit(0)
}
