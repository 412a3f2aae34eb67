/**
 * The whole HTTP surface, with no runtime in it: what differs between Node and Deno is handed in.
 *
 * Every endpoint outside `service.md` §4.6 goes one way: authenticate → permission → throttle → validate → read
 * (catalog) → charge (ledger) → answer.
 *
 * @module
 */
import type { Logger } from '@logtape/logtape'
import { Hono } from 'hono'
import { cors } from 'hono/cors'
import { secureHeaders } from 'hono/secure-headers'
import { createErrorHandler } from './answer/error.ts'
import { createMeter } from './answer/metered.ts'
import { createListingStore } from './catalog/listing.ts'
import { loadContract } from './contract.ts'
import type { Database } from './database/connect.ts'
import type { ApiContext, Environment } from './environment.ts'
import { notFound } from './errors.ts'
import { createMetrics } from './metrics.ts'
import { accessLog } from './middleware/access-log.ts'
import { authenticate, requireAdmin, requireScope } from './middleware/authenticate.ts'
import { limitConcurrency } from './middleware/limit-concurrency.ts'
import { readOnly } from './middleware/read-only.ts'
import { requestIdentity } from './middleware/request-identity.ts'
import { throttle } from './middleware/throttle.ts'
import { assertReadableUrl, validateUrl } from './middleware/validate-url.ts'
import { apiCatalogPath, createApiCatalogRoute } from './routes/api-catalog.ts'
import { createApiDocsRoutes } from './routes/api-docs.ts'
import { addApiKeyRoutes } from './routes/api-key.ts'
import { createDocsRoutes } from './routes/docs.ts'
import { addOperationsRoutes } from './routes/operations.ts'
import { addPublicRoutes } from './routes/public.ts'
import { addRepositoryRoutes } from './routes/repositories.ts'
import { addUserRoutes } from './routes/users.ts'

/** What a running service is made of. */
export interface AppOptions {
  database: Database
  logger: Logger
  /** Public address with the path prefix, without a slash at its end; undefined: no prefix, the request's own host. */
  baseUrl: string | undefined
  /** What kept listings may take in the database, in MiB. */
  listingsMegabytes: number
  /** Folder of the built documentation. */
  docsDirectory: string
  /** The demo key that the viewer may offer to readers on this machine; absent on a deployment. */
  readDemoKey?: (() => string | undefined) | undefined
  /** What `/version` says. */
  program: { version: string; commit: string | null; runtime: string }
}

/** Requests that an instance works on at a time: what its database does in a second or so. */
const mostRequestsUnderWay = 1_000

/** Headers beyond the safelisted ones that scripts of other origins may read. */
const exposedHeaders = [
  'Content-Range',
  'ETag',
  'Link',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  'X-Credits-Cost',
  'X-Credits-Remaining',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
  'X-Total-Count',
]

/** Creates the app. It listens nowhere yet: hand its `fetch` to a server, or requests to its `request`. */
export function createApp(options: AppOptions): Hono<Environment> {
  const { database, logger, baseUrl, docsDirectory, program } = options
  const { sql } = database
  const basePath = baseUrl === undefined ? '' : new URL(baseUrl).pathname.replace(/\/$/, '')
  const publicRoot = (c: ApiContext) => baseUrl ?? new URL(c.req.url).origin
  const publicUrl = (c: ApiContext) => new URL(new URL(c.req.url).pathname, publicRoot(c))
  const metrics = createMetrics()
  const meter = createMeter(sql)
  const listings = createListingStore(sql, { maxBytes: options.listingsMegabytes * 2 ** 20 })

  const root = new Hono<Environment>()
  root.onError(createErrorHandler(logger))
  root.notFound((c) => {
    assertReadableUrl(c.req.url)
    throw notFound('Not found')
  })
  root.use(
    requestIdentity(),
    accessLog(logger),
    metrics.measure,
    secureHeaders({
      overwrite: false, // docs and viewer have policies of their own
      contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
      crossOriginResourcePolicy: 'cross-origin', // any origin may call the API
      crossOriginOpenerPolicy: 'same-origin',
      xFrameOptions: 'DENY',
      strictTransportSecurity: baseUrl?.startsWith('https:') ? 'max-age=31536000' : false,
    }),
    cors({
      origin: '*',
      allowMethods: ['GET', 'HEAD', 'OPTIONS'],
      allowHeaders: ['Authorization', 'If-None-Match'],
      exposeHeaders: exposedHeaders,
      maxAge: 86_400, // seconds
    }),
    readOnly(),
    limitConcurrency(mostRequestsUnderWay),
  )

  const app = basePath === '' ? root : root.basePath(basePath)
  const authenticated = [authenticate(sql)] as const
  const checked = [throttle(sql), validateUrl()] as const
  app.use('/users/*', ...authenticated, meter.stateCredits, requireScope('users:read'), ...checked)
  app.use('/repos/*', ...authenticated, meter.stateCredits, requireScope('repos:read'), ...checked)
  app.use('/api-key/credits', ...authenticated, ...checked)
  app.use('/metrics', ...authenticated, requireAdmin(), ...checked)
  app.use('/admin/*', ...authenticated, requireAdmin(), ...checked)
  const publicPaths = [
    '',
    '/',
    '/health',
    '/version',
    '/openapi.yml',
    '/openapi.json',
    '/docs/*',
    '/api-docs',
    apiCatalogPath,
  ]
  for (const path of publicPaths) app.use(path, validateUrl())

  addUserRoutes({ app, sql, listings, meter, publicUrl })
  addRepositoryRoutes({ app, sql, listings, meter, publicUrl })
  addApiKeyRoutes(app)
  addOperationsRoutes({ app, sql, metrics: metrics.registry, publicUrl })
  addPublicRoutes({ app, database, contract: loadContract(), program, publicRoot })
  app.route(apiCatalogPath, createApiCatalogRoute(publicRoot))
  if (basePath !== '') root.route(apiCatalogPath, createApiCatalogRoute(publicRoot))
  app.route('/docs', createDocsRoutes({ directory: docsDirectory, basePath }))
  app.route(
    '/api-docs',
    createApiDocsRoutes({
      directory: docsDirectory,
      basePath,
      ...(baseUrl !== undefined && { apiOrigin: new URL(baseUrl).origin }),
      readDemoKey: options.readDemoKey,
    }),
  )
  return root
}
