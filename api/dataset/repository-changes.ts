import { isLocalDocument } from '../catalog/document-lookup.ts'
import { renderMembers, replaceUrls, selectJsonUrl, selectMember } from '../catalog/stored-documents.ts'
import type { Fragment } from '../database/connect.ts'
import { ImportError } from '../staging/import-error.ts'
import { stagingTable } from '../staging/staging-tables.ts'
import { maxLost, selectContributors } from './changed-uses.ts'
import { noteRecordTerms } from './item-terms.ts'
import { analyzeTables, type DatasetChange, noteGained } from './pending-change.ts'
import { noteReturns } from './removal.ts'
import { countApplied, type Load } from './staged-load.ts'
import { isDeclaredBetween } from './user-dependencies.ts'

/**
 * Gives staged repositories the record that the dataset has now, if it comes from the forge or a file, not from a
 * clone. Another load may have replaced it since it was read. Throws `ImportError` if a repository has another URL now,
 * by which its staged commits don't name it.
 */
export async function useKnownRepositories({ tx, importId }: Load): Promise<void> {
  const staged = tx(stagingTable('repos', importId))
  await tx`
    create temporary table known_repositories on commit drop as
    select s.position, r.id, r.full_name_key, r.pushed_at, r.term_ids, r.members, s.url_key <> r.url_key as has_moved
    from ${staged} s join repositories r using (forge_rest_id)
    where not ${isLocalDocument(tx, renderMembers(tx, tx`r.members`))}`
  const [moved] = await tx<{ url: string }[]>`
    select ${selectMember(tx, tx`members`, 'url')} as url from known_repositories where has_moved order by position`
  if (moved !== undefined) {
    throw new ImportError(
      `A repository of this load has the URL ${moved.url} since this load began. Nothing was changed; run the import again`,
    )
  }
  await tx`
    update ${staged} s set
      full_name_key = r.full_name_key, members = r.members, owner_identity = o.identity, pushed_at = r.pushed_at,
      term_ids = r.term_ids,
      dependencies = ${replaceUrls(tx, tx`s.dependencies`, {
        oldUrl: selectJsonUrl(tx, tx`s.members`),
        newUrl: selectJsonUrl(tx, tx`r.members`),
      })}
    from known_repositories r join contributions o on o.repository_id = r.id and o.kind = 'owner'
    where s.position = r.position`
}

/** Inserts and updates repositories, with their dependencies and owners. */
export async function applyRepositories(load: Load): Promise<void> {
  const { tx, version } = load
  const staged = tx(stagingTable('repos', load.importId))
  // Responses with a repository don't name the commits of dependencies, so these alone don't give it a new version.
  await tx`
    create temporary table changed_repositories on commit drop as
    select s.position, r.id is null as is_new,
      r.members = s.members and r.dependencies = coalesce(s.dependencies, r.dependencies) as keeps_version, r.term_ids as old_term_ids, s.dependencies is not null as has_dependencies,
      r.full_name_key <> s.full_name_key as has_other_name,
      case when r.members <> s.members then ${selectJsonUrl(tx, tx`r.members`)} end as old_url,
      case when r.members <> s.members then ${selectJsonUrl(tx, tx`s.members`)} end as url,
      coalesce(
        r.id,
        (select last_repository_id from dataset)
          + row_number() over (partition by r.id is null order by s.position)
      )::integer as id
    from ${staged} s
    left join repositories r using (forge_rest_id)
    where r.id is null or r.members <> s.members or r.dependencies <> s.dependencies
      or s.dependencies is not null and r.dependency_commits is distinct from s.dependency_commits`
  await tx`analyze changed_repositories`
  await noteNewNames(load)
  await tx`
    update repositories r set
      full_name_key = s.full_name_key, url_key = s.url_key, pushed_at = s.pushed_at,
      term_ids = s.term_ids, version = case when c.keeps_version then r.version else ${version} end, members = s.members,
      dependencies = coalesce(s.dependencies, r.dependencies),
      dependencies_count = case when s.dependencies is null then r.dependencies_count else s.dependencies_count end,
      dependency_commits = case when s.dependencies is null then r.dependency_commits else s.dependency_commits end
    from changed_repositories c join ${staged} s using (position)
    where r.id = c.id and not c.is_new`
  await tx`
    insert into dependency_commit_changes
    select id, ${version} from changed_repositories where keeps_version
    on conflict (repository_id) do update set version = excluded.version`
  const moved = tx`(select * from changed_repositories where old_url <> url)`
  await tx`
    update repositories r
    set dependencies = ${replaceUrls(tx, tx`r.dependencies`, { oldUrl: tx`c.old_url`, newUrl: tx`c.url` })}
    from ${moved} c where r.id = c.id and not c.has_dependencies`
  await noteNewUrls(load, tx`select id from ${moved} c`)
  await tx`
    insert into repositories (
      id, forge_rest_id, full_name_key, url_key, pushed_at, term_ids, version, members, dependencies,
      dependencies_count, dependency_commits
    )
    select c.id, s.forge_rest_id, s.full_name_key, s.url_key, s.pushed_at, s.term_ids, ${version},
      s.members, coalesce(s.dependencies, '[]'), s.dependencies_count, s.dependency_commits
    from changed_repositories c join ${staged} s using (position)
    where c.is_new`
  await noteRecordTerms(
    load,
    'repositories',
    tx`select * from changed_repositories join ${staged} using (position)`,
  )
  await noteReturns(
    load,
    'repository',
    tx`select s.forge_rest_id from changed_repositories c join ${staged} s using (position) where c.is_new`,
  )
  await analyzeTables(load, ['repositories'])
  await applyDependencies(load)
  await applyOwners(load)
  await countApplied(load, 'repositories', 'changed_repositories')
}

/**
 * Updates the owners of changed repositories. Adds those who have lost one to `affected_users`, and others who have
 * gained one to `affected_uses`.
 */
async function applyOwners({ tx, importId }: Load): Promise<void> {
  const staged = tx(stagingTable('repos', importId))
  await tx`
    with changed as (
      select c.id, s.owner_identity from changed_repositories c join ${staged} s using (position)
    ), lost as (
      delete from contributions o using changed c
      where o.repository_id = c.id and o.kind = 'owner' and o.identity <> c.owner_identity
      returning o.identity
    ), gained as (
      insert into contributions (identity, repository_id, kind, excludes_nothing)
      select owner_identity, id, 'owner', true from changed n
      where not exists (
        select from contributions o
        where o.identity = n.owner_identity and o.repository_id = n.id and o.kind = 'owner'
      )
      order by owner_identity, id
      returning identity, repository_id
    ), affected as (
      insert into affected_uses (user_id, repository_id)
      select user_id, repository_id from gained join identities i using (identity)
      where not exists (select from affected_users a where a.user_id = i.user_id)
    )
    insert into affected_users
    select user_id from identities where identity in (select identity from lost)
    on conflict do nothing`
}

/** Notes the authors of repositories that get other names, because they gain contributions to these. */
function noteNewNames(load: Load): Promise<void> {
  return noteGained(
    load,
    'users',
    load.tx`
      select i.user_id
      from changed_repositories n join contributions c on c.repository_id = n.id join identities i using (identity)
      where n.has_other_name and c.kind = 'author'`,
  )
}

/**
 * Updates what changed repositories declare. Adds those to `affected_uses` who contributed while a declaration was in
 * effect that has been added, removed or given other dates. If a repository has many that were removed or given other
 * dates, all that its contributors use is compared.
 */
async function applyDependencies(load: Load): Promise<void> {
  const { tx } = load
  const contributors = selectContributors(`
    (select distinct repository_id from differing) d join contributions c using (repository_id) join identities i using (identity)`)
  await tx`
    with declared as (
      select c.id, s.dependency_ids, s.first_use_dates, s.last_use_dates, k.dependency_ids as old_ids,
        k.first_use_dates as old_first_dates, k.last_use_dates as old_last_dates, c.is_new
      from changed_repositories c join ${tx(stagingTable('repos', load.importId))} s using (position)
        left join repository_dependencies k on k.repository_id = c.id
      where s.dependencies is not null and (k.dependency_ids, k.first_use_dates, k.last_use_dates)
        is distinct from (s.dependency_ids, s.first_use_dates, s.last_use_dates)
    ), added as (
      insert into repository_dependencies
      select id, dependency_ids, first_use_dates, last_use_dates from declared where old_ids is null
    ), updated as (
      update repository_dependencies k set
        dependency_ids = d.dependency_ids, first_use_dates = d.first_use_dates, last_use_dates = d.last_use_dates
      from declared d where d.old_ids is not null and k.repository_id = d.id
    ), old_and_new as (
      select id as repository_id, unnest(old_ids) as dependency_id, unnest(old_first_dates) as first_use_date,
        unnest(old_last_dates) as last_use_date, true as is_old
      from declared where not declared.is_new
      union all
      select id, unnest(dependency_ids), unnest(first_use_dates), unnest(last_use_dates), false
      from declared where not declared.is_new
    ), differing as (
      select repository_id, dependency_id, first_use_date, last_use_date, bool_or(is_old) as is_old from old_and_new
      group by 1, 2, 3, 4 having count(*) = 1
    ), contributors as (
      ${tx.unsafe(contributors)}
    ), renewed as (
      select repository_id,
        case when count(*) = count(first_use_date) then min(first_use_date) end as first_use_date,
        case when count(*) = count(last_use_date) then max(last_use_date) end as last_use_date
      from differing group by 1 having count(*) filter (where is_old) > ${maxLost}::integer
    ), affected as (
      insert into affected_users
      select user_id from renewed p join contributors w using (repository_id)
      where ${isDeclaredBetween(tx, tx`p`, tx`w`)}
      on conflict do nothing
    ), affected_otherwise as (
      insert into affected_uses
      select distinct user_id, case when not is_old then repository_id end, case when is_old then dependency_id end
      from differing p join dependencies d on d.id = dependency_id join contributors w using (repository_id)
      where file_dependency_id is not null and repository_id not in (select repository_id from renewed)
        and ${isDeclaredBetween(tx, tx`p`, tx`w`)}
    ), dated as (
      insert into use_changes
      select 'repositories'::list_name, id, '{}'::integer[], null::integer[], null::bigint[], null::bigint[]
      from declared where is_new
      union all
      select 'repositories', repository_id, coalesce(array_agg(dependency_id) filter (where is_old), '{}'),
        coalesce(array_agg(dependency_id) filter (where not is_old), '{}'),
        array_agg(first_use_date) filter (where not is_old), array_agg(last_use_date) filter (where not is_old)
      from differing group by repository_id
    )
    insert into set_changes
    select 'repositories', id, coalesce(old_ids, '{}'), dependency_ids from declared`
  await analyzeTables(load, ['repository_dependencies'])
}

/**
 * Notes that commits are returned with another URL, for exports of changes. `repositories` selects the ids of the
 * repositories that have it.
 */
export async function noteNewUrls({ tx, version }: DatasetChange, repositories: Fragment): Promise<void> {
  await tx`update commits set version = ${version} where repository_id in (${repositories})`
}
