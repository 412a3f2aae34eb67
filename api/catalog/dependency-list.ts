/** The dependencies of a repository. */
import type { Fragment, Sql } from '../database/connect.ts'
import { renderPage } from '../paging/page.ts'
import { createRepositoryList, type ReadRepositoryList } from './repository-lists.ts'

/** The database reads all dependencies for a page, and has more work with it than the service. */
export const maxConcurrent = 2

/** SQL: the name and the file of a dependency `value`. */
export function selectDependencyKey(sql: Sql): { name: Fragment; file: Fragment } {
  return {
    name: sql`value #>> '{dependency,dependency_name}'`,
    file: sql`value #>> '{dependency,dependency_file}'`,
  }
}

/**
 * SQL: a page of what the repository `r` declares, by name, then file, as `createRepositoryList` describes it. `after`
 * is the name and the file of a dependency, as a JSON array. It may have been removed since the last page. `rendered`
 * aggregates columns from the rows of the page, `value` and `rank`, each with the row `beside`.
 */
export function selectDependencies(sql: Sql, rendered: Fragment, beside: Fragment = sql``): Fragment {
  const declared = sql`json_array_elements(r.dependencies::json) with ordinality declared(value, rank)`
  const { name, file } = selectDependencyKey(sql)
  // `offset 0`: otherwise what comes before it is computed again wherever it is used.
  return sql`
      select r.dependencies_count as total, place.skipped as offset, rendered.*, (
        select json_build_array(${name}, ${file})::text from (select last as value) l where last is not null
      ) as next
      from (
        select case when asked.after = '' then asked.skipped else (
          select count(*) from ${declared}, (
            select asked.after::json ->> 0 as name, asked.after::json ->> 1 as file offset 0
          ) after
          where (${name} collate "C", ${file} collate "C") <= (after.name, after.file)
        ) end as skipped offset 0
      ) place, lateral (
        select ${rendered}, (array_agg(value order by rank desc))[1] as last
        from ${declared} ${beside} where rank > place.skipped and rank <= place.skipped + asked.size
      ) rendered`
}

/** Creates a function that lists a repository's dependencies. */
export function createDependencyList(sql: Sql): ReadRepositoryList {
  return createRepositoryList(
    sql,
    selectDependencies(
      sql,
      renderPage(sql, {
        item: sql`value::text`,
        order: sql`rank`,
        digest: sql`hashtextextended(value::text, rank)`,
      }),
    ),
    { maxConcurrent },
  )
}
