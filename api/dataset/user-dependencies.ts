import type { Fragment, SqlOrTransaction } from '../database/connect.ts'
import { analyzeTables, type DatasetChange, noteGains, selectDeclarations } from './pending-change.ts'

/** Updates the dependencies of `affected_users`: those that repositories declared while the users contributed to them. */
export async function applyUserDependencies(change: DatasetChange): Promise<void> {
  const { tx } = change
  await tx`analyze affected_users`
  // The row for all dependencies of a file has no dates: users with any dependency of the file have it.
  await tx`
    create temporary table changed_uses on commit drop as
    with used as materialized (
      select distinct user_id, id, file_dependency_id
      from (${selectUsesByRepository(tx, tx`select user_id from affected_users`)}) u
    )
    select user_id, coalesce(f.dependency_ids, '{}') as lost, coalesce(w.dependency_ids, '{}') as gained
    from affected_users left join (
      select user_id, array_agg(id order by id) as dependency_ids
      from (select user_id, id from used union all select distinct user_id, file_dependency_id from used) u
      group by user_id
    ) w using (user_id) left join user_dependencies f using (user_id)
    where coalesce(f.dependency_ids, '{}') <> coalesce(w.dependency_ids, '{}')`
  await tx`
    insert into user_dependencies select user_id, gained from changed_uses
    on conflict (user_id) do update set dependency_ids = excluded.dependency_ids`
  await tx`
    insert into set_changes
    select 'users'::list_name, user_id, lost, gained from changed_uses where lost = '{}'
    union all
    select 'users', user_id, array(select unnest(lost) except select unnest(gained)),
      array(select unnest(gained) except select unnest(lost))
    from changed_uses where lost <> '{}'`
  await noteGains(change, 'users', tx`select user_id from changed_uses where not gained <@ lost`)
  await noteGains(change, 'users', tx`select user_id from changed_uses where not lost <@ gained`, true)
  await analyzeTables(change, ['user_dependencies'])
}

/**
 * SQL: through which repositories users use dependencies: `user_id`, `repository_id`, `since` in Unix seconds, null: unknown, and
 * the columns of `dependencies d`. `users` selects `user_id`.
 */
export function selectUsesByRepository(tx: SqlOrTransaction, users: Fragment): Fragment {
  const contributions = tx`(${users}) u join identities i using (user_id) join contributions c using (identity)`
  return tx`
    select w.user_id, w.repository_id, greatest(p.first_use_date, w.first_date) as since, d.*
    from (${selectContributors(tx, contributions)}) w
      join ${selectDeclarations(tx)} p using (repository_id) join dependencies d on d.id = p.dependency_id
    where d.file_dependency_id is not null and ${isDeclaredBetween(tx, tx`p`, tx`w`)}`
}

/**
 * SQL: the dates between which users contributed to repositories, for all their identities together. `contributions`
 * joins `identities i` and `contributions c`. Bots contribute only to repositories that they own.
 */
export function selectContributors(tx: SqlOrTransaction, contributions: Fragment): Fragment {
  return tx`
    select i.user_id, c.repository_id,
      case when not bool_or(c.excludes_nothing) then min(c.first_date) end as first_date,
      case when not bool_or(c.excludes_nothing) then max(c.last_date) end as last_date
    from ${contributions}
    where c.kind = 'owner' or i.user_id not in (select id from users where is_bot)
    group by i.user_id, c.repository_id`
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
