import { execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import postgres from 'postgres'
import * as v from 'valibot'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { readVersion } from '../api/build-info.ts'
import { createCommands } from '../api/cli/commands.ts'
import { startProgress } from '../api/cli/progress.ts'
import { listMigrations, migrationLock } from '../api/database/migrate.ts'
import { applyLock } from '../api/import/apply.ts'
import {
  type CommandResult,
  createFolder,
  finishCommand,
  type Location,
  locationOf,
  type RunOptions,
  runCommand,
  startCommand,
} from './support/command-line.ts'
import { databaseUrl } from './support/databases.ts'
import { deno, denoPermissions } from './support/deno.ts'
import { startInstanceProcess } from './support/process.ts'
import { createUser } from './support/records.ts'
import { describeOnServer, getServerUrl } from './support/server.ts'
import { describeOnEachDatabase, startTestService, type TestService } from './support/service.ts'

const uuid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/
const secretSchema = v.looseObject({ id: v.number(), api_key: v.string() })
const sampleDirectory = resolve(import.meta.dirname, '../sample')

type Run = (args: readonly string[], options?: Partial<RunOptions>) => Promise<CommandResult>

/** Runs a command that must succeed without a word on standard error, and reads the JSON that it prints. */
async function readJson(run: Run, args: readonly string[], options?: Partial<RunOptions>): Promise<unknown> {
  const { code, stdout, stderr } = await run([...args, '--json'], options)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^[^\n]+\n$/)
  return JSON.parse(stdout)
}

/** Every command, with the words that lead to it. */
function listCommands(command: Command = createCommands(), path: string[] = []): [string[], Command][] {
  return [[path, command], ...command.commands.flatMap((each) => listCommands(each, [...path, each.name()]))]
}

describe('devdata', () => {
  let folder: Awaited<ReturnType<typeof createFolder>>
  const run: Run = (args, options) => runCommand(args, { ...folder, ...options })
  beforeAll(async () => {
    folder = await createFolder()
  })
  afterAll(() => folder.remove())
  // None of these asks anything of a database.
  afterEach(() => expect(existsSync(join(folder.directory, '.data'))).toBe(false))

  test.each(listCommands().map(([path]) => path))(
    'explains itself with examples: %j --help',
    async (...path) => {
      const { code, stdout, stderr } = await run([...path, '--help'])
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toMatch(/^Usage: devdata/)
      expect(stdout).toContain('Examples:\n  devdata ')
      expect(stdout).toContain('npm run -s devdata --')
    },
  )

  test('has --json wherever it has something to say', () => {
    const leaves = listCommands().filter(([, command]) => command.commands.length === 0)
    expect(leaves.map(([path]) => path.join(' ')).sort()).toEqual([
      'doctor',
      'import git',
      'import ndjson',
      'keys create',
      'keys delete',
      'keys grant',
      'keys limit',
      'keys list',
      'keys restore',
      'keys revoke',
      'keys rotate',
      'ledger prune',
      'ledger verify',
      'migrate',
    ])
    for (const [path, command] of leaves) {
      expect([path, command.options.some(({ long }) => long === '--json')]).toEqual([path, true])
    }
  })

  test('tells its version', async () => {
    expect(await run(['--version'])).toEqual({ code: 0, stdout: `${readVersion()}\n`, stderr: '' })
  })

  test.each([
    [[], 'Usage: devdata [options] [command]'],
    [['keys'], 'Usage: devdata keys [options] [command]'],
  ])('%j alone shows what there is, as wrong usage', async (args, usage) => {
    const { code, stdout, stderr } = await run(args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(usage)
  })

  const positive = 'It must be a whole number from 0 to 9007199254740991.'
  const id = 'It must be the id of a key; "devdata keys list" shows the ids.'
  const limit = 'It must be REQUESTS/SECONDS, such as 100/60, or none.'
  const scopes = 'It must be a comma-separated list of one or more of users:read, repos:read.'
  const date = 'It must be a date such as 2030-12-31 (0:00 UTC), or a timestamp such as 2030-12-31T18:00:00Z.'
  const name = 'It must have 1 to 100 characters, and no control characters or line breaks.'
  const grant = 'It must be a whole number of credits other than 0, such as 500, or -500 to withdraw them'
  const grace = 'It must be a whole number of seconds from 0 to 31622400 (366 days).'
  test.each([
    ['keyz', "unknown command 'keyz'"],
    ['keys make', "unknown command 'make'"],
    ['keys list --yaml', "unknown option '--yaml'"],
    ['keys list all', 'too many arguments'],
    [
      'keys create --role root',
      "option '--role <role>' argument 'root' is invalid. Allowed choices are user, admin.",
    ],
    ['keys create --credits', "option '--credits <n>' argument missing"],
    ['keys create --credits -1', positive],
    ['keys create --credits 1.5', positive],
    ['keys create --credits 1e3', positive],
    ['keys create --credits 9007199254740992', positive],
    ['keys create --credits 99999999999999999999', positive],
    ['keys create --credits=', positive],
    ['keys create --rate-limit 100', limit],
    ['keys create --rate-limit 0/60', limit],
    ['keys create --rate-limit 1/99999999999', limit],
    ['keys create --scopes users', scopes],
    ['keys create --scopes=', scopes],
    ['keys create --scopes users:read,', scopes],
    ['keys create --expires tomorrow', date],
    ['keys create --expires 2099-02-29', date],
    ['keys create --expires 2099-13-01', date],
    ['keys create --expires 2099-01-01T25:00:00Z', date],
    ['keys create --expires 2099-01-01T12:00:00', date],
    ['keys create --expires 2001-01-01', 'It must be in the future.'],
    ['keys create --name=', name],
    [`keys create --name ${'n'.repeat(101)}`, name],
    ['keys create --name a\tb', name],
    ['keys grant', "missing required argument 'id'"],
    ['keys grant 3', "missing required argument 'credits'"],
    ['keys grant 0 5', id],
    ['keys grant -3 5', id],
    ['keys grant three 5', id],
    ['keys grant 2147483648 5', id],
    ['keys grant 3 0', grant],
    ['keys grant 3 -0', grant],
    ['keys grant 3 -5.5', grant],
    ['keys grant 3 5credits', grant],
    ['keys grant 3 9007199254740992', grant],
    ['keys limit 3', "missing required argument 'n/seconds'"],
    ['keys limit 3 often', limit],
    ['keys rotate 3 --grace -1', grace],
    ['keys rotate 3 --grace 1h', grace],
    ['keys rotate 3 --grace 31622401', grace],
    ['keys revoke', "missing required argument 'id'"],
    ['keys restore x', id],
    ['keys delete 1 2', 'too many arguments'],
    ['import', ''],
    ['import csv x', "unknown command 'csv'"],
    ['import ndjson', "missing required argument 'path'"],
    ['import ndjson x --kind people', 'Allowed choices are users, repos, commits.'],
    ['import ndjson -', 'standard input (-) needs --kind users|repos|commits'],
    ['import ndjson - - --kind users', 'standard input (-) can be given only once'],
    ['import git', "required option '--url <url>' not specified"],
    ['import git --url https://forge.example/a/b', "missing required argument 'path'"],
    [
      'import git . --url https://forge.example/a/b --rest-id -1',
      'It must be a whole number from 1 to 9007199254740991.',
    ],
    ['migrate now', 'too many arguments'],
  ])('%s is wrong usage, and it says why and how it would be right', async (text, message) => {
    const { code, stdout, stderr } = await run(text.split(' '))
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(message)
    expect(stderr).toContain('Usage: devdata')
    expect(stderr).not.toMatch(/^ +at /m)
  })

  test.each<[string, Record<string, string>, readonly string[], RegExp]>([
    [
      'a wrong setting',
      { PORT: 'x' },
      ['keys', 'list'],
      /^PORT: "x" is wrong: it must be a whole number from 0 to 65535\n$/,
    ],
    [
      'a database that is away',
      { DATABASE_URL: 'postgres://someone:hunter2@127.0.0.1:1/db' },
      ['keys', 'list'],
      /^The database is unreachable: .*ECONNREFUSED.*\n$/,
    ],
    [
      'a database whose host has several addresses',
      { DATABASE_URL: 'postgres://someone:hunter2@localhost:1/db' },
      ['migrate'],
      /^The database is unreachable: .*ECONNREFUSED.*\n$/,
    ],
    [
      'a host that does not exist',
      { DATABASE_URL: 'postgres://someone:hunter2@db.invalid/db' },
      ['migrate'],
      /^The database is unreachable: .*db\.invalid.*\n$/,
    ],
    [
      'a data folder that can not be',
      { DATA_DIR: '/dev/null/data' },
      ['keys', 'list'],
      /^DATA_DIR \/dev\/null\/data can't be created: .*\n$/,
    ],
    [
      'a data folder too deep',
      { DATA_DIR: 'd'.repeat(120) },
      ['keys', 'list'],
      /^DATA_DIR is too deep for a Unix socket .*\n$/,
    ],
    ['a path that is not there', {}, ['import', 'ndjson', 'nowhere'], /^Can't read nowhere: ENOENT.*\n$/],
    [
      'a folder without data',
      {},
      ['import', 'ndjson', '.'],
      /^The folder \. contains no users\.ndjson, repos\.ndjson or commits\.ndjson\n$/,
    ],
    [
      'a folder without data of a kind',
      {},
      ['import', 'ndjson', '.', '--kind', 'repos'],
      /^The folder \. contains no repos\.ndjson\n$/,
    ],
  ])('%s is one clear line, and exit code 1', async (_what, environment, args, line) => {
    const { code, stdout, stderr } = await run(args, { environment })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(line)
    expect(stderr).not.toContain('hunter2')
    rmSync(join(folder.directory, 'd'.repeat(120)), { recursive: true, force: true })
  })
})

describeOnEachDatabase('devdata keys', (kind) => {
  let service: TestService
  let location: Location
  const run: Run = (args, options) => runCommand(args, { ...location, ...options })
  beforeAll(async () => {
    service = await startTestService(kind)
    location = locationOf(service)
  })
  afterAll(() => service.close())

  async function create(...args: string[]) {
    return v.parse(secretSchema, await readJson(run, ['keys', 'create', ...args]))
  }

  async function ask(key: string, path = '/api-key/credits') {
    const { status, text } = await service.request(path, { key })
    return { status, body: JSON.parse(text) }
  }

  test('create --json prints a key that works at once', async () => {
    const created = await create('--credits', '100')
    expect(created).toEqual({
      id: expect.any(Number),
      api_key: expect.stringMatching(uuid),
      role: 'user',
      remaining_credits: 100,
      name: null,
      scopes: ['users:read', 'repos:read'],
      rate_limit: null,
      status: 'active',
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      expires_at: null,
      last_used_at: null,
    })
    expect(Object.keys(created).slice(0, 2)).toEqual(['id', 'api_key'])
    const { api_key, id } = created
    expect((await ask(api_key)).body).toEqual({ api_key, remaining_credits: 100, role: 'user' })
    expect((await ask(api_key, '/users?per_page=3')).status).toBe(200)
    expect(await service.readLedger(id)).toEqual({ balance: 97, granted: 100, charged: 3 })
  })

  test('create takes every option', async () => {
    const created = await create(
      ...['--role', 'user', '--credits', '5', '--rate-limit', '7/60', '--scopes', 'users:read'],
      ...['--expires', '2099-12-31', '--name', 'Ådas laptop'],
    )
    expect(created).toMatchObject({
      remaining_credits: 5,
      rate_limit: '7/60',
      scopes: ['users:read'],
      expires_at: '2099-12-31T00:00:00.000Z',
      name: 'Ådas laptop',
    })
    expect((await ask(created.api_key, '/repos')).body).toEqual({ error: 'Insufficient permissions' })
    const { headers } = await service.request('/api-key/credits', { key: created.api_key })
    expect(headers.get('X-RateLimit-Limit')).toBe('7')
  })

  test('create --expires takes a timestamp with an offset', async () => {
    expect(await create('--expires', '2099-12-31T23:30:00-02:00')).toMatchObject({
      expires_at: '2100-01-01T01:30:00.000Z',
    })
  })

  test('create --role admin makes a key that may call the endpoints of operators', async () => {
    const { api_key } = await create('--role', 'admin')
    expect((await ask(api_key, '/admin/keys')).status).toBe(200)
  })

  test('create gives the limit of DEFAULT_RATE_LIMIT to a key that names none of its own', async () => {
    const environment = { ...location.environment, DEFAULT_RATE_LIMIT: '11/30' }
    const limited = await readJson(run, ['keys', 'create'], { environment })
    expect(limited).toMatchObject({ rate_limit: '11/30' })
    const free = await readJson(run, ['keys', 'create', '--rate-limit', 'none'], { environment })
    expect(free).toMatchObject({ rate_limit: null })
  })

  test('create shows the key once, and says what is missing when it has no credits', async () => {
    const { code, stdout, stderr } = await run(['keys', 'create'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const [key = '', ...more] = stdout.match(/[\da-f]{8}-[\da-f-]{27}/g) ?? []
    expect(more).toEqual([])
    expect((await ask(key)).body).toMatchObject({ remaining_credits: 0 })
    const [, id] = /devdata keys grant (\d+) 1000/.exec(stdout) ?? []
    expect((await run(['keys', 'grant', id ?? '', '1000'])).code).toBe(0)
    expect((await ask(key)).body).toMatchObject({ remaining_credits: 1000 })
    expect((await run(['keys', 'create', '--credits', '1'])).stdout).not.toContain('keys grant')
    expect((await run(['keys', 'create', '--role', 'admin'])).stdout).not.toContain('keys grant')
  })

  test('list shows every key and its state, and never a key or a hash', async () => {
    const { id, api_key } = await create('--credits', '12345', '--name', 'a table', '--rate-limit', '5/10')
    const gone = await create()
    await run(['keys', 'delete', String(gone.id)])
    await run(['keys', 'revoke', String(id)])

    const { code, stdout, stderr } = await run(['keys', 'list'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const [header, ...rows] = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.trim().split(/ {2,}/))
    expect(header).toEqual([
      'ID',
      'ROLE',
      'CREDITS',
      'RATE LIMIT',
      'STATUS',
      'CREATED',
      'EXPIRES',
      'LAST USED',
      'SCOPES',
      'NAME',
    ])
    expect(rows.find(([cell]) => cell === String(id))).toEqual([
      ...[
        String(id),
        'user',
        '12,345',
        '5/10',
        'revoked',
        expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\dZ$/),
      ],
      ...['-', '-', 'users:read,repos:read', 'a table'],
    ])

    const listed = await readJson(run, ['keys', 'list'])
    const ids = v.parse(v.array(v.looseObject({ id: v.number() })), listed).map((key) => key.id)
    expect(ids).toEqual(rows.map(([cell]) => Number(cell)))
    expect(ids).toEqual(ids.toSorted((a, b) => a - b))
    expect(ids).not.toContain(gone.id)
    expect(listed).toContainEqual(
      expect.objectContaining({ id, status: 'revoked', remaining_credits: 12345 }),
    )

    const [hash] = await service.sql<{ hex: string }[]>`
      select encode(hash, 'hex') as hex from api_key_secrets where api_key_id = ${id}`
    for (const text of [stdout, JSON.stringify(listed)]) {
      expect(text).not.toContain(api_key)
      expect(text).not.toContain(hash?.hex)
    }
  })

  test('grant adds and takes away, and every change is a ledger row', async () => {
    const { id } = await create('--credits', '10')
    expect(await run(['keys', 'grant', String(id), '1000'])).toEqual({
      code: 0,
      stdout: `Key ${id} received 1,000 credits; its balance is 1,010\n`,
      stderr: '',
    })
    expect(await run(['keys', 'grant', String(id), '-1'])).toEqual({
      code: 0,
      stdout: `Key ${id} lost 1 credit; its balance is 1,009\n`,
      stderr: '',
    })
    expect(await readJson(run, ['keys', 'grant', String(id), '-9'])).toMatchObject({
      id,
      remaining_credits: 1000,
    })
    const rows = await service.sql<{ kind: string; granted: number; balance: number }[]>`
      select kind, granted, balance from ledger where api_key_id = ${id} order by position`
    expect([...rows]).toEqual([
      { kind: 'grant', granted: 10, balance: 10 },
      { kind: 'grant', granted: 1000, balance: 1010 },
      { kind: 'grant', granted: -1, balance: 1009 },
      { kind: 'grant', granted: -9, balance: 1000 },
    ])
  })

  test('grant never takes a balance below 0, nor above what JSON can say exactly', async () => {
    const { id } = await create('--credits', '10')
    for (const [credits, reason] of [
      ['-11', "11 can't be withdrawn; grant at least -10"],
      ['9007199254740991', '9007199254740991 more would exceed the highest balance, 9007199254740991'],
    ] as const) {
      const { code, stdout, stderr } = await run(['keys', 'grant', String(id), credits, '--json'])
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toBe(`Key ${id} has 10 credits: ${reason}\n`)
    }
    expect(await service.readLedger(id)).toEqual({ balance: 10, granted: 10, charged: 0 })
    expect(await readJson(run, ['keys', 'grant', String(id), '-10'])).toMatchObject({ remaining_credits: 0 })
  })

  test('limit sets a limit that holds with the next request, and lifts it', async () => {
    const { id, api_key } = await create()
    expect((await run(['keys', 'limit', String(id), '1/3600'])).stdout).toBe(
      `Key ${id} may send 1 request in 3,600 seconds\n`,
    )
    expect([(await ask(api_key)).status, (await ask(api_key)).status]).toEqual([200, 429])
    await sleep(1_001) // an instance may say 429 on its own for a second
    expect(await readJson(run, ['keys', 'limit', String(id), '2/3600'])).toMatchObject({
      rate_limit: '2/3600',
    })
    expect((await ask(api_key)).status).toBe(200)
    expect((await run(['keys', 'limit', String(id), 'none'])).stdout).toBe(
      `Key ${id} no longer has a rate limit\n`,
    )
    expect(
      (await service.request('/api-key/credits', { key: api_key })).headers.get('X-RateLimit-Limit'),
    ).toBeNull()
  })

  test('rotate ends the old key, or lets both work for the grace', async () => {
    const first = await create('--credits', '50')
    const second = v.parse(
      secretSchema,
      await readJson(run, ['keys', 'rotate', String(first.id), '--grace', '3600']),
    )
    expect(second).toMatchObject({ id: first.id, remaining_credits: 50 })
    expect(second.api_key).toMatch(uuid)
    expect(second.api_key).not.toBe(first.api_key)
    for (const key of [first.api_key, second.api_key]) expect((await ask(key)).status).toBe(200)

    const { stdout } = await run(['keys', 'rotate', String(first.id)])
    const [third = ''] = stdout.match(/[\da-f]{8}-[\da-f-]{27}/) ?? []
    expect(stdout).toContain('The old secret no longer works.')
    expect((await ask(third)).body).toMatchObject({ remaining_credits: 50 })
    for (const key of [first.api_key, second.api_key]) expect((await ask(key)).status).toBe(401)
  })

  test('revoke stops a key with its next request, restore brings it back, delete ends it', async () => {
    const { id, api_key } = await create('--credits', '5')
    expect((await run(['keys', 'revoke', String(id)])).stdout).toBe(
      `Key ${id} is revoked: its next request will fail\n`,
    )
    expect(await ask(api_key)).toEqual({ status: 401, body: { error: 'Invalid API key' } })
    expect(await readJson(run, ['keys', 'restore', String(id)])).toMatchObject({ id, status: 'active' })
    expect((await ask(api_key)).status).toBe(200)
    expect((await run(['keys', 'delete', String(id)])).stdout).toBe(`Key ${id} is deleted\n`)
    expect((await ask(api_key)).status).toBe(401)
    for (const args of [['grant', '5'], ['limit', 'none'], ['rotate'], ['revoke'], ['restore'], ['delete']]) {
      const [command = '', ...rest] = args
      expect(await run(['keys', command, String(id), ...rest])).toEqual({
        code: 1,
        stdout: '',
        stderr: `There is no key ${id}\n`,
      })
    }
    expect(await service.readLedger(id)).toEqual({ balance: 5, granted: 5, charged: 0 })
  })

  test('a reader that stops early is no error', async () => {
    await service.sql`
      insert into api_keys (role, scopes, name)
      select 'user', '{users:read}', 'one of many ' || repeat('x', 80) from generate_series(1, 3000)`
    const child = startCommand(['keys', 'list'], { ...location })
    const ended = finishCommand(child)
    child.stdout.once('data', () => child.stdout.destroy())
    expect(await ended).toMatchObject({ code: 0, stderr: '' })
    await service.sql`update api_keys set deleted_at = now() where name like 'one of many %'`
  })
})

/** A client of the embedded database that somebody runs in a folder. */
function connectTo({ directory }: Location) {
  const path = join(directory, '.data/postgres.sock')
  return postgres({ path, user: 'postgres', database: 'postgres', max: 1, onnotice: () => {} })
}

describe('devdata on the embedded database that nobody runs', () => {
  test('makes it, keeps it, and several commands at once share it', async () => {
    const folder = await createFolder()
    const run: Run = (args, options) => runCommand(args, { ...folder, ...options })
    expect(await readJson(run, ['migrate'])).toEqual({ applied: listMigrations().map(({ name }) => name) })
    expect(await run(['keys', 'list'])).toEqual({
      code: 0,
      stdout: 'There are no keys yet: devdata keys create --credits 1000\n',
      stderr: '',
    })
    const created = await Promise.all(
      Array.from({ length: 6 }, (_, index) => run(['keys', 'create', '--name', `key ${index}`, '--json'])),
    )
    expect(created.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
      created.map(() => ({ code: 0, stderr: '' })),
    )
    const names = v.parse(v.array(v.looseObject({ name: v.string() })), await readJson(run, ['keys', 'list']))
    expect(names.map(({ name }) => name).sort()).toEqual(created.map((_, index) => `key ${index}`))
    expect(await readJson(run, ['migrate'])).toEqual({ applied: [] })
    await folder.remove()
  })

  test('a command that ends leaves the database to those that still use it', async () => {
    const folder = await createFolder('empty')
    // The first one runs the database, and waits for its input; the second one goes through its socket.
    const first = startCommand(['import', 'ndjson', '-', '--kind', 'users'], folder)
    const firstEnded = finishCommand(first)
    await waitForImports(1)
    const second = startCommand(['import', 'ndjson', '-', '--kind', 'users'], folder)
    const secondEnded = finishCommand(second)
    await waitForImports(2)
    first.stdin.end(createUserLine(1))
    await new Promise((ended) => first.stdout.once('data', ended))
    second.stdin.end(createUserLine(2))
    for (const ended of [firstEnded, secondEnded]) {
      expect(await ended).toMatchObject({ code: 0, stdout: expect.stringContaining('users         1 added') })
    }
    const { stdout } = await runCommand(['import', 'ndjson', '-', '--kind', 'users', '--json'], {
      ...folder,
      input: createUserLine(1) + createUserLine(2),
    })
    expect(JSON.parse(stdout)).toMatchObject({ users: { added: 0, updated: 0 }, dataset_version: 2 })
    await folder.remove()

    async function waitForImports(count: number): Promise<void> {
      const sql = connectTo(folder)
      const countImports = async () => (await sql`select from imports`.catch(() => [])).length // none listens yet
      while ((await countImports()) < count) await sleep(50)
      await sql.end()
    }
  })
})

describe('devdata beside a running server', () => {
  test('npm start’s service honors immediately what the command line does', async () => {
    const folder = await createFolder('empty')
    const run: Run = (args, options) => runCommand(args, { ...folder, ...options })
    const { PATH } = process.env
    const server = spawn(process.execPath, [resolve(import.meta.dirname, '../api/node.ts')], {
      cwd: folder.directory,
      env: { ...(PATH && { PATH }), PORT: '0', SAMPLE_DATA: 'off', LOG_LEVEL: 'error' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = once(server, 'exit')
    try {
      let base = ''
      for await (const line of createInterface(server.stdout)) {
        const [, url] = /devdata is ready at (\S+)/.exec(line) ?? []
        if (url === undefined) continue
        base = url
        break
      }
      const { id, api_key } = v.parse(secretSchema, await readJson(run, ['keys', 'create', '--credits', '9']))
      const get = (path: string) =>
        fetch(`${base}${path}`, { headers: { Authorization: `Bearer ${api_key}` } })
      expect(await (await get('/users')).json()).toMatchObject({ data: [] })
      expect((await run(['import', 'ndjson', sampleDirectory])).code).toBe(0)
      const answer = await get('/users?per_page=4')
      expect([answer.status, answer.headers.get('X-Total-Count')]).toEqual([200, '300'])
      expect(await readJson(run, ['keys', 'list'])).toContainEqual(
        expect.objectContaining({ id, remaining_credits: 5 }),
      )
      expect((await run(['keys', 'revoke', String(id)])).code).toBe(0)
      expect((await get('/users')).status).toBe(401)
    } finally {
      server.kill('SIGTERM')
      await ended
      await folder.remove()
    }
  })

  test('is cut off when the service has to stop, and what it had not finished is undone', async () => {
    const folder = await createFolder('empty')
    const settings = { DATA_DIR: join(folder.directory, '.data'), SAMPLE_DATA: 'off' }
    {
      await using service = await startInstanceProcess(undefined, settings)
      const command = startCommand(['import', 'ndjson', '-', '--kind', 'users'], folder) // waits for its input
      const ended = finishCommand(command)
      const sql = connectTo(folder)
      await expect.poll(async () => (await sql`select from imports`).length).toBe(1)
      await sql.end()
      expect(await service.stop()).toBe(0)
      expect(service.readLog()).toContain('through this process were cut off after 3 seconds')
      command.stdin.end(createUserLine(1))
      expect(await ended).toMatchObject({ code: 1, stdout: '' })
    }
    {
      await using service = await startInstanceProcess(undefined, settings)
      const sql = connectTo(folder)
      // PGlite is busy with nothing else for hours: it answers nobody, so that it can only be ended.
      const { promise: held, resolve: hold } = Promise.withResolvers<void>()
      const failed = sql
        .begin(async (tx) => {
          await tx`select 1`
          hold() // the session is this transaction's: nobody else is answered before its end
          await tx`
            with gone as (delete from dataset returning *) select count(*) from gone, generate_series(1, 1e12::bigint)`
        })
        .catch((error: unknown) => error)
      await held
      const other = connectTo(folder)
      const answered = other`select 1`.catch(() => 'cut off')
      await sleep(500) // the endless statement is under way
      expect(await service.stop()).toBe(0)
      expect(await answered).toBe('cut off')
      expect(service.readLog()).toContain('was ended in the middle of a statement')
      expect(await failed).toBeInstanceOf(Error)
      await Promise.all([sql.end(), other.end()])
    }
    await using service = await startInstanceProcess(undefined, settings)
    const version = await fetch(`${service.url}/version`)
    expect(await version.json()).toMatchObject({ dataset: { version: 0 } })
    await service.stop()
    await folder.remove()
  })
})

describe('devdata under Deno', () => {
  test('does what it does under Node', async () => {
    const folder = await createFolder('empty')
    const program = [deno, 'run', '--quiet', ...denoPermissions('devdata', folder.directory)]
    const run: Run = (args, options) => runCommand(args, { ...folder, program, ...options })
    const { id } = v.parse(secretSchema, await readJson(run, ['keys', 'create', '--credits', '5']))
    expect(await readJson(run, ['keys', 'grant', String(id), '-5'])).toMatchObject({ remaining_credits: 0 })
    expect(await run(['keys', 'grant', String(id), '-5'])).toMatchObject({ code: 1, stdout: '' })
    expect(await run(['keys', 'grant', String(id)])).toMatchObject({ code: 2, stdout: '' })
    const loaded = await readJson(run, ['import', 'ndjson', '-', '--kind', 'users'], {
      input: createUserLine(1),
    })
    expect(loaded).toMatchObject({ users: { added: 1, updated: 0 } })
    await folder.remove()
  })
})

describeOnEachDatabase('devdata import', (kind) => {
  let service: TestService
  let location: Location
  let scratch: Awaited<ReturnType<typeof createFolder>>
  const run: Run = (args, options) =>
    runCommand(args, { ...location, directory: scratch.directory, ...options })
  beforeAll(async () => {
    service = await startTestService(kind, { data: 'empty' })
    scratch = await createFolder()
    const { environment, directory } = locationOf(service)
    // Commands are run in a folder of their own, from which the database is found all the same.
    const settings = kind === 'embedded' ? { DATA_DIR: directory } : environment
    location = { environment: settings, directory }
  })
  afterAll(async () => {
    await service.close()
    await scratch.remove()
  })

  test('ndjson loads a folder, says what came of it, and changes nothing the second time', async () => {
    const { code, stdout } = await run(['import', 'ndjson', sampleDirectory])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Read 6,578 lines in [\d.]+ s\n/)
    expect(stdout.split('\n').slice(1)).toEqual([
      'users         300 added, 0 updated',
      'repositories  400 added, 0 updated',
      'commits       5,878 added, 0 updated',
      'dataset       version 1',
      '',
    ])
    const again = await run(['import', 'ndjson', sampleDirectory, '--json'])
    expect(JSON.parse(again.stdout)).toEqual({
      users: { added: 0, updated: 0 },
      repositories: { added: 0, updated: 0 },
      commits: { added: 0, updated: 0 },
      dataset_version: 1,
      lines: 6578,
      skipped: 0,
      seconds: expect.any(Number),
    })
  })

  test('ndjson --kind takes that file of a folder, or a file of any name', async () => {
    const users = readFileSync(join(sampleDirectory, 'users.ndjson'), 'utf8')
    writeFileSync(join(scratch.directory, 'people.txt'), users)
    const loaded = await run(['import', 'ndjson', sampleDirectory, 'people.txt', '--kind', 'users', '--json'])
    expect(JSON.parse(loaded.stdout)).toMatchObject({ lines: 600, users: { added: 0, updated: 0 } })
    expect(await run(['import', 'ndjson', 'people.txt'])).toEqual({
      code: 1,
      stdout: '',
      stderr:
        "people.txt: the name doesn't say which kind of lines the file contains; add --kind users|repos|commits\n",
    })
  })

  test('ndjson reads standard input, and names the line that is wrong', async () => {
    const loaded = await run(['import', 'ndjson', '-', '--kind', 'users', '--json'], {
      input: createUserLine(7),
    })
    expect(loaded).toMatchObject({ code: 0 })
    expect(JSON.parse(loaded.stdout)).toMatchObject({ lines: 1, users: { added: 1, updated: 0 } })
    expect(
      await run(['import', 'ndjson', '-', '--kind', 'users'], {
        input: `${createUserLine(8)}{"forge_rest_id":"9"}\n`,
      }),
    ).toEqual({
      code: 1,
      stdout: '',
      stderr: 'standard input:2: forge_rest_id: must be an integer; nothing was changed\n',
    })
  })

  test('ndjson --skip-invalid writes what it did not load to a file, with the reason', async () => {
    const args = ['import', 'ndjson', '-', '--kind', 'users', '--skip-invalid', 'invalid.ndjson']
    const input = Buffer.concat([
      Buffer.from(`${createUserLine(20)}{"login":\n`),
      Buffer.from([0x22, 0xff, 0x22, 0x0a]),
      Buffer.from(createUserLine(21)),
    ])
    const { code, stdout } = await run(args, { input })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^users {9}2 added, 0 updated$/m)
    expect(stdout).toMatch(/^skipped {7}2 invalid lines, see invalid\.ndjson$/m)
    const file = join(scratch.directory, 'invalid.ndjson')
    const skipped = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(skipped).toEqual([
      { file: 'standard input', line: 2, reason: expect.stringMatching(/^not JSON: /), content: '{"login":' },
      { file: 'standard input', line: 3, reason: 'not UTF-8 text', content: '"\ufffd"' },
    ])
    // What an earlier load left there must not be taken for this one's, nor be lost.
    expect(await run(args, { input: createUserLine(22) })).toEqual({
      code: 1,
      stdout: '',
      stderr: '--skip-invalid invalid.ndjson: the file already exists; name a new file\n',
    })
    expect(readFileSync(file, 'utf8')).not.toBe('')
  })

  test('ndjson --skip-invalid leaves no empty file, never writes over one, and names a path that can not be', async () => {
    const load = (file: string) =>
      run(['import', 'ndjson', '-', '--kind', 'users', '--skip-invalid', file, '--json'], {
        input: createUserLine(22),
      })
    expect(JSON.parse((await load('none.ndjson')).stdout)).toMatchObject({ skipped: 0 })
    expect(existsSync(join(scratch.directory, 'none.ndjson'))).toBe(false)
    expect(await load('/dev/null')).toMatchObject({ code: 0 })
    for (const [path, reason] of [
      [
        'no/where',
        /^--skip-invalid no\/where: the file can't be written: ENOENT: no such file or directory.*\n$/,
      ],
      ['.', /^--skip-invalid \.: the file can't be written: EISDIR.*\n$/],
    ] as const) {
      const { code, stdout, stderr } = await load(path)
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toMatch(reason)
    }
    const file = join(scratch.directory, 'more.ndjson')
    writeFileSync(file, createUserLine(30))
    const overwriting = ['more.ndjson', '--kind', 'users', '--skip-invalid', './more.ndjson']
    expect(await run(['import', 'ndjson', ...overwriting])).toMatchObject({ code: 1, stdout: '' })
    expect(readFileSync(file, 'utf8')).toBe(createUserLine(30))
  })

  /** The tables in which loads stage what they read. */
  const listStagingTables = () =>
    service.sql`select from pg_class where relname like 'import\\_%' and relkind = 'r'`

  /** Starts a load that has staged something, and waits for more. */
  async function startLoad(number: number) {
    const child = startCommand(['import', 'ndjson', '-', '--kind', 'users'], { ...location })
    const ended = finishCommand(child)
    child.stdin.on('error', () => {})
    child.stdin.write(createUserLine(number))
    await expect.poll(async () => (await listStagingTables()).length).toBeGreaterThan(0)
    return { child, ended }
  }

  test.each(['SIGINT', 'SIGTERM'] as const)(
    'a load that %s ends changes nothing, and leaves nothing',
    async (signal) => {
      const [before] = await service.sql<{ version: number }[]>`select version from dataset`
      const { child, ended } = await startLoad(40)
      child.kill(signal)
      const code = signal === 'SIGINT' ? 130 : 143
      expect(await ended).toEqual({ code, stdout: '', stderr: 'Interrupted\n' })
      const [after] = await service.sql<{ version: number }[]>`select version from dataset`
      expect(after).toEqual(before)
      expect(await listStagingTables()).toHaveLength(0)
      expect(await service.sql`select from imports`).toHaveLength(0)
    },
  )

  test('what a killed load left is dropped by the next one, and what a living one has staged is not', async () => {
    const living = await startLoad(41)
    const [one] = await service.sql<{ id: number }[]>`select id from imports`
    const killed = await startLoad(42)
    await expect.poll(async () => (await service.sql`select from imports`).length).toBe(2)
    killed.child.kill('SIGKILL')
    await killed.ended
    expect(await service.sql`select from imports`).toHaveLength(2)
    expect(
      await run(['import', 'ndjson', '-', '--kind', 'users', '--json'], { input: createUserLine(43) }),
    ).toMatchObject({ code: 0, stderr: '' })
    expect(await service.sql`select id from imports`).toEqual([one])
    living.child.stdin.end()
    expect(await living.ended).toMatchObject({ code: 0, stderr: '' })
    expect(await listStagingTables()).toHaveLength(0)
    const { secret } = await service.createKey()
    for (const [login, status] of Object.entries({
      'line-user-41': 200,
      'line-user-42': 404,
      'line-user-43': 200,
    })) {
      expect([login, (await service.request(`/users/${login}`, { key: secret })).status]).toEqual([
        login,
        status,
      ])
    }
  })

  test.runIf(kind === 'postgresql')('a killed load leaves the server nothing to wait for', async () => {
    const listWaiting = () => service.sql`
      select from pg_locks join pg_database d on d.oid = database
      where d.datname = current_database() and locktype = 'advisory' and not granted`
    await service.sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(${applyLock})`
      const child = startCommand(['import', 'ndjson', '-', '--kind', 'users'], { ...location })
      const ended = finishCommand(child)
      child.stdin.end(createUserLine(44))
      await expect.poll(async () => (await listWaiting()).length).toBe(1)
      child.kill('SIGKILL')
      await ended
      await expect.poll(async () => (await listWaiting()).length).toBe(0)
    })
  })

  test('a full disk is told with PostgreSQL’s words and its advice', async () => {
    await service.sql.unsafe(`
      create function refuse() returns trigger language plpgsql as $$
      begin
        raise exception 'could not extend file "base/1/2": No space left on device'
          using errcode = 'disk_full', hint = 'Check free disk space.';
      end $$;
      create trigger full_disk before insert on users for each statement execute function refuse()`)
    expect(await run(['import', 'ndjson', '-', '--kind', 'users'], { input: createUserLine(50) })).toEqual({
      code: 1,
      stdout: '',
      stderr: `The database's disk is full: could not extend file "base/1/2": No space left on device; Check free disk space.\n`,
    })
    await service.sql.unsafe('drop trigger full_disk on users; drop function refuse()')
  })

  test('git loads a clone, reports what it skips, and adds what is new the second time', async () => {
    const clone = join(scratch.directory, 'clone')
    mkdirSync(clone)
    const git = (...args: string[]) => {
      const identity = ['-c', 'user.name=A', '-c', 'user.email=a@example.org', '-c', 'commit.gpgsign=false']
      execFileSync('git', ['-C', clone, ...identity, ...args], { stdio: 'pipe' })
    }
    const commit = (manifest: string) => {
      writeFileSync(join(clone, 'package.json'), manifest)
      git('add', '--all')
      git('commit', '--quiet', '-m', 'a change')
    }
    git('init', '--quiet', '--initial-branch=main')
    commit('{"dependencies":{"left-pad":"1","hono":"4"}}')
    commit('{"dependencies":')
    commit('{"dependencies":{"hono":"4"}}')
    const args = ['import', 'git', 'clone', '--url', 'https://forge.example/ada/engine', '--rest-id', '4711']
    const first = await run(args)
    expect(first.code).toBe(0)
    expect(first.stderr).toMatch(/^Skipped package\.json at commit [\da-f]{12}: .*\n$/)
    expect(first.stdout).toMatch(/^Read 3 commits of main in [\d.]+ s\n/)
    expect(first.stdout).toContain('repositories  1 added, 0 updated\ncommits       3 added, 0 updated\n')
    expect(first.stdout).toContain(
      'dependencies  1 active, 1 removed\nskipped       1 manifest version that did not parse, see above\n',
    )

    commit('{"dependencies":{"hono":"4","vite":"7"}}')
    const second = await run([...args, '--json'])
    expect(JSON.parse(second.stdout)).toEqual({
      users: { added: 0, updated: 0 },
      repositories: { added: 0, updated: 1 },
      commits: { added: 1, updated: 0 },
      dataset_version: expect.any(Number),
      branch: 'main',
      commits_read: 4,
      dependencies: { active: 2, removed: 1 },
      manifests_left_out: 0,
      manifests_computed: 0,
      warnings: 1,
      seconds: expect.any(Number),
    })
    const { secret } = await service.createKey()
    const listed = await service.request('/repos/ada/engine/dependencies', { key: secret })
    expect(listed.headers.get('X-Total-Count')).toBe('3')

    // The same problem again is counted, and what is left out or unknown is said.
    for (const [file, content] of [
      ['package.json', '{"dependencies":['],
      ['package.json', '{"dependencies":'],
      ['setup.py', 'from setuptools import setup\nsetup(install_requires=read())\n'],
      ['test/package.json', '{"dependencies":{"tried":"1"}}'],
    ] as const) {
      mkdirSync(join(clone, 'test'), { recursive: true })
      writeFileSync(join(clone, file), content)
      commit(readFileSync(join(clone, 'package.json'), 'utf8'))
    }
    const third = await run(args)
    expect(third.stderr).toMatch(
      /^Skipped package\.json at commit [\da-f]{12}, and 2 more versions with this problem: not valid JSON: .*\n$/,
    )
    expect(third.stdout).toContain(`dependencies  2 active, 1 removed
skipped       3 manifest versions that did not parse, see above
incomplete    1 manifest: only running it would show all dependencies
left out      1 manifest of tests and fixtures; --all-manifests includes them
`)
    const all = await run([...args, '--all-manifests', '--branch', 'main', '--json'])
    expect(JSON.parse(all.stdout)).toMatchObject({
      branch: 'main',
      dependencies: { active: 3, removed: 1 },
      manifests_left_out: 0,
      manifests_computed: 1,
      warnings: 3,
    })
  })

  test.each([
    [['no-such-folder', '--url', 'https://forge.example/a/b'], /^\S+no-such-folder does not exist\n$/],
    [['.', '--url', 'https://forge.example/a/b'], /^\S+ is not a git repository\n$/],
    [
      ['clone', '--url', 'forge.example'],
      /^--url forge\.example: must be the repository's http or https URL.*\n$/,
    ],
  ])('git %j is one clear line, and exit code 1', async (args, line) => {
    const { code, stdout, stderr } = await run(['import', 'git', ...args])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(line)
  })
})

describeOnServer('devdata on a PostgreSQL database', () => {
  let admin: postgres.Sql
  let url: string
  const names: string[] = []
  const run: Run = (args, options) =>
    runCommand(args, { environment: { DATABASE_URL: url }, directory: import.meta.dirname, ...options })
  beforeAll(() => {
    admin = postgres(getServerUrl(), { max: 1, onnotice: () => {} })
  })
  afterAll(async () => {
    for (const name of names) await admin`drop database ${admin(name)} with (force)`
    await admin.end()
  })

  async function createDatabase(): Promise<void> {
    const name = `test_${randomUUID().replaceAll('-', '')}`
    await admin`create database ${admin(name)}`
    names.push(name)
    url = databaseUrl(getServerUrl(), name)
  }

  test('the schema is left alone by all commands but migrate, and they say so', async () => {
    await createDatabase()
    for (const args of [
      ['keys', 'create'],
      ['keys', 'list'],
      ['import', 'ndjson', sampleDirectory],
    ]) {
      expect(await run(args)).toEqual({
        code: 1,
        stdout: '',
        stderr: 'The database has no schema of devdata yet; run "devdata migrate" first\n',
      })
    }
    const sql = postgres(url, { max: 1 })
    expect(await sql`select from information_schema.tables where table_schema = 'public'`).toHaveLength(0)

    const all = listMigrations().map(({ name }) => name)
    expect(await run(['migrate'])).toEqual({
      code: 0,
      stdout: all.map((name) => `Applied ${name}\n`).join(''),
      stderr: '',
    })
    expect(await run(['migrate'])).toEqual({ code: 0, stdout: 'The schema is up to date\n', stderr: '' })
    expect(await readJson(run, ['keys', 'list'])).toEqual([])
    await sql.end()
  })

  test('two migrate at once, and each migration is applied once', async () => {
    await createDatabase()
    const results = await Promise.all([readJson(run, ['migrate']), readJson(run, ['migrate'])])
    const applied = results.flatMap(
      (result) => v.parse(v.object({ applied: v.array(v.string()) }), result).applied,
    )
    expect(applied).toEqual(listMigrations().map(({ name }) => name))
  })

  test('migrate may wait for another one, and take, longer than a statement of a request', async () => {
    await createDatabase()
    const sql = postgres(url, { max: 1 })
    const migrating = await sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(${migrationLock})`
      const migrating = run(['migrate'], {
        environment: { DATABASE_URL: url, DATABASE_STATEMENT_TIMEOUT_SECONDS: '6' },
      })
      const listWaiting = () => tx`
        select from pg_locks join pg_database d on d.oid = database
        where datname = current_database() and locktype = 'advisory' and not granted`
      await expect.poll(listWaiting).toHaveLength(1)
      await sleep(12_000) // it would be given up after 11
      return { migrating }
    })
    expect(await migrating.migrating).toMatchObject({ code: 0, stderr: '' })
    await sql.end()
  })

  test('a database of a newer version is refused in words', async () => {
    await createDatabase()
    await run(['migrate'])
    const sql = postgres(url, { max: 1 })
    await sql`insert into migrations (number, name, checksum) values (9999, '9999_of_the_future.sql', '')`
    await sql.end()
    const { code, stderr } = await run(['migrate'])
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /^The database has migration 9999, and this version of devdata knows \d+ at most; .*\n$/,
    )
  })

  test('a database that does not exist is refused in words', async () => {
    const { code, stdout, stderr } = await run(['keys', 'list'], {
      environment: { DATABASE_URL: databaseUrl(getServerUrl(), 'nobody_made_this') },
    })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toBe('DATABASE_URL: the database refuses: database "nobody_made_this" does not exist\n')
  })
})

describe('progress', () => {
  afterEach(() => vi.useRealTimers())

  function start(terminal: { isTTY: true; columns: number } | undefined) {
    vi.useFakeTimers()
    const stream = Object.assign(new PassThrough({ encoding: 'utf8' }), terminal)
    const read = (): string => stream.read() ?? ''
    return { progress: startProgress(stream), read }
  }

  test('is one line that is redrawn on a terminal', () => {
    const { progress, read } = start({ isTTY: true, columns: 100 })
    progress.update({ step: 'reading users', count: 0, unit: 'lines', fraction: 0 })
    vi.advanceTimersByTime(5000)
    read()
    progress.update({ step: 'reading users', count: 5000, unit: 'lines', fraction: 0.25 })
    vi.advanceTimersByTime(5000)
    const drawn = read()
    expect(drawn).not.toContain('\n')
    expect(drawn.split('\r\u001b[2K').at(-1)).toBe('reading users, 25 %, 10 s, 5,000 lines')
    progress.end()
    expect(read()).toBe('\r\u001b[2K')
    vi.advanceTimersByTime(5000)
    expect(read()).toBe('')
  })

  test('never wraps a terminal’s line, and keeps notes', () => {
    const { progress, read } = start({ isTTY: true, columns: 13 })
    progress.update({ step: 'reading manifests', count: 10, unit: 'done', fraction: 0.5 })
    vi.advanceTimersByTime(100)
    expect(read()).toBe('\r\u001b[2Kreading mani')
    progress.note('package.json: not JSON; skipped')
    expect(read()).toBe('\r\u001b[2Kpackage.json: not JSON; skipped\n\r\u001b[2Kreading mani')
    progress.end()
  })

  test('is a plain line every few seconds elsewhere, and silent before', () => {
    const { progress, read } = start(undefined)
    progress.update({ step: 'reading users', count: 0, unit: 'lines', fraction: undefined })
    vi.advanceTimersByTime(4900)
    expect(read()).toBe('')
    progress.update({ step: 'reading users', count: 1000, unit: 'lines', fraction: undefined })
    vi.advanceTimersByTime(100)
    expect(read()).toBe('reading users, 5 s, 1,000 lines\n')
    progress.note('a warning')
    expect(read()).toBe('a warning\n')
    progress.end()
    expect(read()).toBe('')
  })
})

/** A user's line, with a number of its own. */
function createUserLine(number: number): string {
  return `${JSON.stringify(createUser(900_000 + number, { login: `line-user-${number}` }))}\n`
}
