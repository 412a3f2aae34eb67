/**
 * Compares the stored sets with the rows that they are derived from, and derives them again.
 *
 * @module
 */
import { randomInt } from 'node:crypto'
import type { Fragment, Sql, SqlOrTransaction } from '../database/connect.ts'
import { copyRows, readInteger } from '../database/copy.ts'
import { beginLong } from '../database/long-transaction.ts'
import { decodeCodes, decodePart, decodeShelved, maxWidth } from '../sets/set-encoding.ts'
import { subtractIds } from '../sets/set-parts.ts'
import {
  allTerm,
  readCodes,
  readList,
  readPart,
  type SetList,
  selectCode,
  selectIsShelved,
  termColumns,
} from '../sets/stored-sets.ts'
import { changeDataset, type DatasetChangeOptions, type DatasetChangeResult } from './dataset-change.ts'
import { deriveMissingTerms } from './missing-terms.ts'

interface VerifiedSet {
  termId: number
  list: string
}

/** What a verification found. */
export interface SetVerification {
  /** Sets that were compared. */
  sets: number
  /** Sets whose ids, or the number of these in the row of the term, differ from those of the rows. */
  faults: VerifiedSet[]
}

/** A range of ids, with both ends. */
interface IdRange {
  first: number
  last: number
}

type IdRanges = Record<SetList, IdRange>

const everyId: IdRange = { first: 0, last: 2 ** 31 - 1 }
const everything: IdRanges = { users: everyId, repositories: everyId, locations: everyId }
/** Ids of users, of repositories and of locations in a sample. */
const sampleSize = 2_000

/**
 * Verifies the sets in one snapshot: all of them, and how many items terms have, or the sets that should have the ids of a
 * sample. The set of a version may also have what has changed again since then.
 */
export async function verifySets(sql: Sql, extent: 'all' | 'sample'): Promise<SetVerification> {
  const verify = async (tx: SqlOrTransaction) => {
    await tx`set local work_mem = '128MB'`
    const ranges = extent === 'all' ? everything : await drawSample(tx)
    const widths =
      extent === 'all'
        ? tx`(select term_id, list, max(width) as width from sets group by 1, 2) w using (term_id, list)`
        : tx`lateral (select width from sets w where w.term_id = m.term_id and w.list = m.list limit 1) w on true`
    const { shelf, code } = selectCode(tx)
    const { join, isShelved } = selectIsShelved(tx)
    await tx`
      create temporary table expected_parts on commit drop as
      select place.term_id, list, part, string_agg(int8send(member), ''::bytea) as members
      from (
        select m.*, ${isShelved} as is_shelved from (${selectMembers(tx, ranges)}) m ${join}
      ) m
        left join ${widths},
        lateral (
          select ${shelf} as term_id, 0 as part, ${code} as member where is_shelved
          union all select m.term_id, id >> coalesce(width, ${maxWidth}::integer), id where not is_shelved
        ) place
      group by 1, 2, 3`
    await tx`create index on expected_parts (term_id, list, part)`
    await tx`analyze expected_parts`
    // A sample doesn't read parts where none of its ids is expected, so it misses wrong ids there.
    const rows = copyRows(
      tx,
      `select coalesce(width, ${maxWidth}), part, coalesce(cardinality, 0), coalesce(bytes, ''), members, term_id, list,
        term_id in (select term_id from dataset_versions)
      from expected_parts ${extent === 'all' ? 'full' : 'left'} join sets using (term_id, list, part)
      order by term_id, list, part`,
    )
    const verification: SetVerification = { sets: 0, faults: [] }
    let previous: VerifiedSet = { termId: 0, list: '' }
    const counts = new Map<string, number>()
    const count = (list: string, termId: number, ids: number) =>
      counts.set(`${list} ${termId}`, (counts.get(`${list} ${termId}`) ?? 0) + ids)
    for await (const row of rows) {
      const [, , , , members, termId, list, mayHaveMore] = row
      const set = { termId: readInteger(termId), list: readList(list) }
      const range = ranges[set.list]
      const expected = readCodes(members)
      if (set.termId < 0) {
        const idOf = (code: number) => decodeShelved(set.termId, code).id
        for (const code of expected) count(set.list, decodeShelved(set.termId, code).termId, 1)
        const found = decodeCodes(readPart(row)).filter((code) => isWithin(range, idOf(code)))
        const termsOf = (codes: ArrayLike<number>) =>
          new Set(Array.from(codes, (code) => decodeShelved(set.termId, code).termId))
        verification.sets += termsOf([...found, ...expected]).size
        for (const term of termsOf([...subtractIds(found, expected), ...subtractIds(expected, found)])) {
          verification.faults.push({ termId: term, list: set.list })
        }
        continue
      }
      count(set.list, set.termId, expected.length)
      const found = decodePart(readPart(row)).filter((id) => isWithin(range, id))
      const isRight =
        subtractIds(expected, found).length === 0 &&
        (readInteger(mayHaveMore) === 1 || subtractIds(found, expected).length === 0)
      if (set.termId !== previous.termId || set.list !== previous.list) verification.sets++
      previous = set
      const last = verification.faults.at(-1)
      if (!isRight && (last?.termId !== set.termId || last.list !== set.list)) verification.faults.push(set)
    }
    if (extent === 'all') await verifyCounts(tx, counts, verification.faults)
    return verification
  }
  return beginLong(sql, verify, 'repeatable read')
}

/** Adds the terms whose rows have other numbers of items. `counts` has the right ones, by list and term. */
async function verifyCounts(
  tx: SqlOrTransaction,
  counts: ReadonlyMap<string, number>,
  faults: VerifiedSet[],
): Promise<void> {
  const found = new Set(faults.map(({ list, termId }) => `${list} ${termId}`))
  for (const { table, list, count } of termColumns) {
    // The attributes of the other list are among them.
    const other = list === 'users' ? 'repositories' : 'users'
    for await (const [id, stored] of copyRows(tx, `select id, ${count} from ${table}`)) {
      const termId = readInteger(id)
      if (table === 'attributes' && counts.has(`${other} ${termId}`)) continue
      if (readInteger(stored) === (counts.get(`${list} ${termId}`) ?? 0)) continue
      if (!found.has(`${list} ${termId}`)) faults.push({ termId, list })
    }
  }
}

/** Derives all sets and missing terms again, as a new version of the dataset in which nothing else has changed. */
export function rebuildSets(sql: Sql, options: DatasetChangeOptions = {}): Promise<DatasetChangeResult> {
  return changeDataset(sql, options, async (change) => {
    const { tx } = change
    await deriveMissingTerms(change)
    await tx`truncate set_changes` // all sets are filled anew
    await tx`delete from sets`
    for (const { table, count, isOnShelf } of termColumns) {
      await tx`
        update ${tx(table)} set ${tx(isOnShelf)} = true, ${tx(count)} = 0
        where not ${tx(isOnShelf)} or ${tx(count)} <> 0`
    }
    await tx`
      insert into set_changes
      select list, id, '{}', array_agg(term_id) from (${selectMembers(tx, everything)}) m group by list, id`
    return {}
  })
}

/** SQL: `term_id`, `list` and `id` of all members of sets whose ids are in a range. */
function selectMembers(tx: SqlOrTransaction, ranges: IdRanges): Fragment {
  const within = (list: SetList) =>
    tx`where id between ${ranges[list].first}::integer and ${ranges[list].last}::integer`
  return tx`
    select term_id, list, id
    from (
      select 'users'::list_name as list, id,
        u.term_ids || dependency_ids || array[${allTerm}::integer, a.term_id, v.term_id] as term_ids
      from users u left join user_dependencies d on d.user_id = id left join user_activity a on a.user_id = id
        left join dataset_versions v using (version)
      ${within('users')}
      union all
      select 'repositories', id, term_ids || dependency_ids || array[${allTerm}::integer, term_id]
      from repositories left join repository_dependencies on repository_id = id left join dataset_versions using (version)
      ${within('repositories')}
      union all
      select 'locations', id, trigram_terms(location_key) from locations ${within('locations')}
    ) m, unnest(term_ids) as term_id
    where term_id is not null`
}

async function drawSample(tx: SqlOrTransaction): Promise<IdRanges> {
  const [last] = await tx<Record<SetList, number>[]>`
    select last_user_id as users, last_repository_id as repositories,
      (select coalesce(max(id), 0) from locations) as locations
    from dataset`
  const draw = (lastId = 0): IdRange => {
    const first = randomInt(Math.max(1, lastId - sampleSize + 2))
    return { first, last: first + sampleSize - 1 }
  }
  return {
    users: draw(last?.users),
    repositories: draw(last?.repositories),
    locations: draw(last?.locations),
  }
}

function isWithin({ first, last }: IdRange, id: number): boolean {
  return id >= first && id <= last
}
