/**
 * The files of `deploy/proxies` in front of the service.
 *
 * @module-tag later
 */
import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import * as v from 'valibot'
import { beforeAll, describe, test } from 'vitest'
import { createPersistentClient, type SentRequest } from '../support/persistent-client.ts'
import { findFreePort } from '../support/postgres-process.ts'
import { type InstanceProcess, startInstanceProcess } from '../support/process.ts'
import { findProxy, proxiedPath, proxyNames, startReverseProxy } from '../support/reverse-proxies.ts'
import { describeOnServer, getServerUrl } from '../support/server.ts'
import { useService } from '../support/service.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'

const missing = proxyNames.filter((name) => findProxy(name) === undefined)
if (missing.length > 0) {
  if (process.env.CI) throw new Error(`CI must not skip the tests of proxies: no ${missing.join(', ')} found`)
  console.warn(`skipped: no ${missing.join(', ')} found; install it`)
}

const publicOrigin = 'https://api.example.com'
const baseUrl = `${publicOrigin}${proxiedPath}`
/** Longer than two checks of a proxy that stands still for some seconds. */
const shutdownDelaySeconds = 6

/** Headers that a proxy must leave as they are. */
const comparedHeaders = [
  ...['content-encoding', 'content-type', 'etag', 'link', 'location', 'retry-after', 'vary'],
  ...['x-credits-cost', 'x-error-code', 'x-total-count'],
]

const pageSchema = v.object({ data: v.array(v.object({ login: v.string() })) })

describeOnServer('a proxy', { concurrent: true }, () => {
  const service = useService('postgresql')
  let logins: string[]
  beforeAll(async () => {
    const { secret: key } = await service.createKey()
    const page = await service.request('/users?per_page=50', { key })
    logins = v.parse(pageSchema, page.json()).data.map(({ login }) => login)
  })

  const startInstance = (settings: Record<string, string> = {}, databaseUrl = service.location.databaseUrl) =>
    startInstanceProcess(databaseUrl, { BASE_URL: baseUrl, ...settings })
  const readPort = ({ url }: { url: string }) => Number(new URL(url).port)

  /** Starts the proxy with its example. Resolves when it passes requests on to an instance. */
  async function startProxy(name: (typeof proxyNames)[number], instances: { url: string }[]) {
    const proxy = await startReverseProxy(name, findProxy(name) ?? '', instances.map(readPort))
    using client = createPersistentClient({ ...proxy, key: '' })
    while ((await client.send(`${proxiedPath}/version`)).status !== 200) await sleep(50)
    return proxy
  }

  describe.for(proxyNames)('%s', { concurrent: true }, (name) => {
    const testWithProxy = test.skipIf(missing.includes(name))

    testWithProxy('passes requests and responses on unchanged, below the path alone', async ({ expect }) => {
      const { secret, id } = await service.createKey()
      await using instance = await startInstance()
      await using proxy = await startProxy(name, [instance])
      using client = createPersistentClient({ ...proxy, key: secret })
      using direct = createPersistentClient({ port: readPort(instance), key: secret })
      let charged = 0
      /** The response through the proxy, once it is compared with that of the instance. */
      const compare = async (path: string, sent: SentRequest = {}) => {
        const expected = await direct.send(path, sent)
        const outcome = await client.send(path, sent)
        const pick = ({ status, headers }: typeof outcome) => ({
          path: path.slice(0, 80),
          status,
          headers: comparedHeaders.map((name) => [name, headers[name]]),
        })
        expect(pick(outcome)).toEqual(pick(expected))
        if (sent.method !== 'HEAD') charged += 2 * Number(outcome.headers['x-credits-cost'] ?? 0)
        return outcome
      }

      // A Link header of some 11 KB, and a URL of some 9.
      const locations = Array.from({ length: 19 }, (_, index) => `&location=${'x'.repeat(170)}${index + 10}`)
      const long = await compare(`${proxiedPath}/users?per_page=1&location=a${locations.join('')}`)
      expect(String(long.headers.link).length).toBeGreaterThan(10_000)
      expect(long.headers.link).toContain(`<${baseUrl}/users?`)
      const unknown = Array.from({ length: 99 }, (_, index) => `${'x'.repeat(90)}${index}`)
      const batch = await compare(`${proxiedPath}/users?logins=${[logins[0], ...unknown].join(',')}`)
      expect(batch.headers['x-credits-cost']).toBe('1')

      const head = await compare(`${proxiedPath}/users?per_page=5`, { method: 'HEAD' })
      expect([head.headers['x-credits-cost'], head.body.length]).toEqual(['5', 0])
      const list = await compare(`${proxiedPath}/users?per_page=50`, {
        headers: { 'Accept-Encoding': 'gzip' },
      })
      expect(list.headers['content-encoding']).toBe('gzip')
      expect(v.parse(pageSchema, JSON.parse(gunzipSync(list.body).toString())).data.length).toBe(50)
      const known = await compare(`${proxiedPath}/users?per_page=50`, {
        headers: { 'If-None-Match': String(list.headers.etag) },
      })
      expect([known.status, known.headers['x-credits-cost']]).toEqual([304, '0'])
      const encoded = await compare(
        `${proxiedPath}/users/${logins[1]?.replace(/^./, (first) => `%${first.charCodeAt(0).toString(16)}`)}`,
      )
      expect(encoded.status).toBe(200)
      expect((await compare(`${proxiedPath}/repos/a%2Fb/c`)).status).toBe(400)
      expect((await compare(proxiedPath)).headers.location).toBe(`${baseUrl}/docs`)
      expect((await compare('/.well-known/api-catalog')).status).toBe(200)
      for (const path of ['/', '/users', `${proxiedPath}s`])
        expect((await client.send(path)).status).toBe(404)
      expect((await service.readLedger(id)).charged).toBe(charged)

      // HTTP/2, and what there is without an instance.
      const session = connectHttp2(`https://127.0.0.1:${proxy.port}`, {
        ca: proxy.certificate,
        servername: 'localhost',
      })
      const stream = session.request({
        ':path': `${proxiedPath}/version`,
        ':authority': `localhost:${proxy.port}`,
      })
      const [headers] = await once(stream, 'response')
      expect(headers[':status']).toBe(200)
      session.destroy()
      await instance.kill()
      using last = createPersistentClient({ ...proxy, key: secret })
      await expect.poll(async () => (await last.send(`${proxiedPath}/version`)).status).toBe(503)
      const unavailable = await last.send(`${proxiedPath}/version`)
      expect(unavailable.headers['retry-after']).toBe('1')
      expect(JSON.parse(unavailable.body.toString())).toEqual({
        error: 'No instance is available; repeat the request',
      })
    })

    testWithProxy('sends a request to the other instance if it reached none', async ({ expect }) => {
      const { secret, id } = await service.createKey()
      await using first = await startInstance()
      await using second = await startInstance()
      await using proxy = await startProxy(name, [first, second])
      using client = createPersistentClient({ ...proxy, key: secret })
      await first.kill()
      for (let request = 0; request < 20; request++) {
        expect((await client.send(`${proxiedPath}/users/${logins[0]}`)).status).toBe(200)
      }
      expect((await service.readLedger(id)).charged).toBe(20)
    })

    testWithProxy(
      'sends no request again to an instance after another one has charged it and died',
      async ({ expect }) => {
        const { secret, id } = await service.createKey()
        const login = logins[proxyNames.indexOf(name) + 10] ?? ''
        // The database's response to the charge of this user never comes.
        await using database = await startTcpProxy(getServerUrl(), ({ client, database, cut }) => {
          let isSilent = false
          client.on('data', (chunk: Buffer) => {
            isSilent ||= chunk.includes(`/users/${login}`)
            database.write(chunk)
          })
          database.on('data', (chunk: Buffer) => isSilent || client.write(chunk))
          database.on('close', cut)
        })
        const databaseUrl = database.urlOf(service.location.databaseUrl ?? '')
        await using stack = new AsyncDisposableStack()
        /** An instance, and how often the proxy has sent it the request. */
        const start = async () => {
          const instance = stack.use(await startInstance({}, databaseUrl))
          const received = { instance, count: 0 }
          const front = await startTcpProxy(instance.url, ({ client, database, cut }) => {
            client.on('data', (chunk: Buffer) => {
              if (chunk.includes(`GET ${proxiedPath}/users/${login} `)) received.count++
              database.write(chunk)
            })
            database.pipe(client)
            database.on('close', cut)
          })
          stack.use(front)
          return { received, url: front.urlOf('http://localhost') }
        }
        const both = [await start(), await start()]
        await using proxy = await startProxy(name, both)
        using client = createPersistentClient({ ...proxy, key: secret })
        // Connections that were used before are what tempts proxies to send a request again.
        for (let request = 0; request < 6; request++) {
          expect((await client.send(`${proxiedPath}/users/${logins[0]}`)).status).toBe(200)
        }
        const response = client.send(`${proxiedPath}/users/${login}`)
        await expect.poll(async () => (await service.readLedger(id)).charged).toBe(7)
        const [charging] = both.filter(({ received }) => received.count === 1)
        await charging?.received.instance.kill()
        // HAProxy closes a connection that is not on its first request.
        expect((await response).status).toBe(name === 'haproxy' ? 'closed' : 502)
        await expect
          .poll(async () => (await client.send(`${proxiedPath}/users/${logins[0]}`)).status)
          .toBe(200)
        expect(both.map(({ received }) => received.count).sort()).toEqual([0, 1])
        const charges = await service.sql`
        select from ledger where api_key_id = ${id} and path = ${`/users/${login}`}`
        expect(charges.length).toBe(1)
      },
    )

    testWithProxy('loses nothing and charges nothing twice in a rolling restart', async ({ expect }) => {
      const { secret, id } = await service.createKey()
      await using stack = new AsyncDisposableStack()
      const start = async (port: number): Promise<InstanceProcess> =>
        stack.use(
          await startInstance({
            PORT: String(port),
            LOG_LEVEL: 'info',
            SHUTDOWN_DELAY_SECONDS: String(shutdownDelaySeconds),
          }),
        )
      const instances = [await start(await findFreePort()), await start(await findFreePort())]
      await using proxy = await startProxy(name, instances)
      const ports = instances.map(readPort)
      const statuses: Record<string, number> = {}
      let isOver = false
      const clients = Array.from({ length: 6 }, async () => {
        using client = createPersistentClient({ ...proxy, key: secret })
        for (; !isOver; await sleep(10)) {
          const { status } = await client.send(`${proxiedPath}/users/${logins[0]}`)
          statuses[status] = (statuses[status] ?? 0) + 1
        }
      })
      const isUsed = (instance: InstanceProcess) => () => instance.readLog().includes('/users/')
      try {
        for (const old of instances) {
          await expect.poll(isUsed(old)).toBe(true)
          const port = readPort(old)
          await proxy.use(ports.filter((each) => each !== port))
          expect(await old.stop()).toBe(0)
          const next = await start(port)
          await proxy.use(ports)
          await expect.poll(isUsed(next)).toBe(true)
        }
      } finally {
        isOver = true
        await Promise.all(clients)
      }
      expect(Object.keys(statuses)).toEqual(['200'])
      expect((await service.readLedger(id)).charged).toBe(statuses[200])
      console.log(`a rolling restart behind ${name}: ${statuses[200]} requests, none lost`)
    })
  })
})
