/** Starts and stops the service, on any runtime (decisions/0007-operations.md). */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@logtape/logtape'
import { createApp } from '../app.ts'
import { readBuildInfo } from '../build-info.ts'
import { readDataset } from '../catalog/dataset.ts'
import { describeUnready } from '../catalog/derived-terms.ts'
import { type Config, findMisspelledSettings, readConfig, readEnvironment } from '../config.ts'
import type { Sql } from '../database/connect.ts'
import { type Database, openDatabase } from '../database/database.ts'
import { devdataCommand } from '../devdata-command.ts'
import { OperatorError } from '../errors.ts'
import type { ServedApp } from '../http/load-shedding.ts'
import type { Lifecycle } from '../http/middleware.ts'
import { isLoopback } from '../names/loopback.ts'
import { createDocsFinder, docsDirectory, docsNotBuilt } from '../portal/docs-manifest.ts'
import { configureLog, createWarning, describeCause } from '../telemetry/log.ts'
import { printIfPossible } from '../telemetry/print-if-possible.ts'
import { createTracing, type TraceExport } from '../telemetry/tracing.ts'
import { type NoticeSender, startSender } from '../webhooks/sender.ts'
import { waitForDatabase } from './database-wait.ts'
import { localOrigin } from './local-url.ts'
import { explainListenError, toOperatorMessage } from './operator-message.ts'
import { readStartArguments } from './start-arguments.ts'
import {
  checkDataset,
  type DemoKeys,
  isTrial,
  loadDataset,
  loadSampleData,
  prepareDemoKeys,
  revokeDemoKeys,
} from './trial.ts'

/** The differences between runtimes. */
export interface Runtime {
  environment: Record<string, string | undefined>
  /** The arguments of the start. */
  parameters: readonly string[]
  /** Name and version, for `/version`. */
  runtime: string
  /** Whether standard output is a terminal. */
  terminal: boolean
  /** Starts the export of traces if the environment turns it on; undefined if not. */
  startTraceExport(environment: Record<string, string | undefined>): Promise<TraceExport | undefined>
  /** Starts a server. Resolves when it accepts requests. */
  listen(options: ListenOptions): Promise<Listener>
}

/** What a server is started with. */
export interface ListenOptions {
  app: ServedApp
  /** Logs a warning. */
  warn: (message: string) => void
  port: number
  hostname: string
  /** File descriptors to keep free for other things than client connections. */
  reservedFiles: number
}

/** A listening HTTP server. */
export interface Listener {
  port: number
  /** Accepts no more requests. Resolves when those in progress have their responses. */
  close(): Promise<void>
}

/** What a start has begun, for the stop. */
interface StartedParts {
  traceExport?: TraceExport | undefined
  database?: Database
  listener?: Listener
  sender?: NoticeSender | undefined
}

/** Time limit for requests in progress when the service stops. */
const stopTimeoutMs = 10_000
/** Time limit for sending the last spans when the service stops. */
const traceFlushTimeoutMs = 2_000
/** A terminal and a task runner may both forward one signal. A repetition within this time isn't a second signal. */
const repeatedSignalMs = 500
/** Runs the service until SIGINT or SIGTERM. If it can't start, prints one line with the reason and exits with 1. */
export async function startService(runtime: Runtime): Promise<void> {
  // Without a listener, a full disk or a closed pipe would end the process. The service continues without its log.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  try {
    await start(runtime)
  } catch (error) {
    const reason = toOperatorMessage(error)
    if (reason === undefined) throw error
    console.error(reason)
    process.exit(1)
  }
}

async function start(options: Runtime): Promise<void> {
  const { environment, runtime, terminal, startTraceExport, listen } = options
  const { dataset } = readStartArguments(options.parameters)
  const config = readConfig(readEnvironment(environment), { terminal })
  const logger = await configureLog(config)
  const warn = createWarning(logger)
  const lifecycle: Lifecycle = { phase: 'waiting' }
  const parts: StartedParts = {}
  // Before all that takes time: process 1 of a container doesn't get a SIGTERM that it has no handler for. The next
  // start recovers an embedded database that was being created or opened, as after a crash.
  stopOnSignal(async (signal) => {
    // `/health` is 503 from now on, and requests are accepted until load balancers have noticed. A person (SIGINT) and
    // the embedded database (a single instance) have none.
    const isServer = parts.database?.kind === 'postgresql'
    const hasBalancer = signal === 'SIGTERM' && lifecycle.phase === 'serving' && isServer
    lifecycle.phase = 'stopping'
    logger.info('Stopping after {signal}', { signal })
    if (hasBalancer) await sleep(config.shutdownDelaySeconds * 1000)
    await stopParts(parts)
    logger.info('Stopped')
  })
  try {
    if (dataset !== undefined) await checkDataset(dataset, config)
    for (const message of findMisspelledSettings()) warn(message)
    const traceExport = await startTraceExport(environment)
    parts.traceExport = traceExport
    const database = await openDatabase(config)
    parts.database = database
    const { kind, sql } = database
    if (kind === 'embedded' && !database.owned) {
      throw new OperatorError(
        `DATA_DIR ${config.dataDirectory} is in use by another devdata process; stop it, or set another DATA_DIR`,
      )
    }
    const isOnTrial = isTrial(config, kind, environment)
    let keys: DemoKeys | undefined
    const app = createApp({
      ...config,
      database,
      logger,
      lifecycle,
      docsDirectory,
      buildInfo: readBuildInfo(runtime, config.commit),
      readDemoKey: isOnTrial ? () => keys?.user : undefined,
      tracing: traceExport && (await createTracing(traceExport)),
    })
    parts.listener = await listen({
      app,
      warn,
      port: config.port,
      hostname: config.host,
      reservedFiles: countReservedFiles(config, database),
    }).catch((error) => {
      throw explainListenError(error)
    })
    const { port } = parts.listener
    warnOfPublicHost(config, logger)
    await waitForDatabase(config, database, (reason) => {
      logger.error('Listening on port {port}, waiting for the database: {reason}', { port, reason })
    })
    if (kind === 'embedded')
      await loadFirstData(sql, dataset, { ...config, sampleData: isOnTrial && config.sampleData }, logger)
    if (isOnTrial) keys = await prepareDemoKeys(sql, config)
    else if (kind === 'embedded') await endTrial(sql, config, warn)
    const isEmpty = kind === 'embedded' && (await readDataset(sql)).version === 0
    const unready = await describeUnready(sql).catch(() => undefined) // a start doesn't fail for want of a warning
    if (unready !== undefined) warn(unready)
    await warnOfMissingDocs(config, warn)
    if (lifecycle.phase === 'stopping') return
    lifecycle.phase = 'serving'
    parts.sender = config.webhook && startSender({ sql, webhook: config.webhook, warn })
    announce(config, formatReadyMessage(config, port, keys, isEmpty))
    if (config.logFormat === 'json') logger.info('Ready on port {port}', { port })
  } catch (error) {
    if (lifecycle.phase === 'stopping') return // the stop interrupted the start
    await stopParts(parts)
    throw error
  }
}

/** Stops what a start has begun. Requests in progress and the last spans have their time limits. */
async function stopParts(parts: StartedParts): Promise<void> {
  const { listener, sender, traceExport } = parts
  try {
    await Promise.race([Promise.all([listener?.close(), sender?.stop()]), sleep(stopTimeoutMs)])
    await Promise.race([traceExport?.stop(), sleep(traceFlushTimeoutMs)])
  } finally {
    await parts.database?.close()
  }
}

/** Revokes demo keys of an earlier trial. */
async function endTrial(sql: Sql, config: Config, warn: (message: string) => void): Promise<void> {
  const revoked = await revokeDemoKeys(sql, config)
  if (revoked !== undefined) warn(revoked)
}

function warnOfPublicHost({ baseUrl, host }: Config, logger: Logger): void {
  if (baseUrl !== undefined || isLoopback(host)) return
  logger.warning(
    'HOST is {host}, which other machines can reach, but BASE_URL is not set: links and docs show whatever host a ' +
      'client names. Set BASE_URL to the public URL',
    { host },
  )
}

/** Warns if `/docs` will be 503, because the message of a start names its URL. */
async function warnOfMissingDocs({ baseUrl }: Config, warn: (message: string) => void): Promise<void> {
  await createDocsFinder(docsDirectory, baseUrl)().catch(() =>
    warn(`/docs is 503, because the documentation is ${docsNotBuilt(baseUrl)}`),
  )
}

/** Loads a folder that the start names, or the sample data if it is on, into an embedded database that is new. */
async function loadFirstData(
  sql: Sql,
  dataset: string | undefined,
  config: Config,
  logger: Logger,
): Promise<void> {
  const logLoad = (data: string) => logger.info('Loading {data} (once)', { data: describeCause(data) })
  if (dataset !== undefined) await loadDataset(sql, dataset, config, () => logLoad(dataset))
  else if (config.sampleData) await loadSampleData(sql, config, () => logLoad('the sample data'))
}

/**
 * Prints the message of a start, which may have keys: never in a log, and not on the console, which telemetry may
 * collect. Where programs read the log, standard output has only its lines.
 */
function announce({ logFormat }: Pick<Config, 'logFormat'>, message: string): void {
  const stream = logFormat === 'json' ? process.stderr : process.stdout
  printIfPossible(() => stream.write(message))
}

/** File descriptors for database connections, for the embedded database's files, and for the runtime. */
function countReservedFiles({ databasePoolSize, databaseReplicaUrls }: Config, { kind }: Database): number {
  return kind === 'embedded' ? 512 : 100 + databasePoolSize * (1 + databaseReplicaUrls.length)
}

/** Calls `stop` at the first SIGTERM or SIGINT, and ends the process then. A second signal ends it immediately. */
function stopOnSignal(stop: (signal: NodeJS.Signals) => Promise<void>): void {
  let firstSignalAtMs: number | undefined
  async function receive(signal: NodeJS.Signals): Promise<void> {
    if (firstSignalAtMs !== undefined) {
      if (performance.now() - firstSignalAtMs > repeatedSignalMs) process.exit(1)
      return
    }
    firstSignalAtMs = performance.now()
    await stop(signal)
    process.exit(0)
  }
  process.on('SIGINT', receive)
  process.on('SIGTERM', receive)
}

/**
 * The message of a start: the URLs, the database, the demo keys of a trial with a request to try, and how to load data
 * if there is none.
 */
export function formatReadyMessage(
  config: Config,
  port: number,
  keys: DemoKeys | undefined,
  isEmpty: boolean,
): string {
  const local = localOrigin({ host: config.host, port })
  const base = config.baseUrl ?? local
  const lines = [
    '',
    `devdata is ready at ${base}${base === local ? '' : ` (listening on ${local})`}`,
    `  docs     ${base}/docs`,
    `  viewer   ${base}/api-docs`,
    `  data     ${config.databaseUrl === undefined ? config.dataDirectory : 'PostgreSQL (DATABASE_URL)'}`,
  ]
  if (keys?.user !== undefined) lines.push(`  user key ${keys.user}`)
  if (keys?.admin !== undefined) lines.push(`  admin    ${keys.admin}`)
  if (keys?.user === undefined) lines.push(`  keys     ${devdataCommand('keys create --credits 1000')}`)
  if (isEmpty) {
    lines.push('', 'There is no data yet. Load that of an organization or a user from GitHub:')
    lines.push(`  GITHUB_TOKEN=… ${devdataCommand('import github OWNER')}`)
  }
  if (keys?.user !== undefined) {
    const curl = `curl -H 'Authorization: Bearer ${keys.user}' '${base}/users?per_page=2'`
    lines.push('', 'Try it:', `  ${curl}`)
  }
  return `${lines.join('\n')}\n\n`
}
