/**
 * Starts and stops the service, the same on every runtime: settings, HTTP, database, schema, first data.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Config, readConfig, readEnvironment } from '../config.ts'
import { type Database, openDatabase } from '../database/connect.ts'
import { describeFailure } from '../database/connection-error.ts'
import { EmbeddedDatabaseError } from '../database/data-directory.ts'
import { findMissingMigrations, migrate, migrationWaits } from '../database/migrate.ts'
import { createDefectHandler, type Refuse } from '../http/error-handler.ts'
import type { LifecyclePhase } from '../http/lifecycle-phase.ts'
import type { Fetch } from '../http/request-context.ts'
import type { LoadShedder } from '../overload/load-shedding.ts'
import { configureLog, createFailureLog } from '../telemetry/log.ts'
import { createTracing, type TraceExport } from '../telemetry/tracing.ts'
import { createConfiguredApp } from './configured-app.ts'
import { isWorthWaiting, toOperatorMessage } from './operator-message.ts'
import {
  type DemoKeys,
  describeStart,
  isTrial,
  loadSampleData,
  prepareDemoKeys,
  revokeDemoKeys,
} from './trial.ts'

/** What differs between runtimes. */
export interface Runtime {
  environment: Record<string, string | undefined>
  /** Name and version, for `/version`. */
  runtime: string
  /** Whether standard output is a terminal. */
  terminal: boolean
  /** Starts the export of traces if the environment asks for it; undefined if it does not. */
  startTraceExport(environment: Record<string, string | undefined>): Promise<TraceExport | undefined>
  /** Listens, and resolves with the port once requests are taken. */
  listen(options: {
    fetch: Fetch
    /** The server calls it before `fetch`. */
    loadShedder: LoadShedder
    /** Renders the error response to what never becomes a request, and counts it. */
    refuse: Refuse
    /** The answer to what goes wrong outside `fetch`, or to what it throws. */
    respondToDefect: (defect: unknown) => Response
    /** Tells operators of something that is wrong. */
    warn: (message: string) => void
    port: number
    hostname: string
    /** Files and connections, other than those to clients, that the process may have open. */
    reservedFiles: number
  }): Promise<Listener>
}

/** A listening HTTP server. */
export interface Listener {
  port: number
  /** Takes no more requests, and resolves when those under way are answered. */
  close(): Promise<void>
}

/** How long requests under way may take once the service is told to stop, in milliseconds. */
const stopTimeoutMs = 10_000
/** Limit for sending the last spans when the service stops. */
const traceFlushTimeoutMs = 2_000
/** A terminal and a task runner may both pass on the same signal: one that comes so soon is no second, in milliseconds. */
const echo = 500
/** Between two attempts to find the database at the start, in milliseconds. */
const retryIntervalMs = 500

/** Runs the service until it is told to stop (SIGINT, SIGTERM). What can't start says why in a line, and exits with 1. */
export async function startService(runtime: Runtime): Promise<void> {
  try {
    await start(runtime)
  } catch (error) {
    const reason = error instanceof ListenError ? error.message : toOperatorMessage(error)
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
  const life: Life = { phase: 'waiting' }
  let listener: Listener | undefined
  let keys: DemoKeys | undefined
  try {
    const { fetch, loadShedder, refuse, close } = createConfiguredApp(config, {
      database,
      logger,
      runtime,
      readDemoKey: isTrial(config, database.kind) ? () => keys?.user : undefined,
      readLifecyclePhase: () => life.phase,
      tracing: traceExport && (await createTracing(traceExport)),
    })
    listener = await listen({
      fetch: async (request, server) => closeWhenStopping(await fetch(request, server), life),
      loadShedder,
      refuse,
      respondToDefect: createDefectHandler(createFailureLog(logger)),
      warn: (message) => logger.warning('{message}', { message }),
      port: config.port,
      hostname: config.host,
      reservedFiles: countReservedFiles(config, database),
    }).catch((error) => {
      throw nameListenFailure(error)
    })
    const { port } = listener
    stopOnSignal(life, { config, database, listener, closeApp: close, traceExport })
    await awaitDatabase(config, database, (reason) => {
      logger.error('Listening on port {port}, waiting for the database: {reason}', { port, reason })
    })
    if (database.kind === 'embedded') {
      if (config.sampleData) await loadSampleData(database.sql)
      if (isTrial(config, database.kind)) keys = await prepareDemoKeys(database.sql, config)
      else reportRevoked(await revokeDemoKeys(database.sql, config.dataDirectory))
    }
    if (isStopping(life)) return
    life.phase = 'serving'
    process.stdout.write(describeStart({ config, port, keys })) // telemetry may collect what goes to the console
  } catch (error) {
    if (isStopping(life)) return // what was cut off by the stop is no failure
    await listener?.close()
    await database.close()
    throw error
  }
}

/** Connections to the database, the files of an embedded one, and what the runtime opens for itself. */
function countReservedFiles({ databasePoolSize, databaseReplicaUrls }: Config, { kind }: Database): number {
  return kind === 'embedded' ? 512 : 100 + databasePoolSize * (1 + databaseReplicaUrls.length)
}

/** Says which demo keys stopped working because this start is not a trial. */
function reportRevoked(ids: readonly number[]): void {
  if (ids.length === 0) return
  console.log(
    `Demo keys work only in a trial on this machine. Revoked: ${ids.map((id) => `key ${id}`).join(' and ')} of this ` +
      'data folder. Create keys of your own',
  )
}

/** Where in its life the instance is. */
interface Life {
  phase: LifecyclePhase
}

function isStopping({ phase }: Life): boolean {
  return phase === 'stopping'
}

/** Waits until the database is there, and brings its schema up to date. `report` is told what is in the way, once each. */
async function awaitDatabase(
  config: Config,
  database: Database,
  report: (reason: string) => void,
): Promise<void> {
  let known: string | undefined
  function tell(reason: string): void {
    if (reason !== known) report(reason)
    known = reason
  }
  for (; ; await sleep(retryIntervalMs)) {
    try {
      await database.adapt()
      const missing = await findMissingMigrations(database.sql)
      if (missing.length === 0 || database.kind === 'embedded') await migrate(database.sql)
      else await migrateAtLeisure(config, () => tell(migrationWaits))
      return
    } catch (error) {
      if (database.kind === 'embedded' || !isWorthWaiting(error)) throw error
      tell(describeFailure(error))
    }
  }
}

/** A migration, and waiting for one of another starter, may take longer than any answer to a request. */
async function migrateAtLeisure(config: Config, onWait: () => void): Promise<void> {
  const database = await openDatabase({
    ...config,
    databasePoolSize: 1,
    databaseStatementTimeout: 0,
    databaseReplicaUrls: [],
  })
  try {
    await database.adapt()
    await migrate(database.sql, { onWait })
  } finally {
    await database.close()
  }
}

/** Who keeps a connection to an instance that stops is told to leave it, before it is closed under the next request. */
function closeWhenStopping(response: Response, life: Life): Response {
  if (isStopping(life)) response.headers.set('Connection', 'close')
  return response
}

/**
 * Says at `/health` that it stops, and goes on for a while, until load balancers have turned away; then takes no more
 * requests, answers those under way, and leaves the database last. Who is at the keyboard is not kept waiting, nor is
 * there another instance to turn to where the database is embedded. A second signal ends at once.
 */
function stopOnSignal(
  life: Life,
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
  let since = 0
  async function stop(signal: NodeJS.Signals): Promise<void> {
    if (isStopping(life)) {
      if (performance.now() - since > echo) process.exit(1)
      return
    }
    since = performance.now()
    const handsOver = signal === 'SIGTERM' && life.phase === 'serving' && database.kind === 'postgresql'
    life.phase = 'stopping'
    if (handsOver) await sleep(config.shutdownDelay * 1000)
    const patience = new Promise((resolve) => setTimeout(resolve, stopTimeoutMs).unref())
    await Promise.race([listener.close().then(closeApp), patience])
    await Promise.race([traceExport?.stop(), sleep(traceFlushTimeoutMs)])
    await database.close()
    process.exit(0)
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
}

/** The address can't be listened on. The message names the setting. */
class ListenError extends Error {
  override name = 'ListenError'
}

/** Puts what is wrong with the address into words; anything else stays as it is. */
function nameListenFailure(error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error
  switch (error.code) {
    case 'EADDRINUSE':
      return new ListenError(
        `PORT: another program listens there already (${error.message}); end it, or set another PORT`,
      )
    case 'EACCES':
      return new ListenError(`PORT: this user may not listen there (${error.message}); set a PORT above 1023`)
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new ListenError(`HOST: this machine has no such address (${error.message})`)
    default:
      return error
  }
}
