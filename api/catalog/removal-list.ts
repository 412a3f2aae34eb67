/** The users and repositories that were removed. */
import type { Sql } from '../database/connect.ts'
import { type ListPage, offsetOf, type Page, renderPage, selectPage } from '../paging/page.ts'
import { assertChangesKnown, type KnownChanges } from './dataset.ts'

/**
 * Lists what was removed after the version `since` of the dataset, in the order of removal, without what exists again.
 * Throws 410 if that is no longer known, and 400 if the version doesn't exist yet.
 */
export async function listRemovals(sql: Sql, since: number, page: Page<number>): Promise<ListPage> {
  const { after, size } = page
  const skipped =
    after === undefined
      ? sql`${offsetOf(page)}::bigint`
      : sql`(
        select count(*) from removals where version > ${since}::bigint and id <= ${after}::bigint and not exists_again
      )`
  const item = sql`format('{"forge_rest_id":%s,"kind":"%s","version":%s}', forge_rest_id, kind, version)`
  // One statement reads the versions too, so a change can't delete removals between a check and the list.
  const found = await selectPage(sql<(ListPage & KnownChanges)[]>`
    select d.version, d.changes_since as "changesSince", counted.total, place.skipped as offset, found.*
    from dataset d, (
      select count(*) as total from removals where version > ${since}::bigint and not exists_again
    ) counted, (select ${skipped} as skipped) place, lateral (
      select ${renderPage(sql, { item, order: sql`id` })}, max(id) as next
      from (
        select forge_rest_id, kind, version, id from removals
        where version > ${since}::bigint and not exists_again
        order by id limit ${size} offset place.skipped
      ) r
    ) found`)
  assertChangesKnown('since', since, found)
  return found
}
