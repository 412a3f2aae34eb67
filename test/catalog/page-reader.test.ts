import { afterEach, expect, test } from 'vitest'
import { createFilter } from '../../api/catalog/canonical-filter.ts'
import { createCommitList } from '../../api/catalog/commit-list.ts'
import { createDependencyList } from '../../api/catalog/dependency-list.ts'
import { createLookup, lookUpRepository, lookUpUser } from '../../api/catalog/document-lookup.ts'
import { createList } from '../../api/catalog/list.ts'
import { createMatchCache } from '../../api/catalog/matches.ts'
import { ClientGoneError } from '../../api/errors.ts'
import type { SettleRequest } from '../../api/ledger/settlement.ts'
import { dependenciesOf, sampleCommits } from '../support/sample-oracle.ts'
import { describeOnEachDatabase, useService } from '../support/service.ts'
import { createSettleRequest, expectBalanced } from '../support/settlements.ts'

const page = { number: 1, size: 1 }

/** What the service asks of the ledger together with a page: its items are the price. */
function createPagedRequest(key: { id: number; secret: string }): SettleRequest {
  const request = createSettleRequest(key, 1)
  return { ...request, charge: request.charge && { ...request.charge, price: null, items: null } }
}

describeOnEachDatabase('a page', (kind) => {
  const service = useService(kind)
  afterEach(() => expectBalanced(service))

  test('is charged for by the statement that reads it, whatever list it is of', async () => {
    const { sql } = service
    const key = await service.createKey({ credits: 100 })
    const finder = createMatchCache({ maxBytes: 2 ** 20, maxWaitMs: 1_000, maxQueued: 10 }).createFinder(sql)
    const users = createList(sql, finder, 'users')
    const repositories = createList(sql, finder, 'repositories')
    const [owner = '', name = ''] = (sampleCommits[0]?.repo_url ?? '').split('/').slice(-2)
    expect(dependenciesOf(`${owner}/${name}`)).not.toEqual([])
    const repository = lookUpRepository(owner, name)
    const options = { caller: key.id, toSettle: createPagedRequest(key) }
    const reads: (() => Promise<unknown>)[] = [
      () => users({ filter: createFilter({}), page }, options),
      () => users({ filter: createFilter({ dependency_names: ['react'] }), page }, options),
      () => users({ filter: { by: 'name', entries: ['NGOLDBERG'] }, page }, options),
      () => repositories({ filter: createFilter({ owner }), page }, options),
      () => createCommitList(sql)({ repository, page }, options),
      () => createDependencyList(sql)({ repository, page }, options),
      () => createLookup(sql)(lookUpUser('ngoldberg'), options),
    ]
    for (const [index, read] of reads.entries()) {
      // On a busy machine the statement may take longer than `lateAfterMs`. Then it charges nothing.
      await expect.poll(() => read()).toMatchObject({ settlement: { balance: 99 - index } })
    }
  })

  test('is not read for a client that has left, even if nothing is to be charged', async () => {
    const signal = AbortSignal.abort()
    await expect(createLookup(service.sql)(lookUpUser('ngoldberg'), { signal })).rejects.toThrow(
      ClientGoneError,
    )
  })

  test.runIf(kind === 'embedded')('is not charged for if it waited for the one session', async () => {
    const { sql, ledgerSql } = service
    const key = await service.createKey({ credits: 100 })
    const holding = Promise.withResolvers<void>()
    const hold = ledgerSql.begin(async (tx) => {
      await tx`select 1`
      holding.resolve()
      await tx`select pg_sleep(0.3)`
    })
    await holding.promise
    const toSettle = createPagedRequest(key)
    const [found] = await Promise.all([createLookup(sql)(lookUpUser('ngoldberg'), { toSettle }), hold])
    expect(found).toMatchObject({ count: 1, settlement: undefined })
    expect(await service.readLedger(key.id)).toMatchObject({ balance: 100 })
  })
})
