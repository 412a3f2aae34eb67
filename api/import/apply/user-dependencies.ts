import type { Fragment, SqlOrTransaction } from '../../database/connect.ts'

/**
 * Brings the postings of some users in line with the repositories that they work on.
 * `users` is SQL: a query of their `user_id`, each once.
 */
export async function refreshUserDependencies(tx: SqlOrTransaction, users: Fragment): Promise<void> {
  await tx`create temporary table affected_users on commit drop as ${users}`
  await tx`analyze affected_users`
  await tx`
    create temporary table wanted_postings on commit drop as
    select distinct i.user_id, p.dependency_id
    from affected_users a
    join identities i using (user_id)
    join contributions c using (identity)
    join dependency_repositories p using (repository_id)`
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
