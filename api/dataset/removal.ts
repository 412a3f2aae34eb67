/** Removes users, repositories and commits, with all that was derived from them. */
import type { Fragment } from '../database/connect.ts'
import { allTerm } from '../sets/stored-sets.ts'
import { stagingTable } from '../staging/staging-tables.ts'
import { renumberCommits } from './commit-changes.ts'
import { updateAuthors } from './contributions.ts'
import type { DatasetChange } from './pending-change.ts'
import type { Load } from './staged-load.ts'

/** Removes users. `ids` selects their ids. Their commits and repositories stay. */
export async function removeUsers(change: DatasetChange, ids: Fragment): Promise<void> {
  const { tx, rows } = change
  await tx`
    create temporary table removed_users on commit drop as
    select id, forge_rest_id, term_ids from users where id in (${ids})`
  await tx`analyze removed_users`
  await recordRemovals(change, 'user', tx`select id, forge_rest_id from removed_users`)
  await tx`
    with unused as (
      delete from user_dependencies using removed_users r where user_id = r.id returning user_id as id, dependency_ids
    ), inactive as (
      delete from user_activity using removed_users r where user_id = r.id returning user_id as id, term_id
    ), noted as (
      insert into use_changes select 'users'::list_name, id, dependency_ids, '{}' from unused
    )
    insert into set_changes
    select 'users'::list_name, id, dependency_ids, '{}'::integer[] from unused
    union all select 'users', id, array[term_id], '{}' from inactive
    union all select 'users', id, ${allTerm}::integer || term_ids, '{}' from removed_users`
  await tx`delete from identities using removed_users r where user_id = r.id`
  await tx`delete from user_addresses using removed_users r where user_id = r.id`
  const { count } = await tx`delete from users u using removed_users r where u.id = r.id`
  await tx`drop table removed_users`
  rows.users.removed += count
}

/** Removes repositories with their commits. `ids` selects their ids. */
export async function removeRepositories(change: DatasetChange, ids: Fragment): Promise<void> {
  const { tx, rows } = change
  await tx`
    create temporary table removed_repositories on commit drop as
    select id, forge_rest_id, term_ids from repositories where id in (${ids})`
  await tx`analyze removed_repositories`
  await recordRemovals(change, 'repository', tx`select id, forge_rest_id from removed_repositories`)
  await tx`
    insert into affected_users
    select distinct i.user_id
    from removed_repositories r join contributions c on c.repository_id = r.id join identities i using (identity)
    on conflict do nothing`
  const commits = await tx`delete from commits using removed_repositories r where repository_id = r.id`
  await tx`delete from contributions using removed_repositories r where repository_id = r.id`
  await tx`
    with lost as (
      delete from repository_dependencies using removed_repositories r where repository_id = r.id
      returning repository_id, dependency_ids
    ), noted as (
      insert into use_changes select 'repositories'::list_name, repository_id, dependency_ids, '{}' from lost
    )
    insert into set_changes
    select 'repositories'::list_name, repository_id, dependency_ids, '{}'::integer[] from lost
    union all
    select 'repositories', id, ${allTerm}::integer || term_ids, '{}' from removed_repositories`
  await tx`delete from forge_repositories f using removed_repositories r where f.forge_rest_id = r.forge_rest_id`
  await tx`delete from loaded_histories using removed_repositories r where repository_id = r.id`
  await tx`delete from dependency_commit_changes using removed_repositories r where repository_id = r.id`
  const { count } = await tx`delete from repositories p using removed_repositories r where p.id = r.id`
  await tx`drop table removed_repositories`
  rows.repositories.removed += count
  rows.commits.removed += commits.count
}

/**
 * Removes commits. `keys` selects their `repository_id` and `commit_hash`. The other commits of their repositories are
 * numbered again. A user without a commit in a repository is no longer an author of it.
 */
export async function removeCommits(change: DatasetChange, keys: Fragment): Promise<void> {
  const { tx, rows } = change
  await tx`create temporary table removed_keys on commit drop as ${keys}`
  await tx`analyze removed_keys`
  const { count } = await tx`
    delete from commits c using removed_keys k
    where c.repository_id = k.repository_id and c.commit_hash = k.commit_hash`
  const repositories = tx`select repository_id from removed_keys`
  await renumberCommits(tx, repositories)
  await updateAuthors(change, repositories)
  await tx`drop table removed_keys`
  rows.commits.removed += count
}

/** Records removals. `removed` selects the `forge_rest_id` of each, and an `id` to order them by. */
export async function recordRemovals(
  { tx, version }: DatasetChange,
  kind: 'user' | 'repository',
  removed: Fragment,
): Promise<void> {
  await tx`
    insert into removals (kind, forge_rest_id, version)
    select ${kind}, forge_rest_id, ${version} from (${removed}) r order by id
    on conflict (kind, forge_rest_id) do update set id = default, version = excluded.version, exists_again = false`
}

/** Notes that removed users or repositories exist again. `added` selects each `forge_rest_id` that was added. */
export async function noteReturns(
  { tx }: DatasetChange,
  kind: 'user' | 'repository',
  added: Fragment,
): Promise<void> {
  await tx`
    update removals set exists_again = true
    where kind = ${kind} and forge_rest_id in (${added}) and not exists_again`
}

/** Removes the users and repositories that a load names. Those that aren't in the dataset are skipped. */
export async function applyRemovals(load: Load): Promise<void> {
  const { tx } = load
  const staged = tx(stagingTable('removals', load.importId))
  const [removal] = await tx`select 1 from ${staged} limit 1`
  if (removal === undefined) return
  await removeUsers(
    load,
    tx`select id from users join ${staged} s using (forge_rest_id) where s.kind = 'user'`,
  )
  await removeRepositories(
    load,
    tx`select id from repositories join ${staged} s using (forge_rest_id) where s.kind = 'repository'`,
  )
}
