/**
 * A cluster with Citus (`TEST_CLUSTER_URL`): no response mixes two versions, whatever becomes of a worker. Tests of
 * other files run there, too.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import * as v from 'valibot'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findClusterFaults, isCluster } from '../../api/database/cluster.ts'
import { clusterUrl } from '../support/citus.ts'
import { locationOf, runCommand } from '../support/command-line.ts'
import { createInstance, type Instance } from '../support/instance.ts'
import { createCommit, createRepository, createUser, loadRecords } from '../support/records.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'

if (clusterUrl === undefined) console.warn('skipped: a cluster; name one in TEST_CLUSTER_URL')

/** How the commits of a load pass from the coordinator to the first worker. */
type Passage = 'at once' | 'late' | 'never' | 'closed'

const repositories = 24
const commitsEach = 20
const pageSchema = v.looseObject({
  data: v.array(v.looseObject({ message: v.string(), repo_url: v.string() })),
})

describe.skipIf(clusterUrl === undefined)('a cluster', () => {
  let admin: postgres.Sql
  let worker: { nodeid: number; nodename: string; nodeport: number }
  let proxy: TcpProxy
  let passage: Passage = 'at once'
  let service: TestService
  let instance: Instance
  let key: string
  let schema: string
  let loads = 0
  beforeAll(async () => {
    admin = postgres(clusterUrl ?? '', { max: 1, onnotice: () => {} })
    const [first] = await admin<(typeof worker)[]>`
      select nodeid, nodename, nodeport from pg_dist_node where groupid <> 0 order by nodeid limit 1`
    if (first === undefined) throw new Error('the cluster has no worker')
    worker = first
    proxy = await startTcpProxy(
      `postgres://${worker.nodename}:${worker.nodeport}/`,
      ({ client, database, cut }) => {
        let delayMs = 0
        client.on('data', (chunk) => {
          if (chunk.includes('COMMIT PREPARED')) {
            if (passage === 'never') return cut()
            if (passage === 'late') delayMs = 150
          }
          if (delayMs === 0) database.write(chunk)
          else setTimeout(() => database.write(chunk), delayMs)
        })
        database.on('data', (chunk) => client.write(chunk))
        database.on('close', cut)
      },
      () => passage === 'closed',
    )
    const { port } = new URL(proxy.urlOf(clusterUrl ?? ''))
    await moveWorker('127.0.0.1', Number(port))
    service = await startTestService('postgresql', { data: 'empty' })
    const { databaseUrl = '' } = service.location
    schema = new URL(databaseUrl).searchParams.get('search_path') ?? ''
    instance = createInstance(service, { responseCacheMb: 0 }) // each page is read
    key = (await service.createKey({ credits: 100_000_000 })).secret
    await load()
  })
  afterAll(async () => {
    setPassage('at once')
    if (worker) await moveWorker(worker.nodename, worker.nodeport)
    await service?.close()
    await admin?.end()
    await proxy?.[Symbol.asyncDispose]()
  })

  /** Tells the cluster where the first worker is. */
  async function moveWorker(host: string, port: number): Promise<void> {
    await admin`select citus_update_node(${worker.nodeid}, ${host}, ${port})`
    await admin`select start_metadata_sync_to_all_nodes()`
  }

  function setPassage(next: Passage): void {
    passage = next
    if (next === 'closed') proxy.cutAll()
  }

  /** Gives all repositories another URL, which the coordinator has, and all commits another message, which workers have. */
  async function load(): Promise<void> {
    const mark = `load-${loads + 1}`
    const urls = Array.from({ length: repositories }, (_, index) => `https://forge.example/${mark}/${index}`)
    await loadRecords(service.sql, {
      users: [createUser(1)],
      repos: urls.map((url, index) => ({ ...createRepository(index + 1, 'ada', []), url })),
      commits: urls.flatMap((url, index) =>
        Array.from({ length: commitsEach }, (_, number) => ({
          ...createCommit(index * commitsEach + number, url, 'ada@example.org', number),
          message: mark,
        })),
      ),
    })
    loads++
  }

  async function runDoctor(): Promise<string> {
    const { stdout } = await runCommand(['doctor', '--no-ledger'], locationOf(service))
    return stdout
  }

  const readCommits = (number: number) =>
    instance.request(`/repos/ada/repo-${number}/commits?per_page=${commitsEach}`, { key })

  /** Reads each repository's commits once. Returns how many pages there were of each status. */
  async function readAll(): Promise<Record<number, number>> {
    const counts: Record<number, number> = {}
    for (let number = 1; number <= repositories; number++) {
      const response = await readCommits(number)
      counts[response.status] = (counts[response.status] ?? 0) + 1
      if (response.status !== 200) {
        expect(response.headers.get('x-credits-cost')).toBeOneOf([null, '0'])
        continue
      }
      const { data } = v.parse(pageSchema, response.json())
      expect(data).toHaveLength(commitsEach)
      const marks = new Set(
        data.flatMap(({ message, repo_url }) => [message, repo_url.split('/').at(-2) ?? '']),
      )
      expect([...marks]).toHaveLength(1)
    }
    return counts
  }

  test('is recognized, and healthy', async () => {
    expect(await isCluster(service.sql)).toBe(true)
    expect(await findClusterFaults(service.sql)).toEqual([])
    expect(await runDoctor()).toMatch(/^ok +cluster +the commits are distributed/m)
    expect(await readAll()).toEqual({ 200: repositories })
  })

  test('never mixes two versions while a worker commits late', async () => {
    setPassage('late')
    let isDone = false
    const counts: Record<number, number> = {}
    const readers = Promise.all(
      Array.from({ length: 8 }, async () => {
        while (!isDone) {
          for (const [status, count] of Object.entries(await readAll())) {
            counts[Number(status)] = (counts[Number(status)] ?? 0) + count
          }
        }
      }),
    )
    for (let turn = 0; turn < 8; turn++) {
      await load()
      await sleep(100)
    }
    isDone = true
    await readers
    console.log(`pages beside ${loads} loads, by status: ${JSON.stringify(counts)}`)
    expect(counts[200]).toBeGreaterThan(0)
    expect(Object.keys(counts).filter((status) => !['200', '503'].includes(status))).toEqual([])
  })

  test('refuses loads if workers could not show which version they have', async () => {
    await admin`select undistribute_table(${`${schema}.dataset_versions`})`
    await expect(load()).rejects.toThrow(
      /^The cluster can't take changes: workers don't have the table dataset_versions; run: /,
    )
    await admin`select create_reference_table(${`${schema}.dataset_versions`})`
    await load()
    expect(await readAll()).toEqual({ 200: repositories })
  })

  test('serves no commits of a worker in doubt until it has recovered', async () => {
    setPassage('never')
    await load()
    await expect(load()).rejects.toThrow(
      /^The cluster can't take changes: the worker \S+ has not committed the last load; run /,
    )
    const inDoubt = await readAll()
    expect(inDoubt).toEqual({ 200: expect.any(Number), 503: expect.any(Number) })
    expect((await instance.request('/users', { key })).status).toBe(200)
    setPassage('at once')
    await admin`select recover_prepared_transactions()`
    expect(await readAll()).toEqual({ 200: repositories })
  })

  test('serves all but the commits of a worker that is away, changes nothing, and is whole when it returns', async () => {
    setPassage('closed')
    const counts = await readAll()
    expect(counts).toEqual({ 200: expect.any(Number), 503: expect.any(Number) })
    expect((await instance.request('/users', { key })).status).toBe(200)
    await expect(load()).rejects.toThrow(/^The cluster can't take changes: the worker \S+ didn't answer: /)
    expect(await runDoctor()).toMatch(/^wrong +cluster +the worker \S+ didn't answer: /m)
    setPassage('at once')
    expect(await readAll()).toEqual({ 200: repositories })
    await load()
    expect(await readAll()).toEqual({ 200: repositories })
  })
})
