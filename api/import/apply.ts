/**
 * Applies a staged load: one transaction, at the end of which readers see all of it under a new version of the
 * dataset, or none of it. What is derived (who uses what, ranks, counts) follows the change, not the dataset's size.
 *
 * @module
 */
import type { Sql, SqlOrTransaction } from '../database/connect.ts'

/** Any number that nobody else of this database takes: only one load is applied at a time. */
const applyLock = 0x6465_7665

const stagingTables = ['import_users', 'import_repositories', 'import_commits']

/** What a load changed. */
export interface ImportResult {
  users: Change
  repositories: Change
  commits: Change
  /** The dataset's version now; it has not moved if nothing changed. */
  version: number
}

/** Things that came, and things that were there with other content. */
export interface Change {
  added: number
  updated: number
}

/** A staged commit whose repository is unknown. */
export interface OrphanCommit {
  position: number
  document: string
}

/** Finds up to `limit` staged commits whose `repo_url` will name no repository once this load is applied. */
export function findOrphanCommits(sql: Sql, importId: number, limit: number): Promise<OrphanCommit[]> {
  return sql<OrphanCommit[]>`
    with staged as materialized (
      select distinct on (forge_rest_id) forge_rest_id, url_key from import_repositories
      where import_id = ${importId} order by forge_rest_id, position desc
    ), kept as (
      select url_key from repositories r
      where not exists (select from staged s where s.forge_rest_id = r.forge_rest_id)
    )
    select position, document from import_commits c
    where import_id = ${importId}
      and not exists (select from staged where staged.url_key = c.url_key)
      and not exists (select from kept where kept.url_key = c.url_key)
    order by position limit ${limit}`
}

/** Takes commits out of a staged load. */
export async function dropStagedCommits(
  sql: Sql,
  importId: number,
  positions: readonly number[],
): Promise<void> {
  await sql`delete from import_commits where import_id = ${importId} and position = any(${[...positions]}::bigint[])`
}

/** Applies what was staged under `importId`, and clears the stage. */
export async function applyImport(sql: Sql, importId: number): Promise<ImportResult> {
  // Without figures of its own the planner takes a staged load for a handful of rows.
  for (const table of stagingTables) await sql`analyze ${sql(table)}`
  const result = await sql.begin(async (tx) => {
    // Statements over a whole load may take longer than those of a request.
    await tx`set local statement_timeout = 0`
    await tx`select pg_advisory_xact_lock(${applyLock})`
    await tx`create temporary table affected_users (user_id integer not null) on commit drop`
    const users = await applyUsers(tx, importId)
    const repositories = await applyRepositories(tx, importId)
    const commits = await applyCommits(tx, importId)
    await refreshUserDependencies(tx)
    for (const table of stagingTables) {
      await tx`delete from ${tx(table)} where import_id = ${importId}`
    }
    await tx`delete from imports where id = ${importId}`

    const changes = [users, repositories, commits].reduce(
      (sum, { added, updated }) => sum + added + updated,
      0,
    )
    const [dataset] = await tx<{ version: number }[]>`
      update dataset set
        version = version + ${changes > 0 ? 1 : 0},
        updated_at = case when ${changes > 0} then now() else updated_at end,
        users_count = users_count + ${users.added},
        repositories_count = repositories_count + ${repositories.added}
      returning version`
    if (dataset === undefined) throw new Error('the dataset row is missing')
    return { users, repositories, commits, version: dataset.version, changes }
  })
  const { changes, ...counts } = result
  if (changes > 0) await refreshStatistics(sql)
  return counts
}

async function applyUsers(tx: SqlOrTransaction, importId: number): Promise<Change> {
  await tx`
    create temporary table changed_users on commit drop as
    select s.*, u.location_id as old_location_id, u.id is null as is_new,
      coalesce(u.id, (select users_count from dataset) + row_number() over (partition by u.id is null order by s.position))::integer as id
    from (
      select distinct on (forge_rest_id) * from import_users
      where import_id = ${importId} order by forge_rest_id, position desc
    ) s
    left join users u using (forge_rest_id)
    where u.id is null or u.document <> s.document`
  await tx`analyze changed_users`
  await tx`
    insert into locations (location_key)
    select distinct location_key from changed_users where location_key is not null
    on conflict do nothing`
  await tx`alter table changed_users add column location_id integer`
  await tx`
    update changed_users c set location_id = l.id from locations l
    where md5(l.location_key) = md5(c.location_key) and l.location_key = c.location_key`
  await tx`
    update users u set login_key = c.login_key, location_id = c.location_id, document = c.document
    from changed_users c where u.id = c.id and not c.is_new`
  await tx`
    insert into users (id, forge_rest_id, login_key, location_id, document)
    select id, forge_rest_id, login_key, location_id, document from changed_users where is_new order by id`
  await tx`
    delete from location_users l using changed_users c
    where l.location_id = c.old_location_id and l.user_id = c.id and c.location_id is distinct from c.old_location_id`
  await tx`
    insert into location_users (location_id, user_id)
    select location_id, id from changed_users
    where location_id is not null and location_id is distinct from old_location_id
    order by location_id, id`
  await tx`
    with lost as (
      delete from identities i using changed_users c
      where i.user_id = c.id and i.identity <> all (c.identities)
      returning i.user_id
    ), gained as (
      insert into identities (identity, user_id)
      select identity, id from changed_users, unnest(identities) as identity order by identity, id
      on conflict do nothing
      returning user_id
    )
    insert into affected_users select user_id from lost union select user_id from gained`
  return countChanges(tx, 'changed_users')
}

async function applyRepositories(tx: SqlOrTransaction, importId: number): Promise<Change> {
  await tx`
    create temporary table changed_repositories on commit drop as
    select s.*, r.id is null as is_new,
      coalesce(r.id, (select repositories_count from dataset)
        + row_number() over (partition by r.id is null order by s.position))::integer as id
    from (
      select distinct on (forge_rest_id) * from import_repositories
      where import_id = ${importId} order by forge_rest_id, position desc
    ) s
    left join repositories r using (forge_rest_id)
    where r.id is null or r.document <> s.document or r.dependencies <> s.dependencies`
  await tx`analyze changed_repositories`
  await tx`
    update repositories r set
      full_name_key = c.full_name_key, url_key = c.url_key, document = c.document,
      dependencies = coalesce(c.dependencies, r.dependencies),
      dependencies_count = case when c.dependencies is null then r.dependencies_count else cardinality(c.names) end
    from changed_repositories c where r.id = c.id and not c.is_new`
  await tx`
    insert into repositories (id, forge_rest_id, full_name_key, url_key, document, dependencies, dependencies_count)
    select id, forge_rest_id, full_name_key, url_key, document, coalesce(dependencies, '[]'), cardinality(names)
    from changed_repositories where is_new order by id`
  await tx`analyze repositories`

  await tx`
    create temporary table declared on commit drop as
    select id as repository_id, name, name_key, file
    from changed_repositories, unnest(names, name_keys, files) as pair(name, name_key, file)
    union all
    select distinct id, '', '', file from changed_repositories, unnest(files) as file`
  await tx`analyze declared`
  await tx`
    insert into dependencies (name, name_key, file)
    select distinct name, name_key, file from declared on conflict do nothing`
  await tx`analyze dependencies`
  await tx`
    create temporary table new_postings on commit drop as
    select n.repository_id, d.id as dependency_id from declared n join dependencies d using (name, file)`
  await tx`create index on new_postings (repository_id, dependency_id)`
  await tx`analyze new_postings`
  await tx`create temporary table touched_repositories (repository_id integer not null) on commit drop`
  await tx`
    with lost as (
      delete from dependency_repositories p using changed_repositories c
      where p.repository_id = c.id and not c.is_new and c.dependencies is not null
        and not exists (
          select from new_postings n where n.repository_id = p.repository_id and n.dependency_id = p.dependency_id
        )
      returning p.repository_id
    ), gained as (
      insert into dependency_repositories (dependency_id, repository_id)
      select dependency_id, repository_id from new_postings order by dependency_id, repository_id
      on conflict do nothing
      returning repository_id
    )
    insert into touched_repositories select repository_id from lost union select repository_id from gained`
  await tx`
    with lost as (
      delete from contributions o using changed_repositories c
      where o.repository_id = c.id and o.kind = 'owner' and o.identity <> c.owner_identity and not c.is_new
      returning o.identity
    ), gained as (
      insert into contributions (identity, repository_id, kind)
      select owner_identity, id, 'owner' from changed_repositories order by owner_identity, id
      on conflict do nothing
      returning identity
    )
    insert into affected_users
    select user_id from identities where identity in (select identity from lost union select identity from gained)`
  await tx`
    insert into affected_users
    select distinct i.user_id
    from touched_repositories join contributions using (repository_id) join identities i using (identity)`
  return countChanges(tx, 'changed_repositories')
}

async function applyCommits(tx: SqlOrTransaction, importId: number): Promise<Change> {
  await tx`
    create temporary table changed_commits on commit drop as
    select s.*, c.commit_hash is null as is_new
    from (
      select distinct on (r.id, i.commit_hash)
        r.id, i.commit_hash, i.committer_date, i.author_identity, i.document
      from import_commits i
      join (
        select url_key, max(id) as id from repositories
        where url_key in (select url_key from import_commits where import_id = ${importId}) group by url_key
      ) r using (url_key)
      where i.import_id = ${importId}
      order by r.id, i.commit_hash, i.position desc
    ) s
    left join commits c on c.repository_id = s.id and c.commit_hash = s.commit_hash
    where c.commit_hash is null or c.document <> s.document`
  await tx`analyze changed_commits`
  // In a repository that had no commits yet these positions are right; the others are put in order below.
  await tx`
    insert into commits (repository_id, commit_hash, committer_date, author_identity, position, document)
    select id, commit_hash, committer_date, author_identity,
      row_number() over (partition by id order by committer_date nulls first, commit_hash desc), document
    from changed_commits
    order by id, commit_hash
    on conflict (repository_id, commit_hash) do update set
      committer_date = excluded.committer_date, author_identity = excluded.author_identity,
      document = excluded.document`
  await tx`
    update commits c set position = ranked.position
    from (
      select repository_id, commit_hash,
        row_number() over (partition by repository_id order by committer_date nulls first, commit_hash desc) as position
      from commits
      where repository_id in (select id from repositories where commits_count > 0 and id in (select id from changed_commits))
    ) ranked
    where c.repository_id = ranked.repository_id and c.commit_hash = ranked.commit_hash
      and c.position <> ranked.position`
  await tx`
    update repositories r set commits_count = commits_count + added
    from (select id, count(*) as added from changed_commits where is_new group by id) c where r.id = c.id`
  await tx`
    with lost as (
      delete from contributions a using (select distinct id from changed_commits where not is_new) c
      where a.repository_id = c.id and a.kind = 'author'
        and not exists (
          select from commits where repository_id = a.repository_id and author_identity = a.identity
        )
      returning a.identity
    ), gained as (
      insert into contributions (identity, repository_id, kind)
      select distinct author_identity, id, 'author' from changed_commits where author_identity is not null
      on conflict do nothing
      returning identity
    )
    insert into affected_users
    select user_id from identities where identity in (select identity from lost union select identity from gained)`
  return countChanges(tx, 'changed_commits')
}

/** Brings the postings of the users whom the load affected in line with the repositories that they work on. */
async function refreshUserDependencies(tx: SqlOrTransaction): Promise<void> {
  await tx`analyze affected_users`
  await tx`
    create temporary table wanted_postings on commit drop as
    select distinct i.user_id, p.dependency_id
    from (select distinct user_id from affected_users) a
    join identities i using (user_id)
    join contributions c using (identity)
    join dependency_repositories p using (repository_id)`
  await tx`create index on wanted_postings (user_id, dependency_id)`
  await tx`analyze wanted_postings`
  await tx`
    delete from dependency_users p using (select distinct user_id from affected_users) a
    where p.user_id = a.user_id
      and not exists (select from wanted_postings w where w.user_id = p.user_id and w.dependency_id = p.dependency_id)`
  await tx`
    insert into dependency_users (dependency_id, user_id)
    select dependency_id, user_id from wanted_postings order by dependency_id, user_id
    on conflict do nothing`
}

/** The planner learns what the tables are now; the embedded database has nobody else to tell it. */
async function refreshStatistics(sql: Sql): Promise<void> {
  for (const table of [
    'dataset',
    'users',
    'repositories',
    'commits',
    'locations',
    'location_users',
    'dependencies',
    'dependency_repositories',
    'dependency_users',
    'identities',
    'contributions',
  ]) {
    await sql`analyze ${sql(table)}`
  }
}

async function countChanges(tx: SqlOrTransaction, table: string): Promise<Change> {
  const [change] = await tx<Change[]>`
    select count(*) filter (where is_new) as added, count(*) filter (where not is_new) as updated from ${tx(table)}`
  return change ?? { added: 0, updated: 0 }
}
