/**
 * Changes of the sets that are on shelves. A set that gets too many ids leaves its shelf for parts of its own, and does not
 * come back until all sets are derived again.
 *
 * @module
 */

import type { SqlOrTransaction } from '../database/connect.ts'
import {
  decodeCodes,
  decodeShelved,
  encodePart,
  maxShelvedIds,
  shelfPlaces,
  shelfWidth,
} from './set-encoding.ts'
import { type ChangedPart, mergeChanges, rewriteParts, type StoredPart } from './set-parts.ts'
import { type SetList, selectCode, termColumns } from './stored-sets.ts'

/** A set, and one of its ids. */
interface Member {
  termId: number
  list: SetList
  id: number
}

/** What a changed shelf leads to. */
interface RewrittenShelf {
  shelf: StoredPart
  /** What the sets that leave had on it. */
  moved: Member[]
  /** Terms whose sets leave because they have too many ids now. */
  outgrown: number[]
  /** Changed sets that stay, and the number of their ids. */
  stayed: { termId: number; cardinality: number }[]
}

/**
 * Applies `set_changes` to the sets of `changed_sets` that are on shelves, and notes in `cardinalities` how many ids they have
 * now. A set that gets too many ids leaves its shelf instead: `leaves` is true then, and `set_changes` has all its ids.
 */
export async function applyToShelves(tx: SqlOrTransaction): Promise<void> {
  const [shelved] = await tx`select 1 from changed_sets where is_shelved limit 1`
  if (shelved === undefined) return
  const { shelf, code } = selectCode(tx)
  const codes = tx`string_agg(int8send(${code}), ''::bytea)`
  const changes = tx`
    select term_id, list, 0 as part, ${shelfWidth}::integer as width, gained, lost, leaving
    from (
      select ${shelf} as term_id, list, ${codes} filter (where is_gained) as gained,
        ${codes} filter (where not is_gained) as lost
      from set_pairs join changed_sets using (term_id, list) where is_shelved and not leaves group by 1, 2
    ) stay full join (
      select ${shelf} as term_id, list, string_agg(int8send(term_id), ''::bytea) as leaving
      from changed_sets where leaves group by 1, 2
    ) leave using (term_id, list)`
  await rewriteParts(tx, changes, async (changed) => {
    const rewritten: RewrittenShelf[] = []
    for await (const part of changed) rewritten.push(rewriteShelf(part))
    await recordMoves(tx, rewritten)
    return rewritten.map((shelf) => shelf.shelf)
  })
  const [leaving] = await tx`select 1 from changed_sets where leaves limit 1`
  if (leaving === undefined) return
  for (const { table, list, isOnShelf } of termColumns) {
    await tx`
      update ${tx(table)} set ${tx(isOnShelf)} = false
      where id in (select term_id from changed_sets where leaves and list::text = ${list})`
  }
}

function rewriteShelf(part: ChangedPart): RewrittenShelf {
  const before = decodeCodes(part)
  const after = mergeChanges(before, part)
  const counts = new Uint32Array(shelfPlaces)
  for (const code of after) {
    const place = code % shelfPlaces
    counts[place] = (counts[place] ?? 0) + 1
  }
  const changed = new Set([...part.gained, ...part.lost].map((code) => code % shelfPlaces))
  const outgrown = [...changed].filter((place) => (counts[place] ?? 0) > maxShelvedIds)
  const leaving = new Set([...outgrown, ...[...part.leaving].map((termId) => termId % shelfPlaces)])
  const leaves = (code: number) => leaving.has(code % shelfPlaces)
  const termOf = (place: number) => decodeShelved(part.termId, place).termId
  const [staying, moving] =
    leaving.size === 0 ? [after, []] : [after.filter((code) => !leaves(code)), before.filter(leaves)]
  return {
    shelf: { ...part, ...encodePart(staying, part) },
    moved: Array.from(moving, (code) => ({ ...decodeShelved(part.termId, code), list: part.list })),
    outgrown: outgrown.map(termOf),
    stayed: [...changed]
      .filter((place) => !leaving.has(place))
      .map((place) => ({ termId: termOf(place), cardinality: counts[place] ?? 0 })),
  }
}

/**
 * Notes in `set_changes` that sets which leave their shelves gain what they had there: as parts, they are still empty. Marks the
 * sets that have outgrown their shelves, and notes how many ids the others have.
 */
async function recordMoves(tx: SqlOrTransaction, rewritten: readonly RewrittenShelf[]): Promise<void> {
  const moved = rewritten.flatMap((shelf) => shelf.moved)
  const outgrown = rewritten.flatMap(({ shelf, outgrown: terms }) =>
    terms.map((termId) => ({ termId, list: shelf.list })),
  )
  const stayed = rewritten.flatMap(({ shelf: { list }, stayed: sets }) =>
    sets.map((set) => ({ ...set, list })),
  )
  if (moved.length > 0) {
    await tx`
      insert into set_pairs
      select term_id, list::list_name, id, true from unnest(
        ${tx.typed.bigints(moved.map(({ termId }) => termId))}, ${tx.typed.texts(moved.map(({ list }) => list))},
        ${tx.typed.bigints(moved.map(({ id }) => id))}
      ) as moved(term_id, list, id)`
  }
  if (outgrown.length > 0) {
    await tx`
      update changed_sets s set leaves = true
      from unnest(
        ${tx.typed.bigints(outgrown.map(({ termId }) => termId))}, ${tx.typed.texts(outgrown.map(({ list }) => list))}
      ) as outgrown(term_id, list)
      where s.term_id = outgrown.term_id and s.list = outgrown.list::list_name`
  }
  if (stayed.length > 0) {
    await tx`
      insert into cardinalities
      select term_id, list::list_name, cardinality from unnest(
        ${tx.typed.bigints(stayed.map(({ termId }) => termId))}, ${tx.typed.texts(stayed.map(({ list }) => list))},
        ${tx.typed.bigints(stayed.map(({ cardinality }) => cardinality))}
      ) as stayed(term_id, list, cardinality)`
  }
}
