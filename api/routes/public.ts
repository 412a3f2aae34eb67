import type { Hono } from 'hono'
import type { BuildInfo } from '../build-info.ts'
import { readDataset } from '../catalog/dataset.ts'
import { shareRead } from '../concurrency/shared-read.ts'
import { isDatabaseUnavailable } from '../database/connection-error.ts'
import type { Database } from '../database/database.ts'
import { mayLackMigration } from '../database/migrate.ts'
import type { Contract, ContractDocument } from '../docs/openapi-document.ts'
import { unavailable } from '../errors.ts'
import { matchesEntityTag } from '../http/entity-tag.ts'
import type { LifecyclePhase } from '../http/lifecycle-phase.ts'
import type { ApiContext, HonoEnvironment } from '../http/request-context.ts'
import { send, setHeader, takeHeaders } from '../http/send.ts'

/** What the public routes work with. */
export interface PublicRoutes {
  app: Hono<HonoEnvironment>
  database: Database
  /** Throws `MigrationError` when the database lacks a migration. */
  assertMigrated: () => Promise<{ isReadOnly: boolean }>
  /** Whether the ledger expects that a charge can be recorded. */
  canCharge: () => boolean
  readLifecyclePhase: () => LifecyclePhase
  /** The OpenAPI document. */
  contract: Contract
  /** What `/version` returns besides the dataset. */
  buildInfo: BuildInfo
  /** The public address of the API's root, without a slash at its end. */
  publicRoot: (c: ApiContext) => string
}

/** Adds the endpoints that need no key, except the documentation. */
export function addPublicRoutes({
  app,
  database,
  assertMigrated,
  canCharge,
  readLifecyclePhase,
  contract,
  buildInfo,
  publicRoot,
}: PublicRoutes): void {
  // Concurrent requests share a statement, because anybody may send any number of them.
  const readSharedDataset = shareRead(() => readDataset(database.sql))
  const readAvailableDataset = () =>
    readSharedDataset().catch((error: unknown) => {
      if (isDatabaseUnavailable(error) || mayLackMigration(error)) return null
      throw error
    })

  /** What the check finds while a load holds the only session of the embedded database. If that had failed, so would this process. */
  const busy = { isReadOnly: false }
  const checkDatabase = () =>
    assertMigrated().catch((error: unknown) => {
      if (database.kind === 'embedded' && isDatabaseUnavailable(error)) return busy
      throw error
    })

  app.on('GET', ['/', ''], (c) => c.redirect(`${publicRoot(c)}/docs`))

  app.get('/health', async (c) => {
    c.header('Cache-Control', 'no-store')
    if (readLifecyclePhase() === 'stopping') throw unavailable('Shutting down', { code: 'shutting_down' })
    if (readLifecyclePhase() === 'waiting') throw unavailable('Database unavailable')
    const { isReadOnly } = await withTimeout(checkDatabase(), healthTimeoutMs[database.kind], () => {
      if (database.kind === 'postgresql') throw unavailable('Database unavailable')
      return busy
    })
    if (isReadOnly || !canCharge()) throw unavailable('Database unavailable')
    return c.json({ status: 'ok', database: database.kind })
  })

  app.get('/version', async (c) => {
    const dataset = readLifecyclePhase() === 'waiting' ? null : await readAvailableDataset()
    c.header('Cache-Control', 'no-cache')
    return c.json({ ...buildInfo, dataset })
  })

  app.get('/openapi.yml', (c) => sendDocument(c, contract.yaml(publicRoot(c))))
  app.get('/openapi.json', (c) => sendDocument(c, contract.json(publicRoot(c))))
}

/** For the database to respond to a health check. */
const healthTimeoutMs = { postgresql: 3_000, embedded: 500 }

async function withTimeout<T>(result: Promise<T>, timeoutMs: number, onTimeout: () => T): Promise<T> {
  const timeout = Promise.withResolvers<void>()
  const timer = setTimeout(timeout.resolve, timeoutMs)
  try {
    return await Promise.race([result, timeout.promise.then(onTimeout)])
  } finally {
    clearTimeout(timer)
  }
}

async function sendDocument(c: ApiContext, { type, tag, read }: ContractDocument): Promise<Response> {
  setHeader(c, 'ETag', tag)
  setHeader(c, 'Cache-Control', 'no-cache')
  setHeader(c, 'Vary', 'Accept-Encoding')
  if (matchesEntityTag(c.req.header('If-None-Match'), tag)) return send(c, null, { status: 304 })
  const [body, encoding] = await read(c.req.header('Accept-Encoding'))
  setHeader(c, 'Content-Type', type)
  if (encoding !== 'identity') setHeader(c, 'Content-Encoding', encoding)
  return new Response(body, { headers: takeHeaders(c) })
}
