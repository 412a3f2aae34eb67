/**
 * Clients that leave, that don't read, and that keep idle connections, in front of a process of each runtime.
 *
 * @module-tag later
 */
import { statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { lateAfterMs } from '../../api/concurrency/batcher.ts'
import { docsDirectory, findDocs } from '../../api/portal/docs-manifest.ts'
import { buildDocs } from '../../docs-site/build.ts'
import { countLockWaits } from '../support/lock-waits.ts'
import {
  type InstanceProcess,
  type InstanceProcessOptions,
  startInstanceProcess,
} from '../support/process.ts'
import { describeOnServer } from '../support/server.ts'
import { useService } from '../support/service.ts'

function writeRequest(path: string, { key, ...headers }: Record<string, string> = {}): string {
  const all = { Host: 'localhost', ...(key && { Authorization: `Bearer ${key}` }), ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`
}

/** Opens a connection, which may be lost without a test that fails, and sends a text on it. */
function openConnection({ url }: InstanceProcess, sent = ''): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' })
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.on('error', () => {}).write(sent, () => resolve(socket))
    })
  })
}

describeOnServer.for(['node', 'deno'] as const)('an instance on %s', (runtime) => {
  const service = useService('postgresql')

  const start = (settings: Record<string, string> = {}, options: InstanceProcessOptions = {}) =>
    startInstanceProcess(
      service.location.databaseUrl,
      { SAMPLE_DATA: 'off', DATABASE_POOL_SIZE: '4', DATABASE_STATEMENT_TIMEOUT_SECONDS: '0', ...settings },
      { ...options, runtime },
    )
  const ask = (instance: InstanceProcess, path: string, key?: string) =>
    fetch(`${instance.url}${path}`, key === undefined ? {} : { headers: { Authorization: `Bearer ${key}` } })

  /** Asks on a connection of its own, which is accepted after those that are open. */
  const askAnew = async (instance: InstanceProcess, path: string, key = '') => {
    const client = await openConnection(instance, writeRequest(path, { key, Connection: 'close' }))
    return text(client)
  }
  const served = /^HTTP\/1\.1 200 OK\r\n/

  test('neither reads for disconnected clients nor charges them, whether their requests wait or are being read', async () => {
    await using instance = await start()
    const { secret: key, id } = await service.createKey()
    const { secret: admin } = await service.createKey({ role: 'admin' })
    for (const each of [key, admin]) expect((await ask(instance, '/users?per_page=1', each)).status).toBe(200) // known from here on
    const count = 400
    await service.sql.begin(async (tx) => {
      await tx`lock table users in access exclusive mode` // nobody can read
      const clients = await Promise.all(
        Array.from({ length: count }, () =>
          openConnection(instance, writeRequest('/users?per_page=100', { key })),
        ),
      )
      await expect.poll(() => countLockWaits(tx)).toBeGreaterThan(0)
      expect(await askAnew(instance, '/openapi.yml')).toMatch(served) // all requests have arrived before this one
      for (const client of clients) client.resetAndDestroy()
      expect(await askAnew(instance, '/openapi.yml')).toMatch(served) // and all resets before this one
      await sleep(2 * lateAfterMs) // a statement that takes less time charges what it reads
    })
    // A slow machine refuses requests that have waited for two seconds before it resets their clients.
    const countEnds = async (...statuses: number[]) => {
      const metrics = await (await ask(instance, '/metrics', admin)).text()
      const counts = statuses.map((status) =>
        new RegExp(`devdata_requests_total\\{method="GET",route="/users",status="${status}"\\} (\\d+)`).exec(
          metrics,
        ),
      )
      return counts.reduce((sum, match) => sum + Number(match?.[1] ?? 0), 0)
    }
    await expect.poll(() => countEnds(499, 503)).toBe(count)
    expect(await countEnds(499)).toBeGreaterThanOrEqual(128) // those that were being read
    expect(await service.readLedger(id)).toMatchObject({ charged: 1 })
  })

  test('serves a client that closes its side and waits, and charges it once', async () => {
    await using instance = await start()
    const { secret: key, id } = await service.createKey()
    const client = await openConnection(instance)
    client.end(writeRequest('/users?per_page=3', { key }) + writeRequest('/users/ngoldberg', { key }))
    const received = await text(client)
    expect(received.match(/HTTP\/1\.1 200 OK\r\n/g)).toHaveLength(2)
    expect(received).toMatch(/"login":"ngoldberg".*}$/)
    expect(await service.readLedger(id)).toMatchObject({ charged: 4 })
  })

  test.runIf(process.platform === 'linux')(
    'stays within 512 MiB when clients send hundreds of requests ahead and read nothing, and serves others',
    async () => {
      await buildDocs({ ifStale: true })
      const docs = await findDocs(docsDirectory)
      if (docs === undefined) throw new Error('the docs are not built')
      const sizes = Object.keys(docs.files).map(
        (name) => [name, statSync(join(docs.directory, name)).size] as const,
      )
      const [name = '', length = 0] = sizes.sort(([, one], [, other]) => other - one)[0] ?? []
      const path = `/docs/${name}`
      const heap = '--max-old-space-size=384'
      await using instance = await start({ NODE_OPTIONS: heap, DENO_V8_FLAGS: heap })
      const { secret: key } = await service.createKey()
      const greedy = await Promise.all(
        Array.from({ length: 5 }, () => openConnection(instance, writeRequest(path).repeat(700))),
      )
      for (let count = 0; count < 100; count++) {
        expect((await ask(instance, '/users/ngoldberg', key)).status).toBe(200)
        const response = await fetch(`${instance.url}${path}`, { headers: { 'Accept-Encoding': 'identity' } })
        expect((await response.bytes()).length).toBe(length)
      }
      for (const client of greedy) client.destroy()
      const [, kilobytes] =
        /VmHWM:\s*(\d+) kB/.exec(await readFile(`/proc/${instance.processId}/status`, 'utf8')) ?? []
      expect(Number(kilobytes)).toBeGreaterThan(0)
      expect(Number(kilobytes)).toBeLessThan(512 * 1024)
    },
  )

  // Deno doesn't say how many files it may open.
  test.runIf(runtime === 'node')(
    'serves new clients while more connections are idle than it may open files',
    async () => {
      await using instance = await start({}, { maxOpenFiles: 300 })
      const { secret: key } = await service.createKey()
      const idle = await Promise.all(Array.from({ length: 400 }, () => openConnection(instance)))
      for (let count = 0; count < 10; count++) {
        expect(await askAnew(instance, '/users/ngoldberg', key)).toMatch(served)
      }
      for (const client of idle) client.destroy()
    },
  )

  test('serves clients again once others have left that opened more connections than it may open files', async () => {
    await using instance = await start({ LOG_LEVEL: 'warning' }, { maxOpenFiles: 300 })
    const { secret: key } = await service.createKey()
    const open = await Promise.allSettled(Array.from({ length: 400 }, () => openConnection(instance)))
    await sleep(1_000) // meanwhile it fails to accept the last ones
    for (const client of open) if (client.status === 'fulfilled') client.value.destroy()
    await expect.poll(() => askAnew(instance, '/users/ngoldberg', key).catch(String)).toMatch(served)
    expect(await instance.stop()).toBe(0)
  })
})
