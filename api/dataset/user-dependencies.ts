import type { Fragment, SqlOrTransaction } from '../database/connect.ts'
import { copyInto, writeRow } from '../database/copy.ts'
import { planRanges } from '../sets/set-changes.ts'
import { findChangedUses, selectContributors, TermFiles } from './changed-uses.ts'
import { analyzeTables, type DatasetChange, noteGains, selectDeclarations } from './pending-change.ts'

/** Users whose contributions are read at a time. */
const usersPerRange = 5_000

/** Updates the dependencies of `affected_users`: those that repositories declared while the users contributed to them. */
export async function applyUserDependencies(change: DatasetChange): Promise<void> {
  const { tx } = change
  await tx`analyze affected_users`
  await tx`
    create temporary table changed_uses (
      user_id integer, dependency_ids integer[], begins bigint[], ends bigint[],
      lost integer[], gained integer[], differing integer[], is_dated_before boolean
    ) on commit drop`
  const users = `select 'users'::list_name as list, user_id as id, 1 as size from affected_users`
  const files = new TermFiles(tx)
  for (const range of await planRanges(tx, users, usersPerRange)) {
    for await (const changed of findChangedUses(tx, range, files)) {
      await copyInto(
        tx,
        'changed_uses',
        changed.map((user) => writeRow(Object.values(user))),
      )
    }
  }
  await tx`
    insert into user_dependencies select user_id, dependency_ids, begins, ends from changed_uses
    on conflict (user_id) do update set
      dependency_ids = excluded.dependency_ids, begins = excluded.begins, ends = excluded.ends`
  await tx`insert into set_changes select 'users'::list_name, user_id, lost, gained from changed_uses`
  await tx`insert into use_changes select 'users'::list_name, user_id, differing from changed_uses`
  // Other dates of a use are a gain, too, but not those that are derived for the first time.
  const gaining = tx`
    select user_id from changed_uses where gained <> '{}' or is_dated_before and not differing <@ lost`
  await noteGains(change, 'users', gaining)
  await noteGains(change, 'users', tx`select user_id from changed_uses where lost <> '{}'`, true)
  await analyzeTables(change, ['user_dependencies'])
}

/**
 * SQL: through which repositories users use dependencies: `user_id`, `repository_id`, `since` in Unix seconds, null: unknown, and the
 * columns of `dependencies d`.
 */
export function selectUsesByRepository(tx: SqlOrTransaction, userIds: readonly number[]): Fragment {
  const contributors = selectContributors(
    `identities i join contributions c using (identity) where i.user_id = any('{${userIds.join()}}')`,
  )
  return tx`
    select w.user_id, w.repository_id, greatest(p.first_use_date, w.first_date) as since, d.*
    from (${tx.unsafe(contributors)}) w
      join ${selectDeclarations(tx)} p using (repository_id) join dependencies d on d.id = p.dependency_id
    where d.file_dependency_id is not null and ${isDeclaredBetween(tx, tx`p`, tx`w`)}`
}

/** SQL: whether the dates of a declaration and of a contributor overlap. A null date excludes nothing. */
export function isDeclaredBetween(
  tx: SqlOrTransaction,
  declaration: Fragment,
  contributor: Fragment,
): Fragment {
  return tx`
    (${declaration}.first_use_date > ${contributor}.last_date) is not true
    and (${declaration}.last_use_date < ${contributor}.first_date) is not true`
}
