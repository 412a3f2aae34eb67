import type { Fragment, SqlOrTransaction } from '../database/connect.ts'
import { copyWhileMade, listColumns, RowBuffer, type WrittenRow } from '../database/row-buffer.ts'
import { planRanges } from '../sets/set-changes.ts'
import { type ComputedUses, replaceUses, selectContributors, TermFiles } from './changed-uses.ts'
import {
  analyzeTables,
  type DatasetChange,
  noteGains,
  selectDeclarations,
  setChangeColumns,
  useChangeColumns,
} from './pending-change.ts'

/** Users whose contributions are read at a time. */
const usersPerRange = 5_000

const columns = listColumns({
  user_id: 'integer',
  dependency_ids: 'integer[]',
  begins: 'bigint[]',
  ends: 'bigint[]',
})

/**
 * Updates the dependencies of `affected_users`: those that repositories declared while the users contributed to them.
 */
export async function applyUserDependencies(change: DatasetChange): Promise<void> {
  const { tx } = change
  await tx`analyze affected_users`
  const affected = `select 'users'::list_name as list, user_id as id, 1 as size from affected_users`
  const files = new TermFiles(tx)
  const noted = { sets: new RowBuffer(), uses: new RowBuffer(), gaining: [], losing: [] }
  for (const range of await planRanges(tx, affected, usersPerRange)) {
    for await (const users of replaceUses(tx, range, files)) {
      await copyWhileMade(tx, 'user_dependencies', columns, noteChanges(users, noted))
      await noted.sets.copyInto(tx, 'set_changes')
      await noted.uses.copyInto(tx, 'use_changes')
    }
    await noteUsers(change, noted.gaining.splice(0), false)
    await noteUsers(change, noted.losing.splice(0), true)
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
function* noteChanges(users: Iterable<ComputedUses>, noted: NotedChanges): Generator<WrittenRow, void> {
  for (const { change, ...row } of users) {
    yield row
    if (change === undefined) continue
    const { lost, gained, differing, isRedated } = change
    const item = { list: 'users', id: row.user_id }
    noted.sets.add(setChangeColumns, { ...item, lost, gained })
    noted.uses.add(useChangeColumns, { ...item, terms: differing })
    if (gained.length > 0 || isRedated) noted.gaining.push(row.user_id)
    if (lost.length > 0) noted.losing.push(row.user_id)
  }
}

async function noteUsers(change: DatasetChange, ids: readonly number[], isLoss: boolean): Promise<void> {
  if (ids.length === 0) return
  const { tx } = change
  await noteGains(change, 'users', tx`select unnest(${tx.typed.bigints(ids)}::integer[])`, isLoss)
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
