/**
 * What a released version left for the tests of later ones: `npm run fixture` writes it. To look at it:
 * `unzip -p test/release/versions/0.1.0.zip 0.1.0.sql`, or `0.1.0.json`.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate'
import type { Sql } from '../api/database/connect.ts'

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

/** A version's JSON, beside a dump of its database. */
export interface VersionFixture {
  version: string
  /** The user key of the requests. */
  secret: string
  /** In the order in which they were sent: each charge leaves a balance. */
  requests: RecordedRequest[]
  statements: RecordedStatement[]
}

const directory = join(import.meta.dirname, '..', 'test', 'release', 'versions')

/** Lists the versions that have a fixture. */
export function listVersions(): string[] {
  return readdirSync(directory).map((name) => name.replace(/\.zip$/, ''))
}

/** Reads a version's fixture, and its database as SQL. */
export function readVersionFixture(version: string): { fixture: VersionFixture; dump: string } {
  const files = unzipSync(readFileSync(join(directory, `${version}.zip`)))
  const read = (extension: string) => strFromU8(files[`${version}.${extension}`] ?? new Uint8Array())
  return { fixture: JSON.parse(read('json')), dump: read('sql') }
}

/** Writes a version's fixture, and its database as SQL. Returns the file's path. */
export function writeVersionFixture(fixture: VersionFixture, dump: string): string {
  const { version } = fixture
  const file = join(directory, `${version}.zip`)
  const files = { [`${version}.json`]: `${JSON.stringify(fixture, null, 2)}\n`, [`${version}.sql`]: dump }
  const encoded = Object.entries(files).map(([name, text]) => [name, strToU8(text)] as const)
  writeFileSync(file, zipSync(Object.fromEntries(encoded), { level: 9 }))
  return file
}

/** Puts the database of a dump in the place of another one. */
export async function restoreDump(sql: Sql, dump: string): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`set local standard_conforming_strings = on` // the dump sets it, too, but all of it is parsed before
    await tx.unsafe(`drop schema public cascade; create schema public; ${dump}; reset all`).simple()
  })
}
