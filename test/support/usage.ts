/** Reads a key's usage, and writes ledgers to read. */
import * as v from 'valibot'
import { type ListResponse, readListResponse } from './list-response.ts'
import type { TestService } from './service.ts'

const integer = v.pipe(v.number(), v.integer())
const entrySchema = v.strictObject({
  entry: integer,
  timestamp: integer,
  kind: v.picklist(['grant', 'charge', 'balance']),
  request_id: v.nullable(v.string()),
  method: v.nullable(v.string()),
  path: v.nullable(v.string()),
  items: v.nullable(integer),
  cost: integer,
  granted: integer,
  reference: v.nullable(v.string()),
  balance: integer,
})
const sumSchema = v.strictObject({
  day: v.string(),
  endpoint: v.string(),
  requests: integer,
  items: integer,
  cost: integer,
})
/** An entry of the ledger, as `/api-key/usage` has it. */
export type Entry = v.InferOutput<typeof entrySchema>

export const usagePath = '/api-key/usage'
export const daysPath = '/api-key/usage/days'

export const readEntries = ({ data }: ListResponse): Entry[] => v.parse(v.array(entrySchema), data)
export const readSums = ({ data }: ListResponse) => v.parse(v.array(sumSchema), data)

/** The date (UTC) of a time in seconds. */
export const dateOf = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 10)

/** Reads a page of a list. */
export async function readPage(service: TestService, secret: string, path: string): Promise<ListResponse> {
  return readListResponse(await service.request(path, { key: secret }))
}

/** Reads all pages of a list, by their links. */
export async function readPages(service: TestService, secret: string, path: string): Promise<ListResponse[]> {
  const pages = [await readPage(service, secret, path)]
  for (;;) {
    const next = pages.at(-1)?.links.get('next')
    if (next === undefined) return pages
    pages.push(await readPage(service, secret, `${next.pathname}${next.search}`))
  }
}

/** The sums of entries, as `/api-key/usage/days` lists them. */
export function sumUp(entries: readonly Entry[]) {
  const sums = new Map<string, v.InferOutput<typeof sumSchema>>()
  for (const { kind, timestamp, path, items, cost } of entries) {
    if (kind !== 'charge') continue
    const endpoint = path === '/users/ngoldberg' ? '/users/{login}' : (path ?? '')
    const day = dateOf(timestamp)
    const sum = sums.get(`${day} ${endpoint}`) ?? { day, endpoint, requests: 0, items: 0, cost: 0 }
    sum.requests++
    sum.items += items ?? 0
    sum.cost += cost
    sums.set(`${day} ${endpoint}`, sum)
  }
  return [...sums.values()].sort((a, b) =>
    a.day === b.day ? (a.endpoint < b.endpoint ? -1 : 1) : a.day < b.day ? 1 : -1,
  )
}

/** A ledger to write. */
export interface WrittenLedger {
  /** Time of the grant (ISO 8601); the first charge comes a second later. */
  start: string
  /** Seconds between two charges. */
  step: number
  charges: number
}

/** Replaces a key's ledger by a grant and charges, as settlements leave them. */
export async function writeLedger(
  { sql }: TestService,
  id: number,
  { start, step, charges }: WrittenLedger,
): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`delete from ledger where api_key_id = ${id}`
    await tx`delete from ledger_days where api_key_id = ${id}`
    await tx`
      insert into ledger (api_key_id, position, created_at, kind, granted, cost, balance, endpoint)
      values (${id}, 1, ${start}, 'grant', 1000000, 0, 1000000, '')`
    const half = Math.floor(charges / 2)
    for (const [from, to] of [
      [1, half],
      [half + 1, charges],
    ] as const) {
      await tx`select sum_up_days(${id})` // of what is there: the sums by day lack the second half
      await tx`
        insert into ledger
        select ${id}, n + 1, ${start}::timestamptz + make_interval(secs => 1 + (n - 1) * ${step}), 'charge', 0, n % 5 + 1,
          1000000 - sum, n % 5 + 1, gen_random_uuid(),
          case n % 3 when 0 then '/users' when 1 then '/repos' else '/users/ngoldberg' end,
          case n % 3 when 0 then '/users' when 1 then '/repos' else '/users/{login}' end
        from (
          select n, sum(n % 5 + 1) over (order by n) as sum from generate_series(1, ${charges}::integer) n
        ) charges
        where n between ${from}::integer and ${to}::integer`
    }
  })
}
