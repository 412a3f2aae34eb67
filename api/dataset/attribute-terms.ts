/**
 * The attributes of users and repositories: what records say, and the terms of that.
 *
 * @module
 */
import { dayOf, isLonger, maxFilterTextLength, nullableUserFields } from '../catalog/attribute-values.ts'
import {
  type AttributeField,
  type AttributeName,
  type FilterRow,
  filterNames,
  filters,
  type ListName,
} from '../catalog/filters.ts'
import type { Fragment, SqlOrTransaction } from '../database/connect.ts'
import { foldText } from '../names/case-folding.ts'
import { allTerm } from '../sets/stored-sets.ts'
import { analyzeTables, type DatasetChange } from './pending-change.ts'
import type { RepositoryRecord, UserRecord } from './records.ts'

type Attribute = [name: string, value: string]

/** Fields that records must have, because they are attributes. */
type FieldsOf<List extends ListName> = Record<AttributeField<List>, FieldValue>

const has: AttributeName = 'has'

/** The columns of attributes in the staging tables. They are parallel to each other. */
export interface AttributeColumns {
  attribute_names: string[]
  attribute_values: string[]
}

/** Lists the attributes of a user, but for the country and the day of the last commit. Every program is of type `Bot`. */
export function createUserAttributes(user: UserRecord, isBot: boolean): AttributeColumns {
  const fields: FieldsOf<'users'> = user
  return createColumns([
    ...listAttributes('users', { ...fields, type: typeOf(user, isBot) }),
    ...nullableUserFields
      .filter((field) => (user[field] ?? '') !== '')
      .map((field): Attribute => [has, field]),
  ])
}

/** The type that a user is found by. */
export function typeOf({ type }: Pick<UserRecord, 'type'>, isBot: boolean): string {
  return isBot ? 'Bot' : type
}

/** Lists the attributes of a repository. */
export function createRepositoryAttributes(
  repository: Omit<RepositoryRecord, 'dependencies'>,
): AttributeColumns {
  const fields: FieldsOf<'repositories'> = repository
  return createColumns(listAttributes('repositories', fields))
}

/** Arranges attributes as the staging tables have them. */
export function createColumns(attributes: readonly Attribute[]): AttributeColumns {
  return {
    attribute_names: attributes.map(([name]) => name),
    attribute_values: attributes.map(([, value]) => value),
  }
}

/** The value of a field of records. */
export type FieldValue = string | number | boolean | null

/** The attributes that are fields of a list's records. */
const fieldAttributes = {
  users: listFieldAttributes('users'),
  repositories: listFieldAttributes('repositories'),
}

function listFieldAttributes(list: ListName) {
  return filterNames.flatMap((name) => {
    const { kind, attribute, field, ...row }: FilterRow = filters[name]
    return row.list !== list || field === undefined || attribute === undefined
      ? []
      : [{ kind, attribute, field }]
  })
}

/** Lists the fields of a list's records that are these attributes. */
export function listFields(list: ListName, attributes: readonly string[]): string[] {
  return fieldAttributes[list]
    .filter(({ attribute }) => attributes.includes(attribute))
    .map(({ field }) => field)
}

/** Lists the attributes of an item that are fields of its record. */
export function listAttributes(list: ListName, fields: Readonly<Record<string, FieldValue>>): Attribute[] {
  return fieldAttributes[list].flatMap(({ kind, attribute, field }): Attribute[] => {
    const value = toAttributeValue(kind, fields[field] ?? null)
    return value === undefined ? [] : [[attribute, value]]
  })
}

/** Returns the value of an attribute that a field is. Undefined: the item doesn't have the attribute. */
export function toAttributeValue(kind: FilterRow['kind'], value: FieldValue): string | undefined {
  if (typeof value === 'boolean') return String(value)
  if (typeof value === 'number') {
    const number = kind === 'time' ? dayOf(value) : value
    return kind === 'minimum' && number === 0 ? undefined : String(number)
  }
  const text = value?.trim() ?? '' // as in requests: without white space at its ends
  return text === '' || isLonger(text, maxFilterTextLength) ? undefined : foldText(text)
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
    select ${list}::text::list_name, id, coalesce(old_term_ids, '{}'), term_ids
    from (${changed}) c where old_term_ids is distinct from term_ids`
}

/** Gives items other terms. `renewed` selects `id`, `old_term_ids` and `term_ids`. */
export async function replaceTerms(change: DatasetChange, list: ListName, renewed: Fragment): Promise<void> {
  const { tx } = change
  await tx`create temporary table renewed_terms on commit drop as ${renewed}`
  await tx`update ${tx(list)} i set term_ids = r.term_ids from renewed_terms r where i.id = r.id`
  await noteTerms(change, list, tx`select * from renewed_terms`)
  await tx`drop table renewed_terms`
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
