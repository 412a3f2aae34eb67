import type { Fragment, SqlOrTransaction } from '../database/connect.ts'
import { unknownBegin } from '../sets/use-chunks.ts'
import { analyzeTables, type DatasetChange, noteGains, selectDeclarations } from './pending-change.ts'

/** Updates the dependencies of `affected_users`: those that repositories declared while the users contributed to them. */
export async function applyUserDependencies(change: DatasetChange): Promise<void> {
  const { tx } = change
  await tx`analyze affected_users`
  // The row for all dependencies of a file has no dates: users with any dependency of the file have it.
  await tx`
    create temporary table changed_uses on commit drop as
    with used as materialized (
      select user_id, id, file_dependency_id, nullif(min(coalesce(began, ${unknownBegin}::bigint)), ${unknownBegin}::bigint) as began,
        case when count(*) = count(last_use_date) then max(last_use_date) end as ended
      from (${selectUsesByRepository(tx, tx`select user_id from affected_users`)}) u
      group by user_id, id, file_dependency_id
    )
    select user_id, coalesce(f.dependency_ids, '{}') as lost, f.begins as lost_begins, f.ends as lost_ends,
      coalesce(w.dependency_ids, '{}') as gained, w.begins, w.ends
    from affected_users left join (
      select user_id, array_agg(id order by id) as dependency_ids, array_agg(began order by id) as begins,
        array_agg(ended order by id) as ends
      from (
        select user_id, id, began, ended from used
        union all
        select distinct user_id, file_dependency_id, null::bigint, null::bigint from used
      ) u
      group by user_id
    ) w using (user_id) left join user_dependencies f using (user_id)
    where (coalesce(f.dependency_ids, '{}'), coalesce(f.begins, '{}'), coalesce(f.ends, '{}'))
      <> (coalesce(w.dependency_ids, '{}'), coalesce(w.begins, '{}'), coalesce(w.ends, '{}'))`
  await tx`
    insert into user_dependencies select user_id, gained, coalesce(begins, '{}'), coalesce(ends, '{}') from changed_uses
    on conflict (user_id) do update set
      dependency_ids = excluded.dependency_ids, begins = excluded.begins, ends = excluded.ends`
  await tx`
    insert into set_changes
    select 'users'::list_name, user_id, lost, gained from changed_uses where lost = '{}'
    union all
    select 'users', user_id, array(select unnest(lost) except select unnest(gained)),
      array(select unnest(gained) except select unnest(lost))
    from changed_uses where lost <> '{}'`
  // Other dates of a use are a gain, too, but not those that are derived for the first time.
  await noteGains(
    change,
    'users',
    tx`
      select user_id from changed_uses
      where exists (select unnest(gained) except select unnest(lost)) or lost_begins is not null and exists (
        select * from unnest(gained, begins, ends) except select * from unnest(lost, lost_begins, lost_ends)
      )`,
  )
  const losing = tx`select user_id from changed_uses where exists (select unnest(lost) except select unnest(gained))`
  await noteGains(change, 'users', losing, true)
  await tx`
    insert into use_changes
    select 'users'::list_name, user_id, null from changed_uses where lost = '{}'
    union all
    select 'users', user_id, ${selectDiffering(tx, tx`unnest(lost, lost_begins, lost_ends)`, tx`unnest(gained, begins, ends)`)}
    from changed_uses where lost <> '{}'`
  await analyzeTables(change, ['user_dependencies'])
}

/** SQL: an array of the terms that one of two tables has and the other lacks, or has with other dates. */
export function selectDiffering(tx: SqlOrTransaction, before: Fragment, after: Fragment): Fragment {
  return tx`array(
    select distinct id from (
      (select * from ${before} as b(id, began, ended) except select * from ${after} as a(id, began, ended))
      union all
      (select * from ${after} as a(id, began, ended) except select * from ${before} as b(id, began, ended))
    ) d where id is not null
  )`
}

/**
 * SQL: through which repositories users use dependencies: `user_id`, `repository_id`, `since` in Unix seconds, null: unknown, `began`
 * as `begins` of `user_dependencies` has it, `last_use_date`, and the columns of `dependencies d`. `users` selects `user_id`.
 */
export function selectUsesByRepository(tx: SqlOrTransaction, users: Fragment): Fragment {
  const contributions = tx`(${users}) u join identities i using (user_id) join contributions c using (identity)`
  return tx`
    select w.user_id, w.repository_id, greatest(p.first_use_date, w.first_date) as since,
      2 * greatest(p.first_use_date, w.first_date)
        + (p.first_use_date is null or w.first_date is null and not w.is_owner)::integer as began,
      p.last_use_date, d.*
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
    select i.user_id, c.repository_id, bool_or(c.kind = 'owner') as is_owner,
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
