/**
 * A drill: two instances on one database, many clients, and a fault. Afterwards the ledger is compared with what every
 * client received.
 */
import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from '../../api/database/connect.ts'
import { openDatabase } from '../../api/database/database.ts'
import { migrate } from '../../api/database/migrate.ts'
import { loadSampleData } from '../../api/runtime/trial.ts'
import { createRandom } from '../../sample/random.ts'
import { compareWithLedger, findBadResponses, findLongestPause, listDefects } from './fault-checks.ts'
import {
  type Attempt,
  type Customer,
  createCustomers,
  inventFilter,
  inventRequest,
  maxResponseMs,
  send,
} from './fault-clients.ts'
import { type Fault, maxRecoveryMs, type ServerSite, type Site } from './faults.ts'
import { startFaultyProxy } from './faulty-proxy.ts'
import { startPostgresCluster } from './postgres-cluster.ts'
import { startInstanceProcess } from './process.ts'

/** What clients received, and what the ledger says. */
export interface Report {
  /** Each attempt was delivered, refused or broken off. */
  attempts: number
  delivered: number
  replayed: number
  /** 503, by message. */
  refused: Record<string, number>
  broken: number
  /** Charged, not delivered, and not sent again: all of them were in progress during the fault. */
  lost: number
  /** The longest pause between two responses of a surviving instance, from the fault on … */
  longestPauseMs: number
  /** … and from its end on. */
  recoveryMs: number
  /** Broken promises, in words. */
  mismatches: string[]
}

/** What a storm consists of. */
export interface Load {
  clients: number
  /** The longest of the random pauses between a client's requests. Default: 0, with which two instances are over capacity. */
  pauseMs?: number
}

/** Two instances and their database, for one fault after the other. */
export interface Drill<Place extends Site> extends AsyncDisposable {
  /** Has concurrent clients send requests until the fault is over and both instances serve them, and compares. */
  storm(fault: Fault<Place>, load: Load): Promise<Report>
}

/** Between two attempts. Clients ignore Retry-After. */
const minPauseMs = 200
const maxPauseMs = 1_000
/** Of load before the fault, and after its end. */
const loadBeforeMs = 600
const loadAfterMs = 800
const adminClients = 8

/** Starts a durable server, and two instances on the sample data. The seed decides what clients request. */
export async function startDrill(seed: string): Promise<Drill<ServerSite>> {
  await using stack = new AsyncDisposableStack()
  const cluster = stack.use(
    await startPostgresCluster({
      settings: { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on', max_connections: '60' },
    }),
  )
  const databaseUrl = await cluster.createDatabase('drill')
  const proxy = stack.use(await startFaultyProxy(cluster.url, 'settle('))
  const drill = await startDrillOn([proxy.urlOf(databaseUrl), databaseUrl], seed)
  stack.use(drill)
  const owned = stack.move()
  return {
    storm: ({ inflict, ...fault }, load) =>
      drill.storm({ ...fault, inflict: (site) => inflict(Object.assign(site, { cluster, proxy })) }, load),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/**
 * Starts two instances on the sample data, in an empty database. Each has a URL of its own for it. Operators use that
 * of the second.
 */
export async function startDrillOn(
  databaseUrls: readonly [string, string],
  seed: string,
  settings: Record<string, string> = {},
): Promise<Drill<Site>> {
  const stack = new AsyncDisposableStack() // `replace` adds to it later
  try {
    const ask: Site['ask'] = (run) => withDatabase(databaseUrls[1], run)
    await ask(async (sql) => {
      await migrate(sql)
      await loadSampleData(sql)
    })
    const start = async (place: 0 | 1) => stack.use(await startInstanceProcess(databaseUrls[place], settings))
    const noClients = async () => {
      throw new Error('there are no clients')
    }
    const site: Site = {
      instances: [await start(0), await start(1)],
      random: createRandom(seed),
      ask,
      async replace(place) {
        site.instances[place] = await start(place)
      },
      waitForUnavailable: noClients,
      waitForService: noClients,
    }
    return {
      storm: (fault, load) => storm(site, fault, load),
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    }
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
}

async function withDatabase<T>(databaseUrl: string, run: (sql: Sql) => Promise<T>): Promise<T> {
  const database = await openDatabase({
    databaseUrl,
    dataDirectory: '',
    databasePoolSize: 3, // two for a load, one of which holds its lock, and one for settlements
    databaseStatementTimeoutSeconds: 30,
  })
  try {
    return await run(database.sql)
  } finally {
    await database.close()
  }
}

async function storm(site: Site, fault: Fault<Site>, { clients, pauseMs = 0 }: Load): Promise<Report> {
  // An instance may have ended in an earlier storm.
  for (const place of [0, 1] as const) if (!site.instances[place].isRunning()) await site.replace(place)
  const customers = await site.ask(createCustomers)
  // Clients close idle connections before the server does: no request is sent on one that is being closed.
  const agents = [0, 1].map(() => new Agent({ keepAlive: true, timeout: 2_000 }))
  const attempts: Attempt[] = []
  let isOver = false

  async function attempt(customer: Customer, path: string, query: string, place: 0 | 1): Promise<Attempt> {
    const instance = site.instances[place]
    const made: Attempt = {
      customer,
      path,
      place,
      startedAt: performance.now(),
      endedAt: Number.POSITIVE_INFINITY,
      outcome: 'hung',
      reason: '',
      requestId: '',
      cost: 0,
      items: 0,
      replayed: false,
    }
    attempts.push(made)
    Object.assign(made, await send(`${instance.url}${path}${query}`, agents[place], customer))
    made.endedAt = performance.now()
    return made
  }

  async function runClient(number: number): Promise<void> {
    const customer = number < adminClients ? customers.at(-1) : customers[number % (customers.length - 1)]
    if (customer === undefined) throw new Error('there is no customer')
    await sleep(site.random.integer(0, 300)) // connections that arrive together would wait to be accepted
    while (!isOver) {
      if (pauseMs > 0) await sleep(site.random.integer(0, pauseMs))
      const number = customer.requests++
      const { path, query } = customer.isAdmin ? inventFilter(customer, number) : inventRequest(number)
      for (const deadline = performance.now() + maxResponseMs; ; ) {
        const place = site.random.chance(0.5) ? 0 : 1
        const { outcome } = await attempt(customer, path, query, place)
        if (outcome === 'delivered' || outcome === 'wrong') break
        await sleep(site.random.integer(minPauseMs, maxPauseMs))
        if (!customer.insists || performance.now() > deadline) break
      }
    }
  }

  const hasServed = (place: 0 | 1, since: number) =>
    attempts.some((made) => made.place === place && made.outcome === 'delivered' && made.startedAt > since)
  async function waitUntil(isTrue: (since: number) => boolean): Promise<boolean> {
    const since = performance.now()
    while (!isTrue(since) && performance.now() - since < maxRecoveryMs) await sleep(20)
    return isTrue(since)
  }
  const bothServe = () => waitUntil((since) => hasServed(0, since) && hasServed(1, since))
  site.waitForService = async () => {
    if (!(await bothServe())) throw new Error(`no recovery after ${maxRecoveryMs} ms`)
  }
  site.waitForUnavailable = async () => {
    await waitUntil((since) =>
      attempts.some(({ startedAt, reason }) => startedAt > since && reason === 'Database unavailable'),
    )
  }

  const allClients = Promise.all(Array.from({ length: clients }, (_, number) => runClient(number)))
  await sleep(300 + loadBeforeMs)
  await bothServe()
  const began = performance.now()
  let ended = began
  let over = began
  try {
    await fault.inflict(site)
    ended = performance.now()
    await bothServe()
    await sleep(loadAfterMs)
  } finally {
    isOver = true
    over = performance.now()
    await allClients
    for (const agent of agents) agent.destroy()
  }
  const times = { began, ended }

  const mismatches: string[] = []
  const survivors = fault.killsFirst ? ([1] as const) : ([0, 1] as const)
  for (const place of [0, 1] as const) {
    if (!hasServed(place, ended)) mismatches.push(`instance ${place} did not serve again`)
    if (!site.instances[place].isRunning()) mismatches.push(`instance ${place} ended`)
  }
  mismatches.push(...findBadResponses(attempts, fault, times))
  const { lost, wrong } = await site.ask((sql) => compareWithLedger(sql, customers, attempts, fault, times))
  mismatches.push(...wrong)
  if (mismatches.length > 0) mismatches.unshift(...site.instances.flatMap(listDefects))
  const pauseSince = (since: number) =>
    Math.round(Math.max(...survivors.map((place) => findLongestPause(attempts, place, { since, over }))))
  const refused: Record<string, number> = {}
  for (const { outcome, reason } of attempts) {
    if (outcome === 'refused') refused[reason] = (refused[reason] ?? 0) + 1
  }
  const count = (matches: (made: Attempt) => boolean) => attempts.filter(matches).length
  return {
    attempts: attempts.length,
    delivered: count(({ outcome }) => outcome === 'delivered'),
    replayed: count(({ replayed }) => replayed),
    refused,
    broken: count(({ outcome }) => outcome === 'broken'),
    lost,
    longestPauseMs: pauseSince(began),
    recoveryMs: pauseSince(ended),
    mismatches,
  }
}
