/**
 * Instances of the service beside the one that `startTestService` starts: on the same database, on none at all, with
 * another base URL or another docs folder. Their responses are compared with openapi.yml too.
 */
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { getLogger } from '@logtape/logtape'
import type { Hono } from 'hono'
import { type AppOptions, createApp } from '../../api/app.ts'
import { readVersion } from '../../api/build-info.ts'
import { readConfig } from '../../api/config.ts'
import { type Database, type DatabaseOptions, openDatabase } from '../../api/database/database.ts'
import { createReplicas } from '../../api/database/replica-checks.ts'
import type { HonoEnvironment } from '../../api/http/request-context.ts'
import { docsDirectory } from '../../api/portal/docs-manifest.ts'
import { checkRequests } from '../../api/runtime/deno-request.ts'
import type { Tracing } from '../../api/telemetry/tracing.ts'
import { assertMatchesContract } from './contract.ts'
import { testPool } from './databases.ts'
import type { RequestOptions, TestResponse, TestService } from './service.ts'

/** A test's instance. */
export interface InstanceOptions {
  baseUrl?: string
  docsDirectory?: string
  responseCacheMb?: number
  compressResponses?: boolean
  publicCoverage?: boolean
  /** Needs a `baseUrl`. Default: false. */
  signIn?: boolean
  readClientDocument?: (url: URL) => Promise<string>
  /** Settings that say who runs the service. */
  operator?: Record<string, string>
  logProbes?: boolean
  readDemoKey?: () => string
  tracing?: Tracing
  webhook?: AppOptions['webhook']
  datasetTimeoutMs?: number
}

/** One app. */
export interface Instance {
  app: Hono<HonoEnvironment>
  /** Sends a request to a path below the base path, and compares the response with openapi.yml. */
  request(path: string, options?: RequestOptions): Promise<TestResponse>
  /** Sends any request to a path below the base path. */
  fetch(path: string, init?: RequestInit): Promise<Response>
}

/** Creates an app on an open database. */
export function createInstance(
  {
    sql,
    ledgerSql,
    kind,
    replicas = createReplicas([]),
  }: Pick<Database, 'sql' | 'ledgerSql' | 'kind'> & Partial<Pick<Database, 'replicas'>>,
  options: InstanceOptions = {},
): Instance {
  const { baseUrl } = options
  const api = createApp({
    database: {
      sql,
      ledgerSql,
      kind,
      owned: false,
      replicas,
      detectPooler: async () => {},
      close: async () => {},
    },
    logger: getLogger('devdata'),
    baseUrl,
    matchCacheMb: 16,
    responseCacheMb: options.responseCacheMb ?? 4,
    compressResponses: options.compressResponses ?? true,
    publicCoverage: options.publicCoverage ?? true,
    signIn: options.signIn ?? false,
    readClientDocument: options.readClientDocument,
    defaultRateLimit: null,
    operator: readConfig(options.operator ?? {}).operator,
    logProbes: options.logProbes ?? true,
    maxWaitMs: 60_000, // slow machines are not under test
    docsDirectory: options.docsDirectory ?? docsDirectory,
    readDemoKey: options.readDemoKey,
    tracing: options.tracing,
    webhook: options.webhook,
    ...(options.datasetTimeoutMs !== undefined && { datasetTimeoutMs: options.datasetTimeoutMs }),
    buildInfo: { version: readVersion(), commit: null, runtime: 'vitest' },
  })
  const root = baseUrl ?? 'http://localhost'
  const respond = checkRequests(api)
  return {
    app: api.hono,
    fetch: async (path, init) => respond(new Request(`${root}${path}`, init)),
    async request(path, { method = 'GET', key, headers = {}, body } = {}) {
      const response = await respond(
        new Request(`${root}${path}`, {
          method,
          headers: {
            ...(key !== undefined && { Authorization: `Bearer ${key}` }),
            ...headers,
            ...typeOf(body),
          },
          ...(body !== undefined && { body: writeBody(body) }),
        }),
      )
      const bytes = Buffer.from(await response.arrayBuffer())
      const text = unpack(bytes, response.headers)
      const { status } = response
      assertMatchesContract({ method, url: path, status, headers: response.headers, body: text })
      return {
        status,
        headers: response.headers,
        text,
        size: bytes.length,
        json: () => JSON.parse(text) as unknown,
      }
    },
  }
}

/** The header of a request with a body. */
export function typeOf(body: unknown): Record<string, string> {
  return body === undefined ? {} : { 'Content-Type': 'application/json' }
}

/** Writes the body of a request: JSON, or a text as it is. */
export function writeBody(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body)
}

/** Decompresses a body. */
export function unpack(body: Buffer, headers: Headers): string {
  const encoding = body.length === 0 ? null : headers.get('Content-Encoding')
  if (encoding === 'gzip') return gunzipSync(body).toString()
  return (encoding === 'br' ? brotliDecompressSync(body) : body).toString()
}

/** Opens a service's PostgreSQL database with another pool, as another instance does. */
export async function openSameDatabase(
  service: TestService,
  options: Partial<DatabaseOptions> = {},
): Promise<Database> {
  if (service.kind === 'embedded') throw new Error('the service is not on PostgreSQL')
  return openDatabase({ ...testPool, ...service.location, ...options })
}

/** Opens a database at a port that nothing listens at, with a password that must never be shown. */
export function openAbsentDatabase(): Promise<Database> {
  return openDatabase({
    ...testPool,
    databaseUrl: `postgres://nobody:${absentPassword}@127.0.0.1:1/nothing`,
    dataDirectory: '',
  })
}

/** The password of `openAbsentDatabase`. */
export const absentPassword = 'hunter2-must-not-leak'
