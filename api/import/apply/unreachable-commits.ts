import { stagingTable } from '../staging.ts'
import { removeCommits } from './removal.ts'
import type { Load } from './staged-load.ts'

/** Removes the commits that repositories of an applied load have, but the load lacks. */
export async function removeUnreachableCommits(load: Load): Promise<void> {
  const { tx, importId } = load
  const repositories = tx(stagingTable('repos', importId))
  const commits = tx(stagingTable('commits', importId))
  // A URL's commits belong to its newest repository (see applyCommits).
  await removeCommits(
    load,
    tx`
      select c.repository_id, c.commit_hash
      from commits c join (
        select url_key, max(id) as id from repositories
        where url_key in (select url_key from ${repositories}) group by url_key
      ) r on r.id = c.repository_id
      where not exists (
        select from ${commits} s where s.url_key = r.url_key and s.commit_hash = c.commit_hash
      )`,
  )
}
