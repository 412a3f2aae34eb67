import type { Fragment, SqlOrTransaction } from '../../database/connect.ts'

/** SQL: the postings that some users must have. `users` is SQL: a query of their ids. */
function selectWanted(tx: SqlOrTransaction, users: Fragment) {
  return tx`
    select distinct p.dependency_id, w.user_id, true as is_wanted
    from (
      select distinct i.user_id, c.repository_id
      from (${users}) a(user_id) join identities i using (user_id) join contributions c using (identity)
    ) w join dependency_repositories p using (repository_id)`
}

/** Adds the postings of users who have none yet. `users` is SQL: a query of their ids, each once. */
export async function addUserDependencies(tx: SqlOrTransaction, users: Fragment): Promise<void> {
  await tx`
    insert into dependency_users (dependency_id, user_id)
    select dependency_id, user_id from (${selectWanted(tx, users)}) w order by dependency_id, user_id`
}

/**
 * Brings the postings of some users in line with the repositories that they work on.
 * `users` is SQL: a query of their ids, each once.
 */
export async function refreshUserDependencies(tx: SqlOrTransaction, users: Fragment): Promise<void> {
  await tx`create temporary table affected_users on commit drop as select id as user_id from (${users}) u(id)`
  await tx`analyze affected_users`
  // Most of their postings stay: the two sets are compared as a whole, and the index is asked for the difference alone.
  await tx`
    create temporary table differing_postings on commit drop as
    select dependency_id, user_id, present.is_there is null as is_missing
    from (${selectWanted(tx, tx`select user_id from affected_users`)}) wanted
      full join (
        select p.dependency_id, p.user_id, true as is_there from affected_users join dependency_users p using (user_id)
      ) present using (dependency_id, user_id)
    where wanted.is_wanted is null or present.is_there is null`
  await tx`analyze differing_postings`
  await tx`
    delete from dependency_users p using differing_postings d
    where not d.is_missing and p.dependency_id = d.dependency_id and p.user_id = d.user_id`
  await tx`
    insert into dependency_users (dependency_id, user_id)
    select dependency_id, user_id from differing_postings where is_missing order by dependency_id, user_id`
}
