/**
 * Changes of the stored sets. Parts of a change note in `set_changes` which users and repositories a term gains and loses.
 * At the end of the change, all parts of sets that contain these are read, merged and written, in batches.
 *
 * @module
 */
import type { ListName } from '../catalog/filter.ts'
import {
  decodePart,
  encodePart,
  findPart,
  maxWidth,
  minWidth,
  partIds,
  type SetPart,
} from '../catalog/set-encoding.ts'
import { partColumns, readIds, readPart } from '../catalog/stored-sets.ts'
import type { SqlOrTransaction } from '../database/connect.ts'
import { copyRows, readInteger } from '../database/copy.ts'
import { analyzeTables, type DatasetChange } from './pending-change.ts'

/** Bytes of changed ids and parts in a batch, about. */
const batchBytes = 4_000_000

/** A part of the set of a term. */
interface StoredPart extends SetPart {
  termId: number
  list: ListName
}

/** Applies `set_changes`, after the dataset has its new counts. */
export async function applySetChanges(change: DatasetChange): Promise<void> {
  const { tx } = change
  await tx`analyze set_changes`
  await chooseWidths(tx)
  await resizeSets(tx)
  const batches = await groupChanges(tx)
  for (let batch = 0; batch < batches; batch++) await applyBatch(tx, batch)
  await analyzeTables(change, ['sets'])
}

/**
 * Chooses the width of each changed set for its new number of ids. A set keeps its width until that number is some four
 * times higher or lower than the one for which the width was chosen.
 */
async function chooseWidths(tx: SqlOrTransaction): Promise<void> {
  const number = (value: number) => tx.unsafe(String(value))
  const [ids, narrowest, widest] = [number(partIds), number(minWidth), number(maxWidth)] as const
  await tx`
    create temporary table changed_sets on commit drop as
    with grown as (
      select term_id, list, sum(case when is_gained then 1 else -1 end) as growth from set_changes group by 1, 2
    ), sized as (
      select term_id, list, max(width)::integer as old_width, greatest(1, max(growth) + coalesce(sum(cardinality), 0)) as total
      from grown left join sets using (term_id, list) group by 1, 2
    ), fitted as (
      select *, case when total <= ${ids} then ${widest} else greatest(${narrowest}, least(${widest} - 1,
        round(log(${ids}::float8 * case list when 'users' then last_user_id else last_repository_id end / total)
          / log(2::float8))::integer
      )) end as fitting_width
      from sized, dataset
    )
    select term_id, list, old_width, case
      when abs(old_width - fitting_width) < 2 then old_width
      when old_width = ${widest} and total < 2 * ${ids} then old_width
      else fitting_width end as width
    from fitted`
  await tx`analyze changed_sets`
}

/** Writes the sets that get another width with it. */
async function resizeSets(tx: SqlOrTransaction): Promise<void> {
  const sets = await tx<{ termId: number; list: ListName; width: number }[]>`
    select term_id as "termId", list::text as list, width from changed_sets where old_width <> width`
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

/** Groups the changes by part in `changed_parts`, and returns the number of batches, which count from 0. */
async function groupChanges(tx: SqlOrTransaction): Promise<number> {
  const ids = tx`string_agg(int4send(c.id), ''::bytea order by c.id)`
  await tx`
    create temporary table changed_parts on commit drop as
    select *, (
      sum(2000 + coalesce(length(gained), 0) + coalesce(length(lost), 0)) over (order by term_id, list, part)
        / ${tx.unsafe(String(batchBytes))}
    )::integer as batch
    from (
      select c.term_id, c.list, c.id >> s.width as part, s.width, ${ids} filter (where c.is_gained) as gained,
        ${ids} filter (where not c.is_gained) as lost
      from set_changes c join changed_sets s using (term_id, list)
      group by 1, 2, 3, 4
    ) p`
  await tx`create index on changed_parts (batch)`
  await tx`analyze changed_parts`
  const [last] = await tx<{ batch: number | null }[]>`select max(batch) as batch from changed_parts`
  return (last?.batch ?? -1) + 1
}

/** Replaces the parts of a batch. */
async function applyBatch(tx: SqlOrTransaction, batch: number): Promise<void> {
  const parts: StoredPart[] = []
  const rows = copyRows(
    tx,
    `select c.width, c.part, coalesce(s.cardinality, 0), coalesce(s.bytes, ''), c.gained, c.lost, c.term_id, c.list
    from changed_parts c left join sets s using (term_id, list, part) where c.batch = ${batch}`,
  )
  for await (const row of rows) {
    const [, , , , gained, lost, termId, list] = row
    const before = readPart(row)
    const ids = mergeChanges(decodePart(before), readIds(gained), readIds(lost))
    if (ids.length === 0) continue
    parts.push({
      termId: readInteger(termId),
      list: list?.toString() === 'users' ? 'users' : 'repositories',
      ...encodePart(ids, before),
    })
  }
  await tx`
    delete from sets s using changed_parts c
    where c.batch = ${batch} and s.term_id = c.term_id and s.list = c.list and s.part = c.part`
  await insertParts(tx, parts)
}

/**
 * Merges ascending ids. An id that was gained and lost as often in the same change, in any order, stays as it was before.
 */
function mergeChanges(before: Uint32Array, allGained: Uint32Array, allLost: Uint32Array): Uint32Array {
  const gained = subtractIds(allGained, allLost)
  const lost = subtractIds(allLost, allGained)
  const after = new Uint32Array(before.length + gained.length)
  let length = 0
  let [g, l] = [0, 0]
  for (let b = 0; b < before.length; b++) {
    const id = before[b] ?? 0
    for (; g < gained.length && (gained[g] ?? 0) < id; g++) addGained()
    while (g < gained.length && gained[g] === id) g++
    while (l < lost.length && (lost[l] ?? 0) < id) l++
    if (l < lost.length && lost[l] === id) continue
    after[length++] = id
  }
  for (; g < gained.length; g++) addGained()
  return after.subarray(0, length)

  function addGained(): void {
    const id = gained[g] ?? 0
    if (id !== after[length - 1]) after[length++] = id
  }
}

/** Returns the ids that occur more often in `ids` than in `others`, each as often as the difference. */
function subtractIds(ids: Uint32Array, others: Uint32Array): Uint32Array {
  if (ids.length === 0 || others.length === 0) return ids
  let at = 0
  return ids.filter((id) => {
    while (at < others.length && (others[at] ?? 0) < id) at++
    if (others[at] !== id) return true
    at++
    return false
  })
}

/** Inserts parts. Their bytes are one value, because the driver can't send arrays of bytes. */
async function insertParts(tx: SqlOrTransaction, parts: readonly StoredPart[]): Promise<void> {
  if (parts.length === 0) return
  const bytes = Buffer.concat(parts.map((part) => part.bytes))
  const integers = (read: (part: StoredPart) => number) => tx.typed.bigints(parts.map(read))
  await tx`
    insert into sets (term_id, list, part, width, cardinality, bytes)
    select term_id, list::list_name, part, width, cardinality,
      substring(all_bytes from (sum(length) over (order by place) - length + 1)::integer for length::integer)
    from (select ${bytes}::bytea as all_bytes) b, unnest(
      ${integers(({ termId }) => termId)}, ${tx.typed.texts(parts.map(({ list }) => list))},
      ${integers(({ part }) => part)}, ${integers(({ width }) => width)},
      ${integers(({ cardinality }) => cardinality)}, ${integers((part) => part.bytes.length)}
    ) with ordinality as p(term_id, list, part, width, cardinality, length, place)`
}
