/**
 * Pages of one owner's repositories. No list is stored for them: an index finds them, and clients may request very many
 * owners, even logins that don't exist.
 *
 * @module
 */
import type { Fragment, Sql } from '../database/connect.ts'
import { type ListPage, limitPage, offsetOf, type Page, selectPages } from '../paging/page.ts'
import { type Filter, selectDependencies, selectOwned } from './filter.ts'

/** Reading a page finds all of the owner's repositories. If there are more than this, a stored list costs less. */
const maxOwned = 1_000

/**
 * Reads a page of the repositories that a filter with an owner matches. `rendered` is SQL: the columns of a page.
 * Undefined: the owner has more than `maxOwned`.
 */
export async function listOwned(
  sql: Sql,
  { filter, page }: { filter: Filter; page: Page<number> },
  rendered: Fragment,
): Promise<ListPage | undefined> {
  const dependencies = selectDependencies(sql, filter)
  const skipped =
    page.after === undefined
      ? sql`${offsetOf(page)}::bigint`
      : sql`count(*) filter (where id <= ${page.after}::bigint)`
  const [found] = await selectPages(sql`
    with owned as materialized (
      ${selectOwned(sql, filter.ownerKey)} limit ${sql.unsafe(String(maxOwned + 1))}
    ), matches as materialized (
      select id from owned ${
        dependencies === undefined
          ? sql``
          : sql`
              where exists (
                select from dependency_repositories p
                where p.repository_id = owned.id and p.dependency_id in (${dependencies})
              )`
      }
    )
    select start.total, dataset.version, start.skipped as offset, found.*
    from dataset, (select count(*) as total, ${skipped} as skipped from matches) start, lateral (
      select ${rendered} from (
        select * from repositories where id = any(array(
          select id from matches order by id limit ${page.size} offset start.skipped
        )) order by id ${limitPage(sql)}
      ) page
    ) found
    where (select count(*) from owned) <= ${sql.unsafe(String(maxOwned))}`)
  return found
}
