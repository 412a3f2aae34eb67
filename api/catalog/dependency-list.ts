/** The dependencies of a repository. */
import type { Sql } from '../database/connect.ts'
import { renderPage } from '../paging/page.ts'
import { createRepositoryList, type ReadRepositoryList } from './repository-lists.ts'

/**
 * Creates a function that lists a repository's dependencies by name, then file. `after` is the name and the file of a
 * dependency, as a JSON array. It may have been removed since the last page.
 */
export function createDependencyList(sql: Sql): ReadRepositoryList {
  const declared = sql`json_array_elements(r.dependencies::json) with ordinality declared(value, rank)`
  const name = sql`value #>> '{dependency,dependency_name}'`
  const file = sql`value #>> '{dependency,dependency_file}'`
  return createRepositoryList(
    sql,
    sql`
      select r.dependencies_count as total, place.skipped as offset, rendered.*, (
        select json_build_array(${name}, ${file})::text from (select last as value) l where last is not null
      ) as next
      from (
        select case when asked.after = '' then asked.skipped else (
          select count(*) from ${declared}
          where (${name} collate "C", ${file} collate "C") <= (asked.after::json ->> 0, asked.after::json ->> 1)
        ) end as skipped
      ) place, lateral (
        select ${renderPage(sql, {
          item: sql`value::text`,
          order: sql`rank`,
          digest: sql`hashtextextended(value::text, rank)`,
        })}, (array_agg(value order by rank desc))[1] as last
        from ${declared} where rank > place.skipped and rank <= place.skipped + asked.size
      ) rendered`,
    { maxConcurrent: 2 }, // the database reads all dependencies for a page, and has more work with it than the service
  )
}
