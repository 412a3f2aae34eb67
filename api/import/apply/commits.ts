import type { SqlOrTransaction } from '../../database/connect.ts'
import { ImportError } from '../import-error.ts'
import { type Change, countChanges, isOfStep, isSuperseded, type Step } from './step.ts'

/**
 * Applies the staged commits of a step. Throws `ImportError` when the repository of one is not there any more.
 */
export async function applyCommits(tx: SqlOrTransaction, step: Step): Promise<Change> {
  if (!step.onlyNew) await assertNoOrphans(tx, step.importId)
  await tx`
    create temporary table changed_commits on commit drop as
    select s.*, c.commit_hash is null as is_new,
      (select commits_count > 0 from repositories where id = s.id) as is_growing
    from (
      select r.id, s.commit_hash, s.committer_date, s.author_identity, s.document
      from import_commits s
      join (
        select url_key, max(id) as id from repositories
        where url_key in (select url_key from import_commits s where ${isOfStep(tx, step)}) group by url_key
      ) r using (url_key)
      where ${isOfStep(tx, step)}
        ${step.onlyNew ? tx`and r.id > (select repositories_count from dataset)` : tx``}
        and not ${isSuperseded(tx, 'import_commits')}
    ) s
    left join commits c on c.repository_id = s.id and c.commit_hash = s.commit_hash
    where c.commit_hash is null ${step.onlyNew ? tx`` : tx`or c.document <> s.document`}`
  await tx`analyze changed_commits`
  await tx`
    create temporary table grown_repositories on commit drop as
    select distinct id from changed_commits where is_growing`
  await tx`analyze grown_repositories`
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
      where repository_id in (select id from grown_repositories)
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
    insert into import_affected_users (import_id, user_id)
    select ${step.importId}::bigint, user_id from identities
    where identity in (select identity from lost union select identity from gained)`
  return countChanges(tx, 'changed_commits')
}

async function assertNoOrphans(tx: SqlOrTransaction, importId: number): Promise<void> {
  const [orphan] = await tx`
    select 1 from import_commits c
    where import_id = ${importId} and not exists (select from repositories r where r.url_key = c.url_key) limit 1`
  if (orphan !== undefined) {
    throw new ImportError('Another load has moved a repository meanwhile; load again; nothing was changed')
  }
}
