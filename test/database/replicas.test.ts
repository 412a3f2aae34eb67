/**
 * Replicas: they are read from while they are fit for it, and whatever becomes of them, no request fails, and no client
 * sees the data go back in time.
 *
 * @module-tag later
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { reset } from '@logtape/logtape'
import * as v from 'valibot'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, type DatabaseOptions, openDatabase } from '../../api/database/database.ts'
import { migrate } from '../../api/database/migrate.ts'
import { scopes } from '../../api/ledger/api-key.ts'
import { createKey } from '../../api/ledger/keys.ts'
import { loadSampleData } from '../../api/runtime/trial.ts'
import { encodePart } from '../../api/sets/set-encoding.ts'
import { importNdjson } from '../../api/sources/ndjson/import.ts'
import { formatJson } from '../../api/telemetry/log.ts'
import { testPool } from '../support/databases.ts'
import { startFaultyProxy } from '../support/faulty-proxy.ts'
import { createInstance, type Instance } from '../support/instance.ts'
import { findPostgresBinaries, postgresMissing } from '../support/postgres-binaries.ts'
import { type PostgresCluster, startPostgresCluster, startReplica } from '../support/postgres-cluster.ts'
import { recordLog } from '../support/recorded-log.ts'
import { useStarted } from '../support/suite.ts'

const hasPostgres = findPostgresBinaries() !== undefined
if (!hasPostgres) console.warn(`skipped: ${postgresMissing}`)

const userSchema = v.looseObject({ login: v.string(), name: v.nullable(v.string()) })

describe.skipIf(!hasPostgres)('a service with a streaming replica', () => {
  const primary = useStarted(startPostgresCluster)
  let replica: PostgresCluster
  let databaseUrl: string
  let operator: Database
  beforeAll(async () => {
    databaseUrl = await primary.createDatabase('replicated')
    operator = await openDatabase({ ...testPool, databaseUrl, dataDirectory: '' })
    await migrate(operator.sql)
    await loadSampleData(operator.sql)
    replica = await startReplica(primary)
  })
  afterAll(async () => {
    await operator?.close()
    await replica?.[Symbol.asyncDispose]()
  })

  const urlAt = ({ port }: PostgresCluster) => databaseUrl.replace(`:${primary.port}/`, `:${port}/`)
  const urlAtReplica = () => urlAt(replica)

  /** Longer than this machine ever stands still, in seconds: a replica is not to be left out for that. */
  const replicaTimeoutSeconds = 60

  /** An instance that reads from replicas. It caches no responses, so that each is read. */
  async function openInstance(
    replicaUrls = [urlAtReplica()],
    name = 'devdata',
    options: Partial<DatabaseOptions> = { replicaTimeoutSeconds },
  ) {
    const database = await openDatabase({
      ...testPool,
      databaseUrl: `${databaseUrl}?application_name=${name}`,
      databaseReplicaUrls: replicaUrls,
      dataDirectory: '',
      ...options,
    })
    const instance = createInstance(database, { responseCacheMb: 0 })
    return { ...instance, database, [Symbol.asyncDispose]: () => database.close() }
  }

  async function createUserKey(role: 'user' | 'admin' = 'user'): Promise<{ secret: string; id: number }> {
    const { secret, key } = await createKey(operator.sql, {
      role,
      scopes,
      credits: 10_000_000,
      rateLimit: null,
      expiresAt: null,
      name: null,
    })
    return { secret, id: key.id }
  }

  /** Waits until the instance's replica is usable, or is not. */
  async function waitUntilUsable({ database }: { database: Database }, isUsable: boolean): Promise<void> {
    while ((database.replicas.pick() !== undefined) !== isUsable) await sleep(20)
  }

  /** Waits until the replica has all that the primary has. */
  async function waitForReplay(): Promise<void> {
    const [at] = await operator.sql<{ lsn: string }[]>`select pg_current_wal_lsn()::text as lsn`
    const { sql, close } = await openDatabase({ ...testPool, databaseUrl: urlAtReplica(), dataDirectory: '' })
    for (;;) {
      const [row] = await sql`select pg_last_wal_replay_lsn() >= ${at?.lsn ?? ''}::pg_lsn as done`
      if (row?.done) break
      await sleep(20)
    }
    await close()
  }

  /** What sessions of that name read last of the catalog on a server. The ledger's statement looks at its version too. */
  async function listReaders(cluster: PostgresCluster, name: string): Promise<string[]> {
    const { sql, close } = await openDatabase({
      ...testPool,
      databaseUrl: urlAt(cluster),
      dataDirectory: '',
    })
    const rows = await sql<{ query: string }[]>`
      select query from pg_stat_activity
      where application_name = ${name} and query ~ 'users|repositories|dataset' and query not like '%settle(%'`
    await close()
    return rows.map(({ query }) => query)
  }

  async function rename(name: string): Promise<void> {
    const [row] = await operator.sql<{ document: string }[]>`
      select document from users where login_key = 'NGOLDBERG'`
    const user = v.parse(userSchema, JSON.parse(row?.document ?? ''))
    const open = async function* () {
      yield Buffer.from(`${JSON.stringify({ ...user, name })}\n`)
    }
    await importNdjson(operator.sql, {
      sources: [{ kind: 'users', name: 'users.ndjson', size: undefined, open }],
    })
  }

  async function setReplaying(isReplaying: boolean): Promise<void> {
    const { sql, close } = await openDatabase({ ...testPool, databaseUrl: urlAtReplica(), dataDirectory: '' })
    if (isReplaying) await sql`select pg_wal_replay_resume()`
    else await sql`select pg_wal_replay_pause()`
    await close()
  }

  const paths = [
    '/users?per_page=3',
    '/users/ngoldberg',
    '/repos?per_page=2',
    '/repos/UmaBakker/parser-kit',
    '/repos/UmaBakker/parser-kit/commits?per_page=2',
    '/repos/UmaBakker/parser-kit/dependencies?per_page=2',
    '/users?location=berlin&per_page=2',
    '/repos?full_names=UmaBakker/parser-kit',
  ]

  async function ask(instance: Instance, secret: string) {
    const responses = await Promise.all(paths.map((path) => instance.request(path, { key: secret })))
    return responses.map(({ status }) => status)
  }

  /** Sends requests of sixteen clients while something goes on, and tells how they ended and what they cost. */
  async function askDuring(
    instance: Instance,
    secret: string,
    work: (waitForResponses: (count: number) => Promise<void>) => Promise<void>,
  ) {
    let isOver = false
    let paid = 0
    let responses = 0
    const waitForResponses = async (count: number) => {
      for (const before = responses; responses < before + count; ) await sleep(5)
    }
    const statuses = new Map<number, number>()
    const clients = Array.from({ length: 16 }, async (_, number) => {
      for (let turn = number; !isOver; turn++) {
        const { status, headers } = await instance.request(paths[turn % paths.length] ?? '', { key: secret })
        responses++
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        paid += Number(headers.get('X-Credits-Cost'))
      }
    })
    try {
      await work(waitForResponses)
    } finally {
      isOver = true
      await Promise.all(clients)
    }
    return { statuses, paid }
  }

  /** What the ledger took from a key. */
  async function readCharged(id: number): Promise<number | undefined> {
    const [row] = await operator.sql<{ charged: number }[]>`
      select sum(cost)::bigint as charged from ledger where api_key_id = ${id} and kind = 'charge'`
    return row?.charged
  }

  test('reads the catalog there, and only the ledger on the primary', async () => {
    const { secret } = await createUserKey()
    {
      await using instance = await openInstance()
      expect(await ask(instance, secret)).toEqual(paths.map(() => 200))
    }
    await waitForReplay()
    const name = 'reads-elsewhere'
    await using instance = await openInstance([`${urlAtReplica()}?application_name=${name}`], name)
    await waitUntilUsable(instance, true)
    for (let turn = 0; turn < 5; turn++) expect(await ask(instance, secret)).toEqual(paths.map(() => 200))
    expect(await listReaders(primary, name)).toEqual([])
    expect((await listReaders(replica, name)).join()).toContain('from dataset')
  })

  test('reads new filters there, and what the replica lacks on the primary', async () => {
    await using instance = await openInstance()
    await waitUntilUsable(instance, true)
    const { secret } = await createUserKey()
    const unknown = await instance.request('/users/nobody-there', { key: secret })
    expect([unknown.status, unknown.headers.get('X-Credits-Cost')]).toEqual([404, '1'])
    await operator.sql.begin(async (tx) => {
      await tx`lock table sets in access exclusive mode` // on the primary, and later on the replica
      const response = await instance.request('/users?location=paris&per_page=2', { key: secret })
      expect([response.status, Number(response.headers.get('X-Total-Count')) > 0]).toEqual([200, true])
    })
    expect(instance.database.replicas.list()).toMatchObject([{ failedReads: 0 }])
  })

  test('never gives a client an older version after a newer one, on two instances, while loads are replayed late', async () => {
    await using first = await openInstance()
    await using second = await openInstance()
    await Promise.all([waitUntilUsable(first, true), waitUntilUsable(second, true)])
    const { secret } = await createUserKey()
    let isOver = false
    let asked = 0
    /** What each client has seen. */
    const clients: number[][] = [[], [], [], []]
    const hasSeenLittle = (seen: readonly number[]) => new Set(seen).size <= 3

    /** Loads, while the replica replays now and then, until every client has seen some of them. */
    async function load(): Promise<void> {
      try {
        for (let number = 1; number <= 12 || (number <= 90 && clients.some(hasSeenLittle)); number++) {
          await setReplaying(number % 3 === 0)
          await rename(String(number))
          await sleep(150)
        }
      } finally {
        await setReplaying(true)
        isOver = true
      }
    }

    /** Sends the requests of one client, by turns to both instances. */
    async function readByTurns(seen: number[]): Promise<void> {
      while (!isOver) {
        const { request } = asked++ % 2 === 0 ? first : second
        const response = await request(asked % 3 === 0 ? '/users/NGoldberg' : '/users/ngoldberg', {
          key: secret,
        })
        expect(response.status).toBe(200)
        seen.push(Number(v.parse(userSchema, response.json()).name))
      }
    }

    await rename('0')
    await Promise.all([load(), ...clients.map(readByTurns)])
    for (const seen of clients) {
      expect(hasSeenLittle(seen)).toBe(false)
      expect(seen).toEqual(seen.toSorted((a, b) => a - b))
    }
    // What was loaded is there with the first request after it.
    await rename('99')
    for (const { request } of [first, second]) {
      const response = await request('/users/ngoldberg', { key: secret })
      expect(v.parse(userSchema, response.json()).name).toBe('99')
    }
    await Promise.all([waitUntilUsable(first, true), waitUntilUsable(second, true)])
    console.log(`${clients.flat().length} responses, none older than one before it`)
  })

  test('gives a client the version that another instance gave it before the replica has it, and charges once', async () => {
    await rename('before')
    await waitForReplay()
    await using first = await openInstance(['postgres://127.0.0.1:1/none'])
    await using second = await openInstance()
    await waitUntilUsable(second, true)
    const { secret, id } = await createUserKey()
    const readName = async ({ request }: Instance) => {
      const response = await request('/users/ngoldberg', { key: secret })
      return v.parse(userSchema, response.json()).name
    }
    expect(await readName(second)).toBe('before')
    await setReplaying(false)
    try {
      await rename('after')
      expect(await readName(first)).toBe('after')
      expect(await readName(second)).toBe('after')
    } finally {
      await setReplaying(true)
    }
    const [row] = await operator.sql`select credits from balances where api_key_id = ${id}`
    expect(row?.credits).toBe(10_000_000 - 3)
  })

  test('loses no request while a replica stops and starts under load, and uses it again', async () => {
    await waitForReplay()
    await using instance = await openInstance()
    await waitUntilUsable(instance, true)
    const { secret, id } = await createUserKey()
    const responses = await askDuring(instance, secret, async (waitForResponses) => {
      for (const mode of ['fast', 'immediate'] as const) {
        await waitForResponses(50)
        await replica.stop(mode)
        await waitUntilUsable(instance, false)
        await waitForResponses(50)
        await replica.start()
        await waitUntilUsable(instance, true)
      }
    })
    expect([...responses.statuses.keys()]).toEqual([200])
    expect(await readCharged(id)).toBe(responses.paid)
    console.log(
      `${responses.statuses.get(200)} requests while the replica was stopped and started twice, none failed`,
    )
  })

  test('reads on either of two replicas while the other is unavailable or late', async () => {
    await waitForReplay()
    await using other = await startReplica(primary)
    await using instance = await openInstance([urlAtReplica(), urlAt(other)])
    const { secret, id } = await createUserKey()
    const admin = await createUserKey('admin')
    const names = [replica, other].map(({ port }) => `127.0.0.1:${port}`)
    /** Waits until the first and the second are usable or not; the metrics agree. */
    async function waitForBoth(...usable: [boolean, boolean]): Promise<void> {
      const readUsable = () => instance.database.replicas.list().map(({ isUsable }) => isUsable)
      while (readUsable().join() !== usable.join()) await sleep(20)
      const figures = (await instance.request('/metrics', { key: admin.secret })).text
      for (const [index, name] of names.entries()) {
        expect(figures).toContain(`devdata_replica_usable{replica="${name}"} ${Number(usable[index])}\n`)
      }
    }
    /** Who reads, of many in a row. */
    const listPicked = () => new Set(Array.from({ length: 6 }, () => instance.database.replicas.pick()?.name))

    await waitForBoth(true, true)
    expect(listPicked()).toEqual(new Set(names))
    const responses = await askDuring(instance, secret, async () => {
      await other.stop('immediate')
      await waitForBoth(true, false)
      expect(listPicked()).toEqual(new Set([names[0]]))
      await other.start()
      await waitForBoth(true, true)
      await setReplaying(false)
      try {
        await rename('late at one')
        await waitForBoth(false, true)
        expect(listPicked()).toEqual(new Set([names[1]]))
      } finally {
        await setReplaying(true)
      }
      await waitForBoth(true, true)
    })
    expect([...responses.statuses.keys()]).toEqual([200])
    expect(await readCharged(id)).toBe(responses.paid)
    console.log(
      `${responses.statuses.get(200)} requests while one replica was unavailable and the other late, none failed`,
    )
  })

  test('loses no request to a silent replica', async () => {
    await using proxy = await startFaultyProxy(replica.url, 'select')
    await using instance = await openInstance([proxy.urlOf(urlAtReplica())], 'devdata', {})
    await waitUntilUsable(instance, true)
    const { secret } = await createUserKey()
    expect(await ask(instance, secret)).toEqual(paths.map(() => 200))
    proxy.silence()
    expect(await ask(instance, secret)).toEqual(paths.map(() => 200))
    await waitUntilUsable(instance, false)
    proxy.restore()
    await waitUntilUsable(instance, true)
    expect(await ask(instance, secret)).toEqual(paths.map(() => 200))
  })

  test('loses no request to a replica whose reads fail, and tells operators', async () => {
    // What fails on a replica alone can't be made there: so this is a copy that stands on its own.
    const brokenUrl = await primary.createDatabase('broken')
    const broken = await openDatabase({ ...testPool, databaseUrl: brokenUrl, dataDirectory: '' })
    await migrate(broken.sql)
    await broken.sql`update dataset set version = 1000000`
    const everyId = encodePart(
      Uint32Array.from({ length: 10 }, (_, index) => index + 1),
      { width: 31, part: 0 },
    )
    await broken.sql`
      insert into sets (term_id, list, part, width, cardinality, bytes)
      values (0, 'users', 0, 31, 10, ${Buffer.from(everyId.bytes)})`
    await broken.sql`alter table users rename to lost_users`
    await broken.sql`
      create view users as
      select id, 0::bigint as digest, concat('somebody@example.com', id)::integer::text as document
      from generate_series(1, 10) as id`
    await broken.close()
    const lines: string[] = []
    await recordLog('warning', (record) => void lines.push(formatJson(record)))
    await using instance = await openInstance([brokenUrl])
    await waitUntilUsable(instance, true)
    const { secret } = await createUserKey()
    const admin = await createUserKey('admin')
    for (let count = 0; count < 5; count++) {
      const response = await instance.request('/users?per_page=3', { key: secret })
      expect(response.status).toBe(200)
    }
    await reset()
    const figures = (await instance.request('/metrics', { key: admin.secret })).text
    expect(figures).toMatch(/^devdata_replica_failed_reads_total\{replica="127\.0\.0\.1:\d+"\} 5$/m)
    expect(lines).toEqual([
      expect.stringMatching(
        /"warning","message":"Replica 127\.0\.0\.1:\d+ fails reads, .*: invalid input syntax .*: \\"\[address\]/,
      ),
    ])
  })

  test('loses no request to a replica that was never there', async () => {
    await using instance = await openInstance(['postgres://127.0.0.1:1/none'])
    const { secret } = await createUserKey()
    expect(await ask(instance, secret)).toEqual(paths.map(() => 200))
  })
})
