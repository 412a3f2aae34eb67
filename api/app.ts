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
import { readDataset } from './catalog/dataset.ts'
import { createReplicaRouting } from './catalog/replica-routing.ts'
import { createStoredLists } from './catalog/stored-list-store.ts'
import { createFairQueue } from './concurrency/fair-queue.ts'
import { shareRead } from './concurrency/shared-read.ts'
import { createReadConnector, type Database } from './database/connect.ts'
import { assertMigrated } from './database/migrate.ts'
import { createSchemaExplainer } from './database/missing-migration.ts'
import { readPoolState } from './database/pool-state.ts'
import { apiCatalogPath, createApiCatalogRoute } from './docs/api-catalog.ts'
import { createDocsFinder } from './docs/docs-manifest.ts'
import { loadContract } from './docs/openapi-document.ts'
import { createDocsRoutes } from './docs/static-pages.ts'
import { createApiDocsRoutes } from './docs/viewer.ts'
import { type ApiError, forbidden, notFound } from './errors.ts'
import { accessLog } from './http/access-log.ts'
import { readOnly } from './http/allowed-methods.ts'
import { awaitDatabase } from './http/await-database.ts'
import { createErrorHandler, type Refuse, renderError } from './http/error-handler.ts'
import type { LifecyclePhase } from './http/lifecycle-phase.ts'
import type { ApiContext, HonoEnvironment } from './http/request-context.ts'
import { requestId } from './http/request-id.ts'
import { listStandardHeaders, standardHeaders } from './http/standard-headers.ts'
import { assertReadableUrl, maxPublicUrlLength, readTarget, validateUrl } from './http/validate-url.ts'
import type { BearerKey, Scope } from './ledger/api-key.ts'
import { createLedger } from './ledger/ledger.ts'
import { authenticate, recallKey } from './metering/authenticate.ts'
import { createMeter } from './metering/checkout.ts'
import { createResponseCache } from './metering/response-cache.ts'
import { createLoadShedder, type LoadShedder } from './overload/load-shedding.ts'
import { shedLoad } from './overload/shed-load.ts'
import { addApiKeyRoutes } from './routes/api-key.ts'
import { addOperationsRoutes } from './routes/operations.ts'
import { addPublicRoutes } from './routes/public.ts'
import { addRepositoryRoutes } from './routes/repositories.ts'
import { createUnknownPathError } from './routes/unknown-path.ts'
import { addUserRoutes } from './routes/users.ts'
import { createFailureLog, describeCause } from './telemetry/log.ts'
import { createMetrics } from './telemetry/metrics.ts'
import type { Tracing } from './telemetry/tracing.ts'

/** What a running service is made of. */
export interface AppOptions {
  database: Database
  logger: Logger
  /** Public address with the path prefix, without a slash at its end; undefined: no prefix, the request's own host. */
  baseUrl: string | undefined
  /** What kept stored lists may take in the database, in MiB. */
  storedListsMb: number
  /** What remembered answers may take in memory, in MiB; 0: nothing. */
  responseCacheMb: number
  /** What would have to wait for longer before it is worked on is answered 503. In milliseconds; default 2,000. */
  maxWaitMs?: number
  /** In which phase of its life the instance is. Default: it serves. */
  readLifecyclePhase?: () => LifecyclePhase
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
const maxInProgress = 4_000
/** Of those with a key, so many are worked on at a time, more while others are turned away; up to so many take turns. */
const admission = { maxConcurrent: 64, maxConcurrentInCrowd: 256, maxQueued: 2_000 }
/** A filter that has to be found first may wait so many times longer for its turn; so many requests wait for that. */
const listing = { patience: 5, maxQueued: 1_000 }

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

/** Below the base path: what is for people to read. */
const pages = /^(?:\/?$|\/(?:docs|api-docs)(?:\/|$)|\/(?:favicon\.ico|llms\.txt|robots\.txt)$)/

/** The HTTP surface, and its door: a server may ask that itself before it hands a request on. */
export interface App {
  app: Hono<HonoEnvironment>
  loadShedder: LoadShedder
  refuse: Refuse
  /** Ends what it does beside requests. To be awaited before the database is closed. */
  close(): Promise<void>
}

/** Creates the app. It listens nowhere yet: hand its `fetch` to a server, or requests to its `request`. */
export function createApp(options: AppOptions): App {
  const { database, logger, baseUrl, maxWaitMs = 2_000, docsDirectory, program } = options
  const { readLifecyclePhase = () => 'serving' } = options
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
  const { replicas } = database
  const connectReads = createReadConnector(database)
  const room = createFairQueue<number>({ ...admission, maxWaitMs })
  const metrics = createMetrics({
    countUnderWay: () => loadShedder.countUnderWay(),
    readQueue: room.readState,
    readLedger: ledger.readState,
    readPools: () => ({
      reads: readPoolState(sql),
      ledger: readPoolState(ledgerSql),
      ...Object.fromEntries(replicas.list().map(({ name, sql }) => [`replica ${name}`, readPoolState(sql)])),
    }),
    listReplicas: replicas.list,
    readDataset: () => readDataset(sql),
  })
  const storedLists = createStoredLists(sql, {
    maxBytes: options.storedListsMb * 2 ** 20,
    maxWaitMs: maxWaitMs * listing.patience,
    maxQueued: listing.maxQueued,
    report: (message) => logger.warning('{message}', { message }),
  })
  const meter = createMeter(ledger, {
    basePath,
    publicUrl,
    queue: room,
    responseCache: createResponseCache({ maxBytes: options.responseCacheMb * 2 ** 20 }),
    replicas,
    routing: createReplicaRouting(database, storedLists),
    traceDatabase: options.tracing?.traceDatabase,
  })
  replicas.watch((message) => logger.warning('{message}', { message: describeCause(message) }))

  const root = new Hono<HonoEnvironment>()
  // On the ledger's connections, whose statements are short: being busy is not being unwell.
  const checkSchema = shareRead(() => assertMigrated(ledgerSql))
  const respondToError = createErrorHandler(createFailureLog(logger))
  const toOperatorMessage = createSchemaExplainer(checkSchema)
  root.onError(async (error, c) => respondToError(await toOperatorMessage(error), c))
  const respondToUnknownPath = meter.metered((c) => {
    throw createUnknownPathError(c.req.path.slice(basePath.length))
  })
  root.notFound(async (c) => {
    if (c.get('caller') !== undefined) return (await respondToUnknownPath(c, async () => {})) ?? c.body(null)
    assertReadableUrl(c.req.url, maxPublicUrlLength)
    throw notFound('Not found')
  })
  const headers = listStandardHeaders(crossOriginHeaders, {
    isHttps: baseUrl?.startsWith('https:') ?? false,
  })
  const refuse: Refuse = (method, error) => {
    metrics.countError(method, error)
    return renderError(error, headers.endpoint)
  }
  const loadShedder = createLoadShedder({
    maxInProgress,
    isHopeless(authorization) {
      const key = recallKey(ledger, authorization)
      // Finding what filters match is its caller's work, whether it is quoted or bought.
      return key !== undefined && (room.turnsAway(key.id) || storedLists.isFullFor(key.id))
    },
    refuse,
  })
  root.use(
    shedLoad(loadShedder),
    requestId(),
    ...(options.tracing ? [options.tracing.traceRequest] : []),
    metrics.measure,
    standardHeaders(headers, (path) => path.startsWith(basePath) && pages.test(path.slice(basePath.length))),
    accessLog(logger),
    readOnly(),
  )

  const app = basePath === '' ? root : root.basePath(basePath)
  const guard = (findObstacle: (caller: BearerKey) => ApiError | undefined) =>
    [
      awaitDatabase(readLifecyclePhase),
      authenticate(ledger, connectReads),
      meter.permit(findObstacle),
      meter.throttle,
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

  addUserRoutes(app, meter)
  addRepositoryRoutes(app, meter)
  addApiKeyRoutes(app, meter, sql)
  addOperationsRoutes(app, meter, { sql, metrics })
  addPublicRoutes({
    app,
    database,
    assertMigrated: checkSchema,
    canCharge: ledger.canCharge,
    readLifecyclePhase,
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
  return { app: root, loadShedder, refuse, close: storedLists.close }
}
