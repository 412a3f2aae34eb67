/**
 * The command line on the embedded database: alone, with other commands, beside a service, and under Deno.
 *
 * @module-tag longest
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { listMigrations } from '../../api/database/migrate.ts'
import {
  createdKeySchema,
  createFolder,
  createUserLine,
  finishCommand,
  type Location,
  type Run,
  readJson,
  runCommand,
  sampleDirectory,
  startCommand,
} from '../support/command-line.ts'
import { deno, denoPermissions } from '../support/deno.ts'
import { startInstanceProcess } from '../support/process.ts'

/** A client of the embedded database that somebody runs in a folder. */
function connectTo({ directory }: Location) {
  const path = join(directory, '.data/postgres.sock')
  return postgres({ path, user: 'postgres', database: 'postgres', max: 1, onnotice: () => {} })
}

describe('devdata on the embedded database that nobody runs', () => {
  test.each([
    [['keys', 'list']],
    [['keys', 'grant', '1', '5']],
    [['ledger', 'verify']],
    [['export', 'ndjson', 'copy']],
    [['remove', 'repo', 'honojs/hono', '--yes']],
    [['forget', 'user', 'ada', '--yes']],
  ])('is refused where there is none, and creates nothing: %j', async (args) => {
    const folder = await createFolder()
    expect(await runCommand(args, { ...folder, environment: { DATA_DIR: 'wrong' } })).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'There is no database in wrong; check DATA_DIR and DATABASE_URL. To create one, start the service, create a key, or load data\n',
    })
    expect(readdirSync(folder.directory)).toEqual([])
    await folder.remove()
  })

  test('makes it, keeps it, and several commands at once share it', async () => {
    const folder = await createFolder()
    const run: Run = (args, options) => runCommand(args, { ...folder, ...options })
    const { code, stdout, stderr } = await run(['migrate', '--json'])
    expect([code, JSON.parse(stdout)]).toEqual([0, { applied: listMigrations().map(({ name }) => name) }])
    expect(stderr).toBe(
      `Created an empty database in ${join(folder.directory, '.data')} (DATA_DIR), because DATABASE_URL is not set\n`,
    )
    expect(await run(['keys', 'list'])).toEqual({
      code: 0,
      stdout: 'There are no keys yet: npm run -s devdata -- keys create --credits 1000\n',
      stderr: '',
    })
    const created = await Promise.all(
      Array.from({ length: 4 }, (_, index) => run(['keys', 'create', '--name', `key ${index}`, '--json'])),
    )
    expect(created.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
      created.map(() => ({ code: 0, stderr: '' })),
    )
    const names = v.parse(v.array(v.looseObject({ name: v.string() })), await readJson(run, ['keys', 'list']))
    expect(names.map(({ name }) => name).sort()).toEqual(created.map((_, index) => `key ${index}`))
    expect(await readJson(run, ['migrate'])).toEqual({ applied: [] })
    await folder.remove()
  })

  test('leaves it, when a command ends, to the commands that still use it', async () => {
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
    expect(JSON.parse(stdout)).toMatchObject({
      users: { added: 0, updated: 0, removed: 0 },
      dataset_version: 2,
    })
    await folder.remove()

    async function waitForImports(count: number): Promise<void> {
      const sql = connectTo(folder)
      const countImports = async () => (await sql`select from imports`.catch(() => [])).length // none listens yet
      while ((await countImports()) < count) await sleep(50)
      await sql.end()
    }
  })
})

describe('devdata beside a running service', { concurrent: true }, () => {
  test('is honored by the service immediately', async ({ expect }) => {
    const folder = await createFolder('empty')
    const run: Run = (args, options) => runCommand(args, { ...folder, ...options })
    const settings = { DATA_DIR: join(folder.directory, '.data'), SAMPLE_DATA: 'off' }
    await using service = await startInstanceProcess(undefined, settings)
    const created = v.parse(createdKeySchema, await readJson(run, ['keys', 'create', '--credits', '9']))
    const { id, api_key } = created
    const get = (path: string) =>
      fetch(`${service.url}${path}`, { headers: { Authorization: `Bearer ${api_key}` } })
    expect(await (await get('/users')).json()).toMatchObject({ data: [] })
    expect((await run(['import', 'ndjson', sampleDirectory])).code).toBe(0)
    const response = await get('/users?per_page=4')
    expect([response.status, response.headers.get('X-Total-Count')]).toEqual([200, '300'])
    expect(await readJson(run, ['keys', 'list'])).toContainEqual(
      expect.objectContaining({ id, remaining_credits: 5 }),
    )
    expect((await run(['keys', 'revoke', String(id)])).code).toBe(0)
    expect((await get('/users')).status).toBe(401)
    await service.stop()
    await folder.remove()
  })

  test('is cut off when the service has to stop, and what it had not finished is undone', async ({
    expect,
  }) => {
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
      expect(service.readLog()).toContain('through this process were disconnected after 3 seconds')
      command.stdin.end(createUserLine(1))
      expect(await ended).toMatchObject({ code: 1, stdout: '' })
    }
    {
      await using service = await startInstanceProcess(undefined, settings)
      const sql = connectTo(folder)
      // PGlite is busy with nothing else for hours: nobody gets a response, so that it can only be ended.
      const { promise: held, resolve: hold } = Promise.withResolvers<void>()
      const failed = sql
        .begin(async (tx) => {
          await tx`select 1`
          hold() // the session is this transaction's: nobody else gets a response before its end
          await tx`
            with gone as (delete from dataset returning *) select count(*) from gone, generate_series(1, 1e12::bigint)`
        })
        .catch((error: unknown) => error)
      await held
      const other = connectTo(folder)
      const waiting = other`select 1`.catch(() => 'cut off')
      await sleep(500) // the endless statement is under way
      expect(await service.stop()).toBe(0)
      expect(await waiting).toBe('cut off')
      expect(service.readLog()).toContain('during a statement of another process')
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
    const { id } = v.parse(createdKeySchema, await readJson(run, ['keys', 'create', '--credits', '5']))
    expect(await readJson(run, ['keys', 'grant', String(id), '-5'])).toMatchObject({ remaining_credits: 0 })
    expect(await run(['keys', 'grant', String(id), '-5'])).toMatchObject({ code: 1, stdout: '' })
    expect(await run(['keys', 'grant', String(id)])).toMatchObject({ code: 2, stdout: '' })
    const loaded = await readJson(run, ['import', 'ndjson', '-', '--kind', 'users'], {
      input: createUserLine(1),
    })
    expect(loaded).toMatchObject({ users: { added: 1, updated: 0, removed: 0 } })
    await folder.remove()
  })
})
