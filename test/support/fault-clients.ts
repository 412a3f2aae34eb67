/** Clients of a drill: API keys, requests that no other one of the same key has, and what came of each. */
import { type Agent, request } from 'node:http'
import type { Sql } from '../../api/database/connect.ts'
import { scopes } from '../../api/ledger/api-key.ts'
import { createKey } from '../../api/ledger/keys.ts'

/**
 * Each has the same number of clients, but for the last, an admin's, which has few. Clients of every other key retry
 * with an idempotency key until they get a response.
 */
const keysPerStorm = 9
/** A request that takes longer counts as hung. */
export const maxResponseMs = 60_000

/** An API key of a storm. Its requests differ in their paths, so that each is known in the ledger. */
export interface Customer {
  id: number
  secret: string
  /** Its requests are sent with an idempotency key until they are served. */
  insists: boolean
  /** Not metered: it requests new filters, so that the instances always compute matches. */
  isAdmin: boolean
  requests: number
}

export interface Attempt {
  customer: Customer
  path: string
  /** The instance. */
  place: 0 | 1
  startedAt: number
  endedAt: number
  outcome: 'delivered' | 'refused' | 'broken' | 'wrong' | 'hung'
  /** Why it was not delivered. */
  reason: string
  requestId: string
  /** `X-Credits-Cost` */
  cost: number
  items: number
  replayed: boolean
}

/** Creates the keys. */
export async function createCustomers(sql: Sql): Promise<Customer[]> {
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
}

/** Paths of the sample data. Names are case-insensitive. */
const lookUps = [
  { name: 'UmaBakker/parser-kit', before: '/repos/', after: '', query: '' },
  { name: 'UmaBakker/parser-kit', before: '/repos/', after: '/commits', query: '?per_page=3' },
  { name: 'UmaBakker/parser-kit', before: '/repos/', after: '/dependencies', query: '?per_page=2' },
] as const

/** Creates a request that no other of the same key equals: upper and lower case of the name encode the number. */
export function inventRequest(number: number): { path: string; query: string } {
  const lookUp = lookUps[number % lookUps.length] ?? lookUps[0]
  let bits = Math.floor(number / lookUps.length)
  const name = lookUp.name.replace(/[a-z]/gi, (letter) => {
    const isUpper = bits % 2 === 1
    bits = Math.floor(bits / 2)
    return isUpper ? letter.toUpperCase() : letter.toLowerCase()
  })
  return { path: `${lookUp.before}${name}${lookUp.after}`, query: lookUp.query }
}

/** Creates a filter that nobody has used yet. */
export function inventFilter({ id }: Customer, number: number): { path: string; query: string } {
  return { path: '/users', query: `?per_page=1&location=${id}-${number}` }
}

type Outcome = Pick<Attempt, 'outcome'> & Partial<Attempt>

/** Sends a request. It is delivered once the whole response has arrived. */
export function send(url: string, agent: Agent | undefined, { secret, insists }: Customer): Promise<Outcome> {
  return new Promise((resolve) => {
    const headers: Record<string, string> = { Authorization: `Bearer ${secret}` }
    if (insists) headers['Idempotency-Key'] = new URL(url).pathname
    const sent = request(url, { headers, ...(agent && { agent }) })
    const timeout = setTimeout(() => {
      resolve({ outcome: 'hung' })
      sent.destroy()
    }, maxResponseMs)
    const breakOff = (reason: string) => {
      clearTimeout(timeout)
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
        clearTimeout(timeout)
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

/** The items of a list, or 1 for a single resource. */
function countItems(body: { data?: unknown[] }): number {
  return body.data?.length ?? 1
}
