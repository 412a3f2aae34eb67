/**
 * The map of a load (api/dataset/load-map.ts), compared with the code and with what changes make in the database.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type ApplyOptions, applyImport } from '../../api/dataset/apply-load.ts'
import { loadMap } from '../../api/dataset/load-map.ts'
import { parseItem, type RecordKind } from '../../api/staging/records.ts'
import { withStaging } from '../../api/staging/staging.ts'
import { createCommit, createRepository, createUser, testOrigin } from '../support/records.ts'
import { anyDatabase, testInside, useService } from '../support/service.ts'

const folder = join(import.meta.dirname, '../../api/dataset')
const codeOf = (file: string) =>
  readFileSync(join(folder, file), 'utf8')
    .replaceAll(/\/\*\*.*?\*\//gs, '')
    .replaceAll(/^ *\/\/.*$/gm, '')
const shared = ['affected_users', 'affected_uses', 'active_users', 'new_terms', 'set_changes', 'use_changes']

test('each temporary table is made in the file that the map says, and only shared ones are named in others', () => {
  const made = loadMap.flatMap(({ file, makes = {} }) => Object.keys(makes).map((table) => ({ file, table })))
  const others = loadMap.map(({ file }) => file).filter((file) => file.startsWith('../'))
  const files = [...readdirSync(folder).filter((file) => file !== 'load-map.ts'), ...others]
  const found = files.flatMap((file) =>
    Array.from(codeOf(file).matchAll(/create temporary table (\w+)/g), ([, table]) => ({ file, table })),
  )
  const byTable = (a: { table?: string | undefined }, b: { table?: string | undefined }) =>
    String(a.table).localeCompare(String(b.table))
  expect(found.sort(byTable)).toEqual(made.toSorted(byTable))
  const named = files.flatMap((file) =>
    made
      .filter(({ table, file: maker }) => file !== maker && new RegExp(`\\b${table}\\b`).test(codeOf(file)))
      .map(({ table }) => ({ file, table })),
  )
  const sharing = loadMap.flatMap(({ file, shares = [] }) => shares.map((table) => ({ file, table })))
  const byBoth = (a: { file: string }, b: { file: string }) =>
    JSON.stringify(a).localeCompare(JSON.stringify(b))
  expect(named.sort(byBoth)).toEqual(sharing.sort(byBoth))
  expect(new Set(sharing.map(({ table }) => table))).toEqual(new Set(shared))
})

const service = useService(anyDatabase, { data: 'empty' })

/** Stages and applies items. */
async function load(
  items: Partial<Record<RecordKind, readonly object[]>>,
  options: Partial<ApplyOptions> = {},
): Promise<void> {
  await withStaging(service.sql, {}, async (staging) => {
    let position = 0
    for (const kind of ['users', 'identities', 'repos', 'commits', 'removals'] as const) {
      for (const record of items[kind] ?? [])
        await staging.add(++position, parseItem(kind, JSON.stringify(record)))
    }
    await staging.flush()
    await applyImport(service.sql, staging.id, { origin: testOrigin, onOrphan: async () => {}, ...options })
  })
}

testInside('loads of all kinds make the tables of the map, with these columns, in this order', async () => {
  const { sql } = service
  await sql`create table made_tables (place integer generated always as identity, name text, columns text)`
  await sql.unsafe(`
    create function note_table() returns event_trigger language plpgsql as $$
    begin
      insert into made_tables (name, columns)
      select relname, string_agg(attname || ' ' || replace(format_type(atttypid, atttypmod), '"', ''), ', ' order by attnum)
      from pg_event_trigger_ddl_commands() join pg_class c on c.oid = objid join pg_attribute on attrelid = c.oid
      where c.relpersistence = 't' and c.relkind = 'r' and attnum > 0 group by c.oid, relname;
    end $$;
    create event trigger note_tables on ddl_command_end when tag in ('CREATE TABLE', 'CREATE TABLE AS')
      execute function note_table()`)
  const everything = new Set(['users', 'identities', 'repos', 'commits'] as const)
  const users = [1, 2].map((number) =>
    createUser(number, { location: 'Berlin', email: `${number}@example.com` }),
  )
  const repo = createRepository(1, 'user-1', ['react'])
  const clone = createRepository(-5, 'user-2', ['vue'])
  const found = createRepository(5, 'user-2', [])
  const identities = [{ forge_rest_id: 1, addresses: ['other@example.com'] }]
  const commits = [
    createCommit(1, repo.url, '1@example.com', 5),
    createCommit(2, repo.url, 'other@example.com', 6),
  ]
  await load({ users, identities, repos: [repo], commits })
  await load({ repos: [clone], commits: [createCommit(1, clone.url, '2@example.com', 7)] })
  await load({ repos: [{ ...found, dependencies: null }] })
  const moved = createRepository(5, 'user-2', [], { url: clone.url })
  await load({ repos: [{ ...moved, dependencies: null }] }) // the clone and the forge's repository are one
  await load(
    { repos: [moved], commits: commits.slice(0, 1) },
    { keepsKnownRecords: true, completeUrls: [repo.url] },
  )
  await load({ removals: [{ forge_rest_id: 5, kind: 'repository' }] })
  await sql`update dataset set user_rules = '', derived_terms = '{}'`
  await sql`update repositories set term_ids = '{}'`
  await load({ users: users.slice(0, 1) }, { mirrored: everything })

  const made = await sql<{ name: string; columns: string }[]>`
    select distinct name, columns from made_tables order by name`
  const isOfAnyLoad = ([name]: readonly [string, string]) => name !== 'term_slices' // that takes 1,000,000 changes
  const mapped = loadMap.flatMap(({ makes = {} }) => Object.entries(makes)).filter(isOfAnyLoad)
  const expected = mapped.map(([name, columns]) => ({ name, columns }))
  expect(made).toEqual(expected.sort((a, b) => (a.name < b.name ? -1 : 1)))
  // Each load makes the tables that it shares first. Removals and new terms of items may be anywhere.
  const places = await sql<{ name: string; load: number }[]>`
    select name, count(*) filter (where name = 'affected_users') over (order by place) as load from made_tables order by place`
  const order = mapped.map(([name]) => name)
  const isAnywhere = (name: string) =>
    /^(removed|renewed|moved_attributes|moved_locations|authors|changed_texts)/.test(name)
  for (const tables of Map.groupBy(places, (place) => place.load).values()) {
    const inOrder = tables.map(({ name }) => name).filter((name) => !isAnywhere(name))
    expect(inOrder).toEqual(inOrder.toSorted((a, b) => order.indexOf(a) - order.indexOf(b)))
  }
})
