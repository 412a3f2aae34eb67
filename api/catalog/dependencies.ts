/**
 * The dependencies of a repository.
 *
 * @module
 */
import type { Sql } from '../database/connect.ts'
import { renderPage } from '../paging/page.ts'
import { createRepositoryList, type ReadRepositoryList } from './repository-lists.ts'

/**
 * Creates a function that lists a repository's dependencies by name, then file. `after` is the name and the file of a
 * dependency, as a JSON array. It may have been removed since the last page.
 */
export function createDependencyList(sql: Sql): ReadRepositoryList {
  return createRepositoryList(
    sql,
    sql`
      with declared as (
        select value::text as document, ordinality as rank,
          (value #>> '{dependency,dependency_name}') collate "C" as name,
          (value #>> '{dependency,dependency_file}') collate "C" as file
        from json_array_elements(r.dependencies::json) with ordinality
      ), place as (
        select case when asked.after = '' then asked.skipped else (
          select count(*) from declared where (name, file) <= (asked.after::json ->> 0, asked.after::json ->> 1)
        ) end as skipped
      )
      select r.dependencies_count as total, place.skipped as offset, rendered.*
      from place, lateral (
        select ${renderPage(sql, {
          item: sql`document`,
          order: sql`rank`,
          digest: sql`hashtextextended(document, rank)`,
        })}, (array_agg(json_build_array(name, file)::text order by rank desc))[1] as next
        from declared where rank > place.skipped and rank <= place.skipped + asked.size
      ) rendered`,
  )
}
