/** The schema: applied once, however many start at once, and never by an older version. */
import { randomUUID } from 'node:crypto'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import postgres from 'postgres'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Sql } from '../../api/database/connect.ts'
import { type Database, openDatabase } from '../../api/database/database.ts'
import {
  assertMigrated,
  changeLock,
  listMigrations,
  MigrationError,
  migrate,
  readSchemaState,
} from '../../api/database/migrate.ts'
import { grantCredits } from '../../api/ledger/keys.ts'
import { verifyLedger } from '../../api/ledger/verify.ts'
import { runCommand } from '../support/command-line.ts'
import { databaseUrl, testPool } from '../support/databases.ts'
import { addLaterMigration } from '../support/later-migration.ts'
import { getFrom } from '../support/live-service.ts'
import { startInstanceProcess } from '../support/process.ts'
import { describeOnServer, getServerUrl } from '../support/server.ts'
import {
  type DatabaseKind,
  describeOnEachDatabase,
  describeOnOneDatabase,
  useService,
} from '../support/service.ts'
import { useStarted } from '../support/suite.ts'

/** Empty databases of one kind. */
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

const sampleDirectory = resolve(import.meta.dirname, '../../sample')
const names = listMigrations().map(({ name }) => name)

test('migrations are numbered from 1 without a gap, and say which versions can run on their schema', () => {
  const numbers = listMigrations().map(({ number }) => number)
  expect(numbers.length).toBeGreaterThan(0)
  expect(numbers).toEqual(numbers.map((_, index) => index + 1))
  for (const { number, compatibleSince } of listMigrations()) {
    expect(compatibleSince).toBeGreaterThan(0)
    expect(compatibleSince).toBeLessThanOrEqual(number)
  }
})

/** Gives each test an empty database, which is opened twice: the first opening of an embedded one runs it. */
function useBareDatabase(kind: DatabaseKind): () => readonly [Database, Database] {
  let databases: BareDatabases
  let bare: Awaited<ReturnType<BareDatabases['create']>>
  let open: Database[]
  beforeAll(async () => {
    databases = kind === 'embedded' ? await prepareEmbedded() : prepareServer(getServerUrl())
  })
  afterAll(() => databases.close())
  beforeEach(async () => {
    bare = await databases.create()
    open = [await bare.open(), await bare.open()]
  })
  afterEach(async () => {
    for (const database of open.reverse()) await database.close()
    await bare.remove()
  })
  return () => {
    const [first, second] = open
    if (first === undefined || second === undefined) throw new Error('the database was not opened twice')
    return [first, second]
  }
}

/** What there is in the database, beside PostgreSQL's own. */
const listRelations = (sql: Sql) => sql`
  select n.nspname as schema, relname as name from pg_class c join pg_namespace n on n.oid = relnamespace
  where n.nspname <> 'information_schema' and n.nspname !~ '^pg_' and relkind <> 'i' order by 1, 2`

describeOnEachDatabase('migrations', (kind) => {
  const getDatabases = useBareDatabase(kind)

  test('are applied once, in order, and not again', async () => {
    const [{ sql }] = getDatabases()
    expect(await migrate(sql)).toEqual(names)
    expect(await migrate(sql)).toEqual([])
    const rows = await sql`
      select number, name, checksum, compatible_since as "compatibleSince" from migrations order by number`
    expect(listMigrations()).toMatchObject([...rows])
  })

  test('are applied once by several instances that start concurrently', async () => {
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

  test('leave a database of a newer version unchanged, and say so if this version can’t run on it', async () => {
    const [{ sql }] = getDatabases()
    await migrate(sql)
    await sql`
      insert into migrations (number, name, checksum, compatible_since)
      values (9998, '9998_future.sql', '', ${names.length + 1}), (9999, '9999_future.sql', '', ${names.length})`
    const refusal = new MigrationError(
      `The database has migration 9998, on which this version of devdata can't run (it has migrations up to ${names.length}); ` +
        'run the version that applied it, or a newer one',
    )
    await expect(migrate(sql)).rejects.toThrow(refusal)
    await expect(assertMigrated(sql)).rejects.toThrow(refusal)
    expect(await sql`select count(*) from migrations`).toEqual([{ count: names.length + 2 }])
    await sql`delete from migrations where number = 9998`
    expect(await migrate(sql)).toEqual([])
    expect(await assertMigrated(sql)).toMatchObject({ newer: [9999], incompatible: [] })
  })

  test('are all applied, or none', async () => {
    const [{ sql }] = getDatabases()
    await sql`create type settle_request as (mine text)` // the migration fails on it, almost at its end
    await expect(migrate(sql)).rejects.toThrow('already exists')
    expect(await listRelations(sql)).toEqual([{ schema: 'public', name: 'settle_request' }])
    await sql`drop type settle_request`
    expect(await migrate(sql)).toEqual(names)
  })
})

describeOnOneDatabase('migrations', (kind) => {
  const getDatabases = useBareDatabase(kind)

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
      `The database belongs to another program: it has ${relation}, but no devdata schema; ` +
        'set DATABASE_URL to an empty database, or its search_path to an empty schema',
    )
    await expect(migrate(sql)).rejects.toThrow(refusal)
    await expect(assertMigrated(sql)).rejects.toThrow(refusal)
    expect(await listRelations(sql)).toEqual(before)
  })

  test.each([
    [
      'before migrations had checksums',
      'alter table migrations drop column checksum, drop column compatible_since',
    ],
    ['when a migration was another', "update migrations set checksum = 'f00d' where number = 1"],
    [
      'with more migrations',
      `update migrations set checksum = 'f00d';
      insert into migrations (number, name, checksum, compatible_since) values (9999, '9999_settlement.sql', 'f00d', 1)`,
    ],
  ])(
    'refuse a database that a development version made %s, and say how to create a new one',
    async (_, change) => {
      const [{ sql }] = getDatabases()
      await migrate(sql)
      await sql.unsafe(change)
      const refusal = new MigrationError(
        'A development version of devdata created the database, with a different 0001_tables_and_settle_function.sql; create a new one: remove the ' +
          'folder DATA_DIR if the database is embedded, or else drop and create the database',
      )
      await expect(migrate(sql)).rejects.toThrow(refusal)
      await expect(assertMigrated(sql)).rejects.toThrow(refusal)
    },
  )
})

describeOnOneDatabase('a later migration', (kind) => {
  const service = useService(kind, { each: true })
  const later = useStarted(addLaterMigration, { each: true })

  test('leaves the statements of the previous version working', async () => {
    const { secret, id } = await service.createKey({ credits: 10_000 })
    const { secret: admin } = await service.createKey({ role: 'admin' })
    const { secret: limited } = await service.createKey({ rateLimit: { requests: 1_000, seconds: 60 } })
    const requests = [
      ...['/users/ngoldberg', '/users?per_page=5', '/users?location=berlin', '/repos?per_page=5'].flatMap(
        (path) => [
          [path, secret],
          [path, limited],
        ],
      ),
      ['/api-key/credits', secret],
      ['/api-key/usage', secret],
      ['/api-key/usage/days', secret],
      ['/admin/keys', admin],
      ['/metrics', admin],
      ['/health', admin],
    ] as const
    async function requestAll() {
      const responses = await Promise.all(
        requests.map(async ([path = '', key = '']) => [path, (await service.request(path, { key })).status]),
      )
      expect(responses).toEqual(requests.map(([path]) => [path, 200]))
    }
    for (let round = 0; round < 3; round++) await requestAll() // statements are prepared
    const [applied] = await Promise.all([migrate(service.sql, later), requestAll()])
    expect(applied).toEqual([later.name])
    for (let round = 0; round < 3; round++) await requestAll()
    expect(await grantCredits(service.sql, id, 7)).toMatchObject({ key: { id } })
    expect((await verifyLedger(service.sql)).problems).toEqual([])
    expect(
      await service.sql`select distinct note from ledger where api_key_id = ${id} order by note`,
    ).toEqual([{ note: 'new' }, { note: null }])
    expect(await readSchemaState(service.sql)).toEqual({
      missing: [],
      newer: [names.length + 1],
      incompatible: [],
      isReadOnly: false,
    })
    expect(await migrate(service.sql, later)).toEqual([])
  })

  test('lets the previous version start if it says so, and charge, and run commands', async () => {
    const { secret, id } = await service.createKey({ credits: 10 })
    await migrate(service.sql, later)
    const { databaseUrl, dataDirectory } = service.location
    await service.stop()
    await using instance = await startInstanceProcess(databaseUrl, { DATA_DIR: dataDirectory })
    const response = await getFrom(`${instance.url}/users?per_page=3`, secret)
    expect([response.status, response.headers.get('X-Credits-Remaining')]).toEqual([200, '7'])
    expect((await getFrom(`${instance.url}/health`)).status).toBe(200)
    const location = {
      environment: { DATABASE_URL: databaseUrl ?? '', DATA_DIR: dataDirectory },
      directory: tmpdir(),
    }
    expect((await runCommand(['keys', 'grant', `${id}`, '5'], location)).stdout).toContain(
      'its balance is 12',
    )
    expect(await runCommand(['migrate'], location)).toMatchObject({ stdout: 'The schema is up to date\n' })
  })

  test('refuses a start of the previous version in one line if it doesn’t say so', async () => {
    await later.write(names.length + 1, 'alter table ledger add note text not null')
    await migrate(service.sql, later)
    const { databaseUrl, dataDirectory } = service.location
    await service.stop()
    await expect(startInstanceProcess(databaseUrl, { DATA_DIR: dataDirectory })).rejects.toThrow(
      `ended with 1: The database has migration ${names.length + 1}, on which this version of devdata can't run ` +
        `(it has migrations up to ${names.length}); ` +
        'run the version that applied it, or a newer one\n',
    )
  })

  test('must say in its first line which versions can run on its schema', async () => {
    await writeFile(join(later.directory, later.name), 'alter table ledger add note text')
    await expect(migrate(service.sql, later)).rejects.toThrow(
      `${later.name} doesn't begin with "-- Compatible since: NUMBER"`,
    )
  })

  test.runIf(kind === 'postgresql')(
    'ends no request that holds one of its tables and waits for another',
    async () => {
      await later.write(names.length, 'alter table dataset add note text; alter table ledger add note text')
      let migration: Promise<string[]> | undefined
      await service.sql.begin(async (request) => {
        await request`select from ledger limit 1`
        migration = migrate(service.sql, later)
        migration.catch(() => {})
        const holdsDataset = async () => {
          const held = await service.sql`
          select from pg_locks where relation = 'dataset'::regclass and mode = 'AccessExclusiveLock' and granted`
          return held.length > 0
        }
        await expect.poll(holdsDataset, { interval: 20 }).toBe(true)
        await request`select from dataset`
      })
      expect(await migration).toEqual([later.name])
    },
  )

  test.runIf(kind === 'postgresql')(
    'locks no table against requests while it waits for a vacuum',
    async () => {
      const alter = `execute format('alter table %I alter document set statistics 0', 'users')`
      await later.write(names.length, `alter table ledger add note text; do $$ begin ${alter}; end $$`)
      let migration: Promise<string[]> | undefined
      await service.sql.begin(async (vacuum) => {
        await vacuum`lock table users in share update exclusive mode`
        migration = migrate(service.sql, later)
        migration.catch(() => {})
        const readLocks = () => service.sql`
        select count(*) filter (where relation = 'users'::regclass and not granted)::integer as awaited,
          count(*) filter (where relation = 'ledger'::regclass and mode = 'AccessExclusiveLock')::integer as exclusive
        from pg_locks`
        await expect.poll(readLocks, { interval: 20 }).toEqual([{ awaited: 1, exclusive: 0 }])
      })
      expect(await migration).toEqual([later.name])
    },
  )

  test.runIf(kind === 'postgresql')(
    'locks no table before a change of the dataset has ended, which locks tables in another order',
    async () => {
      await later.write(names.length, 'alter table users add note text; alter table ledger add note text')
      const waiting = Promise.withResolvers<void>()
      let migration: Promise<string[]> | undefined
      await service.sql.begin(async (change) => {
        await change`select pg_advisory_xact_lock(${changeLock})`
        migration = migrate(service.sql, { ...later, onWait: waiting.resolve })
        migration.catch(waiting.reject)
        await waiting.promise
        await change`lock table users, ledger in share update exclusive mode nowait`
      })
      expect(await migration).toEqual([later.name])
    },
  )

  test.runIf(kind === 'postgresql')('lets charges pass while it waits for a dump', async () => {
    const { secret } = await service.createKey()
    const waiting = Promise.withResolvers<void>()
    let migration: Promise<string[]> | undefined
    await service.sql.begin(async (dump) => {
      await dump`select from ledger limit 1`
      migration = migrate(service.sql, { ...later, onWait: waiting.resolve })
      migration.catch(waiting.reject)
      await waiting.promise
      expect((await service.request('/users/ngoldberg', { key: secret })).status).toBe(200)
    })
    expect(await migration).toEqual([later.name])
    expect((await service.request('/users/ngoldberg', { key: secret })).status).toBe(200)
  })
})

describeOnServer('a database of others', () => {
  const server = () => getServerUrl()
  const at = (databaseUrl: string) => openDatabase({ ...testPool, databaseUrl, dataDirectory: '' })

  /** Runs with a database of its own, which goes. */
  async function withDatabase(
    work: (url: string, admin: postgres.Sql) => Promise<void>,
    options = '',
  ): Promise<void> {
    const admin = postgres(server(), { max: 1, onnotice: () => {} })
    const name = `test_${randomUUID().replaceAll('-', '')}`
    await admin`create database ${admin(name)} ${admin.unsafe(options)}`
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
      const line = 'The database belongs to another program: it has public.orders, but no devdata schema; '
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

  test('is not changed if it is a template, even if it is empty', () =>
    withDatabase(async (url, admin) => {
      await admin.unsafe(`alter database ${new URL(url).pathname.slice(1)} is_template true`)
      const message = 'The database is a template, from which new databases are copied'
      await expect(migrateAt(url)).rejects.toThrow(message)
      await expect(migrateAt(databaseUrl(server(), 'template1'))).rejects.toThrow(message)
    }))

  test.for(['SQL_ASCII', 'LATIN1', 'EUC_JP'])('is not changed if its encoding is %s', (encoding) =>
    withDatabase(async (url) => {
      await expect(migrateAt(url)).rejects.toThrow(
        `The database has the encoding ${encoding}, and texts need UTF8; create another one ` +
          '(createdb --template=template0 --encoding=UTF8 NAME), and set DATABASE_URL to it',
      )
    }, `template template0 encoding '${encoding}' locale 'C'`),
  )

  test('may have a schema of ours beside others, if search_path names it', () =>
    withDatabase(async (url) => {
      const owner = postgres(url, { max: 1, onnotice: () => {} })
      await owner`create table migrations (version text)`
      for (const path of ['devdata', 'devdata,public']) {
        await expect(migrateAt(`${url}?search_path=missing`)).rejects.toThrow(
          'None of the schemas in search_path exists in the database; create one, or set another search_path',
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
