import type { Fragment, SqlOrTransaction } from '../database/connect.ts'
import { analyzeTables, type DatasetChange } from './pending-change.ts'

/**
 * Updates the postings (dependency_id, user_id): users have the dependencies that repositories declared while the users
 * contributed to them. For `affected_users`, it compares the postings with those that all their repositories imply. For
 * other users, it applies only `changed_postings`, because comparing all their repositories would cost too much.
 * `changed_uses` has the differences.
 */
export async function applyUserDependencies(change: DatasetChange): Promise<void> {
  const { tx } = change
  await tx`analyze affected_users`
  await tx`analyze changed_postings`
  await tx`
    create temporary table changed_uses on commit drop as
    select dependency_id, user_id, present.is_there is null as is_gained
    from (
        select *, true as is_wanted from (${selectUses(tx, tx`select user_id from affected_users`)}) u
      ) wanted
      full join (
        select p.dependency_id, p.user_id, true as is_there from affected_users join dependency_users p using (user_id)
      ) present using (dependency_id, user_id)
    where wanted.is_wanted is null or present.is_there is null`
  const followers = tx`
    (select distinct repository_id from changed_postings) r
      join contributions c using (repository_id) join (
        select * from identities n where not exists (select from affected_users a where a.user_id = n.user_id)
      ) i using (identity)`
  await tx`
    create temporary table following_postings on commit drop as
    with following as materialized (${selectContributors(tx, followers)})
    select distinct u.dependency_id, f.user_id, p.is_gained, ${pairOf(tx, tx`u.dependency_id`, tx`f.user_id`)} as pair
    from changed_postings p join dependencies d on d.id = p.dependency_id join following f using (repository_id),
      lateral (values (d.id), (d.file_dependency_id)) as u(dependency_id)
    where d.file_dependency_id is not null and (not p.is_gained or ${isDeclaredBetween(tx, tx`p`, tx`f`)})`
  await tx`analyze following_postings`
  // Users keep a dependency that they still use through another repository, or at other dates.
  await tx`
    insert into changed_uses
    with lost as materialized (
      select * from following_postings f
      where not is_gained and exists (
        select from dependency_users d where d.dependency_id = f.dependency_id and d.user_id = f.user_id
      )
    ), kept as materialized (
      select distinct pair
      from (${selectUses(tx, tx`select distinct user_id from lost`)}) w
        join lost on pair = ${pairOf(tx, tx`w.dependency_id`, tx`w.user_id`)}
    )
    select dependency_id, user_id, false from lost where not exists (select from kept where kept.pair = lost.pair)
    union all
    select dependency_id, user_id, true from following_postings f
    where is_gained and not exists (
      select from dependency_users d where d.dependency_id = f.dependency_id and d.user_id = f.user_id
    )`
  await tx`analyze changed_uses`
  await tx`
    delete from dependency_users d using changed_uses c
    where not c.is_gained and d.dependency_id = c.dependency_id and d.user_id = c.user_id`
  // Ordered by user, so that the rows that a later load changes lie together.
  await tx`
    insert into dependency_users (dependency_id, user_id)
    select dependency_id, user_id from changed_uses where is_gained order by user_id, dependency_id`
  await analyzeTables(change, ['dependency_users'])
}

/**
 * SQL: the postings that users should have. `users` selects their ids. The posting of a file follows from those of its
 * dependencies, because a file has no dates of its own.
 */
function selectUses(tx: SqlOrTransaction, users: Fragment): Fragment {
  const contributions = tx`(${users}) u join identities i using (user_id) join contributions c using (identity)`
  return tx`
    with used as materialized (
      select distinct d.id as dependency_id, d.file_dependency_id, w.user_id
      from (${selectContributors(tx, contributions)}) w
        join dependency_repositories p using (repository_id) join dependencies d on d.id = p.dependency_id
      where d.file_dependency_id is not null and ${isDeclaredBetween(tx, tx`p`, tx`w`)}
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
      case when count(c.first_date) = count(*) then min(c.first_date) end as first_date,
      case when count(c.last_date) = count(*) then max(c.last_date) end as last_date
    from ${contributions}
    where c.kind = 'owner' or i.user_id not in (select id from users where is_bot)
    group by i.user_id, c.repository_id`
}

/** SQL: whether the dates of a posting and of a contributor overlap. A null date excludes nothing. */
function isDeclaredBetween(tx: SqlOrTransaction, posting: Fragment, contributor: Fragment): Fragment {
  return tx`
    (${posting}.first_use_date > ${contributor}.last_date) is not true
    and (${posting}.last_use_date < ${contributor}.first_date) is not true`
}

/** SQL: one number for a posting. For a join by two columns, the planner overestimates, and sorts millions of rows. */
function pairOf(tx: SqlOrTransaction, dependency: Fragment, user: Fragment): Fragment {
  return tx`(${dependency}::bigint << 32) + ${user}`
}
