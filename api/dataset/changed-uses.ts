/**
 * What users use now, compared with what they used: computed from the repositories that they contributed to. In most
 * loads, a few of these have changed. Then what users gained is computed from the repositories through which they gained
 * it, and what they may have lost from those that declare it. All else stays as it was.
 */
import type { SqlOrTransaction } from '../database/connect.ts'
import { copyRows, readInteger, readIntegers } from '../database/copy.ts'
import { type ChangedRange, planRanges } from '../sets/term-slices.ts'
import { readUses } from '../sets/use-changes.ts'
import { type UseBegin, type UseEnd, unknownBegin } from '../sets/use-chunks.ts'

/** Uses as `user_dependencies` has them: ascending terms, each with its dates. */
interface UseColumns {
  terms: number[]
  begins: (number | null)[]
  ends: (number | null)[]
}

/** What a user uses who used something else, or at other times. */
export interface ChangedUses {
  userId: number
  uses: UseColumns
  /** Terms that the user no longer uses. */
  lost: number[]
  gained: number[]
  /** Uses that were gained, or have other dates. Null: all, because the user used nothing. */
  differing: UseColumns | null
  /** Whether a use has a begin or an end that differs from the known one. */
  isRedated: boolean
}

interface Use {
  readonly begin: UseBegin
  readonly end: UseEnd
}

/** What a user uses, by term. */
type UsesByTerm = Map<number, Use>

/** The files of dependencies, as the terms that mean any dependency of the file. */
class TermFiles {
  /** Null: the term itself means any dependency of a file. */
  #known = new Map<number, number | null>()
  #tx: SqlOrTransaction

  constructor(tx: SqlOrTransaction) {
    this.#tx = tx
  }

  /** Reads the files of those that weren't read before. */
  async read(termIds: Iterable<number | null>): Promise<void> {
    if (this.#known.size > maxKnownTerms) this.#known.clear()
    const unknown = new Set<number>()
    for (const termId of termIds) if (termId !== null && !this.#known.has(termId)) unknown.add(termId)
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
 * SQL that joins `identities i` and `contributions c`, and may end with a condition. An owner is who has the login: an
 * address that names it makes an author. Bots contribute only to repositories that they own.
 */
export function selectContributors(contributions: string): string {
  return `
    select user_id, repository_id, bool_or(kind = 'owner') as is_owner,
      case when not bool_or(excludes_nothing) then min(first_date) end as first_date,
      case when not bool_or(excludes_nothing) then max(last_date) end as last_date
    from (
      select i.user_id, i.identity, c.repository_id, c.kind, c.excludes_nothing, c.first_date, c.last_date
      from ${contributions}
    ) c join users u on u.id = c.user_id
    where case when kind = 'owner' then identity = ('login:' || u.login_key) collate "C" else not u.is_bot end
    group by user_id, repository_id`
}

/** Declarations whose users are compared at a time: some 10 MB. One user may have more. */
const maxDeclarations = 200_000
/** The memory that a user takes beside their stored row, in declarations. */
const declarationsPerUser = 40
/** If more dependencies of a user may be lost, all are compared. To look for these in each repository takes longer. */
export const maxLost = 50

/** Users whose uses have changed. */
export interface ChangedUsers {
  /** Those who have a row in `user_dependencies`. */
  updated: ChangedUses[]
  /** The others. They are compared one after the other while they are iterated over. */
  added: Iterable<ChangedUses>
}

/** A user who is compared. */
interface ComparedUser {
  id: number
  /** Undefined: all that the user uses is compared. */
  compared: ComparedUses | undefined
  /** Those to repositories that declare what is compared. */
  contributions: Contribution[]
}

/** What is compared, as in `affected_uses`. */
interface ComparedUses {
  repositories: ReadonlySet<number | null>
  dependencies: ReadonlySet<number | null>
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

/**
 * Compares the users of `affected_users` and `affected_uses`, and yields those whose uses have changed, in batches.
 * Between batches, `tx` may run other statements.
 */
export async function* findChangedUses(
  tx: SqlOrTransaction,
  maxSize = maxDeclarations,
): AsyncGenerator<ChangedUsers, void> {
  await tx`
    insert into affected_users
    select user_id from affected_uses where dependency_id is not null
    group by user_id having count(*) > ${maxLost}::integer
    on conflict do nothing`
  await tx`analyze affected_users, affected_uses`
  await tx`
    create temporary table compared_users on commit drop as
    select user_id, null::integer[] as repositories, null::integer[] as dependencies from affected_users
    union all
    select user_id, array_remove(array_agg(distinct repository_id), null), array_remove(array_agg(distinct dependency_id), null)
    from affected_uses u where not exists (select from affected_users a where a.user_id = u.user_id) group by user_id`
  await tx`create index on compared_users (user_id)`
  await tx`analyze compared_users`
  const sizes = `
    select 'users'::list_name as list, c.user_id as id,
      ${declarationsPerUser} + coalesce(pg_column_size(dependency_ids), 0) / 4 as size
    from compared_users c left join user_dependencies using (user_id)`
  const files = new TermFiles(tx)
  for (const range of await planRanges(tx, sizes, maxSize)) {
    for (const users of splitUsers(await readUsers(tx, range), maxSize)) {
      yield await compareUsers(tx, users, files)
    }
  }
}

async function readUsers(
  tx: SqlOrTransaction,
  { first, last }: ChangedRange,
): Promise<Iterable<ComparedUser>> {
  const inRange = `user_id between ${first} and ${last}`
  // PostgreSQL hashes this. Searching a user's array for each repository would take an hour if the user gained a million.
  const gained = `(select user_id, unnest(repositories) from compared_users where ${inRange})`
  const users = new Map<number, ComparedUser>()
  const compared = copyRows(
    tx,
    `select user_id, repositories, dependencies from compared_users where ${inRange} order by user_id`,
  )
  for await (const [user, repositories, dependencies] of compared) {
    const id = readInteger(user)
    const uses = {
      repositories: new Set(readIntegers(repositories)),
      dependencies: new Set(readIntegers(dependencies)),
    }
    users.set(id, { id, compared: repositories?.length === 0 ? undefined : uses, contributions: [] })
  }
  const contributors = selectContributors(
    `compared_users join identities i using (user_id) join contributions c using (identity)
    where ${inRange} and (repositories is null or dependencies <> '{}' or (user_id, c.repository_id) in ${gained})`,
  )
  const contributions = copyRows(
    tx,
    `select user_id, repository_id, is_owner, first_date, last_date, cardinality(dependency_ids)
    from (${contributors}) w
      join (select * from compared_users where ${inRange}) u using (user_id)
      join repository_dependencies using (repository_id)
    where repositories is null or (user_id, repository_id) in ${gained} or dependency_ids && dependencies`,
  )
  for await (const [user, repository, isOwner, firstDate, lastDate, declarations] of contributions) {
    users.get(readInteger(user))?.contributions.push({
      repositoryId: readInteger(repository),
      isOwner: readInteger(isOwner) === 1,
      first: readDate(firstDate),
      last: readDate(lastDate),
      declarations: readInteger(declarations),
    })
  }
  return users.values()
}

/** Splits users into parts that have about `maxSize` declarations. */
function* splitUsers(users: Iterable<ComparedUser>, maxSize: number): Generator<ComparedUser[], void> {
  let part: ComparedUser[] = []
  let size = 0
  for (const user of users) {
    if (size >= maxSize) {
      yield part
      part = []
      size = 0
    }
    part.push(user)
    for (const { declarations } of user.contributions) size += declarations
  }
  yield part
}

async function compareUsers(
  tx: SqlOrTransaction,
  users: readonly ComparedUser[],
  files: TermFiles,
): Promise<ChangedUsers> {
  const declarations = await readDeclarations(tx, users)
  const stored = new Map<number, Buffer[]>()
  const rows = copyRows(
    tx,
    `select user_id, dependency_ids, begins, ends from user_dependencies
    where user_id = any('{${users.map(({ id }) => id).join()}}')`,
  )
  for await (const [user, ...columns] of rows) stored.set(readInteger(user), columns)
  await files.read([
    ...[...declarations.values()].flatMap(({ termIds }) => termIds),
    ...users.flatMap(({ id, compared }) =>
      compared?.dependencies.size ? readIntegers(stored.get(id)?.[0]) : [],
    ),
  ])

  function* compare(some: readonly ComparedUser[]): Generator<ChangedUses, void> {
    for (const { id, compared, contributions } of some) {
      const uses: UsesByTerm = new Map()
      for (const contribution of contributions) {
        const { repositoryId } = contribution
        const terms = compared?.repositories.has(repositoryId) ? undefined : compared?.dependencies
        addUses(uses, contribution, declarations.get(repositoryId), { terms, files })
      }
      const columns = stored.get(id) ?? []
      const before = readUses({ hasSeconds: false }, columns)
      if (compared !== undefined) keepOthers(uses, before, compared.dependencies, files)
      const change = compareUses(before, uses, (columns[1]?.length ?? 0) > 0)
      if (change !== undefined) yield { userId: id, ...change }
    }
  }
  const { known = [], others = [] } = Object.groupBy(users, ({ id }) => (stored.has(id) ? 'known' : 'others'))
  return { updated: [...compare(known)], added: compare(others) }
}

/** What a repository declares. */
interface Declarations {
  termIds: (number | null)[]
  firstUses: (number | null)[]
  lastUses: (number | null)[]
}

async function readDeclarations(
  tx: SqlOrTransaction,
  users: readonly ComparedUser[],
): Promise<Map<number, Declarations>> {
  const repositories = new Set<number>()
  for (const { contributions } of users) {
    for (const { repositoryId } of contributions) repositories.add(repositoryId)
  }
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

/**
 * Adds what a user uses through a repository: which of `terms` (undefined: all) it declared while they contributed, and
 * that they use any dependency of its file. `isDeclaredBetween` is the same rule in SQL.
 */
function addUses(
  uses: UsesByTerm,
  { isOwner, first, last }: Contribution,
  { termIds, firstUses, lastUses }: Declarations = { termIds: [], firstUses: [], lastUses: [] },
  { terms, files }: { terms: ReadonlySet<number | null> | undefined; files: TermFiles },
): void {
  for (let place = 0; place < termIds.length; place++) {
    const termId = termIds[place] ?? null
    if (termId === null || terms?.has(termId) === false) continue
    const file = files.get(termId)
    if (file === undefined) continue
    const [firstUse, lastUse] = [firstUses[place] ?? null, lastUses[place] ?? null]
    if (isAfter(firstUse, last) || isAfter(first, lastUse)) continue
    const isUnknown = firstUse === null || (first === null && !isOwner)
    const since = first === null ? firstUse : Math.max(first, firstUse ?? first)
    const begin = since === null ? unknownBegin : 2 * since + Number(isUnknown)
    joinUse(uses, termId, { begin, end: lastUse })
    if (!uses.has(file)) uses.set(file, anyTime)
  }
}

/** Of a file. */
const anyTime: Use = { begin: unknownBegin, end: null }

/** Adds a use. One of the same term is as long as both together. */
function joinUse(uses: UsesByTerm, termId: number, use: Use): void {
  const known = uses.get(termId)
  const joined = known && {
    begin: Math.min(known.begin, use.begin),
    end: known.end === null || use.end === null ? null : Math.max(known.end, use.end),
  }
  uses.set(termId, joined ?? use)
}

function isAfter(date: number | null, other: number | null): boolean {
  return date !== null && other !== null && date > other
}

/**
 * Adds what a user used, except the dependencies that may be lost, `terms`. A file of which one is lost is used while
 * another one of it is.
 */
function keepOthers(
  uses: UsesByTerm,
  before: UsesByTerm,
  terms: ReadonlySet<number | null>,
  files: TermFiles,
): void {
  const filesOfLost = new Set<number | undefined>()
  for (const termId of terms) {
    if (termId !== null && before.has(termId) && !uses.has(termId)) filesOfLost.add(files.get(termId))
  }
  for (const [termId, use] of before) {
    if (terms.has(termId) || filesOfLost.has(termId)) continue
    joinUse(uses, termId, use)
    const file = filesOfLost.size > 0 ? files.get(termId) : undefined
    if (file !== undefined) uses.set(file, anyTime)
  }
}

/** Compares what a user used and uses. Returns undefined if nothing has changed. */
function compareUses(
  before: UsesByTerm,
  after: UsesByTerm,
  isDatedBefore: boolean,
): Omit<ChangedUses, 'userId'> | undefined {
  const termIds = [...after.keys()].sort((a, b) => a - b)
  if (before.size === 0) {
    if (after.size === 0) return undefined
    return {
      uses: writeUses(termIds, after),
      lost: [],
      gained: termIds,
      differing: null,
      isRedated: false,
    }
  }
  const lost = [...before.keys()].filter((termId) => !after.has(termId))
  const gained = termIds.filter((termId) => !before.has(termId))
  const redated = termIds.filter((termId) => {
    const [known, use] = [before.get(termId), after.get(termId)]
    return known !== undefined && (known.begin !== use?.begin || known.end !== use.end)
  })
  if (lost.length + gained.length + redated.length === 0 && isDatedBefore) return undefined
  return {
    uses: writeUses(termIds, after),
    lost,
    gained,
    differing: writeUses([...gained, ...redated], after),
    isRedated: isDatedBefore && redated.length > 0,
  }
}

function writeUses(terms: number[], uses: UsesByTerm): UseColumns {
  const begins = terms.map((termId) => uses.get(termId)?.begin ?? unknownBegin)
  return {
    terms,
    begins: begins.map((begin) => (begin === unknownBegin ? null : begin)),
    ends: terms.map((termId) => uses.get(termId)?.end ?? null),
  }
}
