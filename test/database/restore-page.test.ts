/** A backup of a released version is restored after an upgrade, with the commands of the pages as they stand. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../api/database/database.ts'
import { listMigrations, migrate, readSchemaState } from '../../api/database/migrate.ts'
import { scopes } from '../../api/ledger/api-key.ts'
import { createKey } from '../../api/ledger/keys.ts'
import { verifyLedger } from '../../api/ledger/verify.ts'
import { readVersionFixture } from '../../release/version-fixture.ts'
import { databaseUrl, testPool } from '../support/databases.ts'
import { createInstance } from '../support/instance.ts'
import { listSamples } from '../support/markdown-samples.ts'
import { findPostgresBinaries, postgresMissing } from '../support/postgres-binaries.ts'
import { startPostgresCluster } from '../support/postgres-cluster.ts'
import { inheritEnvironment } from '../support/program.ts'
import { useStarted } from '../support/suite.ts'

const binaries = findPostgresBinaries()
if (binaries === undefined) console.warn(`skipped: ${postgresMissing}`)

const project = resolve(import.meta.dirname, '..', '..')

/** Finds the only sample of a page that has a command. Samples in lists are indented. */
async function findSample(page: string, command: RegExp): Promise<string> {
  const text = await readFile(join(project, 'docs-site/src/content/docs', `${page}.md`), 'utf8')
  const samples = listSamples(text.replaceAll(/^ {3}/gm, ''), 'sh')
  const [found, ...others] = samples.filter((sample) => command.test(sample))
  if (found === undefined || others.length > 0) throw new Error(`${page} has not one sample with ${command}`)
  return found
}

interface Kind {
  name: string
  schema: string
  owner: string
  /** Who uses the database after `roles.sql`. */
  server?: string
  /** Whether other programs use the database, which belongs to none of them. */
  isShared?: boolean
}

const kinds: Kind[] = [
  { name: 'a database of its own', schema: 'public', owner: 'devdata' },
  { name: 'a schema of its own in a shared database', schema: 'devdata', owner: 'devdata', isShared: true },
  { name: 'a database with three roles', schema: 'public', owner: 'devdata_owner', server: 'devdata_server' },
]

describe.skipIf(binaries === undefined)('a backup of 0.1.0 that is restored after an upgrade', () => {
  const cluster = useStarted(startPostgresCluster)
  const { fixture, dump } = readVersionFixture('0.1.0')
  let folder: string
  let open: Database[] = []

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'devdata-restore-'))
    await asSuperuser(
      cluster.url,
      ...['devdata', 'devdata_owner', 'devdata_operator', 'devdata_server'].map(
        (role) => `create role ${role} login password 'secret'`,
      ),
    )
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  async function asSuperuser(url: string, ...statements: string[]): Promise<void> {
    const sql = postgres(url, { max: 1, onnotice: () => {} })
    for (const statement of statements) await sql.unsafe(statement)
    await sql.end()
  }
  const runShell = (command: string, url: string) =>
    promisify(execFile)('sh', ['-c', command], {
      cwd: folder,
      env: {
        ...inheritEnvironment(),
        PATH: [binaries?.directory, process.env.PATH].join(delimiter),
        DATABASE_URL: url,
      },
    })
  async function use(url: string): Promise<Database> {
    const database = await openDatabase({
      ...testPool,
      databasePoolSize: 2,
      databaseUrl: url,
      dataDirectory: '',
    })
    open.push(database)
    return database
  }
  async function closeAll(): Promise<void> {
    await Promise.all(open.map((database) => database.close()))
    open = []
  }

  /** Reads all that a schema has, but for rows and rights. */
  async function readDefinitions(schema: string, url: string): Promise<string> {
    const command = `pg_dump --schema-only --schema=${schema} --no-privileges "$DATABASE_URL"`
    const { stdout } = await runShell(command, url)
    const definitions = stdout.slice(stdout.search(/^CREATE TYPE/m)) // without those of the schema itself
    return definitions.replaceAll(/^\\(un)?restrict .*/gm, '') // a random word of newer versions of pg_dump
  }

  /** Creates a database as the pages have it, with the data of 0.1.0. Promises the URLs of its users. */
  async function create({ schema, owner, server = owner, isShared = false }: Kind) {
    const superuserUrl = await cluster.createDatabase()
    const name = new URL(superuserUrl).pathname.slice(1)
    const urlOf = (role: string) => {
      const url = new URL(databaseUrl(cluster.url, name))
      url.username = role
      url.password = 'secret'
      return isShared ? `${url.href}?options=-c%20search_path%3D${schema}` : url.href
    }
    if (isShared) {
      const ofOthers = 'create table others (id integer)'
      await asSuperuser(superuserUrl, ofOthers, `create schema ${schema} authorization ${owner}`)
    } else await asSuperuser(superuserUrl, `alter database ${name} owner to ${owner}`)
    const inSchema = dump.replaceAll('public.', `${schema}.`).replaceAll("'public'", `'${schema}'`)
    await writeFile(join(folder, 'fixture.sql'), inSchema)
    const ownerUrl = urlOf(owner)
    await runShell('psql "$DATABASE_URL" --quiet --set=ON_ERROR_STOP=1 --file fixture.sql', ownerUrl)
    if (server !== owner) {
      const ofLoad = 'create schema devdata_operator authorization devdata_owner'
      const staging = 'create table devdata_operator.import_users_1 (id integer)' // of a load in progress
      await asSuperuser(superuserUrl, ofLoad, staging)
    }
    return { superuserUrl, ownerUrl, serverUrl: urlOf(server) }
  }

  test.each(kinds)('works in $name', async (kind) => {
    const { schema, owner, server, isShared } = kind
    const { superuserUrl, ownerUrl, serverUrl } = await create(kind)
    const adapt = (command: string) => command.replaceAll('public', schema)
    const grantRights = async () => {
      if (server === undefined) return
      const command = await findSample('restore', /^psql .* --file/)
      await runShell(command.replace('api/', `${project}/api/`), ownerUrl)
    }

    const backup = await findSample('upgrades-and-backups', /^\(umask 077 && pg_dump/)
    const needsSchema = isShared || server !== undefined
    if (needsSchema) await expect(runShell(backup, ownerUrl)).rejects.toThrow('permission denied')
    const ofSchema = needsSchema ? backup.replace('pg_dump', `pg_dump --schema=${schema}`) : backup
    await runShell(ofSchema, ownerUrl)
    const upgraded = await use(ownerUrl)
    await migrate(upgraded.sql)
    await grantRights()
    const key = { name: 'Later', role: 'user', scopes, expiresAt: null, credits: 7, rateLimit: null } as const
    await createKey(upgraded.sql, key)
    const definitions = await readDefinitions(schema, ownerUrl)
    await closeAll()

    const putAside = adapt(await findSample('restore', /^psql .* --command/))
    if (isShared) {
      await expect(runShell(putAside, ownerUrl)).rejects.toThrow('permission denied')
      const created = `create schema ${schema}`
      await runShell(putAside.replace(created, `${created} authorization ${owner}`), superuserUrl)
    } else await runShell(putAside, ownerUrl)

    const restore = adapt(await findSample('restore', /^pg_restore/))
    const whole = await readFile(join(folder, 'devdata.dump'))
    await writeFile(join(folder, 'broken.dump'), whole.subarray(0, whole.length - 10_000))
    await expect(runShell(restore.replace('devdata.dump', 'broken.dump'), ownerUrl)).rejects.toThrow(
      'end of file',
    )
    await runShell(restore, ownerUrl)

    const { sql } = await use(ownerUrl)
    const missing = listMigrations().slice(1)
    expect((await readSchemaState(sql)).missing).toEqual(missing.map(({ name }) => name))
    await migrate(sql)
    await grantRights()
    expect(await sql`select from api_keys where name = 'Later'`).toEqual([])
    const [first] = fixture.requests
    const database = await use(serverUrl)
    const response = await createInstance(database).request(first?.path ?? '', { key: fixture.secret })
    expect([response.status, response.headers.get('X-Credits-Remaining')]).toEqual([
      first?.status,
      first?.headers['X-Credits-Remaining'],
    ])
    expect((await verifyLedger(sql)).problems).toEqual([])
    expect(await readDefinitions(schema, ownerUrl)).toEqual(definitions)
    await closeAll()
    if (isShared) await asSuperuser(superuserUrl, 'select from public.others')
  })
})
