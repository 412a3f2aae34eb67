/**
 * Changes of the stored sets. Parts of a change note in `set_changes` which ids the set of a term gains and loses. At the end
 * of the change, the shelves and the parts of sets that contain these are read, merged and written.
 *
 * @module
 */

import type { SqlOrTransaction } from '../database/connect.ts'
import { copyRows } from '../database/copy.ts'
import {
  decodePart,
  encodePart,
  findPart,
  maxShelvedIds,
  maxWidth,
  minWidth,
  partIds,
} from '../sets/set-encoding.ts'
import { insertParts, mergeChanges, rewriteParts, type StoredPart } from '../sets/set-parts.ts'
import { applyToShelves } from '../sets/shelf-changes.ts'
import { partColumns, readPart, type SetList, selectIsShelved, termColumns } from '../sets/stored-sets.ts'
import { analyzeTables, type DatasetChange } from './pending-change.ts'

/** Applies `set_changes`, after the dataset has its new counts. */
export async function applySetChanges(change: DatasetChange): Promise<void> {
  const { tx } = change
  await tx`
    create temporary table cardinalities (term_id integer not null, list list_name not null, cardinality integer not null)
    on commit drop`
  await applyToSets(tx)
  await storeCardinalities(change)
  await analyzeTables(change, ['sets'])
}

/**
 * Applies `set_changes` to the stored sets. Adds to the table `cardinalities`, which must exist, how many ids each changed set
 * has now.
 */
export async function applyToSets(tx: SqlOrTransaction): Promise<void> {
  await tx`
    create temporary table set_pairs on commit drop as
    select term_id, list, id, sum(change) > 0 as is_gained
    from (
      select list, id, unnest(lost) as term_id, -1 as change from set_changes
      union all select list, id, unnest(gained), 1 from set_changes
    ) pairs group by 1, 2, 3 having sum(change) <> 0`
  await tx`analyze set_pairs`
  const { join, isShelved } = selectIsShelved(tx)
  // The table has each changed set: whether it is on a shelf, and whether it leaves that.
  await tx`
    create temporary table changed_sets on commit drop as
    select term_id, list, growth, ${isShelved} as is_shelved, ${isShelved} and gains > ${maxShelvedIds}::integer as leaves
    from (
      select term_id, list, count(*) filter (where is_gained) as gains, sum(case when is_gained then 1 else -1 end) as growth
      from set_pairs group by 1, 2
    ) c ${join}`
  await tx`analyze changed_sets`
  await applyToShelves(tx)
  await applyToParts(tx)
  await tx`drop table changed_sets`
  await tx`drop table set_pairs`
}

/** Gives the rows of terms the numbers of their items. */
async function storeCardinalities(change: DatasetChange): Promise<void> {
  const { tx } = change
  await tx`analyze cardinalities`
  for (const { table, list, count } of termColumns) {
    await tx`
      update ${tx(table)} t set ${tx(count)} = c.cardinality
      from cardinalities c where c.term_id = t.id and c.list::text = ${list} and t.${tx(count)} <> c.cardinality`
  }
  await analyzeTables(change, [...new Set(termColumns.map(({ table }) => table))])
}

/**
 * Chooses the width of each changed set that isn't on a shelf for its new number of ids. A set keeps its width until that
 * number is some four times higher or lower than the one for which the width was chosen. For a set that leaves its shelf, the
 * ids that it had there are left out of the number: they are at most 16.
 */
async function chooseWidths(tx: SqlOrTransaction): Promise<void> {
  const ids = tx`${partIds}::integer`
  const widest = tx`${maxWidth}::integer`
  await tx`
    create temporary table sized_sets on commit drop as
    with sized as (
      select term_id, list, max(width)::integer as old_width, greatest(1, max(growth) + coalesce(sum(cardinality), 0)) as total
      from changed_sets left join sets using (term_id, list) where not is_shelved or leaves group by 1, 2
    ), fitted as (
      select *, case when total <= ${ids} then ${widest} else greatest(${minWidth}::integer, least(${widest} - 1,
        round(log(${ids}::float8 * case list
          when 'users' then last_user_id when 'repositories' then last_repository_id
          else (select max(id) from locations)
        end / total)
          / log(2::float8))::integer
      )) end as fitting_width
      from sized, dataset
    )
    select term_id, list, old_width, case
      when abs(old_width - fitting_width) < 2 then old_width
      when old_width = ${widest} and total < 2 * ${ids} then old_width
      else fitting_width end as width
    from fitted`
  await tx`analyze sized_sets`
}

/** Writes the sets that get another width with it. */
async function resizeSets(tx: SqlOrTransaction): Promise<void> {
  const sets = await tx<{ termId: number; list: SetList; width: number }[]>`
    select term_id as "termId", list::text as list, width from sized_sets where old_width <> width`
  for (const { termId, list, width } of sets) {
    const set = `from sets where term_id = ${termId} and list = '${list}'`
    const idsByPart = new Map<number, number[]>()
    for await (const row of copyRows(tx, `select ${partColumns} ${set} order by part`)) {
      for (const id of decodePart(readPart(row))) {
        const part = findPart(id, width)
        const ids = idsByPart.get(part)
        if (ids === undefined) idsByPart.set(part, [id])
        else ids.push(id)
      }
    }
    await tx.unsafe(`delete ${set}`)
    await insertParts(
      tx,
      [...idsByPart].map(([part, ids]) => ({
        termId,
        list,
        ...encodePart(Uint32Array.from(ids), { width, part }),
      })),
    )
  }
}

/** Applies `set_changes` to the sets of `changed_sets` that have parts of their own. */
async function applyToParts(tx: SqlOrTransaction): Promise<void> {
  await chooseWidths(tx)
  await resizeSets(tx)
  const ids = tx`string_agg(int8send(c.id), ''::bytea)`
  const changes = tx`
    select c.term_id, c.list, c.id >> s.width as part, s.width, ${ids} filter (where c.is_gained) as gained,
      ${ids} filter (where not c.is_gained) as lost, ''::bytea as leaving
    from set_pairs c join sized_sets s using (term_id, list)
    group by 1, 2, 3, 4`
  await rewriteParts(tx, changes, async (changed) => {
    const parts: StoredPart[] = []
    for await (const part of changed) {
      parts.push({ ...part, ...encodePart(mergeChanges(decodePart(part), part), part) })
    }
    return parts
  })
  await tx`
    insert into cardinalities
    select term_id, list, coalesce(sum(cardinality), 0) from sized_sets left join sets using (term_id, list) group by 1, 2`
  await tx`drop table sized_sets`
}
