import type { SqlOrTransaction } from '../../database/connect.ts'
import { type Change, countChanges, isOfStep, isSuperseded, type Step } from './step.ts'

/** Applies the staged repositories of a step, with their dependencies and owners. */
export async function applyRepositories(tx: SqlOrTransaction, step: Step): Promise<Change> {
  await tx`
    create temporary table changed_repositories on commit drop as
    select s.*, r.id is null as is_new,
      to_json(r.document::json ->> 'url')::text as old_url, to_json(s.document::json ->> 'url')::text as url,
      coalesce(
        r.id,
        (select coalesce(max(id), 0) from repositories)
          + row_number() over (partition by r.id is null order by s.position)
      )::integer as id
    from import_repositories s
    left join repositories r using (forge_rest_id)
    where ${isOfStep(tx, step)}
      and not ${isSuperseded(tx, 'import_repositories')}
      and (r.id is null ${step.onlyNew ? tx`` : tx`or r.document <> s.document or r.dependencies <> s.dependencies`})`
  await tx`analyze changed_repositories`
  await tx`
    update repositories r set
      full_name_key = c.full_name_key, url_key = c.url_key, document = c.document,
      dependencies = coalesce(c.dependencies, r.dependencies),
      dependencies_count = case when c.dependencies is null then r.dependencies_count else cardinality(c.names) end
    from changed_repositories c where r.id = c.id and not c.is_new`
  await moveToNewUrls(tx)
  await tx`
    insert into repositories (id, forge_rest_id, full_name_key, url_key, document, dependencies, dependencies_count)
    select id, forge_rest_id, full_name_key, url_key, document, coalesce(dependencies, '[]'), cardinality(names)
    from changed_repositories where is_new order by id`
  if (!step.onlyNew) await tx`analyze repositories`

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
  if (!step.onlyNew) await tx`analyze dependencies`
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
    insert into import_affected_users (import_id, user_id)
    select ${step.importId}::bigint, user_id from identities
    where identity in (select identity from lost union select identity from gained)`
  await tx`
    insert into import_affected_users (import_id, user_id)
    select distinct ${step.importId}::bigint, i.user_id
    from touched_repositories join contributions using (repository_id) join identities i using (identity)`
  return countChanges(tx, 'changed_repositories')
}

/**
 * What a repository's commits and kept dependencies say of its address follows the address. The patterns are JSON
 * text that can't stand inside a string, where quotes are escaped.
 */
async function moveToNewUrls(tx: SqlOrTransaction): Promise<void> {
  const [moved] = await tx`select 1 from changed_repositories where old_url <> url limit 1`
  if (moved === undefined) return
  await tx`
    update repositories r set dependencies = replace(r.dependencies, '{"url":' || c.old_url || ',', '{"url":' || c.url || ',')
    from changed_repositories c where r.id = c.id and c.old_url <> c.url and c.dependencies is null`
  await tx`
    update commits m set document = replace(m.document, ',"repo_url":' || c.old_url || '}', ',"repo_url":' || c.url || '}')
    from changed_repositories c where m.repository_id = c.id and c.old_url <> c.url`
}
