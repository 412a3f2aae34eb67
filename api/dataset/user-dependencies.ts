import type { Fragment, SqlOrTransaction } from '../database/connect.ts'
import { analyzeTables, type DatasetChange, selectDeclarations } from './pending-change.ts'

/**
 * Updates the dependencies of users: those that repositories declared while the users contributed to them. For
 * `affected_users`, it compares what they have with what all their repositories imply. For other users, it applies only
 * `changed_declarations`, because comparing all their repositories would cost too much. `changed_uses` has the differences.
 */
export async function applyUserDependencies(change: DatasetChange): Promise<void> {
  const { tx } = change
  await tx`analyze affected_users`
  await tx`analyze changed_declarations`
  await tx`
    create temporary table changed_uses on commit drop as
    select dependency_id, user_id, present.is_there is null as is_gained
    from (
        select *, true as is_wanted from (${selectUses(tx, tx`select user_id from affected_users`)}) u
      ) wanted
      full join (
        select dependency_id, user_id, true as is_there
        from affected_users join user_dependencies using (user_id), unnest(dependency_ids) as dependency_id
      ) present using (dependency_id, user_id)
    where wanted.is_wanted is null or present.is_there is null`
  const followers = tx`
    (select distinct repository_id from changed_declarations) r
      join contributions c using (repository_id) join (
        select * from identities n where not exists (select from affected_users a where a.user_id = n.user_id)
      ) i using (identity)`
  await tx`
    create temporary table following_uses on commit drop as
    with following as materialized (${selectContributors(tx, followers)})
    select distinct u.dependency_id, f.user_id, p.is_gained, ${pairOf(tx, tx`u.dependency_id`, tx`f.user_id`)} as pair
    from changed_declarations p join dependencies d on d.id = p.dependency_id join following f using (repository_id),
      lateral (values (d.id), (d.file_dependency_id)) as u(dependency_id)
    where d.file_dependency_id is not null and (not p.is_gained or ${isDeclaredBetween(tx, tx`p`, tx`f`)})`
  await tx`analyze following_uses`
  const isUsed = tx`
    exists (select from user_dependencies u where u.user_id = f.user_id and f.dependency_id = any(u.dependency_ids))`
  // Users keep a dependency that they still use through another repository, or at other dates.
  await tx`
    insert into changed_uses
    with lost as materialized (
      select * from following_uses f where not is_gained and ${isUsed}
    ), kept as materialized (
      select distinct pair
      from (${selectUses(tx, tx`select distinct user_id from lost`)}) w
        join lost on pair = ${pairOf(tx, tx`w.dependency_id`, tx`w.user_id`)}
    )
    select dependency_id, user_id, false from lost where not exists (select from kept where kept.pair = lost.pair)
    union all
    select dependency_id, user_id, true from following_uses f where is_gained and not ${isUsed}`
  await tx`analyze changed_uses`
  await tx`
    insert into set_changes
    select 'users'::list_name, user_id, coalesce(array_agg(dependency_id) filter (where not is_gained), '{}'),
      coalesce(array_agg(dependency_id) filter (where is_gained), '{}')
    from changed_uses group by user_id`
  await storeUses(tx, 'changed_uses')
  await analyzeTables(change, ['user_dependencies'])
}

/** Updates the lists of the dependencies of users. `changes` is a table with `dependency_id`, `user_id` and `is_gained`. */
export async function storeUses(tx: SqlOrTransaction, changes: string): Promise<void> {
  await tx`
    insert into user_dependencies
    select user_id, array(
      select distinct id from unnest(f.dependency_ids || c.gained) as id where id <> all (c.lost) order by id
    )
    from (
      select user_id, coalesce(array_agg(dependency_id) filter (where is_gained), '{}') as gained,
        coalesce(array_agg(dependency_id) filter (where not is_gained), '{}') as lost
      from ${tx(changes)} group by user_id
    ) c left join user_dependencies f using (user_id)
    on conflict (user_id) do update set dependency_ids = excluded.dependency_ids`
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
 * SQL: the dependencies that users should have. `users` selects their ids. The row for all dependencies of a file has no dates:
 * users with any dependency of the file have it.
 */
function selectUses(tx: SqlOrTransaction, users: Fragment): Fragment {
  return tx`
    with used as materialized (
      select distinct id as dependency_id, file_dependency_id, user_id from (${selectUsesByRepository(tx, users)}) u
    )
    select dependency_id, user_id from used
    union all
    select distinct file_dependency_id, user_id from used`
}

/**
 * SQL: the dates between which users contributed to repositories, for all their identities together. `contributions`
 * joins `identities i` and `contributions c`. Bots contribute only to repositories that they own.
 */
function selectContributors(tx: SqlOrTransaction, contributions: Fragment): Fragment {
  return tx`
    select i.user_id, c.repository_id,
      case when not bool_or(c.excludes_nothing) then min(c.first_date) end as first_date,
      case when not bool_or(c.excludes_nothing) then max(c.last_date) end as last_date
    from ${contributions}
    where c.kind = 'owner' or i.user_id not in (select id from users where is_bot)
    group by i.user_id, c.repository_id`
}

/** SQL: whether the dates of a declaration and of a contributor overlap. A null date excludes nothing. */
function isDeclaredBetween(tx: SqlOrTransaction, declaration: Fragment, contributor: Fragment): Fragment {
  return tx`
    (${declaration}.first_use_date > ${contributor}.last_date) is not true
    and (${declaration}.last_use_date < ${contributor}.first_date) is not true`
}

/** SQL: one number for a use. For a join by two columns, the planner overestimates, and sorts millions of rows. */
function pairOf(tx: SqlOrTransaction, dependency: Fragment, user: Fragment): Fragment {
  return tx`(${dependency}::bigint << 32) + ${user}`
}
