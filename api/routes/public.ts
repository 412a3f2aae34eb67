import type { Hono } from 'hono'
import { createEntityTag, matchesEntityTag } from '../answer/entity-tag.ts'
import type { Phase } from '../app.ts'
import { readDataset } from '../catalog/dataset.ts'
import type { Contract } from '../contract.ts'
import type { Database } from '../database/connect.ts'
import { isDatabaseUnavailable } from '../database/connection-error.ts'
import { findMissingMigrations } from '../database/migrate.ts'
import type { ApiContext, Environment } from '../environment.ts'
import { unavailable } from '../errors.ts'
import type { PublicUrl } from './lists.ts'

/** What the public routes need. */
export interface PublicRoutes {
  app: Hono<Environment>
  database: Database
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
  readPhase,
  contract,
  program,
  publicRoot,
}: PublicRoutes): void {
  /** What runs here can be told without the database. */
  const readDatasetIfThere = () =>
    readDataset(database.sql).catch((error: unknown) => {
      if (isDatabaseUnavailable(error)) return null
      throw error
    })

  app.on('GET', ['/', ''], (c) => c.redirect(`${publicRoot(c)}/docs`))

  app.get('/health', async (c) => {
    c.header('Cache-Control', 'no-store')
    if (readPhase() === 'stopping') throw unavailable('Shutting down')
    if (readPhase() === 'waiting') throw unavailable('Database unavailable')
    // On the ledger's connections, whose statements are short: being busy is not being unwell.
    const missing = await withinPatience(findMissingMigrations(database.ledgerSql))
    if (missing.length > 0) throw unavailable('Database not migrated')
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
