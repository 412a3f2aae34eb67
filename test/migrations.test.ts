/**
 * The schema: applied once, however many start at once, and never by an older version.
 *
 * @module
 */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import postgres from 'postgres'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { keyDependencyName } from '../api/catalog/dependency-name.ts'
import { foldText } from '../api/catalog/text-key.ts'
import type { Sql, SqlOrTransaction } from '../api/database/connect.ts'
import { type Database, openDatabase } from '../api/database/database.ts'
import { assertMigrated, listMigrations, MigrationError, migrate } from '../api/database/migrate.ts'
import { grantCredits } from '../api/ledger/keys.ts'
import { verifyLedger } from '../api/ledger/verify.ts'
import { runCommand } from './support/command-line.ts'
import { databaseUrl, testPool } from './support/databases.ts'
import { startInstanceProcess } from './support/process.ts'
import { describeOnServer, getServerUrl } from './support/server.ts'
import { describeOnEachDatabase } from './support/service.ts'

/** Databases in which nothing is, of one kind. */
interface BareDatabases {
  /** Makes one, and returns how to open it, as often as wanted, and how to remove it. */
  create(): Promise<{ open(): Promise<Database>; remove(): Promise<void> }>
  close(): Promise<void>
}

async function prepareEmbedded(): Promise<BareDatabases> {
  const template = await mkdtemp(join(tmpdir(), 'devdata-bare-'))
  // The first start makes the files, which takes seconds; all others get a copy.
  await (await openDatabase({ ...testPool, databaseUrl: undefined, dataDirectory: template })).close()
  return {
    async create() {
      const dataDirectory = await mkdtemp(join(tmpdir(), 'devdata-bare-'))
      await cp(template, dataDirectory, { recursive: true })
      return {
        open: () => openDatabase({ ...testPool, databaseUrl: undefined, dataDirectory }),
        remove: () => rm(dataDirectory, { recursive: true, force: true }),
      }
    },
    close: () => rm(template, { recursive: true, force: true }),
  }
}

function prepareServer(url: string): BareDatabases {
  const admin = postgres(url, { max: 1, onnotice: () => {} })
  return {
    async create() {
      const name = `test_${randomUUID().replaceAll('-', '')}`
      await admin`create database ${admin(name)}`
      return {
        open: () => openDatabase({ ...testPool, databaseUrl: databaseUrl(url, name), dataDirectory: '' }),
        async remove() {
          await admin`drop database ${admin(name)} with (force)`
        },
      }
    },
    close: () => admin.end(),
  }
}

const sampleDirectory = resolve(import.meta.dirname, '../sample')
const names = listMigrations().map(({ name }) => name)

test('migrations are numbered from 1 without a gap', () => {
  const numbers = listMigrations().map(({ number }) => number)
  expect(numbers.length).toBeGreaterThan(0)
  expect(numbers).toEqual(numbers.map((_, index) => index + 1))
})

describeOnEachDatabase('migrations', (kind) => {
  let databases: BareDatabases
  let bare: Awaited<ReturnType<BareDatabases['create']>>
  let open: Database[]
  beforeAll(async () => {
    databases = kind === 'embedded' ? await prepareEmbedded() : prepareServer(getServerUrl())
  })
  afterAll(() => databases.close())
  beforeEach(async () => {
    bare = await databases.create()
    // The first to open an embedded database runs it; the second goes through it, as a command line would.
    open = [await bare.open(), await bare.open()]
  })
  afterEach(async () => {
    for (const database of open.reverse()) await database.close()
    await bare.remove()
  })

  function getDatabases(): readonly [Database, Database] {
    const [first, second] = open
    if (first === undefined || second === undefined) throw new Error('the database was not opened twice')
    return [first, second]
  }

  test('are applied once, in order, and not again', async () => {
    const [{ sql }] = getDatabases()
    expect(await migrate(sql)).toEqual(names)
    expect(await migrate(sql)).toEqual([])
    const rows = await sql`select number, name from migrations order by number`
    expect(rows).toEqual(listMigrations())
  })

  test('are applied once by several who start at once', async () => {
    const [first, second] = getDatabases()
    const applied = await Promise.all(
      [first, second, first, second, first, second].map(({ sql }) => migrate(sql)),
    )
    expect(applied.filter((each) => each.length > 0)).toEqual([names])
    expect(await first.sql`select name from migrations order by number`).toEqual(
      names.map((name) => ({ name })),
    )
    expect(await second.sql`select version, users_count from dataset`).toEqual([
      { version: 0, users_count: 0 },
    ])
  })

  test('leave a database of a newer version as it is, and say so', async () => {
    const [{ sql }] = getDatabases()
    await migrate(sql)
    await sql`insert into migrations (number, name) values (9999, '9999_future.sql')`
    const message =
      `The database has migration 9999, and this version of devdata knows ${names.length} at most; ` +
      'run the version that made it, or a newer one'
    await expect(migrate(sql)).rejects.toThrow(new MigrationError(message))
    expect(await sql`select count(*) from migrations`).toEqual([{ count: names.length + 1 }])
  })

  /** What there is in the database, beside PostgreSQL's own. */
  const listRelations = (sql: Sql) => sql`
    select n.nspname as schema, relname as name from pg_class c join pg_namespace n on n.oid = relnamespace
    where n.nspname <> 'information_schema' and n.nspname !~ '^pg_' and relkind <> 'i' order by 1, 2`

  test('are applied all or none', async () => {
    const [{ sql }] = getDatabases()
    await sql`create type claim as (mine text)` // the second migration breaks on it
    await expect(migrate(sql)).rejects.toThrow('already exists')
    expect(await listRelations(sql)).toEqual([{ schema: 'public', name: 'claim' }])
    await sql`drop type claim`
    expect(await migrate(sql)).toEqual(names)
  })

  test.each([
    ['a table', 'create table orders (id integer)', 'public.orders'],
    [
      'a table in another schema',
      'create schema shop; create view shop.orders as select 1 as id',
      'shop.orders',
    ],
    ['migrations of another program', 'create table migrations (version text)', 'public.migrations'],
    [
      'migrations that look like ours',
      `create table migrations (number integer, name text); insert into migrations values (1, '0001_init.sql')`,
      'public.migrations',
    ],
    ['a ledger of another program', 'create table ledger (amount numeric)', 'public.ledger'],
  ])('refuse a database with %s, and change nothing', async (_, statements, relation) => {
    const [{ sql }] = getDatabases()
    await sql.unsafe(statements)
    const before = await listRelations(sql)
    const refusal = new MigrationError(
      `The database belongs to another program: it has ${relation}, and no schema of devdata; ` +
        'name an empty database in DATABASE_URL, or an empty schema in its search_path',
    )
    await expect(migrate(sql)).rejects.toThrow(refusal)
    await expect(assertMigrated(sql)).rejects.toThrow(refusal)
    expect(await listRelations(sql)).toEqual(before)
  })

  /** Brings a database to an older version, the one with so many migrations, and puts something into it. */
  async function startWith(count: number, fill: (tx: SqlOrTransaction) => Promise<unknown>): Promise<Sql> {
    const [{ sql }] = getDatabases()
    const directory = new URL('../api/database/migrations/', import.meta.url)
    await sql.begin(async (tx) => {
      await tx`create table migrations (number integer primary key, name text, applied_at timestamptz default now())`
      for (const [index, name] of names.slice(0, count).entries()) {
        await tx.unsafe(readFileSync(new URL(name, directory), 'utf8'))
        await tx`insert into migrations (number, name) values (${index + 1}, ${name})`
      }
      await fill(tx)
    })
    return sql
  }

  test('carry a ledger of the first version over, entry by entry', async () => {
    const sql = await startWith(1, async (tx) => {
      await tx`
        insert into api_keys (role, scopes, credits)
        values ('user', '{users:read}', 63), ('user', '{}', 5), ('admin', '{}', 0)`
      await tx`
        insert into ledger (api_key_id, created_at, kind, credits, balance, request_id, endpoint) values
          (1, '2026-01-30 10:00Z', 'grant', 100, 100, null, null),
          (2, '2026-01-30 10:01Z', 'grant', 5, 5, null, null),
          (1, '2026-01-30 23:59:59Z', 'charge', -30, 70, gen_random_uuid(), 'GET /users'),
          (1, '2026-01-31 00:00:01Z', 'charge', -1, 69, gen_random_uuid(), 'GET /users/ngoldberg'),
          (1, '2026-01-31 00:00:00Z', 'charge', -6, 63, gen_random_uuid(), 'GET /repos/a/b/commits')`
    })
    expect(await migrate(sql)).toEqual(names.slice(1))
    expect(await verifyLedger(sql)).toMatchObject({
      keys: 3,
      entries: 5,
      granted: 105n,
      cost: 37n,
      problems: [],
    })
    expect(
      await sql`select position, kind, granted, cost, balance, items, path from ledger where api_key_id = 1 order by position`,
    ).toEqual([
      { position: 1, kind: 'grant', granted: 100, cost: 0, balance: 100, items: null, path: null },
      { position: 2, kind: 'charge', granted: 0, cost: 30, balance: 70, items: 30, path: '/users' },
      { position: 3, kind: 'charge', granted: 0, cost: 1, balance: 69, items: 1, path: '/users/ngoldberg' },
      { position: 4, kind: 'charge', granted: 0, cost: 6, balance: 63, items: 6, path: '/repos/a/b/commits' },
    ])
    expect(
      await sql`select day::text, endpoint, entries, cost from ledger_days where api_key_id = 1 order by day, endpoint`,
    ).toEqual([
      { day: '2026-01-30', endpoint: '', entries: 1, cost: 0 },
      { day: '2026-01-30', endpoint: '/users', entries: 1, cost: 30 },
      { day: '2026-01-31', endpoint: '/repos/{owner}/{name}/commits', entries: 1, cost: 6 },
      { day: '2026-01-31', endpoint: '/users/{login}', entries: 1, cost: 1 },
    ])
    expect(await grantCredits(sql, 1, 7)).toMatchObject({ remaining_credits: 70 })
    expect((await verifyLedger(sql)).problems).toEqual([])
  })

  test.runIf(kind === 'postgresql')(
    'wait for what an instance of the version before is settling',
    async () => {
      const sql = await startWith(
        names.indexOf('0009_newest_entry.sql'),
        (tx) => tx`insert into api_keys (role, scopes) values ('user', '{}')`,
      )
      const [, other] = getDatabases()
      const isMigrationWaiting = async () => {
        const [row] = await sql<{ count: number }[]>`
        select count(*) from pg_locks where not granted
          and database = (select oid from pg_database where datname = current_database())`
        return row?.count === 1
      }
      let migration: Promise<string[]> | undefined
      await sql.begin(async (tx) => {
        await tx`select from api_keys where id = 1 for no key update` // as a settlement begins, …
        migration = migrate(other.sql)
        migration.catch(() => {})
        await expect.poll(isMigrationWaiting).toBe(true)
        await tx`select grant_credits(1, 5)` // … and goes on
      })
      expect(await migration).toContain('0009_newest_entry.sql')
      expect(await verifyLedger(sql)).toMatchObject({ entries: 1, balance: 5n, problems: [] })
    },
  )

  test.runIf(kind === 'postgresql')('let charges by while they wait for a dump', async () => {
    const sql = await startWith(
      names.indexOf('0009_newest_entry.sql'),
      (tx) => tx`insert into api_keys (role, scopes) values ('user', '{}')`,
    )
    const [, other] = getDatabases()
    const waits = Promise.withResolvers<void>()
    let migration: Promise<string[]> | undefined
    await sql.begin(async (dump) => {
      await dump`select from ledger limit 1`
      migration = migrate(other.sql, { onWait: waits.resolve })
      migration.catch(waits.reject)
      await waits.promise
      await sql`select grant_credits(1, 5)`
    })
    expect(await migration).toContain('0009_newest_entry.sql')
    expect(await verifyLedger(sql)).toMatchObject({ entries: 1, balance: 5n, problems: [] })
  })

  test('carry repositories of the first version over, letter by letter', async () => {
    const document = '{"url":"https://forge.example/a/b","topics":["größe","{}"],"owner":{"login":"🦀"}}'
    const sql = await startWith(
      1,
      (tx) => tx`
        insert into repositories (id, forge_rest_id, full_name_key, url_key, document)
        values (1, 5, 'A/B', 'HTTPS://FORGE.EXAMPLE/A/B', ${document})`,
    )
    await migrate(sql)
    expect(await sql`select '{' || members || '}' as document from repositories`).toEqual([{ document }])
  })

  test('spell the names of dependencies by the rules of their ecosystems', async () => {
    const declared = [
      ['Charset_Normalizer', 'requirements.txt'],
      ['zope.interface', 'dev.txt'],
      ['Serde_json', 'Cargo.toml'],
      ['lodash.get', 'package.json'],
      ['', 'requirements.txt'],
    ] as const
    const sql = await startWith(names.indexOf('0012_dependency_names.sql'), async (tx) => {
      for (const [name, file] of declared) {
        await tx`insert into dependencies (name, name_key, file) values (${name}, ${foldText(name)}, ${file})`
      }
    })
    await migrate(sql)
    expect(await sql`select name, file, name_key from dependencies order by id`).toEqual(
      declared.map(([name, file]) => ({ name, file, name_key: name && keyDependencyName(name, file) })),
    )
    expect(await sql`select version from dataset`).toEqual([{ version: 1 }])
  })
})

describeOnServer('a database that is not ours to change', () => {
  const server = () => getServerUrl()
  const at = (databaseUrl: string) => openDatabase({ ...testPool, databaseUrl, dataDirectory: '' })

  /** Runs with a database of its own, which goes. */
  async function withDatabase(work: (url: string, admin: postgres.Sql) => Promise<void>): Promise<void> {
    const admin = postgres(server(), { max: 1, onnotice: () => {} })
    const name = `test_${randomUUID().replaceAll('-', '')}`
    await admin`create database ${admin(name)}`
    try {
      await work(databaseUrl(server(), name), admin)
    } finally {
      await admin`alter database ${admin(name)} is_template false`
      await admin`drop database ${admin(name)} with (force)`
      await admin.end()
    }
  }

  async function migrateAt(url: string): Promise<string[]> {
    const database = await at(url)
    try {
      return await migrate(database.sql)
    } finally {
      await database.close()
    }
  }

  test('is refused in one line by the start, migrate, doctor and every command alike', () =>
    withDatabase(async (url) => {
      const owner = postgres(url, { max: 1, onnotice: () => {} })
      await owner`create table orders (id integer)`
      const line = 'The database belongs to another program: it has public.orders, and no schema of devdata; '
      const location = { environment: { DATABASE_URL: url }, directory: tmpdir() }
      await expect(startInstanceProcess(url)).rejects.toThrow(new RegExp(`ended with 1: ${line}[^\\n]*\\n$`))
      for (const command of [
        ['migrate'],
        ['keys', 'create', '--credits', '1'],
        ['import', 'ndjson', sampleDirectory],
      ]) {
        const { code, stdout, stderr } = await runCommand(command, location)
        expect([command, code, stdout]).toEqual([command, 1, ''])
        expect(stderr).toMatch(new RegExp(`^${line}[^\\n]*\\n$`))
      }
      const doctor = await runCommand(['doctor'], location)
      expect([doctor.code, doctor.stdout]).toEqual([
        1,
        expect.stringContaining(`wrong    database    ${line}`),
      ])
      expect(await owner`select relname from pg_class where relnamespace = 'public'::regnamespace`).toEqual([
        { relname: 'orders' },
      ])
      await owner.end()
    }))

  test('is a template, which nothing is made in, though it is empty', () =>
    withDatabase(async (url, admin) => {
      await admin.unsafe(`alter database ${new URL(url).pathname.slice(1)} is_template true`)
      const message = 'The database is a template, from which new databases are copied'
      await expect(migrateAt(url)).rejects.toThrow(message)
      await expect(migrateAt(databaseUrl(server(), 'template1'))).rejects.toThrow(message)
    }))

  test('may hold a schema of ours beside those of others, where search_path names it', () =>
    withDatabase(async (url) => {
      const owner = postgres(url, { max: 1, onnotice: () => {} })
      await owner`create table migrations (version text)`
      for (const path of ['devdata', 'devdata,public']) {
        await expect(migrateAt(`${url}?search_path=missing`)).rejects.toThrow(
          'None of the schemas in search_path exists in the database; create one, or name another',
        )
        await owner`create schema devdata`
        expect(await migrateAt(`${url}?search_path=${path}`)).toEqual(names)
        expect(await migrateAt(`${url}?search_path=${path}`)).toEqual([])
        await owner`drop schema devdata cascade`
      }
      await owner.end()
    }))

  test('may have extensions', () =>
    withDatabase(async (url) => {
      const owner = postgres(url, { max: 1, onnotice: () => {} })
      const [view] = await owner`select 1 from pg_available_extensions where name = 'pg_stat_statements'`
      await owner.unsafe(`create extension ${view ? 'pg_stat_statements' : 'plpgsql'}`).catch(() => {})
      await owner.end()
      expect(await migrateAt(url)).toEqual(names)
    }))
})
