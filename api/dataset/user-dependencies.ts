import type { Fragment, SqlOrTransaction } from '../database/connect.ts'
import { copyWhileMade, listColumns, RowBuffer, type WrittenRow } from '../database/row-buffer.ts'
import { type ChangedUses, findChangedUses, selectContributors } from './changed-uses.ts'
import {
  analyzeTables,
  type DatasetChange,
  noteGained,
  noteLost,
  selectDeclarations,
  setChangeColumns,
  useChangeColumns,
} from './pending-change.ts'

const columns = listColumns({
  user_id: 'integer',
  dependency_ids: 'integer[]',
  begins: 'bigint[]',
  ends: 'bigint[]',
})

/** Updates what users use: the dependencies that repositories declared while the users contributed to them. */
export async function applyUserDependencies(change: DatasetChange): Promise<void> {
  const { tx } = change
  const noted = { sets: new RowBuffer(), uses: new RowBuffer(), gaining: [], losing: [] }
  for await (const { updated, added } of findChangedUses(tx)) {
    const ids = updated.map(({ userId }) => userId)
    await tx`delete from user_dependencies where user_id = any (${tx.typed.bigints(ids)}::integer[])`
    await copyWhileMade(tx, 'user_dependencies', columns, noteChanges([updated, added], noted))
    await noted.sets.copyInto(tx, 'set_changes')
    await noted.uses.copyInto(tx, 'use_changes')
    const select = (userIds: number[]) => tx`select unnest(${tx.typed.bigints(userIds)}::integer[])`
    const [gaining, losing] = [noted.gaining.splice(0), noted.losing.splice(0)]
    if (gaining.length > 0) await noteGained(change, 'users', select(gaining))
    if (losing.length > 0) await noteLost(change, select(losing))
  }
  await analyzeTables(change, ['user_dependencies'])
}

/** What the rest of the load has to bring up to date. */
interface NotedChanges {
  sets: RowBuffer
  uses: RowBuffer
  /**
   * Users who gained something. Other dates of a use are a gain, too, but not those that are derived for the first
   * time.
   */
  gaining: number[]
  losing: number[]
}

/** Yields the rows of users, and notes how what they use has changed. */
function* noteChanges(
  parts: readonly Iterable<ChangedUses>[],
  noted: NotedChanges,
): Generator<WrittenRow, void> {
  for (const users of parts) {
    for (const { userId, uses, lost, gained, differing, isRedated } of users) {
      yield { user_id: userId, dependency_ids: uses.terms, begins: uses.begins, ends: uses.ends }
      const item = { list: 'users', id: userId }
      noted.sets.add(setChangeColumns, { ...item, lost, gained })
      noted.uses.add(useChangeColumns, { ...item, lost, ...differing })
      if (gained.length > 0 || isRedated) noted.gaining.push(userId)
      if (lost.length > 0) noted.losing.push(userId)
    }
  }
}

/**
 * SQL: through which repositories users use dependencies: `user_id`, `repository_id`, `begin`, a `UseBegin`, null if
 * nothing is known of it, and the columns of `dependencies d`. `addUses` in changed-uses.ts has the same rule.
 */
export function selectUsesByRepository(tx: SqlOrTransaction, userIds: readonly number[]): Fragment {
  const contributors = selectContributors(
    `identities i join contributions c using (identity) where i.user_id = any('{${userIds.join()}}')`,
  )
  return tx`
    select w.user_id, w.repository_id, d.*, 2 * greatest(p.first_use_date, w.first_date)
      + (p.first_use_date is null or (w.first_date is null and not w.is_owner))::integer as begin
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
