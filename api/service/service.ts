/**
 * Starts and stops the service, on any runtime (decisions/0007-operations.md).
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { createApp } from '../app.ts'
import { readBuildInfo } from '../build-info.ts'
import { type Config, readConfig, readEnvironment } from '../config.ts'
import { describeFailure } from '../database/connection-error.ts'
import { EmbeddedDatabaseError } from '../database/data-directory.ts'
import { type Database, openDatabase } from '../database/database.ts'
import { migrate, migrationWaits, readSchemaState } from '../database/migrate.ts'
import { docsDirectory } from '../docs/docs-manifest.ts'
import type { ServedApp } from '../http/load-shedding.ts'
import type { Lifecycle } from '../http/middleware.ts'
import { configureLog } from '../telemetry/log.ts'
import { createTracing, type TraceExport } from '../telemetry/tracing.ts'
import { explainListenError, isWorthRetrying, toOperatorMessage } from './operator-message.ts'
import { formatReadyMessage } from './ready-message.ts'
import { type DemoKeys, isTrial, loadSampleData, prepareDemoKeys, revokeDemoKeys } from './trial.ts'

/** The differences between runtimes. */
export interface Runtime {
  environment: Record<string, string | undefined>
  /** Name and version, for `/version`. */
  runtime: string
  /** Whether standard output is a terminal. */
  terminal: boolean
  /** Starts the export of traces if the environment turns it on; undefined if not. */
  startTraceExport(environment: Record<string, string | undefined>): Promise<TraceExport | undefined>
  /** Starts a server. Resolves when it accepts requests. */
  listen(options: {
    app: ServedApp
    /** Logs a warning. */
    warn: (message: string) => void
    port: number
    hostname: string
    /** File descriptors to keep free for other things than client connections. */
    reservedFiles: number
  }): Promise<Listener>
}

/** A listening HTTP server. */
export interface Listener {
  port: number
  /** Accepts no more requests. Resolves when those in progress have their responses. */
  close(): Promise<void>
}

/** Time limit for requests in progress when the service stops. */
const stopTimeoutMs = 10_000
/** Time limit for sending the last spans when the service stops. */
const traceFlushTimeoutMs = 2_000
/** A terminal and a task runner may both forward one signal. A repetition within this time isn't a second signal. */
const repeatedSignalMs = 500
/** Interval between attempts to reach the database at the start. */
const retryIntervalMs = 500

/** Runs the service until SIGINT or SIGTERM. If it can't start, prints one line with the reason and exits with 1. */
export async function startService(runtime: Runtime): Promise<void> {
  try {
    await start(runtime)
  } catch (error) {
    const reason = toOperatorMessage(error)
    if (reason === undefined) throw error
    console.error(reason)
    process.exit(1)
  }
}

async function start({ environment, runtime, terminal, startTraceExport, listen }: Runtime): Promise<void> {
  const config = readConfig(readEnvironment(environment), { terminal })
  const logger = await configureLog(config)
  const traceExport = await startTraceExport(environment)
  const database = await openDatabase(config)
  if (database.kind === 'embedded' && !database.owned) {
    throw new EmbeddedDatabaseError(
      `DATA_DIR ${config.dataDirectory} is in use by another devdata process; stop it, or set another DATA_DIR`,
    )
  }
  const lifecycle: Lifecycle = { phase: 'waiting' }
  let listener: Listener | undefined
  let keys: DemoKeys | undefined
  try {
    const app = createApp({
      ...config,
      database,
      logger,
      lifecycle,
      docsDirectory,
      buildInfo: readBuildInfo(runtime, config.commit),
      readDemoKey: isTrial(config, database.kind) ? () => keys?.user : undefined,
      tracing: traceExport && (await createTracing(traceExport)),
    })
    listener = await listen({
      app,
      warn: (message) => logger.warning('{message}', { message }),
      port: config.port,
      hostname: config.host,
      reservedFiles: countReservedFiles(config, database),
    }).catch((error) => {
      throw explainListenError(error)
    })
    const { port } = listener
    stopOnSignal(lifecycle, { config, database, listener, closeApp: app.close, traceExport })
    await waitForDatabase(config, database, (reason) => {
      logger.error('Listening on port {port}, waiting for the database: {reason}', { port, reason })
    })
    if (database.kind === 'embedded') {
      if (config.sampleData) await loadSampleData(database.sql)
      if (isTrial(config, database.kind)) keys = await prepareDemoKeys(database.sql, config)
      else reportRevokedKeys(await revokeDemoKeys(database.sql, config.dataDirectory))
    }
    if (isStopping(lifecycle)) return
    lifecycle.phase = 'serving'
    process.stdout.write(formatReadyMessage({ config, port, keys })) // not the console, which telemetry may collect
  } catch (error) {
    if (isStopping(lifecycle)) return // the stop interrupted the start
    await listener?.close()
    await database.close()
    throw error
  }
}

/** File descriptors for database connections, for the embedded database's files, and for the runtime. */
function countReservedFiles({ databasePoolSize, databaseReplicaUrls }: Config, { kind }: Database): number {
  return kind === 'embedded' ? 512 : 100 + databasePoolSize * (1 + databaseReplicaUrls.length)
}

/** Prints which demo keys were revoked because this start isn't a trial. */
function reportRevokedKeys(ids: readonly number[]): void {
  if (ids.length === 0) return
  console.log(
    `Demo keys work only in a trial on this machine. Revoked in this data folder: ${ids.map((id) => `key ${id}`).join(', ')}. ` +
      'Create your own keys with: npm run -s devdata -- keys create',
  )
}

function isStopping({ phase }: Lifecycle): boolean {
  return phase === 'stopping'
}

/** Waits until the database is reachable, and migrates it. Reports each reason for waiting once in a row. */
async function waitForDatabase(
  config: Config,
  database: Database,
  report: (reason: string) => void,
): Promise<void> {
  let lastReason: string | undefined
  function reportOnce(reason: string): void {
    if (reason !== lastReason) report(reason)
    lastReason = reason
  }
  for (; ; await sleep(retryIntervalMs)) {
    try {
      await database.detectPooler()
      const { missing } = await readSchemaState(database.sql)
      if (missing.length === 0 || database.kind === 'embedded') await migrate(database.sql)
      else await migrateWithoutTimeout(config, () => reportOnce(migrationWaits))
      return
    } catch (error) {
      if (database.kind === 'embedded' || !isWorthRetrying(error)) throw error
      reportOnce(describeFailure(error))
    }
  }
}

/** Migrates on a connection without a time limit: a migration, or waiting for that of another instance, may take long. */
async function migrateWithoutTimeout(config: Config, onWait: () => void): Promise<void> {
  const database = await openDatabase({
    ...config,
    databasePoolSize: 1,
    databaseStatementTimeoutSeconds: 0,
    databaseReplicaUrls: [],
  })
  try {
    await database.detectPooler()
    await migrate(database.sql, { onWait })
  } finally {
    await database.close()
  }
}

/**
 * Stops the service on SIGTERM or SIGINT. `/health` becomes 503, and requests are accepted until load balancers have
 * noticed. Then the service stops listening, finishes requests in progress, and closes the database. SIGINT (a person)
 * and the embedded database (a single instance) skip the delay. A second signal ends the process immediately.
 */
function stopOnSignal(
  lifecycle: Lifecycle,
  {
    config,
    database,
    listener,
    closeApp,
    traceExport,
  }: {
    config: Config
    database: Database
    listener: Listener
    closeApp: () => Promise<void>
    traceExport: TraceExport | undefined
  },
): void {
  let firstSignalAtMs = 0
  async function stop(signal: NodeJS.Signals): Promise<void> {
    if (isStopping(lifecycle)) {
      if (performance.now() - firstSignalAtMs > repeatedSignalMs) process.exit(1)
      return
    }
    firstSignalAtMs = performance.now()
    const isBehindBalancer =
      signal === 'SIGTERM' && lifecycle.phase === 'serving' && database.kind === 'postgresql'
    lifecycle.phase = 'stopping'
    if (isBehindBalancer) await sleep(config.shutdownDelaySeconds * 1000)
    await Promise.race([listener.close().then(closeApp), sleep(stopTimeoutMs)])
    await Promise.race([traceExport?.stop(), sleep(traceFlushTimeoutMs)])
    await database.close()
    process.exit(0)
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
}
