import type { Fragment, SqlOrTransaction } from '../../database/connect.ts'
import { analyzeTables, type Load } from './staged-load.ts'

/**
 * Updates the postings (dependency_id, user_id): a user has the dependencies of each repository that they own or commit
 * to. For `affected_users`, it reads all their repositories. Other users follow `changed_postings`: they may have a hundred
 * repositories that the load leaves alone.
 */
export async function applyUserDependencies(tx: SqlOrTransaction, load: Load): Promise<void> {
  await tx`analyze affected_users`
  await tx`
    create temporary table following_postings on commit drop as
    with following as materialized (
      select distinct c.repository_id, i.user_id
      from (select distinct repository_id from changed_postings) r
        join contributions c using (repository_id) join identities i using (identity)
    )
    select distinct p.dependency_id, f.user_id, p.is_gained
    from changed_postings p join following f using (repository_id)`
  await tx`analyze following_postings`
  await tx`
    create temporary table doubtful_postings on commit drop as
    select dependency_id, user_id, ${pairOf(tx)} as pair from following_postings where not is_gained
    union
    select dependency_id, user_id, ${pairOf(tx)} from affected_users join dependency_users using (user_id)`
  await tx`analyze doubtful_postings`
  // Ordered by user, so that the rows that a later load changes lie together.
  await tx`
    insert into dependency_users (dependency_id, user_id)
    select distinct dependency_id, user_id
    from (
      ${selectWanted(tx, tx`select user_id from affected_users`)}
      union all
      select dependency_id, user_id from following_postings where is_gained
    ) wanted
    where not exists (
      select from dependency_users d where d.dependency_id = wanted.dependency_id and d.user_id = wanted.user_id
    )
    order by user_id, dependency_id`
  // Users keep what they still have through another repository.
  await tx`
    with kept as materialized (
      select distinct ${pairOf(tx)} as pair
      from (${selectWanted(tx, tx`select distinct user_id from doubtful_postings`)}) wanted
      where ${pairOf(tx)} in (select pair from doubtful_postings)
    )
    delete from dependency_users d using doubtful_postings l
    where d.dependency_id = l.dependency_id and d.user_id = l.user_id
      and not exists (select from kept k where k.pair = l.pair)`
  await analyzeTables(tx, load, ['dependency_users'])
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
function pairOf(tx: SqlOrTransaction): Fragment {
  return tx`(dependency_id::bigint << 32) + user_id`
}
