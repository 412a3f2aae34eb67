import { renderMembers } from '../catalog/stored-documents.ts'
import type { Fragment, SqlOrTransaction } from '../database/connect.ts'
import { stagingTable } from '../staging/staging-tables.ts'
import { updateAuthors } from './contributions.ts'
import { analyzeTables } from './pending-change.ts'
import { countApplied, type Load, type OrphanOptions, removeOrphans } from './staged-load.ts'

/**
 * SQL: the repository that gets the commits of a URL. If several repositories have the URL, it is the newest of those
 * in the load, because these have the name now. If none is in the load, it is the newest. `repositories` selects `id`,
 * `forge_rest_id` and `url_key`.
 */
export function selectNamed(
  { tx, importId }: Pick<Load, 'tx' | 'importId'>,
  repositories: Fragment,
): Fragment {
  return tx`
    select r.url_key, coalesce(max(r.id) filter (where s.position is not null), max(r.id)) as id
    from (${repositories}) r left join ${tx(stagingTable('repos', importId))} s using (forge_rest_id)
    group by r.url_key`
}

/** Inserts and updates commits. */
export async function applyCommits(load: Load): Promise<void> {
  const { tx, version } = load
  const staged = tx(stagingTable('commits', load.importId))
  // Three statements, because a cluster joins commits with staged ones only where each names the repository.
  await tx`
    create temporary table named_repositories on commit drop as
    ${selectNamed(load, tx`select * from repositories where url_key in (select url_key from ${staged})`)}`
  await tx`analyze named_repositories`
  await tx`
    create temporary table known_commits on commit drop as
    select s.position,
      (c.members, c.author_identity, c.coauthor_identities)
        is distinct from (s.members, s.author_identity, s.coauthor_identities) as is_changed
    from (
      select position, id, commit_hash, members, author_identity, coauthor_identities
      from ${staged} join named_repositories using (url_key)
    ) s
      join commits c on c.repository_id = s.id and c.commit_hash = s.commit_hash`
  await tx`analyze known_commits`
  await tx`
    create temporary table changed_commits on commit drop as
    select s.position, r.id, s.commit_hash, s.committer_date, s.author_date, s.author_identity,
      s.coauthor_identities, k.position is null as is_new, first.repository_id is not null as is_growing
    from ${staged} s join named_repositories r using (url_key)
    left join (
      select repository_id from commits where position = 1 and repository_id in (select id from named_repositories)
    ) first on first.repository_id = r.id
    left join known_commits k on k.position = s.position
    where k.is_changed is not false`
  await tx`analyze changed_commits`
  await tx`
    create temporary table grown_repositories on commit drop as
    select distinct id from changed_commits where is_growing`
  await tx`analyze grown_repositories`
  // These positions are final for repositories without earlier commits. The others are renumbered below.
  await tx`
    insert into commits (
      repository_id, commit_hash, committer_date, author_date, author_identity, coauthor_identities, position, version,
      members
    )
    select c.id, c.commit_hash, c.committer_date, c.author_date, c.author_identity, c.coauthor_identities, c.rank,
      ${version}, s.members
    from (
      select *, row_number() over (partition by id order by committer_date nulls first, commit_hash desc) as rank
      from changed_commits where is_new
    ) c join ${staged} s using (position)`
  await tx`
    update commits m set
      committer_date = c.committer_date, author_date = c.author_date, author_identity = c.author_identity,
      coauthor_identities = c.coauthor_identities, version = ${version}, members = c.members
    from (
      select c.*, s.members from changed_commits c join ${staged} s using (position) where not c.is_new
    ) c
    where m.repository_id = c.id and m.commit_hash = c.commit_hash`
  await renumberCommits(tx, tx`select id from grown_repositories`)
  const commits = tx`
    select id as repository_id, author_identity, coauthor_identities, author_date from changed_commits where not is_growing
    union all
    select repository_id, author_identity, coauthor_identities, author_date from commits
    where repository_id in (select id from grown_repositories)`
  await updateAuthors(load, tx`select id from changed_commits`, commits)
  await analyzeTables(load, ['commits', 'contributions'])
  await countApplied(load, 'commits', 'changed_commits')
}

/** Numbers the commits of repositories again. `repositories` selects the ids of these. */
export async function renumberCommits(tx: SqlOrTransaction, repositories: Fragment): Promise<void> {
  await tx`
    update commits c set position = ranked.position
    from (
      select repository_id, commit_hash,
        row_number() over (partition by repository_id order by committer_date nulls first, commit_hash desc) as position
      from commits
      where repository_id in (${repositories})
    ) ranked
    where c.repository_id = ranked.repository_id and c.commit_hash = ranked.commit_hash
      and c.position <> ranked.position`
}

/** Unstages the commits whose `repo_url` won't name a repository after the load. */
export async function removeOrphanCommits(load: Load, options: OrphanOptions): Promise<void> {
  const { tx, importId } = load
  const repositories = tx(stagingTable('repos', importId))
  const commits = tx(stagingTable('commits', importId))
  await tx`
    create temporary table unknown_urls on commit drop as
    select url_key from (select distinct url_key from ${commits}) c
    where not exists (select from ${repositories} s where s.url_key = c.url_key)
      and not exists (
        select from repositories r
        where r.url_key = c.url_key and not ${options.areOthersRemoved}
          and not exists (select from ${repositories} s where s.forge_rest_id = r.forge_rest_id)
      )`
  await removeOrphans(load, 'commits', {
    where: tx`s.url_key in (select url_key from unknown_urls)`,
    document: renderMembers(tx, tx`members`, { repoUrl: tx`to_json(repo_url)::text` }),
    ...options,
  })
}
