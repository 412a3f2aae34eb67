/**
 * The HTTP app, the same on each runtime.
 *
 * A request goes one way: load shedding → standard middleware → guard (authenticate → permit → throttle → queue) →
 * meter (validate as the route does → read the catalog → settle in the ledger → respond). Public routes have neither.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@logtape/logtape'
import { Hono } from 'hono'
import type { BuildInfo } from './build-info.ts'
import { readCoverage } from './catalog/coverage.ts'
import { readDataset } from './catalog/dataset.ts'
import { createMatchCache } from './catalog/matches.ts'
import { createReplicaRouting } from './catalog/replica-routing.ts'
import { createGuard, recallKey } from './checkout/guard.ts'
import { createMeter } from './checkout/meter.ts'
import { requestQueueLimits } from './checkout/request-queue.ts'
import { createResponseCache } from './checkout/response-cache.ts'
import { shareRead } from './concurrency/batcher.ts'
import { createFairQueue } from './concurrency/fair-queue.ts'
import type { Config } from './config.ts'
import { createReadConnector } from './database/connect.ts'
import type { Database } from './database/database.ts'
import { assertMigrated, createSchemaExplainer } from './database/migrate.ts'
import { countStatement } from './database/statement-count.ts'
import { type ApiError, startingUp } from './errors.ts'
import { createErrorHandler, renderError } from './http/error-handler.ts'
import { createLoadShedder, type ServedApp } from './http/load-shedding.ts'
import {
  accessLog,
  assertAllowedMethod,
  beginRequest,
  type Lifecycle,
  listStandardHeaders,
  standardHeaders,
} from './http/middleware.ts'
import { publicPaths } from './http/paths.ts'
import type { HonoEnvironment } from './http/request-context.ts'
import { createPublicUrls, readPath, validatePublicUrl } from './http/url.ts'
import { createKeyCheck } from './ledger/api-key.ts'
import { createLedger } from './ledger/ledger.ts'
import { readWaitingNotices } from './ledger/webhook-notices.ts'
import { addMcpRoute } from './mcp/mcp-route.ts'
import { textTables } from './names/searchable-texts.ts'
import { addApiCatalogRoute } from './portal/api-catalog.ts'
import { addCoverageRoute, createCoverageReader, createCoverageSlots } from './portal/coverage-route.ts'
import { createDocsFinder } from './portal/docs-manifest.ts'
import { addOpenApiRoutes } from './portal/openapi.ts'
import { createUrlCap } from './portal/page-template.ts'
import { addDocsRoutes } from './portal/static-pages.ts'
import { addAdminKeyRoutes } from './routes/admin-keys.ts'
import { addApiKeyRoutes } from './routes/api-key.ts'
import { addCountRoute, scopeOfCounts } from './routes/counts.ts'
import { addDiscoveryRoutes } from './routes/discovery.ts'
import { createHealthCheck } from './routes/health-check.ts'
import { addOperationsRoutes } from './routes/operations.ts'
import { addRemovalRoutes } from './routes/removals.ts'
import { addRepositoryRoutes } from './routes/repositories.ts'
import { createUnknownPathHandler } from './routes/unknown-path.ts'
import { addUserRoutes } from './routes/users.ts'
import { addSignIn } from './sign-in/sign-in.ts'
import { explainWait } from './staging/liveness-lock.ts'
import { createFailureLog, createWarning } from './telemetry/log.ts'
import { createMetrics } from './telemetry/metrics.ts'
import type { Tracing } from './telemetry/tracing.ts'

/** What an app works with. */
export interface AppOptions
  extends Pick<
    Config,
    | 'baseUrl'
    | 'matchCacheMb'
    | 'responseCacheMb'
    | 'compressResponses'
    | 'publicCoverage'
    | 'defaultRateLimit'
    | 'operator'
    | 'signIn'
    | 'logProbes'
  > {
  database: Database
  logger: Logger
  /** Directory of the documentation builds. */
  docsDirectory: string
  buildInfo: BuildInfo
  /** Default: the instance is serving. */
  lifecycle?: Readonly<Lifecycle>
  /** The demo key that the docs offer to readers on this machine; undefined on a deployment. */
  readDemoKey?: (() => string | undefined) | undefined
  /** Undefined: notices aren't sent. */
  webhook?: Config['webhook']
  /** Undefined: requests aren't traced. */
  tracing?: Tracing | undefined
  /** Requests that wait longer in the queue are refused with 503. Default: that of the request queue. */
  maxWaitMs?: number
  /** Fetches the document of a connector that wants to be connected. Default: from public servers. */
  readClientDocument?: ((url: URL) => Promise<string>) | undefined
  /** How long `/version` waits for the version of the dataset. Default: 3,000, like `/metrics`. */
  datasetTimeoutMs?: number
}

/** An app. */
export interface App extends ServedApp {
  /** The same as Hono's app, for tests that add routes to it. */
  hono: Hono<HonoEnvironment>
}

const defaultDatasetTimeoutMs = 3_000

function raceTimeout<Result>(reading: Promise<Result>, timeoutMs: number): Promise<Result | 'timed_out'> {
  return Promise.race([reading, sleep(timeoutMs, 'timed_out' as const, { ref: false })])
}

/**
 * Creates the app. It asks nothing of the primary before the first request, but starts checking replicas. It is long
 * because it connects all parts, and names each route.
 */
export function createApp(options: AppOptions): App {
  const {
    database,
    logger,
    baseUrl,
    buildInfo,
    tracing,
    maxWaitMs = requestQueueLimits.maxWaitMs,
    datasetTimeoutMs = defaultDatasetTimeoutMs,
  } = options
  const { operator, lifecycle = { phase: 'serving' } } = options
  const { sql, ledgerSql, replicas } = database
  const { basePath, publicOrigin, publicUrl, publicRoot } = createPublicUrls(baseUrl)

  // Ledger, catalog and the queue in front of them.
  const ledger = createLedger(ledgerSql)
  const matchCache = createMatchCache({
    maxBytes: options.matchCacheMb * 2 ** 20,
    maxWaitMs: 5 * maxWaitMs, // computing matches takes longer than other requests
    maxQueued: 1_000,
  })
  const routing = createReplicaRouting(database, matchCache)
  replicas.watch(createWarning(logger))
  const queue = createFairQueue<number>({ ...requestQueueLimits, maxWaitMs })
  const meter = createMeter(ledger, {
    basePath,
    publicUrl,
    responseCache: createResponseCache({ maxBytes: options.responseCacheMb * 2 ** 20 }),
    replicas,
    routing,
    traceDatabase: tracing?.traceDatabase,
  })
  // Concurrent requests share a statement, because anybody may send any number of them to `/version`.
  const readSharedDataset = shareRead(() => countStatement(sql, () => readDataset(sql)))
  const readDatasetWithin = (timeoutMs: number) => () => raceTimeout(readSharedDataset(), timeoutMs)
  const readSharedNotices = shareRead(() => countStatement(sql, () => readWaitingNotices(sql)))
  // On the ledger's connections, because their statements are short: a busy pool doesn't look like a missing database.
  const checkSchema = shareRead(() => assertMigrated(ledgerSql))
  const canFindKeys = createKeyCheck(ledgerSql)
  const checkDatabase = shareRead(async () => {
    const { isReadOnly } = await assertMigrated(ledgerSql)
    return { isReadOnly, canFindKeys: await canFindKeys() }
  })
  const checkHealth = createHealthCheck({ kind: database.kind, checkDatabase, ledger, lifecycle })
  const metrics = createMetrics({
    countInProgress: () => loadShedder.countInProgress(),
    readQueue: queue.readState,
    readLedger: ledger.readState,
    listReplicas: replicas.list,
    readDataset: readDatasetWithin(defaultDatasetTimeoutMs),
    readNotices: options.webhook && (() => raceTimeout(readSharedNotices(), defaultDatasetTimeoutMs)),
    checkHealth,
  })

  // Every request.
  const root = new Hono<HonoEnvironment>({ getPath: readPath })
  const headers = listStandardHeaders({ isHttps: publicOrigin?.startsWith('https:') ?? false })
  root.use(
    beginRequest(options),
    ...(tracing ? [tracing.traceRequest] : []),
    metrics.measure,
    standardHeaders(headers, basePath, lifecycle),
    accessLog(logger, basePath, options),
    assertAllowedMethod(basePath),
  )
  root.notFound(createUnknownPathHandler(meter, basePath))
  const logFailure = createFailureLog(logger)
  const explainSchema = createSchemaExplainer(checkSchema)
  const explain = async (error: Error) => explainWait(database.sql, await explainSchema(error))
  root.onError(createErrorHandler(explain, logFailure))

  // Who may call what.
  const app = basePath === '' ? root : root.basePath(basePath)
  const guard = createGuard({ ledger, meter, queue, connectReads: createReadConnector(database), lifecycle })
  app.use('/users/*', guard.scopes('users:read'))
  app.use('/repos/*', guard.scopes('repos:read'))
  app.use('/removals', guard.scopes('users:read', 'repos:read'))
  app.use('/dependencies', guard.anyScope)
  app.use('/dependencies/history', guard.anyScope)
  for (const table of textTables) app.use(`/${table}`, guard.scopes('users:read'))
  app.use('/counts', guard.scopeOf(scopeOfCounts))
  app.use('/api-key/*', guard.anyKey)
  app.use('/metrics', guard.metrics)
  app.use('/admin/*', guard.admin)
  for (const path of publicPaths) app.use(path, validatePublicUrl)

  // Routes.
  addUserRoutes(app, meter)
  addRepositoryRoutes(app, meter)
  addCountRoute(app, meter, routing)
  addRemovalRoutes(app, meter, sql)
  addDiscoveryRoutes(app, meter, sql, matchCache)
  addApiKeyRoutes(app, meter, sql)
  addAdminKeyRoutes(app, meter, { sql, defaultRateLimit: options.defaultRateLimit })
  addOperationsRoutes(app, meter, {
    database,
    checkHealth,
    readDataset: readDatasetWithin(datasetTimeoutMs),
    lifecycle,
    metrics,
    buildInfo,
  })
  if (options.signIn && baseUrl !== undefined) {
    addSignIn(app, root, { ...options, baseUrl, basePath, sql, ledger, meter })
  }
  const authenticate = guard.mcp({ acceptsTokens: options.signIn })
  const { version } = buildInfo
  addMcpRoute(app, {
    ...{ authenticate, meter, publicOrigin, basePath, version },
    // Through the load shedder, which counts them as requests in progress.
    fetch: (request) => loadShedder.fetch(request, { isOfTool: true }),
  })
  app.on('GET', ['/', ''], (c) => c.redirect(`${publicRoot(c)}/docs`))
  const isCachedUrl = createUrlCap()
  addOpenApiRoutes(app, publicRoot, isCachedUrl, operator)
  for (const host of new Set([app, root])) addApiCatalogRoute(host, publicRoot)
  const findDocs = createDocsFinder(options.docsDirectory, baseUrl)
  const readPublicCoverage = options.publicCoverage
    ? createCoverageReader(async () => {
        if (lifecycle.phase === 'waiting') throw startingUp()
        return raceTimeout(
          countStatement(sql, () => readCoverage(sql)),
          defaultDatasetTimeoutMs,
        )
      })
    : undefined
  if (readPublicCoverage) addCoverageRoute(app, readPublicCoverage)
  const readCoverageSlots = createCoverageSlots(readPublicCoverage)
  addDocsRoutes(app, {
    ...{ findDocs, basePath, publicOrigin, isCachedUrl, operator, readCoverageSlots },
    readDemoKey: options.readDemoKey,
  })
  metrics.addRoutes(
    root.routes.flatMap(({ method, path }) => (/^(GET|POST|DELETE)$/.test(method) ? [path] : [])),
  )

  // In front of it all.
  function refuse(method: string, error: ApiError) {
    metrics.countError(method, error)
    return renderError(error, headers.endpoint, logFailure)
  }
  const loadShedder = createLoadShedder({
    ...{ fetch: root.fetch, refuse },
    probePaths: ['/health', '/metrics'].map((path) => basePath + path),
    findSender(authorization) {
      const key = recallKey(ledger, authorization)
      if (key === undefined) return undefined
      return {
        id: key.id,
        isAdmin: key.role === 'admin',
        isQueueFull: queue.isFullFor(key.id) || matchCache.isFullFor(key.id),
      }
    },
  })
  return { ...loadShedder, hono: root }
}
