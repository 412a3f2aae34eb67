/** The catalog's tables, in a form that two databases can be compared by: the forge's ids replace their own. */

import type { Sql } from '../../api/database/connect.ts'
import { readSets, selectVersionTerms } from '../../api/sets/stored-sets.ts'

/** Reads the rows of each table, users and repositories in the order of their ids. */
export async function readTables(sql: Sql) {
  const read = async (query: string) =>
    (await sql.unsafe(`select json_build_array(${query}`)).map(({ json_build_array: row }) => row)
  return {
    users: await read('forge_rest_id, login_key, is_bot, document) from users order by id'),
    repositories: await read(
      'forge_rest_id, full_name_key, url_key, members, dependencies, dependencies_count, dependency_commits) from repositories order by id',
    ),
    commits: await read(`
      forge_rest_id, position, commit_hash, committer_date, author_date, author_identity, coauthor_identities,
        c.members)
      from commits c left join repositories r on r.id = repository_id order by r.id, position, commit_hash`),
    userLocations: await read(`
      forge_rest_id, location_key)
      from users u join locations l on l.id = any(term_ids) order by u.id`),
    userCompanies: await read(`
      forge_rest_id, company_key)
      from users u join companies c on c.id = any(term_ids) order by u.id`),
    userAttributes: await read(`
      forge_rest_id, name, value)
      from users u join attributes a on a.id = any(term_ids) order by u.id, name, value`),
    repositoryAttributes: await read(`
      forge_rest_id, name, value)
      from repositories r join attributes a on a.id = any(term_ids) order by r.id, name, value`),
    userActivity: await read(`
      forge_rest_id, last_date, value)
      from user_activity join users u on u.id = user_id join attributes a on a.id = term_id order by u.id`),
    identities: await read(`
      identity, forge_rest_id, is_further)
      from identities left join users u on u.id = user_id order by identity, user_id, is_further`),
    userAddresses: await read('document) from user_addresses order by user_id'),
    contributions: await read(`
      identity, forge_rest_id, kind, first_date, last_date, excludes_nothing)
      from contributions left join repositories r on r.id = repository_id order by identity, r.id, kind`),
    repositoryDependencies: await read(`
      d.name, name_key, file, status, forge_rest_id, first_use_date, last_use_date)
      from repository_dependencies cross join
        unnest(dependency_ids, first_use_dates, last_use_dates) as p(dependency_id, first_use_date, last_use_date)
        left join dependencies d on d.id = dependency_id left join repositories r on r.id = repository_id
      order by d.name, file, status, r.id`),
    userDependencies: await read(`
      d.name, file, status, forge_rest_id)
      from user_dependencies cross join unnest(dependency_ids) as dependency_id
        left join dependencies d on d.id = dependency_id left join users u on u.id = user_id
      order by d.name, file, status, u.id`),
    userDates: await read(`
      d.name, file, status, forge_rest_id, began, ended)
      from user_dependencies cross join unnest(dependency_ids, begins, ends) as p(dependency_id, began, ended)
        left join dependencies d on d.id = dependency_id left join users u on u.id = user_id
      order by d.name, file, status, u.id`),
    sets: await readMembers(sql),
    dependencyCounts: await read(`
      name, file, status, users_count, repositories_count)
      from dependencies where users_count + repositories_count > 0 order by name, file, status`),
    locationCounts: await read('location_key, users_count) from locations order by location_key collate "C"'),
    companyCounts: await read('company_key, users_count) from companies order by company_key collate "C"'),
    attributeCounts: await read(
      'name, value, items_count) from attributes where items_count > 0 order by name, value',
    ),
    counts: await read(`
      users_count, repositories_count, commits_count, (select count(*) from commits)) from dataset`),
    // The spelling of a language is that of the first repository, that of a company of the first user.
    coverage: await read(`
      summary::jsonb - '{languages,companies}'::text[], (
        select json_agg(json_build_array(upper(l ->> 'language'), l -> 'repositories'))
        from json_array_elements(summary -> 'languages') l
      ), (
        select json_agg(json_build_array(company_key, c -> 'users'))
        from json_array_elements(summary -> 'companies') c left join companies on company = c ->> 'company'
      )) from coverage`),
  }
}

/** Reads the sets of dependencies, searchable texts, attributes and of everything, each as its term, its list and the forge's ids. */
async function readMembers(sql: Sql): Promise<string[]> {
  const terms = await readTexts(
    sql,
    `select id, json_build_array(name, file, status)::text as text from dependencies
    union all select id, location_key from locations union all select id, 'at ' || company_key from companies
    union all select 0, 'all'
    union all select id, name || '=' || value from attributes`,
  )
  const items = {
    users: await readTexts(sql, 'select id, forge_rest_id::text as text from users'),
    repositories: await readTexts(sql, 'select id, forge_rest_id::text as text from repositories'),
  }
  const versions = new Map(await readTexts(sql, `select id, '' as text from (${selectVersionTerms()}) t`))
  const sets = new Map<string, string[]>()
  for (const list of ['users', 'repositories'] as const) {
    for await (const { termId, ids } of readSets(sql, list)) {
      if (versions.has(termId)) continue
      const key = `${list} of ${terms.get(termId) ?? 'no term'}`
      sets.set(key, (sets.get(key) ?? []).concat(Array.from(ids, (id) => items[list].get(id) ?? 'nothing')))
    }
  }
  return [...sets].map(([key, members]) => `${key}: ${members.join()}`).sort()
}

async function readTexts(sql: Sql, query: string): Promise<Map<number, string>> {
  return new Map((await sql.unsafe<{ id: number; text: string }[]>(query)).map(({ id, text }) => [id, text]))
}

/** Empties the catalog, as if nothing had ever been loaded. */
export async function resetCatalog(sql: Sql): Promise<void> {
  await sql`
    truncate users, repositories, forge_repositories, loaded_histories, dependency_commit_changes, removals, commits,
      locations, companies, attributes, dependencies, repository_dependencies, user_dependencies, user_activity, identities,
      user_addresses, contributions, sets, use_dates, coverage, loads, dataset_versions
    restart identity`
  await sql`
    update dataset set version = 0, derived_terms = '{}', edition = gen_random_uuid(), users_count = 0, repositories_count = 0,
      commits_count = 0, last_user_id = 0, last_repository_id = 0, changes_since = 0`
  await sql`insert into dataset_versions values (0)`
}
