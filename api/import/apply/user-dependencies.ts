import type { Fragment, SqlOrTransaction } from '../../database/connect.ts'
import { analyzeTables, type DatasetChange } from './dataset-change.ts'

/**
 * Updates the postings (dependency_id, user_id): a user has the dependencies of each repository that they own or commit
 * to. For `affected_users`, it compares what they have with all their repositories. For other users, it applies
 * only `changed_postings`, because comparing all their repositories would cost too much. `changed_uses` has the differences.
 */
export async function applyUserDependencies(change: DatasetChange): Promise<void> {
  const { tx } = change
  await tx`analyze affected_users`
  await tx`analyze changed_postings`
  await tx`
    create temporary table changed_uses on commit drop as
    select dependency_id, user_id, present.is_there is null as is_gained
    from (
        select distinct dependency_id, user_id, true as is_wanted
        from (${selectWanted(tx, tx`select user_id from affected_users`)}) w
      ) wanted
      full join (
        select p.dependency_id, p.user_id, true as is_there from affected_users join dependency_users p using (user_id)
      ) present using (dependency_id, user_id)
    where wanted.is_wanted is null or present.is_there is null`
  await tx`
    create temporary table following_postings on commit drop as
    with following as materialized (
      select distinct c.repository_id, i.user_id
      from (select distinct repository_id from changed_postings) r
        join contributions c using (repository_id) join identities i using (identity)
      where not exists (select from affected_users a where a.user_id = i.user_id)
    )
    select distinct p.dependency_id, f.user_id, p.is_gained, ${pairOf(tx, tx`p.dependency_id`, tx`f.user_id`)} as pair
    from changed_postings p join following f using (repository_id)`
  await tx`analyze following_postings`
  // Users keep what they still have through another repository.
  await tx`
    insert into changed_uses
    with lost as materialized (
      select * from following_postings where not is_gained
    ), kept as materialized (
      select distinct pair
      from (${selectWanted(tx, tx`select distinct user_id from lost`)}) w
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

/** SQL: the postings that users should have, once for each repository. `users` selects their ids. */
function selectWanted(tx: SqlOrTransaction, users: Fragment): Fragment {
  return tx`
    select p.dependency_id, w.user_id
    from (
      select distinct i.user_id, c.repository_id
      from (${users}) u join identities i using (user_id) join contributions c using (identity)
    ) w join dependency_repositories p using (repository_id)`
}

/** SQL: one number for a posting. Joined by two columns, the planner overestimates and sorts millions of rows. */
function pairOf(tx: SqlOrTransaction, dependency: Fragment, user: Fragment): Fragment {
  return tx`(${dependency}::bigint << 32) + ${user}`
}
