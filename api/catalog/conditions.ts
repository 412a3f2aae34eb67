/**
 * The conditions of a filter, as the sets of the terms that it names. One statement finds them. Each text of a
 * statement stays prepared in each connection, so its text depends on little of the filter.
 */
import type { Fragment, SqlOrTransaction } from '../database/connect.ts'
import { filterNotReady } from '../errors.ts'
import { listStoredKeys } from '../names/dependency-names.ts'
import { identifyLogin } from '../names/forge-names.ts'
import { textNames } from '../names/searchable-texts.ts'
import type { DatedTerm } from '../sets/dated-items.ts'
import type { Union } from '../sets/set-unions.ts'
import { type SetKey, selectKey, selectKeyOfAll, selectVersionTerms } from '../sets/stored-sets.ts'
import { dayOf, secondsPerDay } from './attribute-values.ts'
import { asksChangesAlone, type Filter } from './canonical-filter.ts'
import type { KnownChanges } from './dataset.ts'
import { selectUnready } from './derived-terms.ts'
import { type FilterName, type FilterRow, filterNames, filters, type ListName } from './filters.ts'
import { selectTexts, type TextCandidates } from './text-search.ts'
import { type DatedNames, hasUseWindow } from './use-window.ts'

/** An item must be in the union. If the condition is excluded, it must not. */
export interface Condition extends Union {
  isExcluded: boolean
}

/** The conditions of a filter, and the state of the dataset that they were found in. */
export interface FoundConditions extends KnownChanges {
  edition: string
  /** An item must meet each of these and of `dated`. At least one of all is not excluded. */
  conditions: Condition[]
  /** An item must have a use at the time that the filter asks for: of one of the names in each of these. */
  dated: DatedNames[]
}

/** How to find a condition: its sets and ids are all that these find. */
interface Search {
  isExcluded?: boolean
  attribute?: { name: string; values: readonly string[] }
  /** The attribute with this number or a higher one. */
  minimum?: { name: string; least: number }
  dependencyKeys?: readonly string[]
  /** SQL: keys of sets. */
  sets?: Fragment
  /** SQL: `id` of items. */
  ids?: Fragment
}

/** Finds the conditions of a filter. `candidates` are those of its texts. Throws `filterNotReady`. */
export async function findConditions(
  sql: SqlOrTransaction,
  list: ListName,
  filter: Filter,
  candidates: TextCandidates = {},
): Promise<FoundConditions> {
  const searches = listSearches(sql, list, filter, candidates)
  const isDated = hasUseWindow(filter)
  const dated = isDated && filter.dependency_names !== undefined ? listNames(filter) : []
  if (!isDated && searches.every(({ isExcluded }) => isExcluded)) {
    searches.push({ sets: selectAll(sql) })
  }
  if (filter.changed_since !== undefined)
    searches.push({ sets: selectChanged(sql, filter.changed_since, filter) })
  const [found] = await sql<
    (KnownChanges & {
      edition: string
      unready: string[]
      ofTerms: Found<SetKey>
      others: Found<SetKey>
      ids: Found<number>
      dated: Found<DatedTerm[]>
    })[]
  >`
    select edition, version, ${selectChangesSince(sql, filter)} as "changesSince", ${selectUnready(sql, Object.keys(filter))} as unready,
      ${selectTerms(sql, list, filter, searches)} as "ofTerms",
      ${collect(sql, searches, ({ sets }) => sets)} as others,
      ${collect(sql, searches, ({ ids }) => ids)} as ids,
      ${dated.length === 0 ? sql`'{}'::json` : selectDatedTerms(sql, list, filter, dated)} as dated
    from dataset`
  if (found === undefined) throw new Error('the dataset row is missing')
  const { unready, ofTerms, others, ids, dated: terms, ...dataset } = found
  if (unready.length > 0) throw filterNotReady(unready)
  const conditions = searches.map(({ isExcluded = false }, place) => ({
    isExcluded,
    sets: [...(ofTerms[place] ?? []), ...(others[place] ?? [])],
    ids: ids[place] ?? [],
  }))
  const ofNames = dated.map((_, place) => terms[place] ?? [])
  return { ...dataset, conditions, dated: isDated && dated.length === 0 ? ['all_of_files'] : ofNames }
}

/** What was found for the search at each place. */
type Found<Value> = Record<number, readonly Value[]>

function listSearches(
  sql: SqlOrTransaction,
  list: ListName,
  filter: Filter,
  candidates: TextCandidates,
): Search[] {
  const { owner, contributor, contributed_to: contributedTo } = filter
  return [
    ...(owner === undefined ? [] : [{ ids: selectOwned(sql, owner) }]),
    ...(contributor === undefined ? [] : [{ ids: selectContributions(sql, contributor) }]),
    ...(contributedTo === undefined ? [] : [{ ids: selectContributors(sql, contributedTo) }]),
    ...listDependencySearches(filter),
    ...filterNames.flatMap((name) => listAttributeSearches(sql, list, filters[name], filter[name])),
    ...textNames.flatMap((name) => {
      const texts = filter[name]
      return texts === undefined ? [] : [{ sets: selectTexts(sql, name, texts, candidates[name]) }]
    }),
  ]
}

function listAttributeSearches(
  sql: SqlOrTransaction,
  list: ListName,
  { kind, attribute: name }: FilterRow,
  value: Filter[FilterName],
): Search[] {
  if (name === undefined || value === undefined || kind === 'use') return []
  if (typeof value === 'string') return [{ attribute: { name, values: [value] } }]
  if (typeof value !== 'number') {
    const searched = kind === 'options' ? value.map((option) => [option]) : [value]
    return searched.map((values) => ({ attribute: { name, values } }))
  }
  if (kind === 'minimum') return [{ minimum: { name, least: value } }]
  const day = dayOf(value - 1) + 1 // the first one that is later as a whole
  return [{ minimum: { name, least: day }, ids: selectDated(sql, list, value, day * secondsPerDay) }]
}

/** Lists the names of dependencies that are asked for: of each list, one. */
function listNames({ dependency_names: names = [], dependency_match: match }: Filter): string[][] {
  return match === 'all' ? names.map((name) => [name]) : [[...names]]
}

function listDependencySearches(filter: Filter): Search[] {
  const { dependency_names: names = [], without_dependency_names: without } = filter
  const any = (keys: readonly string[]) => ({ dependencyKeys: keys.flatMap(listStoredKeys) })
  const areDated = hasUseWindow(filter) // `findInWindow` finds these, with the same names, files and status
  const searches: Search[] = names.length === 0 || areDated ? [] : listNames(filter).map(any)
  if (without !== undefined) return [...searches, { ...any(without), isExcluded: true }]
  // A file's row with an empty name has the users and repositories of all its dependencies.
  const hasFiles = names.length === 0 && filter.dependency_files !== undefined && !areDated
  return hasFiles ? [{ dependencyKeys: [''] }] : searches
}

/** SQL: the sets of attributes and dependencies, as a JSON object with an array for each place. */
function selectTerms(
  sql: SqlOrTransaction,
  list: ListName,
  { dependency_files: files, dependency_status: status }: Filter,
  searches: readonly Search[],
): Fragment {
  const attributes = searches.flatMap(({ attribute }, place) =>
    (attribute?.values ?? []).map((value) => ({ place, name: attribute?.name ?? '', value })),
  )
  const minimums = searches.flatMap(({ minimum }, place) =>
    minimum === undefined ? [] : [{ place, ...minimum }],
  )
  const dependencies = searches.flatMap(({ dependencyKeys = [] }, place) =>
    dependencyKeys.map((key) => ({ place, key })),
  )
  return sql`(
    select coalesce(json_object_agg(place, keys), '{}')
    from (
      select place, json_agg(key) as keys
      from (
        select place, ${selectKey(sql, 'attributes', list)} as key
        from unnest(
          ${sql.typed.bigints(attributes.map(({ place }) => place))}, ${sql.typed.texts(attributes.map(({ name }) => name))},
          ${sql.typed.texts(attributes.map(({ value }) => value))}
        ) as asked(place, name, value) join attributes using (name, value)
        union all
        select place, ${selectKey(sql, 'attributes', list)}
        from unnest(
          ${sql.typed.bigints(minimums.map(({ place }) => place))}, ${sql.typed.texts(minimums.map(({ name }) => name))},
          ${sql.typed.bigints(minimums.map(({ least }) => least))}
        ) as asked(place, name, least) join attributes a on a.name = asked.name and number >= least
        union all
        select place, ${selectKey(sql, 'dependencies', list)}
        from unnest(
          ${sql.typed.bigints(dependencies.map(({ place }) => place))},
          ${sql.typed.texts(dependencies.map(({ key }) => key))}
        ) as asked(place, name_key) join dependencies using (name_key)
        where (${status === undefined} or status = ${status ?? ''})
          ${files === undefined ? sql`` : sql`and file = any (${sql.typed.texts(files)})`}
      ) t
      group by place
    ) by_place
  )`
}

/**
 * SQL: for each place of `lists`, the terms of each of its names that an item may have, in the files that are asked
 * for, as a JSON object.
 */
function selectDatedTerms(
  sql: SqlOrTransaction,
  list: ListName,
  { dependency_files: files }: Filter,
  lists: readonly (readonly string[])[],
): Fragment {
  const asked = lists.flatMap((names, place) =>
    names.flatMap((name) => listStoredKeys(name).map((key) => ({ place, name, key }))),
  )
  return sql`(
    select coalesce(json_object_agg(place, groups), '{}')
    from (
      select place, json_agg(terms) as groups
      from (
        select place, json_agg(json_build_object('termId', id, 'status', status)) as terms
        from unnest(
          ${sql.typed.bigints(asked.map(({ place }) => place))}, ${sql.typed.texts(asked.map(({ name }) => name))},
          ${sql.typed.texts(asked.map(({ key }) => key))}
        ) as asked(place, name, name_key) join dependencies d using (name_key)
        where ${list === 'users' ? sql`users_count` : sql`repositories_count`} > 0
          ${files === undefined ? sql`` : sql`and file = any (${sql.typed.texts(files)})`}
        group by place, asked.name
      ) by_name
      group by place
    ) by_place
  )`
}

/** SQL: what `pick` selects for the searches where it does, as a JSON object with an array for each place. */
function collect(
  sql: SqlOrTransaction,
  searches: readonly Search[],
  pick: (search: Search) => Fragment | undefined,
): Fragment {
  const members = searches.flatMap((search, place) => {
    const select = pick(search)
    return select === undefined ? [] : [sql`${place}::integer, array(${select})`]
  })
  return sql`json_build_object(${members.length === 0 ? sql`` : members.reduce((all, member) => sql`${all}, ${member}`)})`
}

function selectAll(sql: SqlOrTransaction): Fragment {
  return sql`select ${selectKeyOfAll(sql)}`
}

/**
 * SQL: the sets of what was added or changed after a version, and beside other filters, of what gained something that
 * these can ask. What was removed stays in all of them.
 */
function selectChanged(sql: SqlOrTransaction, since: number, filter: Filter): Fragment {
  // Without an earlier use, what remains of a dependency may have begun later.
  const asksLosses = filter.without_dependency_names !== undefined || hasUseWindow(filter)
  const lost = asksLosses ? (['lost_term_id'] as const) : []
  const terms = selectVersionTerms(
    asksChangesAlone(filter) ? ['term_id'] : ['term_id', 'gained_term_id', ...lost],
  )
  return sql`${sql.unsafe(terms)} where version > ${since}::bigint`
}

/**
 * SQL: the first version since which changes are known. Versions that an older devdata made don't say what gained
 * something.
 */
function selectChangesSince(sql: SqlOrTransaction, filter: Filter): Fragment {
  if (filter.changed_since === undefined || asksChangesAlone(filter)) return sql`changes_since`
  return sql`
    greatest(changes_since, (select max(version) from dataset_versions where gained_term_id is null))`
}

function selectOwned(sql: SqlOrTransaction, ownerKey: string): Fragment {
  return sql`
    select repository_id from contributions where identity = ${identifyLogin(ownerKey)} and kind = 'owner'`
}

/** SQL: the repositories of which users with these logins are authors or co-authors of a commit. */
function selectContributions(sql: SqlOrTransaction, loginKeys: readonly string[]): Fragment {
  return sql`
    select distinct c.repository_id
    from (${selectNamed(sql, 'users', sql`login_key`, loginKeys)}) u join identities i on i.user_id = u.id
      join contributions c using (identity)
    where c.kind = 'author'`
}

/** SQL: the users who are authors or co-authors of a commit of these repositories. */
function selectContributors(sql: SqlOrTransaction, nameKeys: readonly string[]): Fragment {
  return sql`
    select distinct i.user_id
    from (${selectNamed(sql, 'repositories', sql`full_name_key`, nameKeys)}) r
      join contributions c on c.repository_id = r.id join identities i using (identity)
    where c.kind = 'author'`
}

/**
 * SQL: the ids of the items with these names, of several with the same name the one that was added last, as single
 * look-ups do.
 */
function selectNamed(
  sql: SqlOrTransaction,
  list: ListName,
  column: Fragment,
  keys: readonly string[],
): Fragment {
  return sql`
    select max(id) as id from ${sql(list)} where ${column} = any (${sql.typed.texts(keys)}) group by ${column}`
}

/** SQL: the items whose last commit or push was at `since` or later, but before `until`. Both are Unix seconds. */
function selectDated(sql: SqlOrTransaction, list: ListName, since: number, until: number): Fragment {
  return list === 'users'
    ? sql`select user_id from user_activity where last_date >= ${since}::bigint and last_date < ${until}::bigint`
    : sql`select id from repositories where pushed_at >= ${since}::bigint and pushed_at < ${until}::bigint`
}
