/**
 * Pages of one owner's repositories. No list is stored for them: an index finds them, and clients may request very many
 * owners, even logins that don't exist.
 *
 * @module
 */
import type { Fragment, Sql } from '../database/connect.ts'
import { limitPage, offsetOf, type Page } from '../paging/page.ts'
import { type Filter, selectDependencies, selectOwned } from './filter.ts'
import { createPageReader, type ReadPage } from './page-reader.ts'

/** Reading a page finds all of the owner's repositories. If there are more than this, a stored list costs less. */
const maxOwned = 1_000

/** A page of the repositories that a filter with an owner matches. */
interface OwnedRequest {
  filter: Filter
  page: Page<number>
}

/**
 * Creates a function that reads pages, each with a statement of its own. `too_many`: the owner has more than `maxOwned`
 * repositories. `rendered` is SQL: the columns of a page.
 */
export function createOwnedReader(sql: Sql, rendered: Fragment): ReadPage<OwnedRequest, 'too_many'> {
  const limit = sql.unsafe(String(maxOwned))

  function selectPage({ filter, page }: OwnedRequest): Fragment {
    const dependencies = selectDependencies(sql, filter)
    const skipped =
      page.after === undefined
        ? sql`${offsetOf(page)}::bigint`
        : sql`count(*) filter (where id <= ${page.after}::bigint)`
    return sql`
      with owned as materialized (
        ${selectOwned(sql, filter.ownerKey)} limit ${limit} + 1
      ), matches as materialized (
        select id from owned ${
          dependencies === 'any'
            ? sql``
            : sql`
                where exists (
                  select from dependency_repositories p
                  where p.repository_id = owned.id and p.dependency_id in (${dependencies})
                )`
        }
      )
      select start.total, start.skipped as offset, found.*
      from (select count(*) as total, ${skipped} as skipped from matches) start, lateral (
        select ${rendered} from (
          select * from repositories where id = any(array(
            select id from matches order by id limit ${page.size} offset start.skipped
          )) order by id ${limitPage(sql)}
        ) page
      ) found
      where (select count(*) from owned) <= ${limit}`
  }

  return createPageReader(sql, {
    maxPages: 1,
    noPage: 'too_many',
    maxConcurrent: Number.POSITIVE_INFINITY,
    // `maxPages` is 1, so there is one request.
    select: (requests) => sql`
      select place, page.* from (values (1)) asked(place)
      left join (${requests.map(selectPage)}) page on true`,
  })
}
