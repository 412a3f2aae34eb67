/**
 * The HTTP app, the same on each runtime.
 *
 * A request goes one way: load shedding → standard middleware → guard (authenticate → permit → throttle → queue) →
 * route (validate → read the catalog → settle in the ledger → respond). Public routes have no guard.
 *
 * @module
 */
import type { Logger } from '@logtape/logtape'
import { Hono } from 'hono'
import type { BuildInfo } from './build-info.ts'
import { readDataset } from './catalog/dataset.ts'
import { createReplicaRouting } from './catalog/replica-routing.ts'
import { createStoredLists } from './catalog/stored-list-store.ts'
import { createFairQueue } from './concurrency/fair-queue.ts'
import { shareRead } from './concurrency/shared-read.ts'
import { createReadConnector, type Database } from './database/database.ts'
import { assertMigrated } from './database/migrate.ts'
import { createSchemaExplainer } from './database/missing-migration.ts'
import { addApiCatalogRoute } from './docs/api-catalog.ts'
import { createDocsFinder } from './docs/docs-manifest.ts'
import { addOpenApiRoutes } from './docs/openapi.ts'
import { addDocsRoutes } from './docs/static-pages.ts'
import { addViewerRoute } from './docs/viewer.ts'
import { notFound } from './errors.ts'
import { accessLog } from './http/access-log.ts'
import { assertAllowedMethod } from './http/allowed-methods.ts'
import { createErrorHandler, type Refuse, renderError } from './http/error-handler.ts'
import type { LifecyclePhase } from './http/lifecycle-phase.ts'
import { isPagePath, publicPaths } from './http/public-paths.ts'
import { createPublicUrls } from './http/public-url.ts'
import type { Fetch, HonoEnvironment } from './http/request-context.ts'
import { requestId } from './http/request-id.ts'
import { listStandardHeaders, standardHeaders } from './http/standard-headers.ts'
import { assertReadablePublicUrl, validatePublicUrl } from './http/validate-url.ts'
import { createLedger } from './ledger/ledger.ts'
import { recallKey } from './metering/authenticate.ts'
import { createMeter } from './metering/metered-request.ts'
import { createResponseCache } from './metering/response-cache.ts'
import { createGuard } from './metering/route-guard.ts'
import { createLoadShedder, type LoadShedder } from './overload/load-shedding.ts'
import { addApiKeyRoutes } from './routes/api-key.ts'
import { addHealthRoute } from './routes/health.ts'
import { addOperationsRoutes } from './routes/operations.ts'
import { addRepositoryRoutes } from './routes/repositories.ts'
import { createUnknownPathError } from './routes/unknown-path.ts'
import { addUserRoutes } from './routes/users.ts'
import { addVersionRoute } from './routes/version.ts'
import { createFailureLog, describeCause } from './telemetry/log.ts'
import { createMetrics } from './telemetry/metrics.ts'
import type { Tracing } from './telemetry/tracing.ts'

/** What an app works with. */
export interface AppOptions {
  database: Database
  logger: Logger
  /** Public URL with the base path, without a slash at its end; undefined: no base path, and each request's own host. */
  baseUrl: string | undefined
  /** Limit of stored lists in the database, in MiB. */
  storedListsMb: number
  /** Limit of the response cache in memory, in MiB; 0: no cache. */
  responseCacheMb: number
  /** Requests that wait longer in the queue are refused with 503. Default: 2,000. */
  maxWaitMs?: number
  /** Default: the instance is serving. */
  readLifecyclePhase?: () => LifecyclePhase
  /** Directory of the documentation builds. */
  docsDirectory: string
  /** The demo key that the viewer offers to readers on this machine; undefined on a deployment. */
  readDemoKey?: (() => string | undefined) | undefined
  /** Undefined: requests aren't traced. */
  tracing?: Tracing | undefined
  buildInfo: BuildInfo
}

/** Requests in progress, with or without a key. */
const maxInProgress = 4_000
/**
 * Requests with a key. More running at a time serve more under overload, when refusals delay each step of a running
 * request; fewer let a caller pass sooner beside one with a thousand requests. Measured: 64 admit 0.07 of the capacity
 * and take 14 ms, 128 0.10 and 26 ms, 256 0.12 and 47 ms (bench overload, bench ledger).
 */
const queueLimits = { maxConcurrent: 128, maxQueued: 2_000 }
/** Requests that wait for a stored list. They may wait `waitFactor` times as long as in the queue. */
const storedListLimits = { waitFactor: 5, maxQueued: 1_000 }

/** An app. */
export interface App {
  /** Refuses requests beyond the limits. A server calls it before `fetch`. */
  loadShedder: LoadShedder
  /** Responds to a request. */
  fetch: Fetch
  /** The same as Hono's app, for tests that add routes to it. */
  app: Hono<HonoEnvironment>
  /** Renders the error response to a request that the server doesn't pass to `fetch`. */
  refuse: Refuse
  /** Ends background work. Await it before the database is closed. */
  close(): Promise<void>
}

/** Creates the app. It asks nothing of the primary before the first request, but starts checking replicas. */
export function createApp(options: AppOptions): App {
  const { database, logger, baseUrl, maxWaitMs = 2_000, docsDirectory, buildInfo, tracing } = options
  const { readLifecyclePhase = () => 'serving' } = options
  const { sql, ledgerSql, replicas } = database
  const { basePath, publicOrigin, publicUrl, publicRoot } = createPublicUrls(baseUrl)

  // Ledger, catalog and the queue in front of them.
  const ledger = createLedger(ledgerSql)
  const storedLists = createStoredLists(sql, {
    maxBytes: options.storedListsMb * 2 ** 20,
    maxWaitMs: maxWaitMs * storedListLimits.waitFactor,
    maxQueued: storedListLimits.maxQueued,
    report: (message) => logger.warning('{message}', { message }),
  })
  replicas.watch((message) => logger.warning('{message}', { message: describeCause(message) }))
  const queue = createFairQueue<number>({ ...queueLimits, maxWaitMs })
  const meter = createMeter(ledger, {
    basePath,
    publicUrl,
    queue,
    responseCache: createResponseCache({ maxBytes: options.responseCacheMb * 2 ** 20 }),
    replicas,
    routing: createReplicaRouting(database, storedLists),
    traceDatabase: tracing?.traceDatabase,
  })
  const metrics = createMetrics({
    countInProgress: () => loadShedder.countInProgress(),
    readQueue: queue.readState,
    readLedger: ledger.readState,
    listReplicas: replicas.list,
    readDataset: () => readDataset(sql),
  })

  // Every request.
  const headers = listStandardHeaders({ isHttps: publicOrigin?.startsWith('https:') ?? false })
  const root = new Hono<HonoEnvironment>()
  root.use(
    requestId(),
    ...(tracing ? [tracing.traceRequest] : []),
    metrics.measure,
    standardHeaders(headers, (path) => path.startsWith(basePath) && isPagePath(path.slice(basePath.length))),
    accessLog(logger),
    assertAllowedMethod(),
  )

  // Errors. The schema is read on the ledger's connections: their statements are short, so a busy pool doesn't look like
  // a missing database.
  const checkSchema = shareRead(() => assertMigrated(ledgerSql))
  root.onError(
    createErrorHandler({
      explain: createSchemaExplainer(checkSchema),
      logFailure: createFailureLog(logger),
    }),
  )
  const respondToUnknownPath = meter.metered((c) => {
    throw createUnknownPathError(c.req.path.slice(basePath.length))
  })
  root.notFound(async (c) => {
    if (c.get('caller') !== undefined) return (await respondToUnknownPath(c, async () => {})) ?? c.body(null)
    assertReadablePublicUrl(c.req.url)
    throw notFound('Not found')
  })

  // Who may call what.
  const app = basePath === '' ? root : root.basePath(basePath)
  const connectReads = createReadConnector(database)
  const guard = createGuard({ ledger, meter, connectReads, readLifecyclePhase })
  app.use('/users/*', ...guard.scope('users:read'))
  app.use('/repos/*', ...guard.scope('repos:read'))
  app.use('/api-key/*', ...guard.anyKey())
  app.use('/metrics', ...guard.admin())
  app.use('/admin/*', ...guard.admin())
  for (const path of publicPaths) app.use(path, validatePublicUrl())

  // Routes.
  addUserRoutes(app, meter)
  addRepositoryRoutes(app, meter)
  addApiKeyRoutes(app, meter, sql)
  addOperationsRoutes(app, meter, { sql, metrics })
  app.on('GET', ['/', ''], (c) => c.redirect(`${publicRoot(c)}/docs`))
  addHealthRoute(app, {
    databaseKind: database.kind,
    assertMigrated: checkSchema,
    canCharge: ledger.canCharge,
    readLifecyclePhase,
  })
  addVersionRoute(app, { sql, buildInfo, readLifecyclePhase })
  addOpenApiRoutes(app, publicRoot)
  for (const host of new Set([app, root])) addApiCatalogRoute(host, publicRoot)
  const findDocs = createDocsFinder(docsDirectory, baseUrl)
  addDocsRoutes(app, { findDocs, basePath, publicOrigin })
  addViewerRoute(app, { findDocs, publicOrigin, readDemoKey: options.readDemoKey })

  // In front of it all.
  const refuse: Refuse = (method, error) => {
    metrics.countError(method, error)
    return renderError(error, headers.endpoint)
  }
  const loadShedder = createLoadShedder({
    maxInProgress,
    isQueueFull(authorization) {
      const key = recallKey(ledger, authorization)
      return key !== undefined && (queue.isFullFor(key.id) || storedLists.isFullFor(key.id))
    },
    refuse,
  })
  const fetch = loadShedder.track((request, server) => root.fetch(request, server))
  return { loadShedder, fetch, app: root, refuse, close: storedLists.close }
}
