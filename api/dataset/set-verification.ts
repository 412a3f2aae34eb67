/**
 * Compares the stored sets with the rows that they are derived from, and derives them again.
 *
 * @module
 */
import { randomInt } from 'node:crypto'
import { decodePart, maxWidth } from '../catalog/set-encoding.ts'
import { allTerm, readIds, readPart } from '../catalog/stored-sets.ts'
import type { Fragment, Sql, SqlOrTransaction } from '../database/connect.ts'
import { copyRows, readInteger } from '../database/copy.ts'
import { changeDataset, type DatasetChangeOptions, type DatasetChangeResult } from './dataset-change.ts'

/** What a verification found. */
export interface SetVerification {
  /** Sets that were compared. */
  sets: number
  /** Sets whose ids differ from those of the rows. */
  faults: { termId: number; list: string }[]
}

/** A range of ids, with both ends. */
interface IdRange {
  first: number
  last: number
}

const everyId: IdRange = { first: 0, last: 2 ** 31 - 1 }
/** Ids of users, and of repositories, in a sample. */
const sampleSize = 2_000

/**
 * Verifies the sets in one snapshot: all of them, or of a sample of users and repositories, those that these should be in. The
 * set of a version may have what has changed again since then.
 */
export async function verifySets(sql: Sql, extent: 'all' | 'sample'): Promise<SetVerification> {
  return sql.begin('isolation level repeatable read', async (tx) => {
    await tx`set local statement_timeout = 0`
    await tx`set local work_mem = '128MB'`
    const range = extent === 'all' ? everyId : await drawSample(tx)
    const widths =
      extent === 'all'
        ? tx`(select term_id, list, max(width) as width from sets group by 1, 2) s using (term_id, list)`
        : tx`lateral (select width from sets s where s.term_id = m.term_id and s.list = m.list limit 1) s on true`
    await tx`
      create temporary table expected_parts on commit drop as
      select term_id, list, id >> coalesce(width, ${maxWidth}::integer) as part,
        string_agg(int4send(id), ''::bytea order by id) as ids
      from (${selectMembers(tx, range)}) m left join ${widths}
      group by 1, 2, 3`
    await tx`create index on expected_parts (term_id, list, part)`
    await tx`analyze expected_parts`
    // A sample doesn't read parts where none of its ids is expected, so it misses wrong ids there.
    const rows = copyRows(
      tx,
      `select coalesce(width, ${maxWidth}), part, coalesce(cardinality, 0), coalesce(bytes, ''), ids, term_id, list,
        term_id in (select term_id from dataset_versions)
      from expected_parts ${extent === 'all' ? 'full' : 'left'} join sets using (term_id, list, part)
      order by term_id, list, part`,
    )
    const verification: SetVerification = { sets: 0, faults: [] }
    let set = { termId: -1, list: '' }
    for await (const row of rows) {
      const [, , , , ids, termId, list, isVersion] = row
      const next = { termId: readInteger(termId), list: String(list) }
      if (next.termId !== set.termId || next.list !== set.list) verification.sets++
      set = next
      const found = decodePart(readPart(row)).filter((id) => id >= range.first && id <= range.last)
      const isRight = readInteger(isVersion) === 1 ? hasAll(found, readIds(ids)) : isSame(found, readIds(ids))
      const last = verification.faults.at(-1)
      if (!isRight && (last?.termId !== set.termId || last.list !== set.list)) verification.faults.push(set)
    }
    return verification
  })
}

/** Derives all sets again, as a new version of the dataset in which nothing else has changed. */
export function rebuildSets(sql: Sql, options: DatasetChangeOptions = {}): Promise<DatasetChangeResult> {
  return changeDataset(sql, options, async ({ tx }) => {
    await tx`delete from sets`
    await tx`insert into set_changes select term_id, list, id, true from (${selectMembers(tx, everyId)}) m`
    return {}
  })
}

/** SQL: `term_id`, `list` and `id` of all members of sets whose ids are in a range. */
function selectMembers(tx: SqlOrTransaction, { first, last }: IdRange): Fragment {
  return tx`
    select term_id, list, id
    from (
      select 'users'::list_name as list, id, dependency_ids || array[${allTerm}::integer, location_id, term_id] as term_ids
      from users left join user_dependencies on user_id = id left join dataset_versions using (version)
      union all
      select 'repositories', id, dependency_ids || array[${allTerm}::integer, term_id]
      from repositories left join repository_dependencies on repository_id = id left join dataset_versions using (version)
    ) m, unnest(term_ids) as term_id
    where id between ${first}::integer and ${last}::integer and term_id is not null`
}

async function drawSample(tx: SqlOrTransaction): Promise<IdRange> {
  const [dataset] = await tx<{ lastId: number }[]>`
    select greatest(last_user_id, last_repository_id) as "lastId" from dataset`
  const first = randomInt(Math.max(1, (dataset?.lastId ?? 0) - sampleSize + 2))
  return { first, last: first + sampleSize - 1 }
}

function isSame(found: Uint32Array, expected: Uint32Array): boolean {
  return found.length === expected.length && hasAll(found, expected)
}

/** Whether ascending ids have all of the expected ones. */
function hasAll(found: Uint32Array, expected: Uint32Array): boolean {
  let at = 0
  return expected.every((id) => {
    while ((found[at] ?? id) < id) at++
    return found[at] === id
  })
}
