/**
 * The entry for platforms that start and end instances as requests come, under `deno serve`, which runs what it exports
 * as Deno Deploy does.
 *
 * @module-tag later
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate } from '../../api/database/migrate.ts'
import { deno, denoPermissions } from '../support/deno.ts'
import { startDistantProxy } from '../support/distant-proxy.ts'
import { type RunningProgram, startProgram } from '../support/program.ts'
import { describeOnServer, getServerUrl } from '../support/server.ts'
import { startTestService, type TestService, useService } from '../support/service.ts'
import { useStarted } from '../support/suite.ts'

const entry = resolve(import.meta.dirname, '../../api/deno-deploy.ts')

/**
 * A request may look as if it took more trips when this machine is busy, and what it sends side by side goes out one
 * after the other; never as if it took fewer.
 */
const attempts = 20

describeOnServer('an instance that is started by its first request', () => {
  const service = useService('postgresql', { key: {} })
  const proxy = useStarted(() => startDistantProxy(getServerUrl(), 40)) // long enough for a slow machine to send side by side
  let directory: string
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'devdata-deploy-'))
  })
  afterAll(async () => {
    await rm(directory, { recursive: true, force: true })
  })

  /** Without a permission to write anything, or to run a program. */
  function startInstance(settings: Record<string, string> = {}): Promise<RunningProgram> {
    const permissions = denoPermissions('start', directory).filter(
      (flag) => !flag.startsWith('--allow-write'),
    )
    return startProgram([deno, 'serve', '--port=0', '--host=127.0.0.1', ...permissions, entry], {
      directory,
      environment: {
        DATABASE_URL: proxy.urlOf(service.location.databaseUrl ?? ''),
        LOG_LEVEL: 'error',
        ...settings,
      },
      announcement: /Listening on (http:\/\/127\.0\.0\.1:\d+)/,
    })
  }

  async function ask(base: string, path: string, secret: string | undefined): Promise<number> {
    const headers = secret === undefined ? {} : { Authorization: `Bearer ${secret}` }
    const response = await fetch(`${base}${path}`, { headers })
    await response.text()
    return response.status
  }

  /** The fewest trips that a request was seen to take. */
  async function countTrips(request: () => Promise<unknown>, expected: number): Promise<number> {
    let fewest = Number.POSITIVE_INFINITY
    for (let attempt = 0; attempt < attempts && fewest > expected; attempt++) {
      proxy.reset()
      await request()
      fewest = Math.min(fewest, proxy.countTrips())
    }
    return fewest
  }

  const unknownKey = '00000000-0000-4000-8000-000000000000'
  test.for([
    // A connection costs 4: it is opened, and three messages go back and forth until the password is accepted. Then one
    // each to find the key, and to read and charge at once, and one more for the first use of each statement. What is
    // cached only takes the charge. The matches of a list take 3 more: its terms, the first use of that statement, and
    // their sets. The trigrams of a location take one. The health check reads the migrations, and a key that it then
    // looks up.
    { name: 'a look-up', path: '/users/ngoldberg', as: 'user', status: 200, cold: 8, warm: 1 },
    { name: 'a page of a list', path: '/repos?page=2', as: 'user', status: 200, cold: 11, warm: 1 },
    {
      name: 'a page of a filter',
      path: '/users?location=berlin',
      as: 'user',
      status: 200,
      cold: 12,
      warm: 1,
    },
    { name: 'the balance', path: '/api-key/credits', as: 'user', status: 200, cold: 8, warm: 1 },
    { name: 'an unknown key', path: '/users', as: 'unknown', status: 401, cold: 6, warm: 1 },
    { name: 'a request without a key', path: '/users', as: 'nobody', status: 401, cold: 0, warm: 0 },
    { name: 'the health check', path: '/health', as: 'nobody', status: 200, cold: 8, warm: 2 },
    { name: 'the version', path: '/version', as: 'nobody', status: 200, cold: 5, warm: 1 },
    { name: 'the contract', path: '/openapi.yml', as: 'nobody', status: 200, cold: 0, warm: 0 },
  ] as const)(
    'waits for $cold trips to the database before it responds to $name, and for $warm afterwards',
    async ({ path, as, status, cold, warm }) => {
      const secret = { user: service.key, unknown: unknownKey, nobody: undefined }[as]
      const seen = await countTrips(async () => {
        await using instance = await startInstance()
        expect(proxy.countTrips()).toBe(0)
        expect(await ask(instance.announced, path, secret)).toBe(status)
      }, cold)
      expect(seen).toBe(cold)

      await using instance = await startInstance()
      await ask(instance.announced, path, secret)
      expect(await countTrips(() => ask(instance.announced, path, secret), warm)).toBe(warm)
    },
  )

  test.each(['SIGINT', 'SIGTERM'] as const)(
    'responds to what is under way on %s, and exits with 0',
    async (signal) => {
      await using instance = await startInstance()
      const { secret, id: heldKey } = await service.createKey()
      await ask(instance.announced, '/users/ngoldberg', secret)
      const stopped = await service.sql.begin(async (tx) => {
        await tx`select from api_keys where id = ${heldKey} for update`
        const response = ask(instance.announced, '/users/ngoldberg', secret)
        await expect.poll(() => countWaiting(service)).toBe(1)
        return { response, code: instance.stop(signal) }
      })
      expect(await stopped.response).toBe(200)
      expect(await stopped.code).toBe(0)
    },
  )

  test('says in responses that its database is not migrated, and in the log what to do', async () => {
    const empty = await startTestService('postgresql', { data: 'empty' })
    try {
      await empty.sql`drop schema public cascade`
      await empty.sql`create schema public`
      await using instance = await startInstance({ DATABASE_URL: empty.location.databaseUrl ?? '' })
      const { announced, readOutput } = instance
      for (const path of ['/users', '/health']) {
        const response = await fetch(`${announced}${path}`, {
          headers: { Authorization: `Bearer ${unknownKey}` },
        })
        expect([path, response.status, response.headers.get('Retry-After'), await response.json()]).toEqual([
          path,
          503,
          '5',
          { error: 'Database not migrated; retry in 5 seconds' },
        ])
      }
      await expect
        .poll(readOutput)
        .toContain('The database has no devdata schema yet; run this first: deno task devdata migrate')
      const version = await fetch(`${announced}/version`)
      expect([version.status, await version.json()]).toMatchObject([200, { dataset: null }])
      await migrate(empty.sql)
      expect(await ask(announced, '/users', unknownKey)).toBe(401)
      expect(await ask(announced, '/health', undefined)).toBe(200)
    } finally {
      await empty.close()
    }
  })

  test('does not start without a database server, and says why', async () => {
    await expect(startInstance({ DATABASE_URL: '' })).rejects.toThrow('DATABASE_URL: it must be set')
  })
})

/** Statements that wait for a lock. */
async function countWaiting({ sql }: TestService): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  return row?.count ?? 0
}
