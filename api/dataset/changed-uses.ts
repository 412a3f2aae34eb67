/**
 * What users use now, compared with what they used: computed from the repositories that they contributed to, for ranges of users.
 */
import type { SqlOrTransaction } from '../database/connect.ts'
import { copyRows, readInteger } from '../database/copy.ts'
import type { ChangedRange } from '../sets/set-changes.ts'
import { readArray, readUses } from '../sets/use-changes.ts'
import { type UseBegin, type UseEnd, unknownBegin } from '../sets/use-chunks.ts'

/** A user who uses something else, or at other times. */
interface ChangedUses {
  user_id: number
  /** What the user uses now: ascending terms, and dates as `user_dependencies` has them. */
  dependency_ids: number[]
  begins: (number | null)[]
  ends: (number | null)[]
  /** Terms that the user no longer uses. */
  lost: number[]
  gained: number[]
  /** All terms with other dates, also those that are lost or gained. Null: all, because the user used nothing. */
  differing: number[] | null
  /** Whether the dates of what the user used were known. */
  is_dated_before: boolean
}

/** What a user uses, by term. */
type UsesByTerm = Map<number, { begin: UseBegin; end: UseEnd }>

/** The terms of files, by the dependencies that they declare. */
export class FileTerms {
  /** Null: the term itself means any dependency of a file. */
  #known = new Map<number, number | null>()
  #tx: SqlOrTransaction

  constructor(tx: SqlOrTransaction) {
    this.#tx = tx
  }

  /** Reads the files of those that weren't read before. */
  async read(termIds: Iterable<number>): Promise<void> {
    if (this.#known.size > maxKnownTerms) this.#known.clear()
    const unknown = new Set<number>()
    for (const termId of termIds) if (!this.#known.has(termId)) unknown.add(termId)
    if (unknown.size === 0) return
    const ids = [...unknown].join()
    const rows = `select id, coalesce(file_dependency_id, 0) from dependencies where id = any('{${ids}}')`
    for await (const [id, file] of copyRows(this.#tx, rows)) {
      this.#known.set(readInteger(id), readInteger(file) || null)
    }
  }

  /** Returns undefined if the term itself means any dependency of a file. */
  get(termId: number): number | undefined {
    return this.#known.get(termId) ?? undefined
  }
}

/** About 40 bytes each. */
const maxKnownTerms = 500_000

/**
 * SQL: the dates between which users contributed to repositories, for all their identities together. `contributions` is SQL that
 * joins `identities i` and `contributions c`, and may end with a condition. Bots contribute only to repositories that they own.
 */
export function selectContributors(contributions: string): string {
  return `
    select user_id, repository_id, bool_or(kind = 'owner') as is_owner,
      case when not bool_or(excludes_nothing) then min(first_date) end as first_date,
      case when not bool_or(excludes_nothing) then max(last_date) end as last_date
    from (select i.user_id, c.repository_id, c.kind, c.excludes_nothing, c.first_date, c.last_date from ${contributions}) c
    where kind = 'owner' or user_id not in (select id from users where is_bot)
    group by user_id, repository_id`
}

/** Finds the changed ones of a range of `affected_users`. */
export async function* findChangedUses(
  tx: SqlOrTransaction,
  { first, last }: ChangedRange,
  files: FileTerms,
): AsyncGenerator<ChangedUses, void> {
  const inRange = `user_id between ${first} and ${last}`
  const contributions = await readContributions(tx, inRange)
  await files.read(termsOf(contributions))
  const stored = copyRows(
    tx,
    `select user_id, dependency_ids, begins, ends from affected_users left join user_dependencies using (user_id)
    where ${inRange}`,
  )
  for await (const [user, ...columns] of stored) {
    const user_id = readInteger(user)
    const uses: UsesByTerm = new Map()
    for (const contribution of contributions.get(user_id) ?? []) addUses(uses, contribution, files)
    const changed = compareUses(readUses({ hasSeconds: false }, columns), uses, (columns[1]?.length ?? 0) > 0)
    if (changed !== undefined) yield { user_id, ...changed }
  }
}

/** A repository that a user contributed to, and what it declares. */
interface Contribution {
  isOwner: boolean
  /** Between which dates, in Unix seconds. Null dates exclude nothing. */
  first: number | null
  last: number | null
  termIds: (number | null)[]
  /** The arrays of dates, as they were copied. */
  firstUses: Buffer | undefined
  lastUses: Buffer | undefined
}

async function readContributions(
  tx: SqlOrTransaction,
  inRange: string,
): Promise<Map<number, Contribution[]>> {
  const contributors = selectContributors(
    `affected_users join identities i using (user_id) join contributions c using (identity) where ${inRange}`,
  )
  const rows = copyRows(
    tx,
    `select user_id, is_owner::integer, first_date, last_date, dependency_ids, first_use_dates, last_use_dates
    from (${contributors}) w join repository_dependencies using (repository_id)`,
  )
  const byUser = new Map<number, Contribution[]>()
  for await (const [user, isOwner, first, last, termIds, firstUses, lastUses] of rows) {
    const contribution = {
      isOwner: readInteger(isOwner) === 1,
      first: readDate(first),
      last: readDate(last),
      termIds: readArray(termIds),
      firstUses,
      lastUses,
    }
    const id = readInteger(user)
    const known = byUser.get(id)
    if (known === undefined) byUser.set(id, [contribution])
    else known.push(contribution)
  }
  return byUser
}

function readDate(field: Buffer | undefined): number | null {
  return field === undefined || field.length === 0 ? null : readInteger(field)
}

function* termsOf(contributions: ReadonlyMap<number, readonly Contribution[]>): Generator<number, void> {
  for (const ofUser of contributions.values()) {
    for (const { termIds } of ofUser) for (const termId of termIds) if (termId !== null) yield termId
  }
}

/** Adds what a user uses through a repository: what it declared while they contributed, and that they use any dependency of its file. */
function addUses(
  uses: UsesByTerm,
  { isOwner, first, last, termIds, firstUses, lastUses }: Contribution,
  files: FileTerms,
): void {
  const [allFirst, allLast] = [readArray(firstUses), readArray(lastUses)]
  for (const [place, termId] of termIds.entries()) {
    const file = termId === null ? undefined : files.get(termId)
    if (termId === null || file === undefined) continue
    const [firstUse, lastUse] = [allFirst[place] ?? null, allLast[place] ?? null]
    if (isAfter(firstUse, last) || isAfter(first, lastUse)) continue
    const isUnknown = firstUse === null || (first === null && !isOwner)
    const since = first === null ? firstUse : Math.max(first, firstUse ?? first)
    const begin = since === null ? unknownBegin : 2 * since + Number(isUnknown)
    const known = uses.get(termId)
    if (known === undefined) {
      uses.set(termId, { begin, end: lastUse })
    } else {
      known.begin = Math.min(known.begin, begin)
      known.end = known.end === null || lastUse === null ? null : Math.max(known.end, lastUse)
    }
    if (!uses.has(file)) uses.set(file, { begin: unknownBegin, end: null })
  }
}

function isAfter(date: number | null, other: number | null): boolean {
  return date !== null && other !== null && date > other
}

/** Returns undefined if nothing has changed. */
function compareUses(
  before: UsesByTerm,
  after: UsesByTerm,
  is_dated_before: boolean,
): Omit<ChangedUses, 'user_id'> | undefined {
  const lost = [...before.keys()].filter((termId) => !after.has(termId))
  const dependency_ids = [...after.keys()].sort((a, b) => a - b)
  const gained = dependency_ids.filter((termId) => !before.has(termId))
  const uses = dependency_ids.map((termId) => after.get(termId))
  const redated = [...after].flatMap(([termId, { begin, end }]) => {
    const known = before.get(termId)
    return known === undefined || (known.begin === begin && known.end === end) ? [] : [termId]
  })
  const differing = [...lost, ...gained, ...redated]
  if (differing.length === 0 && (is_dated_before || before.size === 0)) return undefined
  return {
    dependency_ids,
    begins: uses.map((use) => (use === undefined || use.begin === unknownBegin ? null : use.begin)),
    ends: uses.map((use) => use?.end ?? null),
    lost,
    gained,
    differing: before.size === 0 ? null : differing,
    is_dated_before,
  }
}
