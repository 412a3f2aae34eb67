/**
 * Removes users, repositories and commits, with all that was derived from them.
 *
 * @module
 */
import type { Fragment } from '../../database/connect.ts'
import type { DatasetChange } from './dataset-change.ts'

/** Removes users. `ids` selects their ids, as the column `id`, without duplicates. Their commits and repositories stay. */
export async function removeUsers({ tx, version, removed }: DatasetChange, ids: Fragment): Promise<void> {
  await tx`create temporary table removed_users on commit drop as ${ids}`
  await tx`analyze removed_users`
  await tx`
    insert into removals (kind, forge_rest_id, version)
    select 'user', forge_rest_id, ${version} from removed_users join users using (id) order by id`
  await tx`delete from dependency_users using removed_users r where user_id = r.id`
  await tx`delete from identities using removed_users r where user_id = r.id`
  await tx`
    with emptied as (
      delete from location_users using removed_users r where user_id = r.id returning location_id
    )
    delete from locations l using (select distinct location_id from emptied) e
    where l.id = e.location_id and not exists (
      select from location_users u
      where u.location_id = l.id and not exists (select from removed_users r where r.id = u.user_id)
    )`
  const { count } = await tx`delete from users u using removed_users r where u.id = r.id`
  await tx`drop table removed_users`
  removed.users += count
}

/** Removes repositories with their commits. `ids` selects their ids, as the column `id`, without duplicates. */
export async function removeRepositories(
  { tx, version, removed }: DatasetChange,
  ids: Fragment,
): Promise<void> {
  await tx`create temporary table removed_repositories on commit drop as ${ids}`
  await tx`analyze removed_repositories`
  await tx`
    insert into removals (kind, forge_rest_id, version)
    select 'repository', forge_rest_id, ${version} from removed_repositories join repositories using (id) order by id`
  await tx`
    insert into affected_users
    select distinct i.user_id
    from removed_repositories r join contributions c on c.repository_id = r.id join identities i using (identity)
    on conflict do nothing`
  const commits = await tx`delete from commits using removed_repositories r where repository_id = r.id`
  await tx`delete from contributions using removed_repositories r where repository_id = r.id`
  await tx`delete from dependency_repositories using removed_repositories r where repository_id = r.id`
  await tx`
    delete from changed_postings using removed_repositories r where repository_id = r.id`
  const { count } = await tx`delete from repositories p using removed_repositories r where p.id = r.id`
  await tx`drop table removed_repositories`
  removed.repositories += count
  removed.commits += commits.count
}
