/** Compares the stored sets with the rows that they are derived from, and derives them again. */
import { randomInt } from 'node:crypto'
import type { Sql, SqlOrTransaction } from '../database/connect.ts'
import { beginLong } from '../database/long-transaction.ts'
import { compareSets, type IdRange, type Sample, type SetVerification } from '../sets/set-verification.ts'
import { createForLists, readLastIds, type SetList } from '../sets/stored-sets.ts'
import { changeDataset, type DatasetChangeOptions, type DatasetChangeResult } from './dataset-change.ts'
import { deriveMissingTerms } from './missing-terms.ts'
import { deriveSets, selectItems } from './set-derivation.ts'
import { renewUseDates, verifyUseDates } from './use-dates.ts'

/**
 * Ids of each list in a sample. Those whose dates are verified are fewer, because a user may use thousands of
 * dependencies.
 */
const sampleSizes = { sets: 2_000, dates: 100 }

/**
 * Verifies the sets and the dates of uses in one snapshot: all of them, and how many items terms have, or those that
 * should have the ids of a sample.
 */
export function verifySets(sql: Sql, extent: 'all' | 'sample'): Promise<SetVerification> {
  const verify = async (tx: SqlOrTransaction) => {
    await tx`set local work_mem = '128MB'`
    const draw = (size: number) => (extent === 'sample' ? drawSample(tx, size) : undefined)
    const { sets, faults } = await compareSets(tx, selectItems, await draw(sampleSizes.sets))
    return { sets, faults: [...faults, ...(await verifyUseDates(tx, await draw(sampleSizes.dates)))] }
  }
  return beginLong(sql, verify, 'repeatable read read only')
}

/** Derives all sets and missing terms again, as a new version of the dataset in which nothing else has changed. */
export function rebuildSets(sql: Sql, options: DatasetChangeOptions = {}): Promise<DatasetChangeResult> {
  return changeDataset(sql, options, async (change) => {
    await deriveMissingTerms(change)
    await deriveSets(change)
    await renewUseDates(change)
  })
}

async function drawSample(tx: SqlOrTransaction, size: number): Promise<Sample> {
  const lastIds = await readLastIds(tx)
  const draw = (list: SetList): IdRange => {
    const first = randomInt(Math.max(1, lastIds[list] - size + 2))
    return { first, last: first + size - 1 }
  }
  return createForLists(draw)
}
