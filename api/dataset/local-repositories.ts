/**
 * One repository stays one, whether a clone or the forge's record is loaded first.
 *
 * A clone without `--rest-id` makes a local repository, with a negative `forge_rest_id`. It is the same as another
 * repository with that URL, and gives way to it. After a load, no local repository shares its URL with another one.
 */
import { replaceUrls, selectJsonUrl } from '../catalog/stored-documents.ts'
import { stagingTable } from '../staging/staging-tables.ts'
import { renumberCommits } from './commit-changes.ts'
import { updateAuthors } from './contributions.ts'
import { noteReturns, recordRemovals, removeRepositories } from './removal.ts'
import type { Load } from './staged-load.ts'

/**
 * Prepares a load for `applyRepositories`: staged records and rows of one repository become one. A row of a local
 * repository gets the id of the staged record with its URL, or is merged into the row that has this id.
 */
export async function joinLocalRepositories(load: Load): Promise<void> {
  const { tx, importId } = load
  const staged = tx(stagingTable('repos', importId))
  const [found] = await tx<{ areStaged: boolean; areStored: boolean }[]>`
    select exists (select from ${staged} where forge_rest_id < 0) as "areStaged",
      exists (select from repositories where forge_rest_id < 0) as "areStored"`
  if (!found?.areStaged && !found?.areStored) return
  // Local ids, and the ids of the staged records that replace them.
  await tx`create temporary table replaced_ids (local_id bigint not null, forge_rest_id bigint not null) on commit drop`
  if (found.areStaged) {
    await joinStagedRecords(load)
    await useStoredRecords(load)
  }
  await tx`
    insert into replaced_ids
    select distinct on (r.forge_rest_id) r.forge_rest_id, s.forge_rest_id
    from repositories r join ${staged} s using (url_key)
    where r.forge_rest_id < 0
      and not exists (select from ${staged} own where own.forge_rest_id = r.forge_rest_id)
      and not exists (select from replaced_ids i where i.local_id = r.forge_rest_id)
    order by r.forge_rest_id, s.forge_rest_id >= 0 desc, s.position desc`
  await takeOver(load)
  await mergeRows(load)
}

/** Drops staged records of local repositories with the URL of another staged record, which gets their dependencies. */
async function joinStagedRecords({ tx, importId }: Load): Promise<void> {
  const staged = tx(stagingTable('repos', importId))
  await tx`
    create temporary table superseded_records on commit drop as
    select s.position, s.forge_rest_id, kept.position as kept_position, kept.forge_rest_id as kept_id
    from ${staged} s join (
      select distinct on (url_key) url_key, position, forge_rest_id
      from ${staged}
      where url_key in (select url_key from ${staged} where forge_rest_id < 0)
      order by url_key, forge_rest_id >= 0 desc, position desc
    ) kept using (url_key)
    where s.forge_rest_id < 0 and s.position <> kept.position`
  await tx`
    update ${staged} kept set
      dependencies = ${replaceUrls(tx, tx`given.dependencies`, {
        oldUrl: selectJsonUrl(tx, tx`given.members`),
        newUrl: selectJsonUrl(tx, tx`kept.members`),
      })},
      dependencies_count = given.dependencies_count, dependency_commits = given.dependency_commits,
      dependency_ids = given.dependency_ids,
      first_use_dates = given.first_use_dates, last_use_dates = given.last_use_dates
    from (
      select distinct on (kept_position) kept_position, s.*
      from superseded_records join ${staged} s using (position)
      where s.dependencies is not null order by kept_position, s.position desc
    ) given
    where kept.position = given.kept_position and kept.dependencies is null`
  await tx`insert into replaced_ids select forge_rest_id, kept_id from superseded_records`
  await tx`delete from ${staged} s using superseded_records d where s.position = d.position`
}

/** Replaces staged records of local repositories with the stored record of their URL, which the forge has described. */
async function useStoredRecords({ tx, importId }: Load): Promise<void> {
  const staged = tx(stagingTable('repos', importId))
  await tx`
    create temporary table stored_records on commit drop as
    select distinct on (s.position) s.position, s.forge_rest_id as local_id, r.id, r.forge_rest_id
    from ${staged} s join repositories r using (url_key)
    where s.forge_rest_id < 0 and r.forge_rest_id >= 0
      and not exists (select from ${staged} own where own.forge_rest_id = r.forge_rest_id)
    order by s.position, r.id desc`
  await tx`
    update replaced_ids i set forge_rest_id = r.forge_rest_id from stored_records r where i.forge_rest_id = r.local_id`
  await tx`insert into replaced_ids select local_id, forge_rest_id from stored_records`
  await tx`
    update ${staged} s set
      forge_rest_id = r.forge_rest_id, full_name_key = r.full_name_key, members = r.members,
      owner_identity = o.identity, pushed_at = r.pushed_at, term_ids = r.term_ids,
      dependencies = ${replaceUrls(tx, tx`s.dependencies`, {
        oldUrl: selectJsonUrl(tx, tx`s.members`),
        newUrl: selectJsonUrl(tx, tx`r.members`),
      })}
    from stored_records found join repositories r using (id)
      join contributions o on o.repository_id = r.id and o.kind = 'owner'
    where s.position = found.position`
}

/** Gives a local repository's row the staged id, unless another row has it. */
async function takeOver(load: Load): Promise<void> {
  const { tx, version } = load
  await tx`
    create temporary table taken_rows on commit drop as
    select distinct on (i.forge_rest_id) r.id, i.local_id, i.forge_rest_id
    from replaced_ids i join repositories r on r.forge_rest_id = i.local_id
    where not exists (select from repositories b where b.forge_rest_id = i.forge_rest_id)
    order by i.forge_rest_id, r.id`
  await recordRemovals(load, 'repository', tx`select id, local_id as forge_rest_id from taken_rows`)
  await noteReturns(load, 'repository', tx`select forge_rest_id from taken_rows`)
  await tx`update repositories r set forge_rest_id = t.forge_rest_id from taken_rows t where r.id = t.id`
  // A copy that follows removes the local repository, and adds this one.
  await tx`update commits c set version = ${version} from taken_rows t where c.repository_id = t.id`
}

/** Merges the other rows of local repositories into the row with the staged id. */
async function mergeRows(load: Load): Promise<void> {
  const { tx, version, importId } = load
  const staged = tx(stagingTable('repos', importId))
  const { count } = await tx`
    create temporary table merged_rows on commit drop as
    select a.id as from_id, b.id as to_id, s.position,
      ${replaceUrls(tx, tx`a.dependencies`, {
        oldUrl: selectJsonUrl(tx, tx`a.members`),
        newUrl: selectJsonUrl(tx, tx`s.members`),
      })} as dependencies,
      a.dependencies_count, a.dependency_commits, s.dependencies is null and b.dependencies_count = 0 and a.dependencies_count > 0 as gives_dependencies
    from replaced_ids i join repositories a on a.forge_rest_id = i.local_id
      join repositories b on b.forge_rest_id = i.forge_rest_id
      join ${staged} s on s.forge_rest_id = i.forge_rest_id`
  if (count === 0) return
  await tx`
    update ${staged} s set
      dependencies = given.dependencies, dependencies_count = given.dependencies_count,
      dependency_commits = given.dependency_commits, dependency_ids = given.dependency_ids, first_use_dates = given.first_use_dates,
      last_use_dates = given.last_use_dates
    from (
      select distinct on (m.position) m.position, m.dependencies, m.dependencies_count, m.dependency_commits, d.*
      from merged_rows m join repository_dependencies d on d.repository_id = m.from_id
      where m.gives_dependencies order by m.position, m.from_id desc
    ) given
    where s.position = given.position`
  await tx`
    create temporary table moved_commits on commit drop as
    select distinct on (m.to_id, c.commit_hash)
      m.to_id as repository_id, c.commit_hash, c.committer_date, c.author_date, c.author_identity, c.coauthor_identities,
      c.members
    from merged_rows m join commits c on c.repository_id = m.from_id
    order by m.to_id, c.commit_hash, m.from_id desc`
  await tx`analyze moved_commits`
  // On a cluster, the number of inserted rows would count conflicts, too.
  await tx`
    create temporary table present_commits on commit drop as
    select repository_id, commit_hash from (select repository_id, commit_hash from moved_commits) m
      join commits using (repository_id, commit_hash)`
  await tx`analyze present_commits`
  await tx`delete from moved_commits m using present_commits p
    where m.repository_id = p.repository_id and m.commit_hash = p.commit_hash`
  const moved = await tx`
    insert into commits (
      repository_id, commit_hash, committer_date, author_date, author_identity, coauthor_identities, position, version,
      members
    )
    select repository_id, commit_hash, committer_date, author_date, author_identity, coauthor_identities, 0, ${version},
      members
    from moved_commits`
  const repositories = tx`select to_id from merged_rows`
  await renumberCommits(tx, repositories)
  await updateAuthors(load, repositories)
  await removeRepositories(load, tx`select from_id as id from merged_rows`)
  load.rows.commits.removed -= moved.count // they have moved
}
