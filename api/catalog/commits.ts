/**
 * The commits of a repository.
 *
 * @module
 */
import type { Sql } from '../database/connect.ts'
import { type ListPage, offsetOf, type Page, renderPage } from './page.ts'
import { selectRepository } from './repositories.ts'

/**
 * Lists a repository's commits (`service.md` §2.6): newest committer date first, then by hash; those without a
 * date come last. Undefined when there is no such repository.
 */
export async function listCommits(
  sql: Sql,
  owner: string,
  name: string,
  page: Page,
): Promise<ListPage | undefined> {
  const offset = offsetOf(page)
  // Positions count from the oldest commit, so that a new one moves no other.
  const [found] = await sql<ListPage[]>`
    select counted.total, dataset.version, found.count, found.items
    from dataset, (${selectRepository(sql, owner, name)}) r, lateral (
      select coalesce(max(position), 0) as total from commits where repository_id = r.id
    ) counted, lateral (
      select ${renderPage(sql, sql`document`, sql`position desc`)} from commits
      where repository_id = r.id
        and position > counted.total - ${offset + page.size}::bigint
        and position <= counted.total - ${offset}::bigint
    ) found`
  return found
}
