/**
 * The whole HTTP surface, with no runtime in it: what differs between Node and Deno is handed in.
 *
 * Every endpoint outside `service.md` §4.6 goes one way: authenticate → permission → rate limit → admission → validate
 * → read (catalog) → settle (ledger) → answer. The ledger has the last word on the first three.
 *
 * @module
 */
import type { Logger } from '@logtape/logtape'
import { Hono } from 'hono'
import { createAdmission } from './admission.ts'
import { createAnswerStore } from './answer/answers.ts'
import { createErrorHandler, type PlainResponse, renderError } from './answer/error.ts'
import { createMeter } from './answer/metered.ts'
import { readDataset } from './catalog/dataset.ts'
import { createListingStore } from './catalog/listing.ts'
import { createSources } from './catalog/sources.ts'
import { loadContract } from './contract.ts'
import { createReadConnector, type Database } from './database/connect.ts'
import { assertMigrated } from './database/migrate.ts'
import { readPoolState } from './database/pool-state.ts'
import { shareReading } from './database/shared-reading.ts'
import { createDoor, type Door } from './door.ts'
import type { ApiContext, Environment } from './environment.ts'
import { type ApiError, forbidden, notFound } from './errors.ts'
import type { BearerKey, Scope } from './ledger/api-key.ts'
import { createLedger } from './ledger/ledger.ts'
import { describeCause } from './log.ts'
import { createMetrics } from './metrics.ts'
import { accessLog } from './middleware/access-log.ts'
import { admit } from './middleware/admit.ts'
import { authenticate, recallKey } from './middleware/authenticate.ts'
import { awaitDatabase } from './middleware/await-database.ts'
import { readOnly } from './middleware/read-only.ts'
import { refuseOverload } from './middleware/refuse-overload.ts'
import { requestIdentity } from './middleware/request-identity.ts'
import { listStandardHeaders, standardHeaders } from './middleware/standard-headers.ts'
import { assertReadableUrl, longestPublicUrl, readTarget, validateUrl } from './middleware/validate-url.ts'
import type { Phase } from './phase.ts'
import { apiCatalogPath, createApiCatalogRoute } from './routes/api-catalog.ts'
import { createApiDocsRoutes } from './routes/api-docs.ts'
import { addApiKeyRoutes } from './routes/api-key.ts'
import { createDocsRoutes } from './routes/docs.ts'
import { createDocsFinder } from './routes/docs-manifest.ts'
import { addOperationsRoutes } from './routes/operations.ts'
import { createNowhereError } from './routes/parameters.ts'
import { addPublicRoutes } from './routes/public.ts'
import { addRepositoryRoutes } from './routes/repositories.ts'
import { addUserRoutes } from './routes/users.ts'
import type { Tracing } from './telemetry.ts'
import { createSchemaExplainer } from './unmigrated.ts'

/** What a running service is made of. */
export interface AppOptions {
  database: Database
  logger: Logger
  /** Public address with the path prefix, without a slash at its end; undefined: no prefix, the request's own host. */
  baseUrl: string | undefined
  /** What kept listings may take in the database, in MiB. */
  listingsMegabytes: number
  /** What remembered answers may take in memory, in MiB; 0: nothing. */
  answersMegabytes: number
  /** What would have to wait for longer before it is worked on is answered 503. In milliseconds; default 2,000. */
  longestWait?: number
  /** In which phase of its life the instance is. Default: it serves. */
  readPhase?: () => Phase
  /** Folder of the builds of the documentation. */
  docsDirectory: string
  /** The demo key that the viewer may offer to readers on this machine; absent on a deployment. */
  readDemoKey?: (() => string | undefined) | undefined
  /** Traces requests; absent: nothing does. */
  tracing?: Tracing | undefined
  /** What `/version` says. */
  program: { version: string; commit: string | null; runtime: string }
}

/** Requests that an instance takes in at a time, with or without a key. */
const mostUnderWay = 4_000
/** Of those with a key, so many are worked on at a time, more while others are turned away; up to so many take turns. */
const admission = { atOnce: 64, atOnceInCrowd: 256, mostWaiting: 2_000 }
/** A filter that has to be found first may wait so many times longer for its turn; so many requests wait for that. */
const listing = { patience: 5, mostWaiting: 1_000 }

const crossOriginHeaders = {
  allowed: ['Authorization', 'Idempotency-Key', 'If-None-Match', 'Max-Credits'],
  exposed: [
    'Content-Range',
    'ETag',
    'Idempotency-Replayed',
    'Link',
    'RateLimit',
    'RateLimit-Policy',
    'Retry-After',
    'WWW-Authenticate',
    'X-Credits-Cost',
    'X-Credits-Remaining',
    'X-Error-Code',
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
    'X-Request-Id',
    'X-Total-Count',
  ],
}

/** Renders the error response to what never becomes a request of the app, and counts it. */
export type Refuse = (method: string, error: ApiError) => PlainResponse

/** Below the base path: what is for people to read. */
const pages = /^(?:\/?$|\/(?:docs|api-docs)(?:\/|$)|\/(?:favicon\.ico|llms\.txt|robots\.txt)$)/

/** The HTTP surface, and its door: a server may ask that itself before it hands a request on. */
export interface App {
  app: Hono<Environment>
  door: Door
  refuse: Refuse
  /** Ends what it does beside requests. To be awaited before the database is closed. */
  close(): Promise<void>
}

/** Creates the app. It listens nowhere yet: hand its `fetch` to a server, or requests to its `request`. */
export function createApp(options: AppOptions): App {
  const { database, logger, baseUrl, longestWait = 2_000, docsDirectory, program } = options
  const { readPhase = () => 'serving' } = options
  const { sql, ledgerSql } = database
  const basePath = baseUrl === undefined ? '' : new URL(baseUrl).pathname.replace(/\/$/, '')
  const publicOrigin = baseUrl && new URL(baseUrl).origin
  const publicUrl = (c: ApiContext) => {
    const known = c.get('url')
    if (known !== undefined) return known
    const { url } = c.req
    const parsed = new URL(publicOrigin === undefined ? url : publicOrigin + readTarget(url))
    c.set('url', parsed)
    return parsed
  }
  const publicRoot = (c: ApiContext) => baseUrl ?? publicUrl(c).origin
  const ledger = createLedger(ledgerSql)
  const answers = createAnswerStore({ maxBytes: options.answersMegabytes * 2 ** 20 })
  const { replicas } = database
  const connectReads = createReadConnector(database)
  const room = createAdmission<number>({ ...admission, longestWait })
  const metrics = createMetrics({
    countUnderWay: () => door.countUnderWay(),
    readAdmission: room.readState,
    readLedger: ledger.readState,
    readPools: () => ({
      reads: readPoolState(sql),
      ledger: readPoolState(ledgerSql),
      ...Object.fromEntries(replicas.list().map(({ name, sql }) => [`replica ${name}`, readPoolState(sql)])),
    }),
    listReplicas: replicas.list,
    readDataset: () => readDataset(sql),
  })
  const listings = createListingStore(sql, {
    maxBytes: options.listingsMegabytes * 2 ** 20,
    longestWait: longestWait * listing.patience,
    mostWaiting: listing.mostWaiting,
    report: (message) => logger.warning('{message}', { message }),
  })
  const sources = createSources(database, listings)
  const meter = createMeter(ledger, {
    basePath,
    publicUrl,
    answers,
    replicas,
    sources,
    traceDatabase: options.tracing?.traceDatabase,
  })
  replicas.watch((message) => logger.warning('{message}', { message: describeCause(message) }))

  const root = new Hono<Environment>()
  // On the ledger's connections, whose statements are short: being busy is not being unwell.
  const checkSchema = shareReading(() => assertMigrated(ledgerSql))
  const answerError = createErrorHandler(logger)
  const explainFailure = createSchemaExplainer(checkSchema)
  root.onError(async (error, c) => answerError(await explainFailure(error), c))
  const answerNowhere = meter.metered((c) =>
    Promise.reject(createNowhereError(c.req.path.slice(basePath.length))),
  )
  root.notFound(async (c) => {
    if (c.get('caller') !== undefined) return (await answerNowhere(c, async () => {})) ?? c.body(null)
    assertReadableUrl(c.req.url, longestPublicUrl)
    throw notFound('Not found')
  })
  const headers = listStandardHeaders(crossOriginHeaders, {
    isHttps: baseUrl?.startsWith('https:') ?? false,
  })
  const refuse: Refuse = (method, error) => {
    metrics.countError(method, error)
    return renderError(error, headers.endpoint)
  }
  const door = createDoor({
    mostUnderWay,
    isHopeless(authorization) {
      const key = recallKey(ledger, authorization)
      // Finding what filters match is its caller's work, whether it is quoted or bought.
      return key !== undefined && (room.turnsAway(key.id) || listings.turnsAway(key.id))
    },
    refuse,
  })
  root.use(
    refuseOverload(door),
    requestIdentity(),
    ...(options.tracing ? [options.tracing.traceRequest] : []),
    metrics.measure,
    standardHeaders(headers, (path) => path.startsWith(basePath) && pages.test(path.slice(basePath.length))),
    accessLog(logger),
    readOnly(),
  )

  const app = basePath === '' ? root : root.basePath(basePath)
  const guard = (findObstacle: (caller: BearerKey) => ApiError | undefined) =>
    [
      awaitDatabase(readPhase),
      authenticate(ledger, connectReads),
      meter.permit(findObstacle),
      meter.turnAway,
      admit(room),
    ] as const
  const mayRead = (scope: Scope) =>
    guard(({ role, scopes }) =>
      role === 'admin' || scopes.includes(scope)
        ? undefined
        : forbidden('insufficient_permissions', 'Insufficient permissions'),
    )
  const isAdmin = () =>
    guard(({ role }) => (role === 'admin' ? undefined : forbidden('admin_required', 'Admin access required')))
  app.use('/users/*', ...mayRead('users:read'))
  app.use('/repos/*', ...mayRead('repos:read'))
  app.use('/api-key/*', ...guard(() => undefined))
  app.use('/metrics', ...isAdmin())
  app.use('/admin/*', ...isAdmin())
  const publicPaths = [
    '',
    '/',
    '/health',
    '/version',
    '/openapi.yml',
    '/openapi.json',
    '/docs/*',
    '/api-docs',
    '/favicon.ico',
    '/llms.txt',
    '/robots.txt',
    apiCatalogPath,
  ]
  for (const path of publicPaths) app.use(path, validateUrl())

  addUserRoutes({ app, sources, meter, publicUrl })
  addRepositoryRoutes({ app, sources, meter, publicUrl })
  addApiKeyRoutes({ app, sql, meter, publicUrl })
  addOperationsRoutes({ app, sql, meter, metrics, publicUrl })
  addPublicRoutes({
    app,
    database,
    assertMigrated: checkSchema,
    canCharge: ledger.canCharge,
    readPhase,
    contract: loadContract(),
    program,
    publicRoot,
  })
  app.route(apiCatalogPath, createApiCatalogRoute(publicRoot))
  if (basePath !== '') root.route(apiCatalogPath, createApiCatalogRoute(publicRoot))
  const findDocs = createDocsFinder(docsDirectory, baseUrl)
  app.route('/', createDocsRoutes({ findDocs, basePath, origin: publicOrigin }))
  app.route(
    '/api-docs',
    createApiDocsRoutes({
      findDocs,
      ...(publicOrigin !== undefined && { apiOrigin: publicOrigin }),
      readDemoKey: options.readDemoKey,
    }),
  )
  return { app: root, door, refuse, close: listings.close }
}
