/**
 * The dependencies of a repository.
 *
 * @module
 */
import type { Sql } from '../database/connect.ts'
import { type ListPage, offsetOf, type Page, renderPage } from './page.ts'
import { selectRepository } from './repositories.ts'

/**
 * Lists a repository's dependencies (`service.md` §2.4) by name, then file.
 * Undefined when there is no such repository.
 */
export async function listDependencies(
  sql: Sql,
  owner: string,
  name: string,
  page: Page,
): Promise<ListPage | undefined> {
  const offset = offsetOf(page)
  const [found] = await sql<ListPage[]>`
    select r.dependencies_count as total, dataset.version, found.count, found.items
    from dataset, (${selectRepository(sql, owner, name)}) r, lateral (
      select ${renderPage(sql, sql`element.value::text`, sql`element.ordinality`)}
      from json_array_elements(r.dependencies::json) with ordinality as element
      where element.ordinality > ${offset}::bigint and element.ordinality <= ${offset + page.size}::bigint
    ) found`
  return found
}
