/** Finds what filters can name: dependencies and searchable texts, the most used ones first. */
import type { Fragment, Sql, SqlOrTransaction } from '../database/connect.ts'
import { filterNotReady } from '../errors.ts'
import { type DependencyKey, listDependencyKeys, writeDependencyKey } from '../names/dependency-names.ts'
import { searchableTexts, type TextName } from '../names/searchable-texts.ts'
import { uniteSets } from '../sets/set-unions.ts'
import { type SetKey, selectKey } from '../sets/stored-sets.ts'
import { readOneState } from './dataset.ts'
import { selectUnready } from './derived-terms.ts'
import type { ListName } from './filters.ts'
import type { NameCandidate, NameFinder } from './name-list.ts'

/** A dependency, and how many items a filter by its name and its file finds. */
export interface DiscoveredDependency {
  dependency_name: string
  dependency_file: string
  users: number
  repositories: number
}

/** A text that several users have, under its name, and the number of these users. */
export type DiscoveredText = { [Name in TextName]?: string } & {
  /** Of a location: ISO 3166-1 alpha-2. Null: the text names none, or more than one. */
  country?: string | null
  users: number
}

/** What was found, and the version of the dataset that it was found in. */
export interface Discovery<Item> {
  version: number
  items: Item[]
}

/** Which dependencies to find: those whose name begins with a text, or contains it, in any case. */
export interface DependencySearch {
  prefix?: string | undefined
  contains?: string | undefined
  /** Only those that are declared in any of these files. Empty: any file. */
  files: readonly string[]
  limit: number
}

/** A text of fewer users could be one person's. Indexes have those of at least this many. */
const minUsers = 3
/** Dependencies whose users are counted exactly, to find the most used ones. */
const maxCandidates = 100

/** No name has it. The names that begin with a text are sorted between the text and the text with this character. */
const lastCharacter = '\u{10ffff}'

/** A dependency that may be among the most used ones. Its sets may overlap, because it has one for each status. */
interface Candidate {
  dependency_name: string
  dependency_file: string
  /** The keys of its sets, and the sum of their cardinalities. */
  users: { sets: SetKey[]; sum: number }
  repositories: { sets: SetKey[]; sum: number }
}

/** Finds dependencies: by users, then repositories, then name. Those that nobody uses any more are left out. */
export function discoverDependencies(
  sql: Sql,
  names: NameFinder,
  search: DependencySearch,
): Promise<Discovery<DiscoveredDependency>> {
  const { prefix, contains = '', files, limit } = search
  const keys = listDependencyKeys(prefix ?? contains)
  const match = prefix === undefined ? 'contains' : 'prefix'
  const searchDatabase = (reader: SqlOrTransaction) =>
    findMostUsed(reader, selectMostUsed(reader, selectIsMatch(reader, search), limit), limit)
  return readOneState(
    sql,
    async (reader) => {
      const found = await names.find({ keys, match, files, limit, maxCandidates })
      if (found !== undefined) {
        const listed = await findMostUsed(reader, selectListed(reader, found.candidates), limit)
        if (listed === 'outdated' || listed.edition === found.edition) return listed
      }
      const searched = await searchDatabase(reader)
      if (searched !== 'outdated') names.noteEdition(searched.edition)
      return searched
    },
    searchDatabase,
  )
}

/** The dependencies that are used most, and the number of all. */
export interface Ranking extends Discovery<DiscoveredDependency> {
  total: number
  edition: string
}

/**
 * Finds the dependencies that are used most, in a transaction that sees one state. `isMatch` is a condition of their
 * rows.
 */
export async function rankDependencies(
  tx: SqlOrTransaction,
  isMatch: Fragment,
  limit: number,
): Promise<Ranking> {
  const found = await findMostUsed(tx, selectMostUsed(tx, isMatch, limit), limit)
  if (found === 'outdated') throw new Error('the dataset changed within a transaction')
  return found
}

/** Counts the items of the candidates that a select has, and finds the most used ones among them. */
async function findMostUsed(
  sql: SqlOrTransaction,
  candidateRows: Fragment,
  limit: number,
): Promise<Ranking | 'outdated'> {
  const { version, edition, total, candidates } = await readCandidates(sql, candidateRows)
  const users = await countItems(sql, 'users', candidates, edition)
  const repositories = await countItems(sql, 'repositories', candidates, edition)
  if (users === 'outdated' || repositories === 'outdated') return 'outdated'
  const items = candidates
    .map(({ dependency_name, dependency_file }, index) => ({
      dependency_name,
      dependency_file,
      users: users[index] ?? 0,
      repositories: repositories[index] ?? 0,
    }))
    .sort((a, b) => b.users - a.users || b.repositories - a.repositories)
  return { version, edition, total, items: items.slice(0, limit) }
}

/** What the first statement finds. */
interface Found {
  version: number
  edition: string
  /** Of all dependencies that match and are used. */
  total: number
  candidates: Candidate[]
}

/** SQL: whether a row of `dependencies` matches a search. */
function selectIsMatch(sql: SqlOrTransaction, { prefix, contains, files }: DependencySearch): Fragment {
  const conditions = listDependencyKeys(prefix ?? contains ?? '').map((key) => {
    if (prefix === undefined) return containsKey(sql, key)
    const first = writeDependencyKey(key)
    return sql`name_key >= ${first} and name_key < ${first + lastCharacter}`
  })
  const hasName = conditions.reduce((any, condition) => sql`${any} or ${condition}`)
  const hasFile = files.length === 0 ? sql`` : sql`and file = any (${sql.typed.texts(files)})`
  return sql`name <> '' and (${hasName}) ${hasFile}`
}

/** SQL: the dependencies that may be among the most used ones, and the number of all that match. */
function selectMostUsed(sql: SqlOrTransaction, isMatch: Fragment, limit: number): Fragment {
  // A dependency has at most as many users as its sets together, and at least as many as the largest of them.
  return sql`
    with matching as materialized (
      select name_key, file, sum(users_count) as most_users, max(users_count) as fewest_users,
        sum(repositories_count) as most_repositories
      from dependencies
      where ${isMatch} and users_count + repositories_count > 0
      group by name_key, file
    )
    select name_key, file, (select count(*) from matching) as total from matching
    where most_users >= coalesce(
      (select fewest_users from matching order by fewest_users desc offset ${limit - 1}::integer limit 1), 0
    )
    order by fewest_users desc, most_users desc, most_repositories desc, name_key, file limit ${maxCandidates}`
}

/** SQL: the dependencies that were found in the list of names. */
function selectListed(sql: SqlOrTransaction, candidates: readonly NameCandidate[]): Fragment {
  const names = sql.typed.texts(candidates.map(({ name_key }) => name_key))
  const files = sql.typed.texts(candidates.map(({ file }) => file))
  return sql`select name_key, file, 0 as total from unnest(${names}::text[], ${files}::text[]) as listed(name_key, file)`
}

/** Reads candidates, in the order of their names. */
async function readCandidates(sql: SqlOrTransaction, candidateRows: Fragment): Promise<Found> {
  const keys = (list: ListName) => selectKey(sql, 'dependencies', list)
  const [found] = await sql<Found[]>`
    with candidates as materialized (${candidateRows})
    select version, edition, coalesce((select total from candidates limit 1), 0) as total, (
      select coalesce(json_agg(json_build_object(
        'dependency_name', name, 'dependency_file', file,
        'users', json_build_object('sets', coalesce(user_sets, '{}'), 'sum', most_users),
        'repositories', json_build_object('sets', coalesce(repository_sets, '{}'), 'sum', most_repositories)
      ) order by name, file), '[]')
      from (
        select file, sum(users_count) as most_users, sum(repositories_count) as most_repositories,
          (array_agg(name order by users_count desc, name))[1] as name,
          array_agg(${keys('users')}) filter (where users_count > 0) as user_sets,
          array_agg(${keys('repositories')}) filter (where repositories_count > 0) as repository_sets
        from candidates join dependencies using (name_key, file)
        group by name_key, file
      ) named
    ) as candidates
    from dataset`
  if (found === undefined) throw new Error('the dataset row is missing')
  return found
}

/**
 * SQL: whether the column `name_key` is of the key's ecosystem, and has its name as a part. The first test is the
 * fastest.
 */
function containsKey(sql: SqlOrTransaction, { prefix, name }: DependencyKey): Fragment {
  // No folded name begins with a lowercase letter, as prefixes do.
  const isOfEcosystem =
    prefix === ''
      ? sql`ascii(name_key) not between ascii('a') and ascii('z')`
      : sql`starts_with(name_key, ${prefix})`
  return sql`
    strpos(name_key, ${name}) > 0 and ${isOfEcosystem}
      and strpos(substr(name_key, ${prefix.length + 1}::integer), ${name}) > 0`
}

/** Counts the items of each candidate. Only sets that may overlap are read. */
async function countItems(
  sql: SqlOrTransaction,
  list: ListName,
  candidates: readonly Candidate[],
  edition: string,
): Promise<number[] | 'outdated'> {
  const counts = candidates.map((candidate) => candidate[list].sum)
  const places = counts.flatMap((_, index) =>
    (candidates[index]?.[list].sets.length ?? 0) > 1 ? [index] : [],
  )
  if (places.length === 0) return counts
  const unions = places.map((index) => ({ sets: candidates[index]?.[list].sets ?? [] }))
  let next = 0
  for await (const union of uniteSets(sql, list, unions, edition)) {
    if (union === 'outdated') return union
    const place = places[next++]
    if (place !== undefined) counts[place] = union.toIdSet().total
  }
  return counts
}

/**
 * Finds texts of users that contain a text, as the filter `name` compares them: by users, then by the text. Throws
 * `filterNotReady`.
 */
export async function discoverTexts(
  sql: Sql,
  name: TextName,
  { contains, limit }: { contains: string; limit: number },
): Promise<Discovery<DiscoveredText>> {
  const { table, columns, fold } = searchableTexts[name]
  const [text, key, ...others] = columns
  const members = [text, ...others].map((column) => `'${column}', ${column}, `)
  const [found] = await sql<(Discovery<DiscoveredText> & { unready: string[] })[]>`
    select version, ${selectUnready(sql, [name])} as unready, (
      select coalesce(json_agg(json_build_object(${sql.unsafe(members.join(''))} 'users', users_count)
        order by users_count desc, ${sql(text)} collate "C"), '[]')
      from (
        select * from ${sql(table)}
        where users_count >= ${sql.unsafe(String(minUsers))} and strpos(${sql(key)}, ${fold(contains)}) > 0
        order by users_count desc, ${sql(text)} collate "C" limit ${limit}
      ) l
    ) as items
    from dataset`
  if (found === undefined) throw new Error('the dataset row is missing')
  const { unready, ...discovery } = found
  if (unready.length > 0) throw filterNotReady(unready)
  return discovery
}
