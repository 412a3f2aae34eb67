/**
 * What a released version left for the tests of later ones: `npm run fixture` writes it.
 *
 * @module
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sql } from '../../api/database/connect.ts'

/** A request, and what the version responded on the database of the fixture. */
export interface RecordedRequest {
  path: string
  status: number
  headers: Record<string, string>
  /** Without `meta`. Left out where it has times. */
  body?: Record<string, unknown>
}

/** A statement that the version sent for the requests. */
export interface RecordedStatement {
  statement: string
  /** As text. */
  parameters: string[]
  /** Object identifiers of the parameters' types; 0: the server finds out. */
  types: number[]
}

/** A version's file, beside a dump of its database with the same name. */
export interface VersionFixture {
  version: string
  /** The user key of the requests. */
  secret: string
  /** In the order in which they were sent: each charge leaves a balance. */
  requests: RecordedRequest[]
  statements: RecordedStatement[]
}

const directory = join(import.meta.dirname, '..', 'release', 'versions')

/** Lists the versions that have a fixture. */
export function listVersions(): string[] {
  return readdirSync(directory)
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length))
}

/** Reads a version's fixture, and its database as SQL. */
export function readVersionFixture(version: string): { fixture: VersionFixture; dump: string } {
  const read = (extension: string) => readFileSync(join(directory, `${version}.${extension}`), 'utf8')
  return { fixture: JSON.parse(read('json')), dump: read('sql') }
}

/** Puts the database of a dump in the place of another one. */
export async function restoreDump(sql: Sql, dump: string): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`set local standard_conforming_strings = on` // the dump sets it, too, but all of it is parsed before
    await tx.unsafe(`drop schema public cascade; create schema public; ${dump}; reset all`).simple()
  })
}
