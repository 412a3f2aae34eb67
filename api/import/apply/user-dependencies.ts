/**
 * The postings (dependency_id, user_id). A user has the dependencies of each repository that they own or commit to.
 *
 * @module
 */
import type { Fragment, SqlOrTransaction } from '../../database/connect.ts'
import { isKnownUser } from './staged-load.ts'

/** SQL: the postings that users should have, once for each repository. `users` selects their ids. */
function selectWanted(tx: SqlOrTransaction, users: Fragment) {
  return tx`
    select p.dependency_id, w.user_id
    from (
      select distinct i.user_id, c.repository_id
      from (${users}) a(user_id) join identities i using (user_id) join contributions c using (identity)
    ) w join dependency_repositories p using (repository_id)`
}

/**
 * Adds the postings of users who have none yet. They are ordered by user, so that the rows that a later load changes lie
 * together. `users` is SQL that selects their ids, each once.
 */
export async function addUserDependencies(tx: SqlOrTransaction, users: Fragment): Promise<void> {
  await tx`
    insert into dependency_users (dependency_id, user_id)
    select distinct dependency_id, user_id from (${selectWanted(tx, users)}) w order by user_id, dependency_id`
}

/**
 * Applies `changed_postings` of repositories to the users who own them or commit to them. It reads no other postings: a
 * user may have a hundred other repositories.
 */
export async function followChangedPostings(tx: SqlOrTransaction): Promise<void> {
  await tx`analyze changed_postings`
  await tx`
    create temporary table following_postings on commit drop as
    with following as materialized (
      select distinct c.repository_id, i.user_id
      from (select distinct repository_id from changed_postings) r
        join contributions c using (repository_id) join identities i using (identity)
      where ${isKnownUser(tx)}
    )
    select distinct p.dependency_id, f.user_id, p.is_gained, ${pairOf(tx, tx`p.dependency_id`, tx`f.user_id`)} as pair
    from changed_postings p join following f using (repository_id)`
  await tx`analyze following_postings`
  await tx`
    insert into dependency_users (dependency_id, user_id)
    select dependency_id, user_id from following_postings where is_gained order by dependency_id, user_id
    on conflict do nothing`
  await tx`
    create temporary table losing_users on commit drop as
    select distinct user_id from following_postings where not is_gained`
  await tx`analyze losing_users`
  // Users keep what they still have through another repository.
  await tx`
    with kept as materialized (
      select distinct pair
      from (${selectWanted(tx, tx`select user_id from losing_users`)}) w
        join following_postings f on f.pair = ${pairOf(tx, tx`w.dependency_id`, tx`w.user_id`)}
      where not is_gained
    )
    delete from dependency_users d using following_postings f
    where not f.is_gained and d.dependency_id = f.dependency_id and d.user_id = f.user_id
      and not exists (select from kept k where k.pair = f.pair)`
}

/** SQL: one number for a posting. Joined by two columns, the planner overestimates and sorts millions of rows. */
function pairOf(tx: SqlOrTransaction, dependency: Fragment, user: Fragment): Fragment {
  return tx`(${dependency}::bigint << 32) + ${user}`
}

/**
 * Makes the postings of users follow their identities and repositories. `users` is SQL that selects their ids, each once.
 */
export async function refreshUserDependencies(tx: SqlOrTransaction, users: Fragment): Promise<void> {
  await tx`create temporary table affected_users on commit drop as select id as user_id from (${users}) u(id)`
  await tx`analyze affected_users`
  // Most postings stay, so both sets are compared as a whole, and only the differences touch the table.
  await tx`
    create temporary table differing_postings on commit drop as
    select dependency_id, user_id, present.is_there is null as is_missing
    from (
        select distinct dependency_id, user_id, true as is_wanted
        from (${selectWanted(tx, tx`select user_id from affected_users`)}) w
      ) wanted
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
