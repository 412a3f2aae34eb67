/** `devdata migrate --plan`: what the missing migrations would do, found out without touching a table. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { listMigrations, migrate, migrationLock, readSchemaState } from '../../api/database/migrate.ts'
import { planMigrations } from '../../api/database/migration-plan.ts'
import { listVersions, readVersionFixture, restoreDump } from '../../release/version-fixture.ts'
import { addLaterMigration } from '../support/later-migration.ts'
import { describeOnServer } from '../support/server.ts'
import { useService } from '../support/service.ts'
import { useStarted } from '../support/suite.ts'

const newest = listMigrations().length

const change = (table: string, blocks: string, rows: string) => ({
  changes: [{ table, blocks, rows, bytes: expect.any(Number) }],
})
/** What a migration may do, and what a plan says of it. */
const cases = [
  ['alter table ledger add note text', change('ledger', 'reads and writes', 'untouched')],
  [
    'alter table ledger_days add note uuid default gen_random_uuid()',
    change('ledger_days', 'reads and writes', 'written'),
  ],
  ['alter table users add check (id > 0)', change('users', 'reads and writes', 'read')],
  ['create index on users (forge_rest_id, id)', change('users', 'reads and writes', 'read')],
  ['update users set version = 0', change('users', 'nothing', 'written')],
  [
    'create table notes (id integer references api_keys)',
    { creates: ['notes'], ...change('api_keys', 'reads and writes', 'untouched') },
  ],
  ['drop table forge_repositories', { removes: ['forge_repositories'] }],
  ['create function add_note() returns void language sql return null', {}],
  ["alter type list_name add value 'notes'", {}],
  ['alter table attributes set (fillfactor = 90);', {}],
] as const

describeOnServer('a plan', () => {
  const service = useService('postgresql', { data: 'empty' })
  const later = useStarted(addLaterMigration, { each: true })

  test('says what each migration does, estimates by the size of the tables, and waits for no other session', async () => {
    const names = cases.map((_, index) => `${String(newest + 1 + index).padStart(4, '0')}_note.sql`)
    for (const [index, [sql]] of cases.entries()) {
      const since = index === 3 ? newest + 1 : newest
      await writeFile(join(later.directory, names[index] ?? ''), `-- Compatible since: ${since}\n${sql}`)
    }
    const plan = await service.sql.begin(async (tx) => {
      await tx`lock table users, ledger_days in exclusive mode`
      await tx`select pg_advisory_xact_lock(${migrationLock})` // as a migration in progress has it
      return await planMigrations(service.sql, later)
    })
    expect(plan.migrations).toEqual(
      cases.map(([, expected], index) => ({
        name: names[index],
        creates: [],
        removes: [],
        changes: [],
        ...expected,
      })),
    )
    expect([plan.newest, plan.isRolling]).toEqual([newest, false])
    const [size] = await service.sql<{ users: number; days: number }[]>`
      select pg_total_relation_size('users') as users, pg_total_relation_size('ledger_days') as days`
    const { users = 0, days = 0 } = size ?? {}
    expect(plan.estimatedSeconds).toBeCloseTo((2 * users) / 100e6 + (users + days) / 20e6)
    expect(await readSchemaState(service.sql)).toMatchObject({ missing: [], newer: [] })
  })

  test('refuses what migrate refuses, and needs no try if nothing is missing', async () => {
    await service.sql`insert into migrations values (9999, '9999_future.sql', '', 9999)`
    await expect(planMigrations(service.sql)).rejects.toThrow("on which this version of devdata can't run")
    await service.sql`delete from migrations where number = 9999`
    const none = { newest, isRolling: true, migrations: [], estimatedSeconds: 0 }
    expect(await planMigrations(service.sql)).toEqual(none)
  })
})

describe.for(listVersions())('the plan for a database of %s', (version) => {
  describeOnServer('says', () => {
    const service = useService('postgresql', { each: true, data: 'empty' })
    beforeEach(() => restoreDump(service.sql, readVersionFixture(version).dump))

    const listTables = () => service.sql<{ name: string; file: number }[]>`
      select relname as name, relfilenode::bigint as file from pg_class
      where relkind = 'r' and relnamespace = 'public'::regnamespace order by relname`

    test('what migrate then does, and changes nothing', async () => {
      const before = await listTables()
      const { missing } = await readSchemaState(service.sql)
      const { migrations, isRolling } = await planMigrations(service.sql)
      expect(isRolling).toBe(true)
      expect(migrations.map(({ name }) => name)).toEqual(missing)
      expect(await listTables()).toEqual(before)
      // Charges wait as long as this takes, and only the tables of keys and their secrets stay small.
      const touched = migrations.flatMap(({ changes }) => changes.filter(({ rows }) => rows !== 'untouched'))
      expect(touched.filter(({ table }) => !['api_keys', 'api_key_secrets'].includes(table))).toEqual([])

      expect(await migrate(service.sql)).toEqual(missing)
      const after = await listTables()
      const isOld = ({ name }: { name: string }) => before.some((each) => each.name === name)
      expect(migrations.flatMap(({ creates }) => creates).sort()).toEqual(
        after.filter((table) => !isOld(table)).map(({ name }) => name),
      )
      const written = migrations.flatMap(({ changes }) => changes.filter(({ rows }) => rows === 'written'))
      expect(after.filter(isOld).filter(({ name }) => !written.some(({ table }) => table === name))).toEqual(
        before.filter(({ name }) => !written.some(({ table }) => table === name)),
      )
    })
  })
})
