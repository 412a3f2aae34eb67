import type { SqlOrTransaction } from '../../database/connect.ts'
import { ImportError } from '../import-error.ts'
import { stagingTable } from '../staging.ts'
import { affectedUsersTable, type Change, countChanges, isKnownUser, type Load } from './staged-load.ts'

/** Inserts and updates commits. Throws `ImportError` when another load has moved the repository of one. */
export async function applyCommits(tx: SqlOrTransaction, load: Load): Promise<Change> {
  const staged = tx(stagingTable('commits', load.importId))
  await assertNoOrphans(tx, load)
  await tx`
    create temporary table changed_commits on commit drop as
    select s.position, r.id, s.commit_hash, s.committer_date, s.author_identity, c.commit_hash is null as is_new, r.is_growing
    from ${staged} s
    join (
      select url_key, max(id) as id, exists (select from commits where repository_id = max(r.id)) as is_growing
      from repositories r
      where url_key in (select url_key from ${staged}) group by url_key
    ) r using (url_key)
    left join commits c on c.repository_id = r.id and c.commit_hash = s.commit_hash
    where c.commit_hash is null or c.document <> s.document`
  await tx`analyze changed_commits`
  await tx`
    create temporary table grown_repositories on commit drop as
    select distinct id from changed_commits where is_growing`
  await tx`analyze grown_repositories`
  // These positions are final for repositories without earlier commits. The others are renumbered below.
  await tx`
    insert into commits (repository_id, commit_hash, committer_date, author_identity, position, document)
    select c.id, c.commit_hash, c.committer_date, c.author_identity, c.rank, s.document
    from (
      select *, row_number() over (partition by id order by committer_date nulls first, commit_hash desc) as rank
      from changed_commits where is_new
    ) c join ${staged} s using (position)`
  await tx`
    update commits m set
      committer_date = c.committer_date, author_identity = c.author_identity, document = s.document
    from changed_commits c join ${staged} s using (position)
    where not c.is_new and m.repository_id = c.id and m.commit_hash = c.commit_hash`
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
    insert into ${affectedUsersTable(tx, load)} (user_id)
    select user_id from identities
    where identity in (select identity from lost union select identity from gained) and ${isKnownUser(tx)}`
  return countChanges(tx, 'changed_commits')
}

async function assertNoOrphans(tx: SqlOrTransaction, { importId }: Load): Promise<void> {
  const [orphan] = await tx`
    select 1 from (select distinct url_key from ${tx(stagingTable('commits', importId))}) c
    where not exists (select from repositories r where r.url_key = c.url_key) limit 1`
  if (orphan !== undefined) {
    throw new ImportError(
      'Another load has changed the URL of a repository since this one began. Nothing was changed; run the import again',
    )
  }
}
