/**
 * Starts and stops the service, the same on every runtime: settings, database, schema, first data, then HTTP.
 *
 * @module
 */
import { createApp } from './app.ts'
import { readConfig, readEnvironment } from './config.ts'
import { type Database, openDatabase } from './database/connect.ts'
import { EmbeddedDatabaseError } from './database/embedded.ts'
import { migrate } from './database/migrate.ts'
import { explainFailure } from './failure.ts'
import { createDemoKeys, type DemoKeys, describeStart, isTrial, loadSampleData } from './first-start.ts'
import { configureLog } from './log.ts'
import { docsDirectory, readCommit, readVersion } from './program.ts'

/** What differs between runtimes. */
export interface Runtime {
  environment: Record<string, string | undefined>
  /** Name and version, for `/version`. */
  runtime: string
  /** Whether standard output is a terminal. */
  terminal: boolean
  /** Listens, and resolves with the port once requests are taken. */
  listen(options: {
    fetch: (request: Request) => Response | Promise<Response>
    port: number
    hostname: string
  }): Promise<Listener>
}

/** A listening HTTP server. */
export interface Listener {
  port: number
  /** Takes no more requests, and resolves when those under way are answered. */
  close(): Promise<void>
}

/** How long requests under way may take once the service is told to stop, in milliseconds. */
const stopPatience = 10_000

/** Runs the service until it is told to stop (SIGINT, SIGTERM). What can't start says why in a line, and exits with 1. */
export async function startService(runtime: Runtime): Promise<void> {
  try {
    await start(runtime)
  } catch (error) {
    const reason = error instanceof ListenError ? error.message : explainFailure(error)
    if (reason === undefined) throw error
    console.error(reason)
    process.exit(1)
  }
}

async function start({ environment, runtime, terminal, listen }: Runtime): Promise<void> {
  const config = readConfig(readEnvironment(environment), { terminal })
  const logger = await configureLog(config)
  const database = await openDatabase(config)
  if (database.kind === 'embedded' && !database.owned) {
    throw new EmbeddedDatabaseError(
      `DATA_DIR ${config.dataDirectory} is in use by another devdata process; stop it, or set another DATA_DIR`,
    )
  }
  let listener: Listener | undefined
  let keys: DemoKeys | undefined
  try {
    await migrate(database.sql)
    if (database.kind === 'embedded' && config.sampleData) await loadSampleData(database.sql)
    const app = createApp({
      database,
      logger,
      baseUrl: config.baseUrl,
      listingsMegabytes: config.listingsMegabytes,
      answersMegabytes: config.answersMegabytes,
      docsDirectory,
      ...(isTrial(config, database.kind) && { readDemoKey: () => keys?.user }),
      program: { version: readVersion(), commit: config.commit ?? readCommit(), runtime },
    })
    listener = await listen({ fetch: app.fetch, port: config.port, hostname: config.host }).catch((error) => {
      throw nameListenFailure(error)
    })
    stopOnSignal(database, listener)
    keys = database.kind === 'embedded' ? await createDemoKeys(database.sql, config) : undefined
    console.log(describeStart({ config, port: listener.port, keys }))
  } catch (error) {
    await listener?.close()
    await database.close()
    throw error
  }
}

/** First stop taking requests, then answer those under way, then leave the database. A second signal ends at once. */
function stopOnSignal(database: Database, listener: Listener): void {
  let stopping = false
  async function stop(): Promise<void> {
    if (stopping) process.exit(1)
    stopping = true
    const patience = new Promise((resolve) => setTimeout(resolve, stopPatience).unref())
    await Promise.race([listener.close(), patience])
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
