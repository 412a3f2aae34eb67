/**
 * A drill: two instances on one PostgreSQL server, more clients than they can answer at once, a fault in the middle,
 * and then the ledger is held against what every client saw.
 *
 * @module
 */
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import type { Sql } from '../../api/database/connect.ts'
import { openDatabase } from '../../api/database/database.ts'
import { migrate } from '../../api/database/migrate.ts'
import { scopes } from '../../api/ledger/api-key.ts'
import { createKey } from '../../api/ledger/keys.ts'
import { loadSampleData } from '../../api/service/trial.ts'
import { createRandom, type Random } from '../../sample/random.ts'
import { type FaultyProxy, startFaultyProxy } from './faulty-proxy.ts'
import { type PostgresCluster, startPostgresCluster } from './postgres-cluster.ts'
import { type InstanceProcess, startInstanceProcess } from './process.ts'

/** What a fault is done to. */
export interface Site {
  cluster: PostgresCluster
  databaseUrl: string
  /** Between the first instance and the server; the second has none. */
  proxy: FaultyProxy
  instances: [InstanceProcess, InstanceProcess]
  random: Random
  /** Runs a statement as an operator, past the proxy. */
  ask<Result>(run: (sql: Sql) => Promise<Result>): Promise<Result>
  /** Starts another instance in the place of one. */
  replace(place: 0 | 1): Promise<void>
  /** Resolves when a client that asks from now on is refused because the database is unavailable. */
  waitForUnavailable(): Promise<void>
}

/** Does something to a site, and resolves when all that it took away is back. */
export interface Fault {
  inflict(site: Site): Promise<void>
  /** An instance that answers nothing is the fault, not its consequence. Default: both must go on. */
  killsFirst?: boolean
  /** Whether a statement can be settled without its answer being delivered. Default: true. */
  isAmbiguous?: boolean
}

/** What clients saw and the ledger says. Times are in milliseconds. */
export interface Report {
  /** Attempts, of which each was delivered, refused or broken off. */
  attempts: number
  delivered: number
  replayed: number
  /** 503, by what they said. */
  refused: Record<string, number>
  broken: number
  /** Attempts without an answer when the fault came. */
  inFlight: number
  /** Charged and not delivered, and not asked for again: all of them were in flight at the fault. */
  lost: number
  /** From the fault to its end: until the server was started again, and the like. */
  fault: number
  /** The longest pause between two answers of an instance that lived on, from the fault on, and from its end on. */
  longestPause: number
  recovery: number
  /** What must not be, in words. */
  mismatches: string[]
}

/** How much is asked. */
export interface StormOptions {
  /** Requests under way at a time, in all. */
  clients: number
}

/** A place for drills. */
export interface Drill extends AsyncDisposable {
  site: Site
  /** Has clients ask until the fault is over and both instances answer, and compares. */
  storm(fault: Fault, options: StormOptions): Promise<Report>
}

/** Between two attempts, as the service's Retry-After is ignored: enough not to spend the machine on refusals. */
const pause = [200, 1_000] as const
/** An attempt that takes longer was left hanging: no measure of this machine, on which all stands still at times. */
const longestAnswer = 60_000
/** What is not back after this will not be taken for recovered. */
const longestRecovery = 60_000
/** Of the load, before the fault and after its end. */
const calmBefore = 600
const calmAfter = 800
/**
 * Each with as many clients, but for the last, an admin's, which has few. Every other key's clients try again, under an
 * idempotency key, until they are served.
 */
const keysPerStorm = 9
const adminClients = 8

/** Starts the server, with durability, and two instances on the sample data. The seed decides what clients ask. */
export async function startDrill(seed: string): Promise<Drill> {
  const stack = new AsyncDisposableStack()
  try {
    const cluster = stack.use(
      await startPostgresCluster({
        settings: { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on', max_connections: '60' },
      }),
    )
    const databaseUrl = await cluster.createDatabase('drill')
    await withDatabase(databaseUrl, async (sql) => {
      await migrate(sql)
      await loadSampleData(sql)
    })
    const proxy = stack.use(await startFaultyProxy(cluster.url, 'settle('))
    const start = async (url: string) => stack.use(await startInstanceProcess(url))
    const site: Site = {
      cluster,
      databaseUrl,
      proxy,
      instances: [await start(proxy.urlOf(databaseUrl)), await start(databaseUrl)],
      random: createRandom(seed),
      ask: (run) => withDatabase(databaseUrl, run),
      async replace(place) {
        site.instances[place] = await start(place === 0 ? proxy.urlOf(databaseUrl) : databaseUrl)
      },
      waitForUnavailable: async () => {
        throw new Error('nobody asks')
      },
    }
    return {
      site,
      storm: (fault, options) => storm(site, fault, options),
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

/** Waits until the server takes statements. */
export async function waitForServer({ cluster }: Pick<Site, 'cluster'>): Promise<void> {
  for (const deadline = Date.now() + longestRecovery; ; await sleep(10)) {
    const sql = postgres(cluster.url, { max: 1, connect_timeout: 5, onnotice: () => {} })
    try {
      await sql`select 1`
      return
    } catch (error) {
      if (Date.now() > deadline) throw error
    } finally {
      await sql.end({ timeout: 1 })
    }
  }
}

/** An API key of a storm. No two of its requests have the same path, by which the ledger's entries tell them apart. */
interface Customer {
  id: number
  secret: string
  /** Whether its requests are sent with an idempotency key, again and again until they are served. */
  insists: boolean
  /** Not metered: it asks for filters that nobody has asked for, so that the instances always make stored lists. */
  isAdmin: boolean
  requests: number
}

interface Attempt {
  customer: Customer
  path: string
  /** Which of the two instances was asked. */
  place: 0 | 1
  startedAt: number
  endedAt: number
  outcome: 'delivered' | 'refused' | 'broken' | 'wrong' | 'hung'
  /** Why, when it was not delivered. */
  reason: string
  requestId: string
  /** In credits, as the answer said. */
  cost: number
  items: number
  replayed: boolean
}

async function storm(site: Site, fault: Fault, { clients }: StormOptions): Promise<Report> {
  // What ended in another drill must not spoil this one.
  for (const place of [0, 1] as const) if (!site.instances[place].isRunning()) await site.replace(place)
  const customers = await createCustomers(site)
  // A connection is left before the server leaves it: no request goes out on one that is being closed.
  const agents = [0, 1].map(() => new Agent({ keepAlive: true, timeout: 2_000 }))
  const attempts: Attempt[] = []
  const underWay = new Set<Attempt>()
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
    underWay.add(made)
    Object.assign(made, await send(`${instance.url}${path}${query}`, agents[place], customer))
    made.endedAt = performance.now()
    underWay.delete(made)
    return made
  }

  async function beClient(number: number): Promise<void> {
    const customer = number < adminClients ? customers.at(-1) : customers[number % (customers.length - 1)]
    if (customer === undefined) throw new Error('there is no customer')
    await sleep(site.random.integer(0, 300)) // connections that all come at once would wait to be taken
    while (!isOver) {
      const number = customer.requests++
      const { path, query } = customer.isAdmin ? inventFilter(customer, number) : inventRequest(number)
      for (const deadline = performance.now() + longestAnswer; ; ) {
        const place = site.random.chance(0.5) ? 0 : 1
        const { outcome } = await attempt(customer, path, query, place)
        if (outcome === 'delivered' || outcome === 'wrong') break
        await sleep(site.random.integer(...pause))
        if (!customer.insists || performance.now() > deadline) break
      }
    }
  }

  const isAnswering = (place: 0 | 1, since: number) =>
    attempts.some((made) => made.place === place && made.outcome === 'delivered' && made.startedAt > since)
  async function waitUntil(isSo: () => boolean): Promise<void> {
    for (const since = performance.now(); !isSo() && performance.now() - since < longestRecovery; )
      await sleep(20)
  }
  site.waitForUnavailable = async () => {
    const since = performance.now()
    await waitUntil(() =>
      attempts.some(({ startedAt, reason }) => startedAt > since && reason === 'Database unavailable'),
    )
  }

  const everybody = Promise.all(Array.from({ length: clients }, (_, number) => beClient(number)))
  await sleep(300 + calmBefore)
  await waitUntil(() => isAnswering(0, 0) && isAnswering(1, 0))
  const began = performance.now()
  const inFlight = underWay.size
  let ended = began
  let over = began
  try {
    await fault.inflict(site)
    ended = performance.now()
    await waitUntil(() => isAnswering(0, ended) && isAnswering(1, ended))
    await sleep(calmAfter)
  } finally {
    isOver = true
    over = performance.now()
    await everybody
    for (const agent of agents) agent.destroy()
  }
  const times = { began, ended }

  const mismatches: string[] = []
  const survivors = fault.killsFirst ? ([1] as const) : ([0, 1] as const)
  for (const place of [0, 1] as const) {
    if (!isAnswering(place, ended)) mismatches.push(`instance ${place} did not serve again`)
    if (!site.instances[place].isRunning()) mismatches.push(`instance ${place} ended`)
  }
  mismatches.push(...findBadAnswers(attempts, fault, times))
  const { lost, wrong } = await compareWithLedger(site, customers, attempts, fault, times)
  mismatches.push(...wrong)
  if (mismatches.length > 0) mismatches.unshift(...site.instances.flatMap(listDefects))
  const pauseSince = (since: number) =>
    Math.max(...survivors.map((place) => findLongestPause(attempts, place, { since, over })))
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
    inFlight,
    lost,
    fault: Math.round(ended - began),
    longestPause: Math.round(pauseSince(began)),
    recovery: Math.round(pauseSince(ended)),
    mismatches,
  }
}

async function createCustomers(site: Site): Promise<Customer[]> {
  return site.ask(async (sql) => {
    const customers: Customer[] = []
    for (let number = 0; number < keysPerStorm; number++) {
      const isAdmin = number === keysPerStorm - 1
      const { secret, key } = await createKey(sql, {
        role: isAdmin ? 'admin' : 'user',
        scopes,
        credits: isAdmin ? 0 : 1_000_000,
        rateLimit: null,
        expiresAt: null,
        name: null,
      })
      customers.push({ id: key.id, secret, insists: number % 2 === 0, isAdmin, requests: 0 })
    }
    return customers
  })
}

/** Paths of the sample data, with what they cost at most. Names are looked up without regard to case. */
const lookUps = [
  { name: 'UmaBakker/parser-kit', before: '/repos/', after: '', query: '' },
  { name: 'UmaBakker/parser-kit', before: '/repos/', after: '/commits', query: '?per_page=3' },
  { name: 'UmaBakker/parser-kit', before: '/repos/', after: '/dependencies', query: '?per_page=2' },
] as const

/** A request like no other of the same key: the number is in the upper and lower case letters of the name. */
function inventRequest(number: number): { path: string; query: string } {
  const lookUp = lookUps[number % lookUps.length] ?? lookUps[0]
  let bits = Math.floor(number / lookUps.length)
  const name = lookUp.name.replace(/[a-z]/gi, (letter) => {
    const isUpper = bits % 2 === 1
    bits = Math.floor(bits / 2)
    return isUpper ? letter.toUpperCase() : letter.toLowerCase()
  })
  return { path: `${lookUp.before}${name}${lookUp.after}`, query: lookUp.query }
}

/** A filter that needs a stored list of its own. */
function inventFilter({ id }: Customer, number: number): { path: string; query: string } {
  return { path: '/users', query: `?per_page=1&location=${id}-${number}` }
}

type Answer = Pick<Attempt, 'outcome'> & Partial<Attempt>

/** Sends a request. It counts as delivered when all of the answer has arrived. */
function send(url: string, agent: Agent | undefined, { secret, insists }: Customer): Promise<Answer> {
  return new Promise((resolve) => {
    const headers: Record<string, string> = { Authorization: `Bearer ${secret}` }
    if (insists) headers['Idempotency-Key'] = new URL(url).pathname
    const sent = request(url, { headers, ...(agent && { agent }) })
    const patience = setTimeout(() => {
      resolve({ outcome: 'hung' })
      sent.destroy()
    }, longestAnswer)
    const breakOff = (reason: string) => {
      clearTimeout(patience)
      resolve({ outcome: 'broken', reason })
    }
    sent.on('error', (error) => breakOff(error.message))
    sent.on('response', (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text
      })
      response.on('error', (error) => breakOff(error.message))
      response.on('end', () => {
        if (!response.complete) return breakOff('incomplete')
        clearTimeout(patience)
        const read = (name: string) => String(response.headers[name] ?? '')
        const { statusCode = 0 } = response
        if (statusCode === 503 && Number(read('retry-after')) > 0) {
          return resolve({ outcome: 'refused', reason: readError(body), requestId: read('x-request-id') })
        }
        if (statusCode !== 200) return resolve({ outcome: 'wrong', reason: `${statusCode} ${body}` })
        resolve({
          outcome: 'delivered',
          requestId: read('x-request-id'),
          cost: Number(read('x-credits-cost')),
          items: countItems(JSON.parse(body)),
          replayed: read('idempotency-replayed') === 'true',
        })
      })
    })
    sent.end()
  })
}

function readError(body: string): string {
  const { error = body }: { error?: string } = JSON.parse(body)
  return error.replace(/;.*/, '')
}

/** Elements of a list, or the one resource. */
function countItems(body: { data?: unknown[] }): number {
  return body.data?.length ?? 1
}

interface Times {
  began: number
  ended: number
}

/** Answers that no fault excuses. */
function* findBadAnswers(attempts: readonly Attempt[], fault: Fault, { began, ended }: Times) {
  for (const {
    customer,
    outcome,
    reason,
    path,
    place,
    startedAt,
    endedAt,
    cost,
    items,
    replayed,
  } of attempts) {
    const at = `${path} of key ${customer.id}, ${Math.round(startedAt - began)} ms from the fault`
    if (outcome === 'wrong') yield `${at}: ${reason}`
    if (outcome === 'hung') yield `${at}: no answer in ${longestAnswer / 1000} seconds`
    if (
      outcome === 'broken' &&
      !(fault.killsFirst && place === 0 && startedAt <= ended && endedAt >= began)
    ) {
      yield `${at}: broken off by instance ${place}: ${reason}`
    }
    if (outcome !== 'delivered') continue
    if (cost !== (replayed || customer.isAdmin ? 0 : items))
      yield `${at}: ${items} items, replayed ${replayed}, cost ${cost}`
    if (replayed && !customer.insists) yield `${at}: replayed without an idempotency key`
  }
}

interface Entry {
  api_key_id: number
  cost: number
  path: string
  request_id: string
}

/** Holds what was delivered against what was charged, both ways, and the sums against each other. */
async function compareWithLedger(
  site: Site,
  customers: readonly Customer[],
  attempts: readonly Attempt[],
  fault: Fault,
  { began, ended }: Times,
): Promise<{ lost: number; wrong: string[] }> {
  const ids = customers.map(({ id }) => id)
  const { entries, sums } = await site.ask(async (sql) => ({
    entries: await sql<Entry[]>`
      select api_key_id, cost, path, request_id from ledger where kind = 'charge' and api_key_id = any(${ids})`,
    sums: await findWrongSums(sql),
  }))
  const wrong = sums.map((row) => `sums: ${JSON.stringify(row)}`)
  const nameOf = (customer: number, path: string) => `${path} of key ${customer}`

  const charged = new Map<string, Entry[]>()
  const byRequest = new Map<string, Entry>()
  for (const entry of entries) {
    const name = nameOf(entry.api_key_id, entry.path)
    charged.set(name, [...(charged.get(name) ?? []), entry])
    if (byRequest.has(entry.request_id)) wrong.push(`${entry.request_id} was charged twice`)
    byRequest.set(entry.request_id, entry)
  }
  const asked = new Map<string, Attempt[]>()
  for (const attempt of attempts) {
    if (attempt.customer.isAdmin) continue
    const name = nameOf(attempt.customer.id, attempt.path)
    const others = asked.get(name)
    if (others) others.push(attempt)
    else asked.set(name, [attempt])
  }

  let lost = 0
  for (const name of charged.keys()) if (!asked.has(name)) wrong.push(`${name}: charged, but never asked for`)
  for (const [name, [first, ...more]] of asked) {
    if (first === undefined) continue
    const delivered = [first, ...more].filter(({ outcome }) => outcome === 'delivered')
    const paid = charged.get(name) ?? []
    if (paid.length > 1) wrong.push(`${name}: charged ${paid.length} times`)
    if (first.customer.insists && delivered.length === 0) wrong.push(`${name}: never served`)
    for (const { requestId, cost, items, replayed } of delivered) {
      const entry = byRequest.get(requestId)
      if (replayed) {
        if (entry !== undefined) wrong.push(`${name}: a replay was charged`)
        if (paid[0]?.cost !== items) wrong.push(`${name}: ${items} items replayed, ${paid[0]?.cost} paid`)
      } else if (entry === undefined) wrong.push(`${name}: delivered without a debit`)
      else if (entry !== paid[0] || entry.cost !== cost) wrong.push(`${name}: charged otherwise than said`)
    }
    if (paid.length > 0 && delivered.length === 0) {
      lost++
      const wasInFlight = first.startedAt <= ended && first.endedAt >= began
      if (!wasInFlight || fault.isAmbiguous === false) {
        wrong.push(`${name}: charged and not delivered (${first.outcome}), without a fault to blame`)
      }
    }
  }
  return { lost, wrong }
}

/** What an instance logged of answers that were 500, if its log still has any: the newest of them. */
function listDefects(instance: InstanceProcess, place: number): string[] {
  const lines = instance.readLog().split('\n')
  const last = lines.findLastIndex((line) => /\b500 Internal server error\b/.test(line))
  return last < 0 ? [] : [`instance ${place} logged ${lines.slice(last, last + 12).join('\n')}`]
}

/** Keys whose entries do not add up: balance, positions, running sums, sums by day. */
function findWrongSums(sql: Sql) {
  return sql<object[]>`
    with entries as (
      select api_key_id, position, granted, cost, balance,
        sum(granted - cost) over (partition by api_key_id order by position) as running
      from ledger
    ), sums as (
      select api_key_id, count(*) as count, min(position) as first, max(position) as last,
        sum(granted) - sum(cost) as balance, sum(cost) as cost, count(*) filter (where balance <> running) as wrong
      from entries group by 1
    ), days as (
      select id as api_key_id, sum(entries) as count, sum(cost) as cost from api_keys, usage_days(id) group by 1
    )
    select b.*, s as sums, d as days
    from balances b left join sums s using (api_key_id) left join days d using (api_key_id)
    where (s.balance, s.first, s.last, s.count, s.wrong) is distinct from (b.credits, 1, b.last_position, s.last, 0)
      or (d.count, d.cost) is distinct from (s.count, s.cost)`
}

/** How long clients of an instance saw no answer delivered, at most, while they asked. */
function findLongestPause(
  attempts: readonly Attempt[],
  place: 0 | 1,
  { since, over }: { since: number; over: number },
): number {
  const ends = attempts
    .filter((made) => made.place === place && made.outcome === 'delivered')
    .map(({ endedAt }) => endedAt)
    .filter((end) => end > since && end < over)
    .sort((a, b) => a - b)
  let longest = 0
  let last = since
  for (const end of [...ends, over]) {
    longest = Math.max(longest, end - last)
    last = end
  }
  return longest
}
