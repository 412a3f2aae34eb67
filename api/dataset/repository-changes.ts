import { isLocalDocument } from '../catalog/document-lookup.ts'
import { renderMembers, replaceUrls, selectJsonUrl, selectMember } from '../catalog/stored-documents.ts'
import type { Fragment } from '../database/connect.ts'
import { addNewAttributes, copyAttributes, noteRecordTerms, selectTerms } from './attribute-terms.ts'
import { ImportError } from './import-error.ts'
import { type AppliedRows, analyzeTables, type DatasetChange, selectDeclarations } from './pending-change.ts'
import { noteReturns } from './removal.ts'
import { countApplied, type Load } from './staged-load.ts'
import { stagingTable } from './staging.ts'

/**
 * Gives staged repositories the record that the dataset has now, if it comes from the forge or a file, not from a clone.
 * Another load may have replaced it since it was read. Throws `ImportError` if a repository has another URL now, by which
 * its staged commits don't name it.
 */
export async function useKnownRepositories({ tx, importId }: Load): Promise<void> {
  const staged = tx(stagingTable('repos', importId))
  await tx`
    create temporary table known_repositories on commit drop as
    select s.position, r.*, s.url_key <> r.url_key as has_moved
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
      full_name_key = r.full_name_key, members = r.members, owner_identity = o.identity, ${copyAttributes(tx)},
      dependencies = ${replaceUrls(tx, tx`s.dependencies`, {
        oldUrl: selectJsonUrl(tx, tx`s.members`),
        newUrl: selectJsonUrl(tx, tx`r.members`),
      })}
    from known_repositories r join contributions o on o.repository_id = r.id and o.kind = 'owner'
    where s.position = r.position`
}

/** Inserts and updates repositories, with their dependencies and owners. */
export async function applyRepositories(load: Load): Promise<AppliedRows> {
  const { tx, version } = load
  const records = {
    changed: 'changed_repositories',
    staged: stagingTable('repos', load.importId),
    record: renderMembers(tx, tx`members`),
  }
  const staged = tx(records.staged)
  await tx`
    create temporary table changed_repositories on commit drop as
    select s.position, r.id is null as is_new, r.term_ids as old_term_ids, s.dependencies is not null as has_dependencies,
      case when r.id is not null then ${selectJsonUrl(tx, tx`r.members`)} end as old_url,
      case when r.id is not null then ${selectJsonUrl(tx, tx`s.members`)} end as url,
      coalesce(
        r.id,
        (select last_repository_id from dataset)
          + row_number() over (partition by r.id is null order by s.position)
      )::integer as id
    from ${staged} s
    left join repositories r using (forge_rest_id)
    where r.id is null or r.members <> s.members or r.dependencies <> s.dependencies`
  await tx`analyze changed_repositories`
  await addNewAttributes(load, records)
  await tx`
    create temporary table changed_repository_terms on commit drop as ${selectTerms(tx, records)}`
  await tx`analyze changed_repository_terms`
  await tx`
    update repositories r set
      full_name_key = s.full_name_key, url_key = s.url_key, pushed_at = s.pushed_at,
      term_ids = t.term_ids, version = ${version}, members = s.members,
      dependencies = coalesce(s.dependencies, r.dependencies),
      dependencies_count = case when s.dependencies is null then r.dependencies_count else cardinality(s.names) end
    from changed_repositories c join ${staged} s using (position) join changed_repository_terms t using (position)
    where r.id = c.id and not c.is_new`
  const moved = tx`(select * from changed_repositories where old_url <> url)`
  await tx`
    update repositories r
    set dependencies = ${replaceUrls(tx, tx`r.dependencies`, { oldUrl: tx`c.old_url`, newUrl: tx`c.url` })}
    from ${moved} c where r.id = c.id and not c.has_dependencies`
  await noteNewUrls(load, tx`select id from ${moved} c`)
  await tx`
    insert into repositories (
      id, forge_rest_id, full_name_key, url_key, pushed_at, term_ids, version, members, dependencies,
      dependencies_count
    )
    select c.id, s.forge_rest_id, s.full_name_key, s.url_key, s.pushed_at, t.term_ids, ${version},
      s.members, coalesce(s.dependencies, '[]'), cardinality(s.names)
    from changed_repositories c join ${staged} s using (position) join changed_repository_terms t using (position)
    where c.is_new`
  await noteRecordTerms(load, 'repositories', { changed: records.changed, terms: 'changed_repository_terms' })
  await noteReturns(
    load,
    'repository',
    tx`select s.forge_rest_id from changed_repositories c join ${staged} s using (position) where c.is_new`,
  )
  await analyzeTables(load, ['repositories'])
  await applyDependencies(load)
  await tx`
    with changed as (
      select c.id, s.owner_identity from changed_repositories c join ${staged} s using (position)
    ), lost as (
      delete from contributions o using changed c
      where o.repository_id = c.id and o.kind = 'owner' and o.identity <> c.owner_identity
      returning o.identity
    ), gained as (
      insert into contributions (identity, repository_id, kind, excludes_nothing)
      select owner_identity, id, 'owner', true from changed
      order by owner_identity, id
      on conflict do nothing
      returning identity
    )
    insert into affected_users
    select user_id from identities
    where identity in (select identity from lost union select identity from gained)
    on conflict do nothing`
  return countApplied(load, 'changed_repositories')
}

/** Updates what changed repositories declare. `changed_declarations` has the differences for those that existed before. */
async function applyDependencies(load: Load): Promise<void> {
  const { tx } = load
  const staged = tx(stagingTable('repos', load.importId))
  // Known dependencies are left out: each conflict would use up an id.
  await tx`
    create temporary table new_dependencies on commit drop as
    select distinct n.name, n.name_key, n.file, n.status
    from changed_repositories join ${staged} s using (position),
      unnest(s.names, s.name_keys, s.files, s.statuses) as n(name, name_key, file, status)
    where not exists (
      select from dependencies d where d.name = n.name and d.file = n.file and d.status is not distinct from n.status
    )`
  await tx`analyze new_dependencies`
  await tx`
    insert into dependencies (name, name_key, file, status)
    select distinct '', '', file, status from new_dependencies n
    where not exists (
      select from dependencies d where d.name = '' and d.file = n.file and d.status is not distinct from n.status
    )`
  await tx`
    insert into dependencies (name, name_key, file, status, file_dependency_id)
    select n.name, n.name_key, n.file, n.status, f.id
    from new_dependencies n join dependencies f
      on f.name = '' and f.file = n.file and f.status is not distinct from n.status`
  await analyzeTables(load, ['dependencies'])
  await tx`
    create temporary table declarations on commit drop as
    select c.id as repository_id, d.id as dependency_id, n.first_use_date, n.last_use_date, c.is_new
    from changed_repositories c join ${staged} s using (position),
      unnest(s.names, s.files, s.statuses, s.first_use_dates, s.last_use_dates)
        as n(name, file, status, first_use_date, last_use_date)
      join dependencies d on d.name = n.name and d.file = n.file and d.status is not distinct from n.status
    union all
    select distinct c.id, d.id, null::bigint, null::bigint, c.is_new
    from changed_repositories c join ${staged} s using (position), unnest(s.files, s.statuses) as n(file, status)
      join dependencies d on d.file = n.file and d.status is not distinct from n.status
    where d.name = ''`
  await tx`analyze declarations`
  await tx`
    insert into changed_declarations
    select dependency_id, repository_id, change.first_use_date, change.last_use_date, change.is_gained
    from (select * from declarations where not is_new) wanted
      full join (
        select p.*, c.is_new
        from changed_repositories c join ${selectDeclarations(tx)} p on p.repository_id = c.id
        where not c.is_new and c.has_dependencies
      ) present using (repository_id, dependency_id),
      lateral (values
        (present.is_new, present.first_use_date, present.last_use_date, false),
        (wanted.is_new, wanted.first_use_date, wanted.last_use_date, true)
      ) as change(is_new, first_use_date, last_use_date, is_gained)
    where change.is_new is not null and (
      wanted.is_new is null or present.is_new is null
      or wanted.first_use_date is distinct from present.first_use_date
      or wanted.last_use_date is distinct from present.last_use_date
    )`
  await tx`analyze changed_declarations`
  await tx`
    insert into set_changes
    select 'repositories'::list_name, repository_id, '{}', array_agg(dependency_id) from declarations where is_new
    group by repository_id
    union all
    select 'repositories', repository_id, coalesce(array_agg(dependency_id) filter (where not is_gained), '{}'),
      coalesce(array_agg(dependency_id) filter (where is_gained), '{}')
    from changed_declarations group by repository_id`
  const changed = tx`(select repository_id from changed_declarations)`
  await tx`delete from repository_dependencies where repository_id in ${changed}`
  await tx`
    insert into repository_dependencies
    select repository_id, array_agg(dependency_id order by dependency_id),
      array_agg(first_use_date order by dependency_id), array_agg(last_use_date order by dependency_id)
    from declarations where is_new or repository_id in ${changed} group by repository_id`
  await analyzeTables(load, ['repository_dependencies'])
}

/**
 * Notes that commits are returned with another URL, for exports of changes. `repositories` selects the ids of the
 * repositories that have it.
 */
export async function noteNewUrls({ tx, version }: DatasetChange, repositories: Fragment): Promise<void> {
  await tx`update commits set version = ${version} where repository_id in (${repositories})`
}
