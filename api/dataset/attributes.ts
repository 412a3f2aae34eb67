/**
 * The attributes of users and repositories: what records say, and the terms of that.
 *
 * @module
 */
import {
  type AttributeName,
  dayOf,
  isLonger,
  maxFilterTextLength,
  nullableUserFields,
} from '../catalog/attributes.ts'
import type { ListName } from '../catalog/filter.ts'
import { allTerm } from '../catalog/stored-sets.ts'
import type { Fragment, SqlOrTransaction } from '../database/connect.ts'
import { foldText } from '../names/case-folding.ts'
import { analyzeTables, type DatasetChange } from './pending-change.ts'
import type { RepositoryRecord, UserRecord } from './records.ts'

type Attribute = [name: AttributeName, value: string]

/** The columns of attributes in the staging tables. They are parallel to each other. */
export interface AttributeColumns {
  attribute_names: string[]
  attribute_values: string[]
}

/** Lists the attributes of a user, but for the country. */
export function createUserAttributes(user: UserRecord, isBot: boolean): AttributeColumns {
  return createColumns([
    ...listType(user, isBot),
    ...nullableUserFields
      .filter((field) => (user[field] ?? '') !== '')
      .map((field): Attribute => ['has', field]),
    ...listCount('followers', user.followers),
  ])
}

/** Lists the attribute `type`, if the user has it. Every program is of type `Bot`. */
export function listType({ type }: Pick<UserRecord, 'type'>, isBot: boolean): Attribute[] {
  return listText('type', isBot ? 'Bot' : type)
}

/** Lists the attributes of a repository. */
export function createRepositoryAttributes(
  repository: Omit<RepositoryRecord, 'dependencies'>,
): AttributeColumns {
  const { language, license, fork, archived, stargazers_count, pushed_at } = repository
  return createColumns([
    ...listText('language', language),
    ...listText('license', license),
    ...listFlag('fork', fork),
    ...listFlag('archived', archived),
    ...listCount('stars', stargazers_count),
    ...(pushed_at === null ? [] : [['pushed_day', String(dayOf(pushed_at))] satisfies Attribute]),
  ])
}

function createColumns(attributes: readonly Attribute[]): AttributeColumns {
  return {
    attribute_names: attributes.map(([name]) => name),
    attribute_values: attributes.map(([, value]) => value),
  }
}

/** Texts as requests have them: without white space at their ends. */
function listText(name: AttributeName, text: string | null): Attribute[] {
  const trimmed = text?.trim() ?? ''
  return trimmed === '' || isLonger(trimmed, maxFilterTextLength) ? [] : [[name, foldText(trimmed)]]
}

function listFlag(name: AttributeName, flag: boolean | null): Attribute[] {
  return flag === null ? [] : [[name, String(flag)]]
}

function listCount(name: AttributeName, count: number | null): Attribute[] {
  return count === null || count === 0 ? [] : [[name, String(count)]]
}

/** Two tables that share `position`: that of the changed records, and their staging table. */
interface ChangedRecords {
  changed: string
  staged: string
  /** SQL: a staged record's JSON text. */
  record: Fragment
}

/** Adds attributes that changed records are the first to have. */
export async function addNewAttributes(
  change: DatasetChange,
  { changed, staged, record }: ChangedRecords,
): Promise<void> {
  const { tx } = change
  await tx`
    insert into attributes (name, value, spelling)
    select name, value, btrim(${record}::json ->> name, e' \\t\\r\\n')
    from (
      select n.name, n.value, min(position) as position
      from ${tx(changed)} c join ${tx(staged)} s using (position),
        unnest(s.attribute_names, s.attribute_values) as n(name, value)
      where not exists (select from attributes a where a.name = n.name and a.value = n.value)
      group by n.name, n.value
    ) added join ${tx(staged)} using (position)`
  await analyzeTables(change, ['attributes'])
}

/**
 * SQL: `position` and `term_ids` of changed records: the terms of their attributes, and of what `others` selects as `position`
 * and `term_id`.
 */
export function selectTerms(
  tx: SqlOrTransaction,
  { changed, staged }: Pick<ChangedRecords, 'changed' | 'staged'>,
  others = tx`select position, null::integer as term_id from ${tx(changed)} c`,
): Fragment {
  return tx`
    select position, coalesce(array_agg(term_id) filter (where term_id is not null), '{}') as term_ids
    from (
      ${others}
      union all
      select position, a.id
      from ${tx(changed)} c join ${tx(staged)} s using (position),
        unnest(s.attribute_names, s.attribute_values) as n(name, value) join attributes a using (name, value)
    ) t
    group by position`
}

/** SQL: the assignments that give a staged repository the attributes of the stored repository `r`. */
export function copyAttributes(tx: SqlOrTransaction): Fragment {
  return tx`
    pushed_at = r.pushed_at,
    attribute_names = array(select name from attributes where id = any(r.term_ids) order by id),
    attribute_values = array(select value from attributes where id = any(r.term_ids) order by id)`
}

/** Notes in `set_changes` which terms items have lost and gained. `changed` selects `id`, `old_term_ids` and `term_ids`. */
export async function noteTerms({ tx }: DatasetChange, list: ListName, changed: Fragment): Promise<void> {
  await tx`
    insert into set_changes
    select term_id, ${list}::text::list_name, id, is_gained
    from (${changed}) c, lateral (
      select term_id, false as is_gained from unnest(old_term_ids) as term_id where term_id <> all (term_ids)
      union all
      select term_id, true from unnest(term_ids) as term_id where term_id = any (old_term_ids) is not true
    ) change`
}

/**
 * Notes in `set_changes` which terms changed records have lost and gained. New ones also gain the term of everything. `terms` is a
 * table of what `selectTerms` selects.
 */
export function noteRecordTerms(
  change: DatasetChange,
  list: ListName,
  { changed, terms }: { changed: string; terms: string },
): Promise<void> {
  const { tx } = change
  return noteTerms(
    change,
    list,
    tx`
      select id, old_term_ids, case when is_new then ${allTerm}::integer || term_ids else term_ids end as term_ids
      from ${tx(changed)} join ${tx(terms)} using (position)`,
  )
}
