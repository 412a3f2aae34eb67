/** A made-up migration after the newest of this version. */
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { listMigrations } from '../../api/database/migrate.ts'

const migrationsDirectory = resolve(import.meta.dirname, '../../api/database/migrations')

/** A folder with this version's migrations and one more. */
export interface LaterMigrations extends AsyncDisposable {
  directory: string
  /** The file name of the added migration. */
  name: string
  /** Writes it anew: which versions can run on its schema, and what it does. */
  write(compatibleSince: number, sql: string): Promise<void>
}

/** Adds a migration that gives the ledger a further column, which `settle()` fills from then on. */
export async function addLaterMigration(): Promise<LaterMigrations> {
  const directory = await mkdtemp(join(tmpdir(), 'devdata-migrations-'))
  await cp(migrationsDirectory, directory, { recursive: true })
  const migrations = listMigrations()
  const number = migrations.length + 1
  const name = `${String(number).padStart(4, '0')}_note.sql`
  const write = (compatibleSince: number, sql: string) =>
    writeFile(join(directory, name), `-- Compatible since: ${compatibleSince}\n${sql}`)
  const definition = /create (?:or replace )?function settle\([\s\S]*/
  const newest = migrations.findLast(({ sql }) => definition.test(sql))
  const [settled = ''] = definition.exec(newest?.sql ?? '') ?? []
  const settle = settled
    .replace(/create (or replace )?function/, 'create or replace function')
    .replace('request.endpoint)::ledger', "request.endpoint, 'new')::ledger")
  if (!settle.includes("'new'")) throw new Error('settle() writes its entries in another way now')
  await write(migrations.length, `alter table ledger add note text; ${settle}`)
  return {
    directory,
    name,
    write,
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  }
}
