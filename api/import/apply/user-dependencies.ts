import type { Fragment, SqlOrTransaction } from '../../database/connect.ts'

/** SQL: the postings that some users must have. `users` is SQL: a query of their ids. */
function selectWanted(tx: SqlOrTransaction, users: Fragment) {
  return tx`
    select distinct p.dependency_id, w.user_id
    from (
      select distinct i.user_id, c.repository_id
      from (${users}) a(user_id) join identities i using (user_id) join contributions c using (identity)
    ) w join dependency_repositories p using (repository_id)`
}

/** Adds the postings of users who have none yet. `users` is SQL: a query of their ids, each once. */
export async function addUserDependencies(tx: SqlOrTransaction, users: Fragment): Promise<void> {
  await tx`analyze contributions`
  await tx`analyze dependency_repositories`
  await tx`
    insert into dependency_users (dependency_id, user_id)
    ${selectWanted(tx, users)} order by dependency_id, user_id`
}

/**
 * Brings the postings of some users in line with the repositories that they work on.
 * `users` is SQL: a query of their ids, each once.
 */
export async function refreshUserDependencies(tx: SqlOrTransaction, users: Fragment): Promise<void> {
  await tx`create temporary table affected_users on commit drop as select id as user_id from (${users}) u(id)`
  await tx`analyze affected_users`
  await tx`
    create temporary table wanted_postings on commit drop as
    ${selectWanted(tx, tx`select user_id from affected_users`)}`
  await tx`create index on wanted_postings (user_id, dependency_id)`
  await tx`analyze wanted_postings`
  await tx`
    delete from dependency_users p using affected_users a
    where p.user_id = a.user_id
      and not exists (select from wanted_postings w where w.user_id = p.user_id and w.dependency_id = p.dependency_id)`
  await tx`
    insert into dependency_users (dependency_id, user_id)
    select dependency_id, user_id from wanted_postings order by dependency_id, user_id
    on conflict do nothing`
}
