import type { Hono } from 'hono'
import { createEntityTag, matchesEntityTag } from '../answer/entity-tag.ts'
import { readDataset } from '../catalog/dataset.ts'
import type { Contract } from '../contract.ts'
import { type Database, isDatabaseUnavailable } from '../database/connect.ts'
import type { ApiContext, Environment } from '../environment.ts'
import type { PublicUrl } from './lists.ts'

/** What the public routes need. */
export interface PublicRoutes {
  app: Hono<Environment>
  database: Database
  /** The OpenAPI document. */
  contract: Contract
  /** What `/version` says about the program. */
  program: { version: string; commit: string | null; runtime: string }
  /** The public address of the API's root, without a slash at its end. */
  publicRoot: (...parameters: Parameters<PublicUrl>) => string
}

/** The endpoints that need no key, the documentation aside (`service.md` §4.6). */
export function addPublicRoutes({ app, database, contract, program, publicRoot }: PublicRoutes): void {
  app.on('GET', ['/', ''], (c) => c.redirect(`${publicRoot(c)}/docs`))

  app.get('/health', async (c) => {
    await database.sql`select 1`
    c.header('Cache-Control', 'no-store')
    return c.json({ status: 'ok', database: database.kind })
  })

  app.get('/version', async (c) => {
    const dataset = await readDataset(database.sql).catch((error: unknown) => {
      if (isDatabaseUnavailable(error)) return null // what runs here can be told all the same
      throw error
    })
    c.header('Cache-Control', 'no-cache')
    return c.json({ ...program, dataset })
  })

  app.get('/openapi.yml', (c) => sendDocument(c, contract.toYaml(publicRoot(c)), 'application/yaml'))
  app.get('/openapi.json', (c) => sendDocument(c, contract.toJson(publicRoot(c)), 'application/json'))
}

function sendDocument(c: ApiContext, text: string, type: string): Response {
  const tag = createEntityTag(type, text)
  c.header('ETag', tag)
  c.header('Cache-Control', 'no-cache')
  if (matchesEntityTag(c.req.header('If-None-Match'), tag)) return c.body(null, 304)
  return c.body(text, 200, { 'Content-Type': type })
}
