/**
 * Instances in this process that can be killed: the database and clients see what they see of a process that is killed.
 * Starting one takes a hundredth of the time of a process.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbeddedPool } from '../../api/database/connect.ts'
import { dataFiles } from '../../api/database/data-directory.ts'
import { testPool } from './databases.ts'
import { type FaultyProxy, startFaultyProxy } from './faulty-proxy.ts'
import { createInstance, type Instance, type InstanceOptions, openSameDatabase } from './instance.ts'
import type { TestService } from './service.ts'

/** The instance was killed before its response had arrived. */
export class KilledError extends Error {
  override name = 'KilledError'
}

/** An instance with connections of its own. */
export interface KillableInstance extends AsyncDisposable {
  /** Sends a request. The response has arrived whole. Throws `KilledError`. */
  fetch: Instance['fetch']
  /** Between the instance and the database. */
  proxy: FaultyProxy
  /** Cuts its connections for good. It responds to nobody anymore. */
  kill(): void
}

/** Starts an instance on the database of a service. */
export async function startKillableInstance(
  service: TestService,
  options: InstanceOptions,
): Promise<KillableInstance> {
  const { proxy, pools, close } = await openThroughProxy(service)
  const instance = createInstance({ ...pools, kind: service.kind }, options)
  const death = Promise.withResolvers<never>()
  death.promise.catch(() => {})
  const gone = new AbortController()
  let closed: Promise<void> | undefined
  async function closeAll(): Promise<void> {
    await close() // statements of a dead instance end with a timeout
    await proxy[Symbol.asyncDispose]()
  }
  async function request(path: string, init?: RequestInit): Promise<Response> {
    const response = await instance.fetch(path, { ...init, signal: gone.signal })
    const body = new Uint8Array(await response.arrayBuffer())
    return new Response(body.length === 0 ? null : body, response)
  }
  return {
    proxy,
    async fetch(path, init) {
      const response = request(path, init)
      response.catch(() => {}) // a dead instance may fail as it likes
      return Promise.race([death.promise, response])
    },
    kill() {
      proxy.shut()
      gone.abort()
      death.reject(new KilledError('the instance was killed'))
      closed ??= closeAll()
    },
    [Symbol.asyncDispose]: () => (closed ??= closeAll()),
  }
}

async function openThroughProxy(service: TestService) {
  const { databaseUrl, dataDirectory } = service.location
  const text = 'settle('
  if (databaseUrl !== undefined) {
    const proxy = await startFaultyProxy(databaseUrl, text)
    const database = await openSameDatabase(service, {
      databaseUrl: proxy.urlOf(databaseUrl),
      databasePreparedStatements: 'on',
    })
    return { proxy, pools: database, close: () => database.close() }
  }
  const directory = await mkdtemp(join(tmpdir(), 'devdata-proxy-'))
  const listenPath = join(directory, dataFiles.socket)
  const proxy = await startFaultyProxy(
    { socketPath: join(dataDirectory, dataFiles.socket), listenPath },
    text,
  )
  const open = () =>
    openEmbeddedPool(
      listenPath,
      {
        max: testPool.databasePoolSize / 2,
        statementTimeoutSeconds: testPool.databaseStatementTimeoutSeconds,
      },
      { waitsForSession: false },
    )
  const pools = { sql: open(), ledgerSql: open() }
  return {
    proxy,
    pools,
    async close() {
      await Promise.all(Object.values(pools).map((pool) => pool.end({ timeout: 1 })))
      await rm(directory, { recursive: true, force: true })
    },
  }
}
