/**
 * What users use now, compared with what they used: computed from the repositories that they contributed to.
 */
import type { SqlOrTransaction } from '../database/connect.ts'
import { copyRows, readInteger, readIntegers } from '../database/copy.ts'
import type { ChangedRange } from '../sets/set-changes.ts'
import { readUses } from '../sets/use-changes.ts'
import { type UseBegin, type UseEnd, unknownBegin } from '../sets/use-chunks.ts'

/** What a user uses. */
export interface ComputedUses {
  user_id: number
  /** Ascending terms, and dates as `user_dependencies` has them. */
  dependency_ids: number[]
  begins: (number | null)[]
  ends: (number | null)[]
  /** Undefined: the user uses the same, at the same times. */
  change: ChangedUses | undefined
}

/** How what a user uses has changed. */
interface ChangedUses {
  /** Terms that the user no longer uses. */
  lost: number[]
  gained: number[]
  /** All terms with other dates, also those that are lost or gained. Null: all, because the user used nothing. */
  differing: number[] | null
  /** Whether a use has a begin or an end that differs from the known one. */
  isRedated: boolean
}

/** What a user uses, by term. */
type UsesByTerm = Map<number, { begin: UseBegin; end: UseEnd }>

/** The files of dependencies, as the terms that mean any dependency of the file. */
export class TermFiles {
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
 * SQL: the dates between which users contributed to repositories, for all their identities together. `contributions` is
 * SQL that joins `identities i` and `contributions c`, and may end with a condition. Bots contribute only to
 * repositories that they own.
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

/** Declarations whose users are compared at a time: some 10 MB. One user may have more. */
const maxDeclarations = 200_000

/**
 * Deletes the rows of a range of `affected_users` from `user_dependencies`, and yields the rows that replace them, in
 * batches. Between batches, `tx` may run other statements.
 */
export async function* replaceUses(
  tx: SqlOrTransaction,
  range: ChangedRange,
  files: TermFiles,
  maxSize = maxDeclarations,
): AsyncGenerator<Iterable<ComputedUses>, void> {
  const contributions = await readContributions(tx, range)
  for (const part of splitRange(range, contributions, maxSize)) {
    const declarations = await readDeclarations(tx, part.repositories)
    await files.read(termsOf(declarations))
    const stored = new Map<number, Buffer[]>()
    const rows = copyRows(
      tx,
      `delete from user_dependencies u using affected_users a
      where u.user_id = a.user_id and a.user_id between ${part.first} and ${part.last}
      returning u.user_id, dependency_ids, begins, ends`,
    )
    for await (const [user, ...columns] of rows) stored.set(readInteger(user), columns)
    yield computeUses({ ...part, contributions, declarations, stored }, files)
  }
}

/** What is known of the users of a part. */
interface KnownUses extends RangePart {
  contributions: Contributions
  declarations: ReadonlyMap<number, Declarations>
  /** The columns of their rows. */
  stored: ReadonlyMap<number, Buffer[]>
}

/** Yields what users use: those who use something, or had a row. */
function* computeUses(
  { users, contributions, declarations, stored }: KnownUses,
  files: TermFiles,
): Generator<ComputedUses, void> {
  for (const user_id of new Set([...users, ...stored.keys()])) {
    const uses: UsesByTerm = new Map()
    for (const contribution of contributions.get(user_id) ?? []) {
      addUses(uses, contribution, declarations.get(contribution.repositoryId), files)
    }
    const columns = stored.get(user_id)
    if (columns === undefined && uses.size === 0) continue
    const termIds = [...uses.keys()].sort((a, b) => a - b)
    const sorted = termIds.map((termId) => uses.get(termId))
    yield {
      user_id,
      dependency_ids: termIds,
      begins: sorted.map((use) => (use === undefined || use.begin === unknownBegin ? null : use.begin)),
      ends: sorted.map((use) => use?.end ?? null),
      change: compareUses(columns ?? [], uses, termIds),
    }
  }
}

/** A repository that a user contributed to. */
interface Contribution {
  repositoryId: number
  isOwner: boolean
  /** Between which dates, in Unix seconds. Null dates exclude nothing. */
  first: number | null
  last: number | null
  /** What the repository declares. */
  declarations: number
}

/** By user, ascending. */
type Contributions = ReadonlyMap<number, readonly Contribution[]>

async function readContributions(
  tx: SqlOrTransaction,
  { first, last }: ChangedRange,
): Promise<Contributions> {
  const contributors = selectContributors(
    `affected_users join identities i using (user_id) join contributions c using (identity)
    where user_id between ${first} and ${last}`,
  )
  const rows = copyRows(
    tx,
    `select user_id, repository_id, is_owner::integer, first_date, last_date, cardinality(dependency_ids)
    from (${contributors}) w join repository_dependencies using (repository_id) order by user_id`,
  )
  const byUser = new Map<number, Contribution[]>()
  for await (const [user, repository, isOwner, firstDate, lastDate, declarations] of rows) {
    const contribution = {
      repositoryId: readInteger(repository),
      isOwner: readInteger(isOwner) === 1,
      first: readDate(firstDate),
      last: readDate(lastDate),
      declarations: readInteger(declarations),
    }
    const id = readInteger(user)
    const known = byUser.get(id)
    if (known === undefined) byUser.set(id, [contribution])
    else known.push(contribution)
  }
  return byUser
}

/** A part of a range, its users, and the repositories that they contributed to. */
interface RangePart {
  first: number
  last: number
  users: number[]
  repositories: Set<number>
}

/** Splits a range so that the users of a part have about `maxSize` declarations. */
function* splitRange(
  range: ChangedRange,
  contributions: Contributions,
  maxSize: number,
): Generator<RangePart, void> {
  let part: RangePart = { ...range, users: [], repositories: new Set() }
  let size = 0
  for (const [userId, ofUser] of contributions) {
    if (size >= maxSize) {
      yield { ...part, last: userId - 1 }
      part = { ...range, first: userId, users: [], repositories: new Set() }
      size = 0
    }
    part.users.push(userId)
    for (const { repositoryId, declarations } of ofUser) {
      part.repositories.add(repositoryId)
      size += declarations
    }
  }
  yield part
}

/** What a repository declares. */
interface Declarations {
  termIds: (number | null)[]
  firstUses: (number | null)[]
  lastUses: (number | null)[]
}

async function readDeclarations(
  tx: SqlOrTransaction,
  repositories: ReadonlySet<number>,
): Promise<Map<number, Declarations>> {
  const rows = copyRows(
    tx,
    `select repository_id, dependency_ids, first_use_dates, last_use_dates from repository_dependencies
    where repository_id = any('{${[...repositories].join()}}')`,
  )
  const byRepository = new Map<number, Declarations>()
  for await (const [id, termIds, firstUses, lastUses] of rows) {
    byRepository.set(readInteger(id), {
      termIds: readIntegers(termIds),
      firstUses: readIntegers(firstUses),
      lastUses: readIntegers(lastUses),
    })
  }
  return byRepository
}

function readDate(field: Buffer | undefined): number | null {
  return field === undefined || field.length === 0 ? null : readInteger(field)
}

function* termsOf(declarations: ReadonlyMap<number, Declarations>): Generator<number, void> {
  for (const { termIds } of declarations.values()) {
    for (const termId of termIds) if (termId !== null) yield termId
  }
}

/**
 * Adds what a user uses through a repository: what it declared while they contributed, and that they use any dependency
 * of its file. `isDeclaredBetween` is the same rule in SQL.
 */
function addUses(
  uses: UsesByTerm,
  { isOwner, first, last }: Contribution,
  { termIds, firstUses, lastUses }: Declarations = { termIds: [], firstUses: [], lastUses: [] },
  files: TermFiles,
): void {
  for (let place = 0; place < termIds.length; place++) {
    const termId = termIds[place] ?? null
    const file = termId === null ? undefined : files.get(termId)
    if (termId === null || file === undefined) continue
    const [firstUse, lastUse] = [firstUses[place] ?? null, lastUses[place] ?? null]
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

/**
 * Compares the columns of a user's row with what the user uses: `termIds`, in order. Returns undefined if nothing has
 * changed.
 */
function compareUses(
  columns: readonly Buffer[],
  after: UsesByTerm,
  termIds: readonly number[],
): ChangedUses | undefined {
  const before = readUses({ hasSeconds: false }, columns)
  const isDatedBefore = (columns[1]?.length ?? 0) > 0
  if (before.size === 0) {
    if (after.size === 0) return undefined
    return { lost: [], gained: [...termIds], differing: null, isRedated: false }
  }
  const lost = [...before.keys()].filter((termId) => !after.has(termId))
  const gained = termIds.filter((termId) => !before.has(termId))
  const redated = termIds.filter((termId) => {
    const [known, use] = [before.get(termId), after.get(termId)]
    return known !== undefined && (known.begin !== use?.begin || known.end !== use.end)
  })
  const differing = [...lost, ...gained, ...redated]
  if (differing.length === 0 && isDatedBefore) return undefined
  return { lost, gained, differing, isRedated: isDatedBefore && redated.length > 0 }
}
