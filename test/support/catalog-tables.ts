/**
 * The catalog's tables, in a form that two databases can be compared by: the forge's ids replace their own.
 *
 * @module
 */
import type { Sql } from '../../api/database/connect.ts'

/** Reads the rows of each table, users and repositories in the order of their ids. */
export async function readTables(sql: Sql) {
  const read = async (query: string) =>
    (await sql.unsafe(`select json_build_array(${query}`)).map(({ json_build_array: row }) => row)
  return {
    users: await read('forge_rest_id, login_key, is_bot, document) from users order by id'),
    repositories: await read(
      'forge_rest_id, full_name_key, url_key, members, dependencies, dependencies_count) from repositories order by id',
    ),
    commits: await read(`
      forge_rest_id, position, commit_hash, committer_date, author_date, author_identity, c.members)
      from commits c left join repositories r on r.id = repository_id order by r.id, position, commit_hash`),
    locations: await read(`
      location_key, forge_rest_id)
      from location_users p left join locations l on l.id = p.location_id left join users u on u.id = user_id
      order by location_key collate "C", user_id`),
    userLocations: await read(`
      forge_rest_id, location_key)
      from users u left join locations l on l.id = location_id order by u.id`),
    identities: await read(`
      identity, forge_rest_id, is_further)
      from identities left join users u on u.id = user_id order by identity, user_id, is_further`),
    userAddresses: await read('document) from user_addresses order by user_id'),
    contributions: await read(`
      identity, forge_rest_id, kind, first_date, last_date)
      from contributions left join repositories r on r.id = repository_id order by identity, r.id, kind`),
    dependencyRepositories: await read(`
      d.name, name_key, file, status, forge_rest_id, first_use_date, last_use_date)
      from dependency_repositories p left join dependencies d on d.id = dependency_id
        left join repositories r on r.id = repository_id
      order by d.name, file, status, r.id`),
    dependencyUsers: await read(`
      d.name, file, status, forge_rest_id)
      from dependency_users p left join dependencies d on d.id = dependency_id left join users u on u.id = user_id
      order by d.name, file, status, u.id`),
    counts: await read('users_count, repositories_count) from dataset'),
  }
}

/** Empties the catalog, as if nothing had ever been loaded. */
export async function resetCatalog(sql: Sql): Promise<void> {
  await sql`
    truncate users, repositories, forge_repositories, removals, commits, locations, location_users, dependencies,
      dependency_repositories, dependency_users, identities, user_addresses, contributions, stored_lists,
      stored_list_chunks, dataset_versions
    restart identity`
  await sql`
    update dataset set version = 0, loaded_at = null, users_count = 0, repositories_count = 0, last_user_id = 0, last_repository_id = 0,
      changes_since = 0`
  await sql`insert into dataset_versions values (0)`
}
