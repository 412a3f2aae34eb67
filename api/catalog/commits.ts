/**
 * The commits of a repository.
 *
 * @module
 */
import type { Sql } from '../database/connect.ts'
import { type ListPage, offsetOf, type Page, renderPage, selectPages } from '../paging/page.ts'
import { selectRepository } from './document-lookup.ts'

/** Matches a commit's hash, SHA-1 or SHA-256. */
export const commitHashPattern = /^[\da-f]{40,64}$/

/**
 * Lists a repository's commits: newest committer date first, then by hash; those without a date come last. Undefined when
 * there is no such repository. `after` is a commit's hash; it is ignored if the repository doesn't have that commit.
 */
export async function listCommits(
  sql: Sql,
  owner: string,
  name: string,
  page: Page<string>,
): Promise<ListPage | undefined> {
  const { after = null, size } = page
  // Positions count from the oldest commit, so that a new one doesn't move the others.
  const [found] = await selectPages(sql`
    select counted.total, dataset.version, place.skipped as offset, found.*
    from dataset, (${selectRepository(sql, owner, name)}) r, lateral (
      select coalesce(max(position), 0) as total from commits where repository_id = r.id
    ) counted, lateral (
      select coalesce((
        select counted.total - position + 1 from commits where repository_id = r.id and commit_hash = ${after}
      ), ${offsetOf(page)}::bigint) as skipped
    ) place, lateral (
      select ${renderPage(sql, {
        item: sql`document`,
        order: sql`position desc`,
        digest: sql`hashtextextended(document, position)`,
      })},
        (array_agg(commit_hash order by position))[1] as next
      from commits
      where repository_id = r.id
        and position > counted.total - place.skipped - ${size}
        and position <= counted.total - place.skipped
    ) found`)
  return found
}
