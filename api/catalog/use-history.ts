/** How many items began to use a dependency in each month, how many stopped, and how many used it at its end. */
import { LRUCache } from 'lru-cache'
import { createSharedWork } from '../concurrency/shared-work.ts'
import type { Sql, SqlOrTransaction } from '../database/connect.ts'
import { countStatement } from '../database/statement-count.ts'
import { filterNotReady } from '../errors.ts'
import { listStoredKeys } from '../names/dependency-names.ts'
import { type DatedTerm, readDatedItems } from '../sets/dated-items.ts'
import { dayOf, secondsPerDay } from './attribute-values.ts'
import { readOneState } from './dataset.ts'
import { selectUnready } from './derived-terms.ts'
import type { ListName } from './filters.ts'
import type { MatchCache, Requester } from './matches.ts'
import { readFirstUse, readLastUse } from './use-window.ts'

/** Which uses to count, and in which months. Times are Unix seconds. */
export interface HistorySearch {
  name: string
  /** Undefined: in all files. */
  file: string | undefined
  /** Only months that end after it. */
  since: number | undefined
  /** Only months that begin before it. */
  until: number | undefined
  now: number
}

/** The items of one list. */
interface MonthCounts {
  started: number
  stopped: number
  /** Those that had started by the end of the month, but not stopped. */
  active: number
}

/** A month in UTC, such as `2026-03`. */
interface Month extends Record<ListName, MonthCounts> {
  month: string
}

interface UseHistory {
  version: number
  /** Each month from the first known use to the current one, or the last `maxMonths` of them. */
  months: Month[]
  /** Items whose first or last use is unknown. The months count what is known: without an end, one stays active. */
  unknown: Record<ListName, number>
}

const maxMonths = 600

/** Reads the history of a dependency. Throws `filterNotReady`, and as `find` of a `MatchFinder` does. */
export type ReadUseHistory = (search: HistorySearch, requester: Requester) => Promise<UseHistory>

/** What was counted in one edition of the dataset. */
interface CountedUses extends Record<ListName, CountedMonths> {
  edition: string
}

/** Of the months that an instance keeps in memory. */
const maxCacheBytes = 4 * 2 ** 20

/** Creates a function that reads histories. It keeps what it has counted: a name that millions use takes seconds. */
export function createUseHistory(sql: Sql, { takeTurn }: Pick<MatchCache, 'takeTurn'>): ReadUseHistory {
  const cache = new LRUCache<string, CountedUses>({
    maxSize: maxCacheBytes,
    sizeCalculation: ({ users, repositories }, key) =>
      2 * key.length + 500 + 100 * (users.months.size + repositories.months.size),
  })
  const counting = createSharedWork<Requester, CountedUses | 'outdated'>(takeTurn)

  function findCounted(found: FoundTerms, requester: Requester): Promise<CountedUses | 'outdated'> {
    const key = JSON.stringify([found.edition, found.terms.map(({ termId }) => termId)])
    const findKnown = () => cache.get(key)
    return counting.share(key, requester, findKnown, async () => {
      const counted = await countStatement(sql, () => countUses(sql, found))
      if (counted !== 'outdated') cache.set(key, counted)
      return counted
    })
  }

  return (search, requester) =>
    readOneState(
      sql,
      async () => {
        const found = await countStatement(sql, () => findTerms(sql, search))
        return writeHistory(found, await findCounted(found, requester), search)
      },
      async (tx) => {
        const found = await findTerms(tx, search)
        return writeHistory(found, await countUses(tx, found), search)
      },
    )
}

async function countUses(
  sql: SqlOrTransaction,
  { edition, terms }: FoundTerms,
): Promise<CountedUses | 'outdated'> {
  const users = await countMonths(sql, 'users', terms, edition)
  if (users === 'outdated') return users
  const repositories = await countMonths(sql, 'repositories', terms, edition)
  return repositories === 'outdated' ? repositories : { edition, users, repositories }
}

function writeHistory(
  { version }: FoundTerms,
  counted: CountedUses | 'outdated',
  search: HistorySearch,
): UseHistory | 'outdated' {
  if (counted === 'outdated') return counted
  const { users, repositories } = counted
  return {
    version,
    months: listMonths(counted, search),
    unknown: { repositories: repositories.unknown, users: users.unknown },
  }
}

interface FoundTerms {
  version: number
  edition: string
  unready: string[]
  terms: DatedTerm[]
}

async function findTerms(sql: SqlOrTransaction, { name, file }: HistorySearch): Promise<FoundTerms> {
  const keys = listStoredKeys(name)
  const [found] = await sql<FoundTerms[]>`
    select version, edition, ${selectUnready(sql, ['first_use_since'])} as unready, (
      select coalesce(json_agg(json_build_object('termId', id, 'status', status)), '[]') from dependencies
      where name_key = any (${sql.typed.texts(keys)}) and (${file === undefined} or file = ${file ?? ''})
    ) as terms
    from dataset`
  if (found === undefined) throw new Error('the dataset row is missing')
  if (found.unready.length > 0) throw filterNotReady(['history'])
  return found
}

/** What happened in a month. */
interface EventCounts {
  started: number
  stopped: number
  /** Of those that had started, or start in this month. */
  ended: number
}

interface CountedMonths {
  months: Map<number, EventCounts>
  unknown: number
}

async function countMonths(
  sql: SqlOrTransaction,
  list: ListName,
  terms: readonly DatedTerm[],
  edition: string,
): Promise<CountedMonths | 'outdated'> {
  const days = new Map<number, EventCounts>() // to find the month of each use would take longer
  let unknown = 0
  const count = (seconds: number, what: keyof EventCounts) => addTo(days, dayOf(seconds), what, 1)
  const isCurrent = await readDatedItems(sql, list, [terms], edition, (use) => {
    const first = readFirstUse(use)
    const last = readLastUse(use)
    if (first === undefined || last === undefined) unknown++
    if (first !== undefined) count(first, 'started')
    if (typeof last === 'number') count(last, 'stopped')
    if (first !== undefined && typeof last === 'number') count(Math.max(first, last), 'ended')
  })
  return isCurrent ? { months: sumMonths(days), unknown } : 'outdated'
}

function addTo(all: Map<number, EventCounts>, key: number, what: keyof EventCounts, count: number): void {
  let counts = all.get(key)
  if (counts === undefined) {
    counts = { started: 0, stopped: 0, ended: 0 }
    all.set(key, counts)
  }
  counts[what] += count
}

function listMonths(
  { users: { months: users }, repositories: { months: repositories } }: CountedUses,
  { since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY, now }: HistorySearch,
): Month[] {
  const current = monthOf(now)
  let first = current + 1
  for (const month of [...users.keys(), ...repositories.keys()]) first = Math.min(first, month)
  const months: Month[] = []
  const active = { users: 0, repositories: 0 }
  const advance = (list: ListName, counts: EventCounts = { started: 0, stopped: 0, ended: 0 }) => {
    active[list] += counts.started - counts.ended
    return { started: counts.started, stopped: counts.stopped, active: active[list] }
  }
  for (let month = first; month <= current; month++) {
    const item = {
      month: writeMonth(month),
      repositories: advance('repositories', repositories.get(month)),
      users: advance('users', users.get(month)),
    }
    if (startOf(month + 1) > since && startOf(month) < until) months.push(item)
  }
  return months.slice(-maxMonths)
}

function sumMonths(days: ReadonlyMap<number, EventCounts>): Map<number, EventCounts> {
  const months = new Map<number, EventCounts>()
  for (const [day, { started, stopped, ended }] of days) {
    const month = monthOf(day * secondsPerDay)
    addTo(months, month, 'started', started)
    addTo(months, month, 'stopped', stopped)
    addTo(months, month, 'ended', ended)
  }
  return months
}

/** The number of a month: those from January of the year 0 on. */
function monthOf(seconds: number): number {
  const date = new Date(seconds * 1_000)
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}

/** When a month begins, in Unix seconds. */
function startOf(month: number): number {
  return Date.parse(`${writeMonth(month)}-01T00:00:00Z`) / 1_000
}

function writeMonth(month: number): string {
  return `${String(Math.floor(month / 12)).padStart(4, '0')}-${String((month % 12) + 1).padStart(2, '0')}`
}
