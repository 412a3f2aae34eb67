/**
 * The dependencies of a repository.
 *
 * @module
 */
import type { Sql } from '../database/connect.ts'
import { type ListPage, offsetOf, type Page, renderPage, selectPages } from '../paging/page.ts'
import { selectRepository } from './document-lookup.ts'

/** The key of a dependency within its repository. */
export type DependencyKey = readonly [name: string, file: string]

/** Lists a repository's dependencies by name, then file. Undefined when there is no such repository. */
export async function listDependencies(
  sql: Sql,
  owner: string,
  name: string,
  page: Page<DependencyKey>,
): Promise<ListPage | undefined> {
  const { after, size } = page
  // The dependency `after` may have been removed since the last page.
  const skipped =
    after === undefined
      ? sql`${offsetOf(page)}::bigint`
      : sql`(select count(*) from declared where (name, file) <= (${after[0]}, ${after[1]}))`
  const [found] = await selectPages(sql`
    select r.dependencies_count as total, dataset.version, found.skipped as offset, found.*
    from dataset, (${selectRepository(sql, owner, name)}) r, lateral (
      with declared as (
        select value::text as document, ordinality as rank,
          (value #>> '{dependency,dependency_name}') collate "C" as name,
          (value #>> '{dependency,dependency_file}') collate "C" as file
        from json_array_elements(r.dependencies::json) with ordinality
      ), place as (
        select ${skipped} as skipped
      )
      select place.skipped, page.* from place, lateral (
        select ${renderPage(sql, {
          item: sql`document`,
          order: sql`rank`,
          digest: sql`hashtextextended(document, rank)`,
        })},
          (array_agg(json_build_array(name, file)::text order by rank desc))[1] as next
        from declared where rank > place.skipped and rank <= place.skipped + ${size}
      ) page
    ) found`)
  return found
}
