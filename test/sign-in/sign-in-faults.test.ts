/**
 * The sign-in under random faults, while connectors sign in, refresh and spend: instances are killed, and their connections
 * to the database are cut within the statements of each step. Everything that was delivered is paid, no connection passes its
 * limit, no code gives tokens twice, and a refresh whose response got lost can be repeated (decisions/0002-keys.md).
 *
 * `TEST_SEED=n` repeats a run.
 *
 * @module-tag later
 */
import { setTimeout as sleep } from 'node:timers/promises'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { hashHandle, readHandle } from '../../api/ledger/connections.ts'
import { verifyLedger } from '../../api/ledger/verify.ts'
import { createRandom, type Random } from '../../sample/random.ts'
import { isDrill, seed } from '../support/drill.ts'
import { inventRequest } from '../support/fault-clients.ts'
import { type KillableInstance, KilledError, startKillableInstance } from '../support/killable-instance.ts'
import { describeOnEachDatabase, type TestService, useService } from '../support/service.ts'
import {
  type Connector,
  createConnector,
  exchange,
  type FetchPath,
  postForm,
  type ReceivedTokens,
  readTokens,
  refresh,
  registerConnector,
} from '../support/sign-in.ts'

const faults = isDrill ? 1_000 : 30
/** Of a drill: an hour, because a busy machine may take a second for a fault on the embedded database. */
const timeout = isDrill ? 3_600_000 : 300_000
const connectors = 16
const baseUrl = 'https://api.example'

/** The statements of each step that are broken, by what their texts have. */
const statements = {
  authorization: 'insert into connections',
  exchange: 'connections c set access_hash',
  'look-up of a token': 'join connections c on c.handle_hash',
  charge: 'settle(',
  refresh: 'connections c set previous_access_hash',
}
const cutPoints = ['unsent', 'half sent', 'sent', 'committed'] as const

/** Codes work for 60 seconds, and so do tokens that were replaced. On a slow machine, a repetition may come later. */
const repeatableMs = 50_000

/** A connection as its connector knows it. */
interface Connection {
  keyId: number
  handle: string
  tokens: ReceivedTokens
  /** In credits. */
  limit: number
  /** A request that may have ended it had no response. */
  mayHaveEnded: boolean
}

/** A call of a tool. No other one has its path, so it is known in the ledger. */
interface Call {
  path: string
  connection: Connection
  outcome: 'delivered' | 'refused' | 'unknown'
}

/** What happened, by name. */
type Counts = Record<string, number>

/** A site: instances with connectors. */
interface Site {
  service: TestService
  instances: KillableInstance[]
  counts: Counts
  calls: Call[]
  /** Broken promises, in words. */
  wrong: string[]
  isOver: boolean
}

function count({ counts }: Site, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1
}

const toolResult = v.object({
  result: v.object({
    content: v.tuple([v.object({ text: v.string() })]),
    isError: v.optional(v.boolean(), false),
  }),
})

/** Runs a connector until the faults are over: it signs in, spends, refreshes and ends, again and again. */
async function runConnector(site: Site, key: { secret: string; id: number }, random: Random): Promise<void> {
  const clientId = await registerConnector(site.service.fetch)

  /** Sends a request to any instance. Undefined: no response, or one that says to try again. */
  async function send(request: (fetch: FetchPath) => Promise<Response>): Promise<Response | undefined> {
    const { fetch } = random.pick(site.instances)
    try {
      const response = await request(fetch)
      if (response.status !== 503) return response
      count(site, 'responses 503')
    } catch (error) {
      if (!(error instanceof KilledError)) throw error
      count(site, 'responses lost')
    }
    await sleep(random.integer(0, 30))
    return undefined
  }

  async function insist(request: (fetch: FetchPath) => Promise<Response>): Promise<Response> {
    for (;;) {
      const response = await send(request)
      if (response !== undefined) return response
    }
  }

  async function getCode(connector: Connector, limit: number): Promise<string> {
    const form = {
      answer: 'allow',
      api_key: key.secret,
      credits: `${limit}`,
      credits_per_call: '',
      days: '30',
    }
    for (;;) {
      const response = await insist((fetch) => postForm(fetch, connector.query(), form))
      const code = new URL(response.headers.get('Location') ?? 'x:').searchParams.get('code')
      if (code !== null) return code
      // Connections whose codes got lost last for a minute.
      const page = await response.text()
      if (!page.includes('50 connections'))
        throw new Error(`${response.status} for an authorization: ${page}`)
      await sleep(1_000)
    }
  }

  async function expectEnd({ access_token: token }: ReceivedTokens, why: string): Promise<void> {
    const { status } = await insist((fetch) => callTool(fetch, token, 'UmaBakker/parser-kit'))
    if (status !== 401) site.wrong.push(`${status} for a connection that was ended by ${why}`)
  }

  /** Signs in. Undefined: the code was used, and its tokens got lost, or it was used twice. */
  async function signIn(): Promise<Connection | undefined> {
    const limit = random.integer(2, 10)
    const connector = createConnector(clientId)
    const startedAt = Date.now()
    const code = await getCode(connector, limit)
    count(site, 'codes')
    const isTwice = random.chance(0.15)
    for (let isFirst = true; ; isFirst = false) {
      const request = (fetch: FetchPath) => exchange(fetch, connector, code)
      const responses = await Promise.all(isTwice ? [send(request), send(request)] : [send(request)])
      const [given, ...more] = responses.filter((response) => response?.status === 200)
      const isRefused = responses.some((response) => response?.status === 400)
      if (more.length > 0) site.wrong.push('a code gave tokens twice')
      if (given === undefined) {
        if (!isRefused) continue
        const mayBeUsed = !isFirst || responses.some((response) => response === undefined)
        if (!mayBeUsed && Date.now() - startedAt < repeatableMs) site.wrong.push('a new code was refused')
        count(site, 'codes lost')
        return undefined
      }
      const tokens = await readTokens(given)
      if (isRefused) {
        count(site, 'codes used twice')
        await expectEnd(tokens, 'its code')
        return undefined
      }
      count(site, 'connections')
      const handle = hashHandle(readHandle(code)).toString('hex')
      return { keyId: key.id, handle, tokens, limit, mayHaveEnded: isTwice }
    }
  }

  /** Makes a call that nobody else makes. Returns whether the connection still works. */
  async function call(connection: Connection): Promise<boolean> {
    const path = inventRequest(3 * site.calls.length).path
    const made: Call = { path, connection, outcome: 'unknown' }
    site.calls.push(made)
    const { access_token: token } = connection.tokens
    const response = await send((fetch) => callTool(fetch, token, path.slice('/repos/'.length)))
    if (response === undefined) return true
    if (response.status === 401) {
      if (!connection.mayHaveEnded) site.wrong.push('a token was refused')
      return false
    }
    const { content, isError } = v.parse(toolResult, await response.json()).result
    const [{ text }] = content
    if (isError) {
      if (/credits? are left|would cost/.test(text)) made.outcome = 'refused'
      return true
    }
    made.outcome = 'delivered'
    const { cost }: { cost?: unknown } = JSON.parse(text)
    if (cost !== 1) site.wrong.push(`${path}: delivered for ${cost} credits`)
    return true
  }

  /** Gets new tokens, and repeats that until it works. Returns whether the connection still works. */
  async function renew(connection: Connection): Promise<boolean> {
    const { refresh_token: token } = connection.tokens
    const startedAt = Date.now()
    const isLate = () => Date.now() - startedAt > repeatableMs
    let renewed: ReceivedTokens | undefined
    for (let attempt = 1; ; attempt++) {
      const request = (fetch: FetchPath) => refresh(fetch, clientId, token)
      const responses = await Promise.all(
        random.chance(0.2) ? [send(request), send(request)] : [send(request)],
      )
      for (const response of responses) {
        if (response === undefined) continue
        if (response.status !== 200) {
          if (!connection.mayHaveEnded && !isLate())
            site.wrong.push(`${response.status} for attempt ${attempt} of a refresh`)
          return false
        }
        const tokens = await readTokens(response)
        if (renewed !== undefined && renewed.refresh_token !== tokens.refresh_token && !isLate())
          site.wrong.push(`attempt ${attempt} of a refresh got other tokens`)
        renewed = tokens
      }
      // The tokens from before still work. A response that arrived here may be lost on its way through the connector.
      if (renewed === undefined) {
        count(site, 'refreshes repeated')
        if (random.chance(0.3) && !isLate() && !(await call(connection))) return false
      } else if (random.chance(0.8)) break
    }
    count(site, 'refreshes')
    connection.tokens = renewed
    return true
  }

  async function spend(connection: Connection): Promise<void> {
    for (let steps = random.integer(4, 14); steps > 0; steps--) {
      const isUsable = random.chance(0.25)
        ? await renew(connection)
        : (await Promise.all(Array.from({ length: random.integer(1, 3) }, () => call(connection)))).every(
            Boolean,
          )
      if (!isUsable) return
    }
    if (random.chance(0.2) && !site.isOver) return // it is left as it is
    const { tokens } = connection
    await insist((fetch) => postForm(fetch, '/sign-in/revoke', { token: tokens.refresh_token }))
    count(site, 'connections ended')
    await expectEnd(tokens, 'its connector')
  }

  while (!site.isOver) {
    const connection = await signIn()
    if (connection !== undefined) await spend(connection)
  }
  // All is well again.
  const connection = await signIn()
  if (connection === undefined) return // its code was used twice
  if (!(await renew(connection)) && !connection.mayHaveEnded) site.wrong.push('a refresh fails at the end')
  await call(connection)
}

function callTool(fetch: FetchPath, token: string, full_name: string): Promise<Response> {
  const params = { name: 'get_repository', arguments: { full_name } }
  return fetch('/mcp', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  })
}

/** Breaks an instance again and again, and replaces it when it was killed. */
async function breakInstance(
  site: Site,
  place: number,
  random: Random,
  { draw, start }: { draw: () => boolean; start: () => Promise<KillableInstance> },
): Promise<void> {
  while (draw()) {
    const instance = site.instances[place]
    if (instance === undefined) throw new Error(`there is no instance ${place}`)
    const [step, text] = random.pick(Object.entries(statements))
    const kind = random.fraction()
    if (kind < 0.6) {
      const point = random.pick(cutPoints)
      await instance.proxy.breakNext(point, text)
      count(site, `fault: ${step} ${point}`)
    } else {
      if (kind < 0.8) await instance.proxy.breakNext('uncommitted', text)
      else await sleep(random.integer(0, 20))
      count(site, `fault: killed${kind < 0.8 ? `, ${step} uncommitted` : ''}`)
      instance.kill()
      site.instances[place] = await start()
    }
    await sleep(random.integer(0, 10))
  }
}

/** Compares what was delivered with what was charged. */
async function compareWithLedger({ service: { sql }, calls, wrong, counts }: Site): Promise<void> {
  const entries = await sql<{ name: string; cost: number }[]>`
    select api_key_id || ' ' || path as name, cost from ledger where kind = 'charge'`
  const charged = Map.groupBy(entries, ({ name }) => name)
  const spent = new Map<Connection, number>()
  for (const { path, connection, outcome } of calls) {
    const paid = charged.get(`${connection.keyId} ${path}`) ?? []
    const credits = paid.reduce((sum, { cost }) => sum + cost, 0)
    counts[`calls ${outcome}, ${credits} paid`] = (counts[`calls ${outcome}, ${credits} paid`] ?? 0) + 1
    spent.set(connection, (spent.get(connection) ?? 0) + credits)
    if (outcome === 'delivered' && credits !== 1) wrong.push(`${path} was delivered, and ${credits} paid`)
    if (outcome === 'refused' && credits !== 0) wrong.push(`${path} was refused, and ${credits} paid`)
    if (paid.length > 1) wrong.push(`${path} was charged ${paid.length} times`)
  }
  const stored = await sql<{ handle: string; spent: number }[]>`
    select encode(handle_hash, 'hex') as handle, spent from connections where access_hash is not null`
  const storedSpent = new Map(stored.map(({ handle, spent }) => [handle, spent]))
  for (const [{ handle, limit }, credits] of spent) {
    if (credits > limit) wrong.push(`a connection with ${limit} credits spent ${credits}`)
    const noted = storedSpent.get(handle) ?? credits
    if (noted !== credits) wrong.push(`a connection spent ${credits}, and has ${noted}`)
  }
  counts['credits charged'] = [...spent.values()].reduce((sum, credits) => sum + credits, 0)
  counts['limits reached'] = [...spent].filter(([{ limit }, credits]) => credits === limit).length
  if (counts['credits charged'] !== entries.reduce((sum, { cost }) => sum + cost, 0)) {
    wrong.push('something was charged that nobody asked for')
  }
  for (const { keyId, problem } of (await verifyLedger(sql)).problems) wrong.push(`key ${keyId}: ${problem}`)
}

describeOnEachDatabase('the sign-in', (kind) => {
  const service = useService(kind, { baseUrl, signIn: true })

  test(`survives ${faults} faults: all is paid, no limit is passed, refreshes can be repeated (seed ${seed})`, {
    timeout,
  }, async () => {
    await using stack = new AsyncDisposableStack()
    const start = async () => stack.use(await startKillableInstance(service, { baseUrl, signIn: true }))
    const site: Site = {
      service,
      instances: [await start(), await start(), await start()],
      ...{ counts: {}, calls: [], wrong: [], isOver: false },
    }
    const keys = await Promise.all(Array.from({ length: connectors / 2 }, () => service.createKey()))
    const running = [...keys, ...keys].map((key, number) =>
      runConnector(site, key, createRandom(`${seed} connector ${number}`)),
    )
    let drawn = 0
    const breaking = site.instances.map((_, place) =>
      breakInstance(site, place, createRandom(`${seed} instance ${place}`), {
        draw: () => drawn++ < faults,
        start,
      }),
    )
    const startedAt = performance.now()
    // A connector that fails would leave a fault waiting for it.
    await Promise.race([Promise.all(breaking), Promise.all(running)])
    site.isOver = true
    site.counts['milliseconds of faults'] = Math.round(performance.now() - startedAt)
    await Promise.all(running)
    await compareWithLedger(site)
    console.info(`${kind}: ${JSON.stringify(site.counts, null, 1)}`)
    expect(site.wrong.slice(0, 10)).toEqual([])
    expect(site.counts['limits reached']).toBeGreaterThan(0)
  })
})
