/**
 * Roles of the database that can do no more than they have to: api/database/roles.sql, as the docs have it run.
 *
 * @module-tag later
 */
import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import postgres from 'postgres'
import * as v from 'valibot'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Sql, SqlOrTransaction } from '../../api/database/connect.ts'
import { openDatabase } from '../../api/database/database.ts'
import { hashSecret } from '../../api/ledger/api-key.ts'
import { sweepIdempotencyKeys } from '../../api/ledger/idempotency-keys.ts'
import { beginStaging } from '../../api/staging/staging.ts'
import { listStagingTables } from '../../api/staging/staging-tables.ts'
import { type CommandResult, runCommand } from '../support/command-line.ts'
import { testPool } from '../support/databases.ts'
import { startHttpConversation } from '../support/mcp.ts'
import { findPostgresBinaries, postgresMissing } from '../support/postgres-binaries.ts'
import { startPostgresCluster } from '../support/postgres-cluster.ts'
import { startInstanceProcess } from '../support/process.ts'
import { connect, refresh, tryMcp } from '../support/sign-in.ts'
import { useStarted } from '../support/suite.ts'

const hasPostgres = findPostgresBinaries() !== undefined
if (!hasPostgres) console.warn(`skipped: ${postgresMissing}`)

const roles = ['devdata_owner', 'devdata_operator', 'devdata_server'] as const
type Role = (typeof roles)[number]

/** roles.sql has commands of psql. */
const psql = join(findPostgresBinaries()?.directory ?? '', 'psql')
const project = resolve(import.meta.dirname, '..', '..')
const sampleDirectory = join(project, 'sample')
const keySchema = v.object({ id: v.number(), api_key: v.string() })

describe.skipIf(!hasPostgres)('a database with three roles', () => {
  const cluster = useStarted(startPostgresCluster)
  let url: Record<Role, string>
  /** A connection for each role. */
  let sql: Record<Role, Sql>
  let closeAll: () => Promise<unknown>
  let key: v.InferOutput<typeof keySchema>
  let admin: string

  const command = (role: Role, ...args: string[]): Promise<CommandResult> =>
    runCommand(args, { environment: { DATABASE_URL: url[role] }, directory: tmpdir() })
  async function createKey(...args: string[]) {
    const { stdout, stderr } = await command('devdata_operator', 'keys', 'create', '--json', ...args)
    expect(stderr).toBe('')
    return v.parse(keySchema, JSON.parse(stdout))
  }
  /** Lets everybody call functions with the rights of the owner, as in a dump that was restored without rights. */
  async function forgetRevocations(): Promise<void> {
    const owner = postgres(url.devdata_owner, { max: 1 })
    await owner`do $$ declare name regproc; begin
      for name in select oid from pg_proc where prosecdef and pronamespace = current_schema()::regnamespace loop
        execute format('grant execute on function %s to public', name);
      end loop;
    end $$`
    await owner.end()
  }
  async function grantRights(...options: string[]): Promise<void> {
    const file = join(project, 'api/database/roles.sql')
    await promisify(execFile)(psql, [url.devdata_owner, '--set=ON_ERROR_STOP=1', ...options, '--file', file])
  }

  beforeAll(async () => {
    const superuser = postgres(cluster.url, { max: 1, onnotice: () => {} })
    for (const role of roles) await superuser.unsafe(`create role ${role} login password 'secret'`)
    await superuser`create database devdata owner devdata_owner`
    await superuser.end()
    const urlOf = (role: Role) => `postgres://${role}:secret@127.0.0.1:${cluster.port}/devdata`
    url = {
      devdata_owner: urlOf('devdata_owner'),
      devdata_operator: urlOf('devdata_operator'),
      devdata_server: urlOf('devdata_server'),
    }
    expect(await command('devdata_owner', 'migrate')).toMatchObject({ code: 0 })
    await grantRights()
    await forgetRevocations()
    await grantRights() // as after each migration and each restore
    const open = (role: Role) =>
      openDatabase({ ...testPool, databasePoolSize: 1, databaseUrl: url[role], dataDirectory: '' })
    const [owner, operator, server] = await Promise.all([open(roles[0]), open(roles[1]), open(roles[2])])
    sql = { devdata_owner: owner.sql, devdata_operator: operator.sql, devdata_server: server.sql }
    closeAll = () => Promise.all([owner, operator, server].map((database) => database.close()))

    const load = await command('devdata_operator', 'import', 'ndjson', sampleDirectory)
    expect(load).toMatchObject({ code: 0, stderr: '' })
    key = await createKey('--credits', '100000')
    admin = (await createKey('--role', 'admin')).api_key
  })
  afterAll(async () => {
    await closeAll?.()
  })

  /** Runs what must be refused for want of a right. */
  async function findAllowed(role: Role, statements: readonly string[]): Promise<string[]> {
    const allowed: string[] = []
    for (const statement of statements) {
      const code = await sql[role].unsafe(statement).then(
        () => 'allowed',
        (error: unknown) => (error instanceof postgres.PostgresError ? error.code : String(error)),
      )
      if (code !== '42501') allowed.push(`${statement}: ${code}`)
    }
    return allowed
  }

  test('lets only those call functions with the rights of the owner who need them', async () => {
    const callers = await sql.devdata_owner`
      select proname as name, array_to_string(array(
        select case grantee when 0 then 'everybody' else pg_get_userbyid(grantee) end from aclexplode(proacl) order by 1
      ), ' ') as callers
      from pg_proc where prosecdef and pronamespace = current_schema()::regnamespace order by 1`
    expect([...callers]).toEqual([
      { name: 'analyze_table', callers: 'devdata_operator devdata_owner' },
      { name: 'change_user_key', callers: 'devdata_owner' },
      { name: 'create_user_key', callers: 'devdata_owner' },
      { name: 'drop_staging_table', callers: 'devdata_operator devdata_owner' },
      { name: 'grant_user_credits', callers: 'devdata_owner' },
      { name: 'rotate_user_key', callers: 'devdata_owner' },
      { name: 'settle', callers: 'devdata_owner devdata_server' },
      { name: 'sweep_idempotency_keys', callers: 'devdata_owner devdata_server' },
    ])
  })

  test('lets the operator manage keys and loads', async () => {
    const { id } = await createKey('--credits', '10', '--rate-limit', '5/60', '--scopes', 'users:read')
    for (const args of [
      ['keys', 'list'],
      ['keys', 'grant', String(id), '5'],
      ['keys', 'grant', String(id), '-5'],
      ['keys', 'grant', String(id), '5', '--reference', 'once'],
      ['keys', 'grant', String(id), '5', '--reference', 'once'],
      ['keys', 'limit', String(id), '10/60'],
      ['keys', 'rotate', String(id)],
      ['keys', 'revoke', String(id)],
      ['keys', 'restore', String(id)],
      ['keys', 'delete', String(id)],
      ['ledger', 'verify'],
      ['forget', 'user', 'rhaddad', '--yes'],
      ['forget', 'user', 'JonasKumar', '--keep-repositories', '--yes'],
      ['forget', 'list'],
      ['restored', '--yes'],
      ['forget', 'undo', 'rhaddad'],
      ['forget', 'undo', '--person', '2'],
      ['import', 'ndjson', sampleDirectory],
      ['migrate'],
    ]) {
      expect([args, await command('devdata_operator', ...args)]).toEqual([
        args,
        { code: 0, stdout: expect.any(String), stderr: '' },
      ])
    }
    const doctor = await command('devdata_operator', 'doctor')
    expect(doctor.stdout).toMatch(/^ok +migrations /m)
    expect(doctor.stdout).toMatch(/^ok +ledger /m)
  })

  test('lets only the owner migrate: the operator creates no second devdata, and plans for the owner’s schema', async () => {
    const [newest] = await sql.devdata_owner<
      { number: number; name: string; checksum: string; compatible_since: number }[]
    >`
      delete from migrations where number = (select max(number) from migrations)
      returning number, name, checksum, compatible_since`
    if (newest === undefined) throw new Error('no migration was applied')
    const { number, name, checksum, compatible_since } = newest
    try {
      expect(await command('devdata_operator', 'migrate')).toEqual({
        code: 1,
        stdout: '',
        stderr:
          `The database lacks ${name}. Its schema is public, and this role creates tables in devdata_operator; ` +
          'run as the role that owns the schema, or set its search_path: npm run -s devdata -- migrate\n',
      })
      expect(await sql.devdata_operator`select to_regclass('devdata_operator.migrations') as found`).toEqual([
        { found: null },
      ])
      const plans = await Promise.all(
        (['devdata_operator', 'devdata_owner'] as const).map((role) => command(role, 'migrate', '--plan')),
      )
      expect(plans[0]).toEqual(plans[1])
      expect(plans[0]?.stdout).toMatch(/\d (?:kB|MB)/)
    } finally {
      await sql.devdata_owner`
        insert into migrations (number, name, checksum, compatible_since) values (${number}, ${name}, ${checksum}, ${compatible_since})`
    }
  })

  test('tells who may not use the schema, as after a restore, to grant the rights: it makes no second devdata', async () => {
    await sql.devdata_owner`revoke usage on schema public from public, devdata_operator, devdata_server`
    const own = postgres(url.devdata_owner, { max: 1, onnotice: () => {} })
    try {
      for (const role of ['devdata_operator', 'devdata_server'] as const) {
        const { code, stdout, stderr } = await command(role, 'migrate')
        expect([code, stdout, stderr]).toEqual([
          1,
          '',
          "The schema public has devdata's tables, but this role may not use it. As the role that owns the schema, run " +
            'npm run -s devdata -- migrate, and then roles.sql\n',
        ])
      }
      expect(await sql.devdata_operator`select to_regclass('devdata_operator.migrations') as found`).toEqual([
        { found: null },
      ])
    } finally {
      await own`grant usage on schema public to public`
      await own.end()
      await grantRights()
    }
  })

  test('leaves no secret behind if a key can’t be read after it was made', async () => {
    const count = async () => (await sql.devdata_owner`select from api_key_secrets`).length
    const before = await count()
    await sql.devdata_owner`revoke select on balances from devdata_operator`
    try {
      expect(await command('devdata_operator', 'keys', 'create', '--credits', '1')).toMatchObject({ code: 1 })
      expect(await count()).toBe(before)
    } finally {
      await sql.devdata_owner`grant select on balances to devdata_operator`
    }
  })

  test('names the role that may run a command, if another one tries', async () => {
    for (const [role, args] of [
      ['devdata_server', ['keys', 'create', '--credits', '1']],
      ['devdata_server', ['restored', '--yes']],
    ] as const) {
      expect([role, args, await command(role, ...args)]).toEqual([
        role,
        args,
        {
          code: 1,
          stdout: '',
          stderr: expect.stringMatching(
            /^DATABASE_URL: the database refused access: permission denied for [^\n]+; with three roles, set DATABASE_URL to that of devdata_operator, or for "migrate" and "ledger prune" to that of devdata_owner\n$/,
          ),
        },
      ])
    }
  })

  test('is analyzed by a load, although its tables are not the operator’s', async () => {
    const rows = await sql.devdata_owner`
      select relname as name from pg_class
      where relname in ('users', 'repositories', 'commits', 'locations', 'identities') and reltuples > 0`
    expect(rows).toHaveLength(5)
  })

  test.each([
    ['devdata_owner', 'devdata_operator'],
    ['devdata_operator', 'devdata_owner'],
  ] as const)(
    'drops what a killed load of %s has left with a load of %s, and nothing of a load that runs',
    async (killed, next) => {
      const begin = async () => {
        const options = { ...testPool, databasePoolSize: 3, databaseUrl: url[killed], dataDirectory: '' }
        const database = await openDatabase(options)
        return { database, staging: await beginStaging(database.sql) }
      }
      const readTables = async () => {
        const rows = await sql.devdata_owner<{ name: string }[]>`
        select relname as name from pg_class where relname ~ '^import_.*_[0-9]+$' and relkind = 'r' order by 1`
        return rows.map(({ name }) => name)
      }
      const running = await begin()
      const dead = await begin()
      await dead.database.sql.end({ timeout: 0 })
      const tables = [running, dead].flatMap(({ staging }) => listStagingTables(staging.id))
      expect(await readTables()).toEqual(tables.sort())

      expect(await command(next, 'import', 'ndjson', sampleDirectory)).toMatchObject({ code: 0, stderr: '' })
      expect(await readTables()).toEqual(listStagingTables(running.staging.id).sort())
      expect(await sql.devdata_owner`select id from imports`).toEqual([{ id: running.staging.id }])
      await running.staging.discard()
      await running.database.close()
      expect(await readTables()).toEqual([])
    },
  )

  test('lets the operator drop no other table with the owner’s rights', async () => {
    for (const table of ['ledger', 'users', 'imports']) {
      expect(await sql.devdata_operator`select drop_staging_table(${table}::regclass::oid) as done`).toEqual([
        { done: false },
      ])
    }
    const [missing] = await sql.devdata_operator`select drop_staging_table(1::oid) as done`
    expect(missing).toEqual({ done: false })
  })

  test('lets the operator add to the ledger, and neither rewrite it nor change the schema', async () => {
    expect(
      await findAllowed('devdata_operator', [
        'update ledger set balance = balance + 1',
        "update ledger set endpoint = ''",
        'delete from ledger',
        'truncate ledger',
        'delete from grant_references',
        'update grant_references set granted = 0',
        'delete from api_keys',
        'drop table users',
        'alter table ledger add column mine text',
        'create table public.mine (id integer)',
        'create function public.mine() returns integer language sql as $$ select 1 $$',
        'delete from migrations',
        `select settle('[]', false)`,
      ]),
    ).toEqual([])
    const pruned = await command('devdata_operator', 'ledger', 'prune', '--before', '2026-01-01')
    expect(pruned).toMatchObject({ code: 0 }) // there is nothing to fold yet
  })

  describe('lets the server', () => {
    const instance = useStarted(() => startInstanceProcess(url.devdata_server))

    async function ask(
      path: string,
      {
        secret = key.api_key,
        method = 'GET',
        headers = {},
        body,
      }: { secret?: string; method?: string; headers?: object; body?: string } = {},
    ) {
      const response = await fetch(`${instance.url}${path}`, {
        method,
        headers: { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json', ...headers },
        ...(body !== undefined && { body }),
      })
      await response.arrayBuffer()
      return response
    }

    test('serve everything, charge for it, and delete what has expired', async () => {
      for (const path of ['/health', '/version'])
        expect([path, (await ask(path)).status]).toEqual([path, 200])
      for (const path of ['/metrics', '/admin/keys']) {
        expect([path, (await ask(path, { secret: admin })).status]).toEqual([path, 200])
      }
      const before = await sql.devdata_server`select credits from balances where api_key_id = ${key.id}`
      let cost = 0
      const pay = async (path: string, headers = {}) => {
        const response = await ask(path, { headers })
        expect([path, response.status]).toEqual([path, 200])
        cost += Number(response.headers.get('X-Credits-Cost'))
        return response
      }
      for (const path of [
        '/users?per_page=5',
        '/users?location=berlin&per_page=5',
        '/users?dependency_names=react&per_page=5',
        '/repos?dependency_names=react&per_page=5',
        '/repos?per_page=5',
        '/users/ngoldberg',
        '/api-key/credits',
        '/api-key/usage',
        '/api-key/usage/days',
      ]) {
        await pay(path)
        expect([path, (await ask(path, { method: 'HEAD' })).status]).toEqual([path, 200])
      }
      const idempotent = { 'Idempotency-Key': crypto.randomUUID() }
      await pay('/users/ngoldberg', idempotent)
      expect((await pay('/users/ngoldberg', idempotent)).headers.get('Idempotency-Replayed')).toBe('true')
      // Lists that are removed, and entries that are summed up by day.
      for (let number = 0; number < 40; number++) await pay(`/users?location=nowhere+${number}`)
      for (let round = 0; round < 40; round++) {
        await Promise.all(Array.from({ length: 30 }, () => pay('/users/ngoldberg')))
      }
      const after = await sql.devdata_server`select credits from balances where api_key_id = ${key.id}`
      expect(before[0]?.credits - after[0]?.credits).toBe(cost)
      const summed = await sql.devdata_server`select from ledger_days where api_key_id = ${key.id}`
      expect(summed.length).toBeGreaterThan(0)
      await sweepIdempotencyKeys(sql.devdata_server)
      expect((await ask(`/users/${'x'.repeat(200)}`)).status).toBe(400)

      const limited = await createKey('--credits', '10', '--rate-limit', '2/3600')
      const statuses = []
      for (let time = 0; time < 3; time++) {
        statuses.push((await ask('/users/ngoldberg', { secret: limited.api_key })).status)
      }
      expect(statuses).toEqual([200, 200, 429])
      expect(instance.readLog()).not.toContain('permission denied')
      expect((await command('devdata_operator', 'ledger', 'verify')).stdout).toContain('It adds up.')
    })

    test('connect assistants, whose tokens are charged', async () => {
      await using connecting = await startInstanceProcess(url.devdata_server, {
        BASE_URL: 'http://127.0.0.1:8000',
        SIGN_IN: 'on',
      })
      const fetchPath = (path: string, init?: RequestInit) => fetch(`${connecting.url}${path}`, init)
      const { api_key, id } = await createKey('--credits', '10')
      const { access, connector, refreshToken } = await connect(fetchPath, api_key)
      await using conversation = await startHttpConversation({ fetch: fetchPath, key: access })
      expect((await conversation.call('get_user', { login: 'ngoldberg' })).cost).toBe(1)
      expect((await refresh(fetchPath, connector.clientId, refreshToken)).status).toBe(200)
      const [connection] = JSON.parse(
        (await command('devdata_operator', 'keys', 'connections', String(id), '--json')).stdout,
      )
      expect(connection).toMatchObject({ spent_credits: 1 })
      await command('devdata_operator', 'keys', 'connections', String(id), '--end', String(connection.id))
      expect(await tryMcp(fetchPath, access)).toBe(401)
      expect(connecting.readLog()).not.toContain('permission denied')
    })

    test('neither rewrite the ledger, nor create keys, nor grant credits, nor change the data', async () => {
      expect(
        await findAllowed('devdata_server', [
          'update ledger set balance = balance + 1',
          'delete from ledger',
          'update connections set spent = 0',
          'update connections set credit_limit = 1000000',
          'truncate ledger',
          `insert into ledger values (${key.id}, 999999, now(), 'grant', 1000000, 0, 1000000)`,
          `select grant_credits(${key.id}, 1000)`,
          `select grant_credits(${key.id}, 1000, 'mine')`,
          `select write_settlements(
            array[row(${key.id}, 999999, now(), 'grant', 1000000, 0, 1000000, null, null, null, '')::ledger],
            '{}', '{}', '{}', now())`,
          'update ledger_days set cost = 0',
          `insert into api_keys (role, scopes) values ('admin', '{}')`,
          `select create_key('{"role": "user", "scopes": ["users:read"], "credits": 5}', sha256('x'))`,
          `select create_user_key(${key.id}, 'x', sha256('x'), '{"scopes": ["users:read"], "credits": 5}', sha256('x'))`,
          `select change_key(${key.id}, '{"is_revoked": false}')`,
          `select change_user_key(${key.id}, '{"is_revoked": false}')`,
          `select rotate_key(${key.id}, sha256('x'), 0)`,
          `select rotate_user_key(${key.id}, sha256('x'), 0)`,
          `select grant_user_credits(${key.id}, 1000, 'mine')`,
          `insert into key_references values (1, 'x', sha256('x'), ${key.id})`,
          `insert into api_key_secrets values (sha256('x'), ${key.id})`,
          'update api_keys set rate_limit_requests = null, rate_limit_seconds = null',
          'update api_keys set revoked_at = null',
          'delete from rate_limit_windows',
          'insert into idempotency_keys select * from idempotency_keys limit 0',
          "update idempotency_keys set created_at = now() + interval '1 year'",
          'delete from idempotency_keys',
          'insert into grant_references select * from grant_references limit 0',
          'delete from grant_references',
          'update dataset set version = version + 1',
          'delete from users',
          'select * from forgotten_identities',
          'select * from forgotten_identities_key',
          "update ledger set path = ''",
          'insert into imports default values',
          'select drop_staging_table(1::oid)',
          'create table public.mine (id integer)',
          'delete from migrations',
        ]),
      ).toEqual([])
    })

    test('make and change user keys only if roles.sql allows it, and admin keys never', async () => {
      const shop = (await createKey('--role', 'admin', '--scopes', 'keys:write')).api_key
      const [{ id: adminId } = { id: 0 }] = await sql.devdata_owner<{ id: number }[]>`
        select id from api_keys where role = 'admin' order by id limit 1`
      const change = async (path: string, body = '') =>
        (
          await ask(`/admin/keys${path}`, {
            secret: shop,
            method: body.startsWith('{"name') ? 'PATCH' : 'POST',
            body,
          })
        ).status
      const changes = async () => [
        await change('', '{"reference": "order", "credits": 5}'),
        await change(`/${key.id}`, '{"name": "x"}'),
        await change(`/${key.id}/grants`, '{"credits": 1, "reference": "x"}'),
        await change(`/${key.id}/rotate`, '{"grace_seconds": 3600}'),
        await change(`/${key.id}/revoke`),
        await change(`/${key.id}/restore`),
      ]
      expect(await changes()).toEqual([503, 503, 503, 503, 503, 503])
      expect(instance.readLog()).toContain('permission denied for function create_user_key')
      await grantRights('-v', 'keys_over_http=on')
      expect(await changes()).toEqual([200, 200, 200, 200, 200, 200])
      const [made] = await sql.devdata_server<{ ok: boolean }[]>`
        select bool_and(not ok) as ok from (values
          (change_user_key(${adminId}, '{"is_revoked": true}')), (rotate_user_key(${adminId}, sha256('x'), 0) <> 'unknown_key'),
          ((grant_user_credits(${adminId}, 5, 'x')).outcome = 'granted')
        ) changes (ok)`
      expect(made).toEqual({ ok: true })
      await expect(
        sql.devdata_server`
          select create_user_key(${adminId}, 'x', sha256('x'), '{"scopes": ["keys:write"], "credits": 5}', sha256('y'))`,
      ).rejects.toThrow('violates check constraint')
      await grantRights()
      expect(await change(`/${key.id}/revoke`)).toBe(503)
    })

    test('charge with settle() only what it may, whatever its arguments and its search_path', async () => {
      const settle = async (tx: Sql | SqlOrTransaction, price: number) => {
        const secret = `\\x${hashSecret(key.api_key).toString('hex')}`
        const request = {
          n: 0,
          key_id: key.id,
          secret_hash: secret,
          is_counted: false,
          price,
          items: 1,
          path: '/',
          endpoint: '/',
        }
        await tx`select settle(${JSON.stringify([request])}::text::json, false)`
      }
      const read = async () => {
        const [row] = await sql.devdata_owner<{ credits: number; last_position: number }[]>`
          select credits, last_position from balances where api_key_id = ${key.id}`
        return row
      }
      const before = await read()
      await settle(sql.devdata_server, -1_000)
      await settle(sql.devdata_server, 0)
      expect(await read()).toEqual(before)
      await sql.devdata_server.begin(async (tx) => {
        await tx`create temporary table ledger (like public.ledger) on commit drop`
        await tx`
          insert into pg_temp.ledger values (${key.id}, 999999, now(), 'grant', 1000000, 0, 1000000)`
        await settle(tx, 1)
      })
      expect(await read()).toEqual({
        credits: (before?.credits ?? 0) - 1,
        last_position: (before?.last_position ?? 0) + 1,
      })
    })

    test('start if nothing is to be migrated, and fail with a line that says who has to migrate otherwise', async () => {
      await using other = await startInstanceProcess(url.devdata_server)
      expect((await fetch(`${other.url}/health`)).status).toBe(200)
      await cluster.createDatabase('empty')
      await expect(startInstanceProcess(url.devdata_server.replace(/devdata$/, 'empty'))).rejects.toThrow(
        'ended with 1: The database has no devdata schema yet, and this role may not change it (permission denied ' +
          'for schema public); run as the role that owns the schema: npm run -s devdata -- migrate\n',
      )
    })
  })
})
