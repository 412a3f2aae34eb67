/** Compares the stored sets with the rows that they are derived from, and derives them again. */
import { randomInt } from 'node:crypto'
import type { Sql, SqlOrTransaction } from '../database/connect.ts'
import { beginLong } from '../database/long-transaction.ts'
import { keyColumnOf } from '../names/searchable-texts.ts'
import { deleteDerivedSets } from '../sets/set-parts.ts'
import { compareSets, type IdRange, type Sample, type SetVerification } from '../sets/set-verification.ts'
import { allTerm, createForLists, readLastIds, type SetList, setLists } from '../sets/stored-sets.ts'
import { changeDataset, type DatasetChangeOptions, type DatasetChangeResult } from './dataset-change.ts'
import { deriveMissingTerms } from './missing-terms.ts'
import { renewUseDates, verifyUseDates } from './use-dates.ts'

/** Ids of each list in a sample. */
const sampleSize = 2_000

/**
 * Verifies the sets in one snapshot: all of them, how many items terms have, and the dates of uses, or the sets that should have the
 * ids of a sample.
 */
export function verifySets(sql: Sql, extent: 'all' | 'sample'): Promise<SetVerification> {
  const verify = async (tx: SqlOrTransaction) => {
    await tx`set local work_mem = '128MB'`
    if (extent === 'sample') return compareSets(tx, selectItems, await drawSample(tx))
    const { sets, faults } = await compareSets(tx, selectItems)
    return { sets, faults: [...faults, ...(await verifyUseDates(tx))] }
  }
  return beginLong(sql, verify, 'repeatable read read only')
}

/** Derives all sets and missing terms again, as a new version of the dataset in which nothing else has changed. */
export function rebuildSets(sql: Sql, options: DatasetChangeOptions = {}): Promise<DatasetChangeResult> {
  return changeDataset(sql, options, async (change) => {
    const { tx } = change
    await deriveMissingTerms(change)
    await tx`truncate set_changes, use_changes` // all sets are filled anew
    await deleteDerivedSets(tx)
    await renewUseDates(change)
    for (const list of setLists) {
      await tx.unsafe(`
        insert into set_changes select '${list}', id, '{}', term_ids from (${selectItems(list, everyId)}) i`)
    }
    return {}
  })
}

const everyId: IdRange = { first: 0, last: 2 ** 31 - 1 }

/** SQL: `id` of the items of a range, and `term_ids` that they have. */
function selectItems(list: SetList, { first, last }: IdRange): string {
  const within = (id: string) => `${id} between ${first} and ${last}`
  if (list !== 'users' && list !== 'repositories') {
    return `select id, trigram_terms(${keyColumnOf(list)}) as term_ids from ${list} where ${within('id')}`
  }
  const items = {
    users: `
      select id, u.term_ids || dependency_ids || array[${allTerm}, a.term_id, v.term_id] as term_ids
      from users u left join user_dependencies d on d.user_id = id left join user_activity a on a.user_id = id
        left join dataset_versions v using (version)
      where ${within('id')}`,
    repositories: `
      select id, r.term_ids || dependency_ids || array[${allTerm}, v.term_id] as term_ids
      from repositories r left join repository_dependencies on repository_id = id
        left join dataset_versions v using (version)
      where ${within('id')}`,
  }
  return `select id, array_remove(term_ids, null) as term_ids from (${items[list]}) i`
}

async function drawSample(tx: SqlOrTransaction): Promise<Sample> {
  const lastIds = await readLastIds(tx)
  const draw = (list: SetList): IdRange => {
    const first = randomInt(Math.max(1, lastIds[list] - sampleSize + 2))
    return { first, last: first + sampleSize - 1 }
  }
  return createForLists(draw)
}
