/** How many items began to use a dependency in each month, how many stopped, and how many used it at its end. */
import type { Sql, SqlOrTransaction } from '../database/connect.ts'
import { filterNotReady } from '../errors.ts'
import { listDependencyKeys, writeDependencyKey } from '../names/dependency-names.ts'
import { type DatedTerm, readDatedItems } from '../sets/dated-items.ts'
import { dayOf, secondsPerDay } from './attribute-values.ts'
import { readOneState } from './dataset.ts'
import { selectUnready } from './derived-terms.ts'
import type { ListName } from './filters.ts'
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
  /** Items whose first or last use is unknown: the months don't have what is unknown. */
  unknown: Record<ListName, number>
}

const maxMonths = 600

/** Reads the history of a dependency. Throws `filterNotReady`. */
export function readUseHistory(sql: Sql, search: HistorySearch): Promise<UseHistory> {
  return readOneState(sql, async (reader) => {
    const { version, edition, unready, terms } = await findTerms(reader, search)
    if (unready.length > 0) throw filterNotReady(['history'])
    const users = await countDays(reader, 'users', terms, edition)
    const repositories = await countDays(reader, 'repositories', terms, edition)
    if (users === 'outdated' || repositories === 'outdated') return 'outdated'
    return {
      version,
      months: listMonths({ users, repositories }, search),
      unknown: { repositories: repositories.unknown, users: users.unknown },
    }
  })
}

interface FoundTerms {
  version: number
  edition: string
  unready: string[]
  terms: DatedTerm[]
}

async function findTerms(sql: SqlOrTransaction, { name, file }: HistorySearch): Promise<FoundTerms> {
  const keys = listDependencyKeys(name).map(writeDependencyKey)
  const [found] = await sql<FoundTerms[]>`
    select version, edition, ${selectUnready(sql, ['first_use_since'])} as unready, (
      select coalesce(json_agg(json_build_object('termId', id, 'status', status)), '[]') from dependencies
      where name_key = any (${sql.typed.texts(keys)}) and (${file === undefined} or file = ${file ?? ''})
    ) as terms
    from dataset`
  if (found === undefined) throw new Error('the dataset row is missing')
  return found
}

/** What happened on a day. */
interface DayCounts {
  started: number
  stopped: number
  /** Of those that had started, or start on this day. */
  ended: number
}

interface CountedDays {
  days: Map<number, DayCounts>
  unknown: number
}

async function countDays(
  sql: SqlOrTransaction,
  list: ListName,
  terms: readonly DatedTerm[],
  edition: string,
): Promise<CountedDays | 'outdated'> {
  const counted: CountedDays = { days: new Map(), unknown: 0 }
  const count = (seconds: number, what: keyof DayCounts) => {
    const day = dayOf(seconds)
    let counts = counted.days.get(day)
    if (counts === undefined) {
      counts = { started: 0, stopped: 0, ended: 0 }
      counted.days.set(day, counts)
    }
    counts[what]++
  }
  const isCurrent = await readDatedItems(sql, list, [terms], edition, (use) => {
    const first = readFirstUse(use)
    const last = readLastUse(use)
    if (first === undefined || last === undefined) counted.unknown++
    if (first !== undefined) count(first, 'started')
    if (typeof last === 'number') count(last, 'stopped')
    if (first !== undefined && typeof last === 'number') count(Math.max(first, last), 'ended')
  })
  return isCurrent ? counted : 'outdated'
}

function listMonths(
  counted: Record<ListName, CountedDays>,
  { since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY, now }: HistorySearch,
): Month[] {
  const current = monthOf(now)
  const users = sumMonths(counted.users)
  const repositories = sumMonths(counted.repositories)
  let first = current + 1
  for (const month of [...users.keys(), ...repositories.keys()]) first = Math.min(first, month)
  const months: Month[] = []
  const active = { users: 0, repositories: 0 }
  const advance = (list: ListName, counts: DayCounts = { started: 0, stopped: 0, ended: 0 }) => {
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

function sumMonths({ days }: CountedDays): Map<number, DayCounts> {
  const months = new Map<number, DayCounts>()
  for (const [day, { started, stopped, ended }] of days) {
    const month = monthOf(day * secondsPerDay)
    const sum = months.get(month) ?? { started: 0, stopped: 0, ended: 0 }
    months.set(month, {
      started: sum.started + started,
      stopped: sum.stopped + stopped,
      ended: sum.ended + ended,
    })
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
