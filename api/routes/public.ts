import type { Hono } from 'hono'
import { createEntityTag, matchesEntityTag } from '../answer/entity-tag.ts'
import { readDataset } from '../catalog/dataset.ts'
import type { Contract } from '../contract.ts'
import type { Database } from '../database/connect.ts'
import { isDatabaseUnavailable } from '../database/connection-error.ts'
import { mayLackMigration } from '../database/migrate.ts'
import { shareReading } from '../database/shared-reading.ts'
import type { ApiContext, Environment } from '../environment.ts'
import { unavailable } from '../errors.ts'
import type { Phase } from '../phase.ts'
import type { PublicUrl } from './lists.ts'

/** What the public routes need. */
export interface PublicRoutes {
  app: Hono<Environment>
  database: Database
  /** Throws `MigrationError` when the database lacks a migration. */
  assertMigrated: () => Promise<void>
  readPhase: () => Phase
  /** The OpenAPI document. */
  contract: Contract
  /** What `/version` says about the program. */
  program: { version: string; commit: string | null; runtime: string }
  /** The public address of the API's root, without a slash at its end. */
  publicRoot: (...parameters: Parameters<PublicUrl>) => string
}

/** The endpoints that need no key, the documentation aside (`service.md` §4.6). */
export function addPublicRoutes({
  app,
  database,
  assertMigrated,
  readPhase,
  contract,
  program,
  publicRoot,
}: PublicRoutes): void {
  // Anybody may ask, as often as they like: so those who ask at the same time are answered with one statement.
  const readNow = shareReading(() => readDataset(database.sql))
  /** What runs here can be told without the database. */
  const readDatasetIfThere = () =>
    readNow().catch((error: unknown) => {
      if (isDatabaseUnavailable(error) || mayLackMigration(error)) return null
      throw error
    })

  app.on('GET', ['/', ''], (c) => c.redirect(`${publicRoot(c)}/docs`))

  app.get('/health', async (c) => {
    c.header('Cache-Control', 'no-store')
    if (readPhase() === 'stopping') throw unavailable('Shutting down')
    if (readPhase() === 'waiting') throw unavailable('Database unavailable')
    await withinPatience(assertMigrated())
    return c.json({ status: 'ok', database: database.kind })
  })

  app.get('/version', async (c) => {
    const dataset = readPhase() === 'waiting' ? null : await readDatasetIfThere()
    c.header('Cache-Control', 'no-cache')
    return c.json({ ...program, dataset })
  })

  app.get('/openapi.yml', (c) => sendDocument(c, contract.toYaml(publicRoot(c)), 'application/yaml'))
  app.get('/openapi.json', (c) => sendDocument(c, contract.toJson(publicRoot(c)), 'application/json'))
}

/** Who asks whether the database answers is not to wait for long, in milliseconds. */
const healthPatience = 3_000

async function withinPatience<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unavailable('Database unavailable')), healthPatience)
  })
  try {
    return await Promise.race([answer, patience])
  } finally {
    clearTimeout(timer)
  }
}

function sendDocument(c: ApiContext, text: string, type: string): Response {
  const tag = createEntityTag(type, text)
  c.header('ETag', tag)
  c.header('Cache-Control', 'no-cache')
  if (matchesEntityTag(c.req.header('If-None-Match'), tag)) return c.body(null, 304)
  return c.body(text, 200, { 'Content-Type': type })
}
