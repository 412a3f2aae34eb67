/**
 * Compares responses before they are timed: who returns something else, or records another charge, is no contender.
 */
import type { Sql } from '../api/database/connect.ts'
import { secretOf } from './fill.ts'
import type { Program } from './programs.ts'

/** What all contenders must agree on. `meta` and headers name the request and the moment, so they differ. */
export interface ComparedResponse {
  /** JSON text: of an object, or of a list's items without their brackets. */
  body: string
  /** Of a list. */
  total?: number
  /** What the ledger records about the request. Absent: the contender charges nothing, and is compared without it. */
  entry?: string
}

/** Someone who responds to a request, and how to read the response. */
export interface Contender {
  name: string
  respond(): Promise<ComparedResponse>
}

/** Throws an `Error` with both texts unless all contenders return the same as the first. `what` names the response. */
export async function assertAlike(what: string, [first, ...others]: readonly Contender[]): Promise<void> {
  if (first === undefined) throw new Error(`${what}: there is nobody to compare`)
  const expected = await first.respond()
  for (const { name, respond } of others) {
    const found = await respond()
    for (const part of ['body', 'total', 'entry'] as const) {
      if (part === 'entry' && (expected.entry === undefined || found.entry === undefined)) continue
      const [ours, theirs] = [String(expected[part]), String(found[part])]
      if (ours !== theirs) {
        throw new Error(
          `${what}: the ${part} differs\n${first.name}: ${excerpt(ours, theirs)}\n${name}: ${excerpt(theirs, ours)}`,
        )
      }
    }
  }
}

/** A text from shortly before the place where it begins to differ. */
function excerpt(text: string, other: string): string {
  let place = 0
  while (place < text.length && text[place] === other[place]) place++
  const start = Math.max(0, place - 100)
  return `${start > 0 ? `(from character ${start}) …` : ''}${text.slice(start, place + 500)}`
}

/** The tables that ledger entries are in: those of the service, or those of whom it is compared with. */
export type LedgerTable = 'ledger' | 'peers.ledger'

/**
 * Creates a contender that responds over HTTP, to the first key. `ledger` is where it records charges. Throws unless
 * the status is 200. What is compressed is compared as a client reads it.
 */
export function createHttpContender(
  name: string,
  { port }: Pick<Program, 'port'>,
  path: string,
  {
    sql,
    ledger = 'ledger',
    acceptEncoding = 'identity',
  }: { sql: Sql; ledger?: LedgerTable; acceptEncoding?: string },
): Contender {
  return {
    name,
    respond: () =>
      withEntry(sql, ledger, async () => {
        const response = await fetch(`http://127.0.0.1:${port}${path}`, {
          headers: { Authorization: `Bearer ${secretOf(1)}`, 'Accept-Encoding': acceptEncoding },
        })
        const text = await response.text()
        if (response.status !== 200) throw new Error(`${name}: ${path} returned ${response.status}: ${text}`)
        const total = response.headers.get('X-Total-Count')
        if (total === null) return { body: text }
        return { body: cutItems(text), total: Number(total) }
      }),
  }
}

const listStart = '{"data":['

/** The items of a list's response: what stands before its last `meta`. */
function cutItems(text: string): string {
  const end = text.lastIndexOf('],"meta":')
  if (!text.startsWith(listStart) || end === -1)
    throw new Error(`a response isn't a list: ${text.slice(0, 200)}`)
  return text.slice(listStart.length, end)
}

/**
 * Creates a contender that runs a statement of pgbench with values for its variables. The statement returns `items`,
 * and `total` if it reads a list. `ledger` is where it records its charge; undefined: it only reads.
 */
export function createSqlContender(
  name: string,
  statement: string,
  variables: Record<string, number>,
  { sql, ledger }: { sql: Sql; ledger: LedgerTable | undefined },
): Contender {
  const text = statement.replaceAll(/(?<!:):(\w+)/g, (_, variable: string) => String(variables[variable]))
  async function read(): Promise<ComparedResponse> {
    const [row] = await sql.unsafe<{ items: string; total?: number }[]>(text)
    if (row === undefined) throw new Error(`${name} found nothing:\n${text}`)
    const { items, total } = row
    return { body: items, ...(total !== undefined && { total: Number(total) }) }
  }
  return { name, respond: () => (ledger === undefined ? read() : withEntry(sql, ledger, read)) }
}

/** Adds the entry that a request leaves in the ledger of the first key. Throws unless it is exactly one. */
async function withEntry(
  sql: Sql,
  ledger: LedgerTable,
  respond: () => Promise<ComparedResponse>,
): Promise<ComparedResponse> {
  interface Entry {
    position: number
    entry: string
  }
  const readLast = async () => {
    const [last] = await sql<Entry[]>`
      select position, json_build_object(
        'kind', kind, 'granted', granted, 'cost', cost, 'items', items, 'path', path)::text as entry
      from ${sql(ledger)} where api_key_id = 1 order by position desc limit 1`
    return last ?? { position: 0, entry: '' }
  }
  const before = await readLast()
  const response = await respond()
  const { position, entry } = await readLast()
  if (position === before.position) return { ...response, entry: 'none' }
  if (position !== before.position + 1)
    throw new Error(`a request left ${position - before.position} entries`)
  return { ...response, entry }
}
