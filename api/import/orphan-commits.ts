/**
 * Finds the staged commits whose repository is neither in the dataset nor in the same load.
 *
 * @module
 */
import type { Sql } from '../database/connect.ts'
import { stagingTable } from './staging.ts'

/** A staged commit whose repository is unknown. */
export interface OrphanCommit {
  position: number
  document: string
}

/** Orphans that are read with one statement. */
const batchSize = 1_000

/** Moves the commits whose `repo_url` won't name a repository after the load to a table of their own. Returns their number. */
export async function setOrphansAside(sql: Sql, importId: number): Promise<number> {
  const repositories = sql(stagingTable('repos', importId))
  const commits = sql(stagingTable('commits', importId))
  const [row] = await sql<{ count: number }[]>`
    with wanted as materialized (select distinct url_key from ${commits}),
    orphaned as materialized (
      select url_key from wanted w
      where not exists (select from ${repositories} s where s.url_key = w.url_key)
        and not exists (
          select from repositories r
          where r.url_key = w.url_key
            and not exists (select from ${repositories} s where s.forge_rest_id = r.forge_rest_id)
        )
    ), orphans as (
      delete from ${commits} where url_key in (select url_key from orphaned) returning position, document
    ), moved as (
      insert into ${sql(stagingTable('orphans', importId))} select position, document from orphans
    ), counted as (
      select count(*) from orphans
    ), updated as (
      update imports set staged = staged - count from counted where id = ${importId} and count > 0
    )
    select count from counted`
  return row?.count ?? 0
}

/** Lists the commits that were set aside, by position. */
export async function* listOrphans(sql: Sql, importId: number): AsyncGenerator<OrphanCommit> {
  for (let after = -1; ; ) {
    const orphans = await sql<OrphanCommit[]>`
      select position, document from ${sql(stagingTable('orphans', importId))} where position > ${after}
      order by position limit ${batchSize}`
    yield* orphans
    const last = orphans.at(-1)
    if (last === undefined) return
    after = last.position
  }
}
