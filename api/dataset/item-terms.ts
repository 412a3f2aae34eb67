/**
 * The terms of users and repositories: what filters can ask for, except dependencies and the date of the last commit.
 */
import type { ListName } from '../catalog/filters.ts'
import type { Fragment } from '../database/connect.ts'
import { allTerm } from '../sets/stored-sets.ts'
import type { DatasetChange } from './pending-change.ts'

/** Notes in `set_changes` which terms items had, and have. `changed` selects `id`, `old_term_ids` and `term_ids`. */
export async function noteTerms({ tx }: DatasetChange, list: ListName, changed: Fragment): Promise<void> {
  await tx`
    insert into set_changes
    select ${list}::text::list_name, id, coalesce(old_term_ids, '{}'), term_ids
    from (${changed}) c where old_term_ids is distinct from term_ids`
}

/** Replaces the terms of items, and notes the changes. `renewed` selects `id`, `old_term_ids` and `term_ids`. */
export async function replaceTerms(change: DatasetChange, list: ListName, renewed: Fragment): Promise<void> {
  const { tx } = change
  await tx`create temporary table renewed_terms on commit drop as ${renewed}`
  await tx`update ${tx(list)} i set term_ids = r.term_ids from renewed_terms r where i.id = r.id`
  await noteTerms(change, list, tx`select * from renewed_terms`)
  await tx`drop table renewed_terms`
}

/**
 * Notes the terms of changed records, with that of the version. New ones also gain `allTerm`. `changed` also selects
 * `is_new`, and `keeps_version`: whether the record doesn't get the version.
 */
export async function noteRecordTerms(
  { tx, versionTerms }: DatasetChange,
  list: ListName,
  changed: Fragment,
): Promise<void> {
  await tx`
    insert into set_changes
    select ${list}::text::list_name, id, case when has_other_terms then coalesce(old_term_ids, '{}') else '{}' end,
      array_remove(array[
        case when keeps_version is not true then ${versionTerms.changed}::integer end, case when is_new then ${allTerm}::integer end
      ], null) || case when has_other_terms then term_ids else '{}' end
    from (select *, old_term_ids is distinct from term_ids as has_other_terms from (${changed}) c) c
    where has_other_terms or keeps_version is not true`
}

/** Notes that records have changed, but not their terms. `ids` selects their ids. */
export async function noteChanged(
  { tx, versionTerms }: DatasetChange,
  list: ListName,
  ids: Fragment,
): Promise<void> {
  await tx`
    insert into set_changes
    select ${list}::text::list_name, id, '{}', array[${versionTerms.changed}::integer] from (${ids}) c`
}
