/** Stored sets after any changes, against sets in memory, and how wrong ones are found. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { SqlOrTransaction } from '../../api/database/connect.ts'
import { applySetChanges } from '../../api/sets/set-changes.ts'
import { maxShelvedIds } from '../../api/sets/set-encoding.ts'
import { compareSets, type SelectItems } from '../../api/sets/set-verification.ts'
import { allTerm, createForLists, readSets, type SetList, setLists } from '../../api/sets/stored-sets.ts'
import { copyInto, writeRow } from '../support/copied-text.ts'
import { isDrill } from '../support/drill.ts'
import { describeOnOneDatabase, useService } from '../support/service.ts'

const lastId = 40_000
/** Terms by what they are. Some share shelves. */
const dependencies = [10, 11, 127, 128, 129]
const userAttributes = [20, 150]
const repositoryAttributes = [21, 151]
const locations = [30, 400]
const companies = [31, 401]
const trigrams = [2 ** 30 + 5, 2 ** 31 - 1]
const termsOf: Record<SetList, readonly number[]> = {
  users: [allTerm, ...dependencies, ...userAttributes, ...locations, ...companies],
  repositories: [allTerm, ...dependencies, ...repositoryAttributes],
  locations: trigrams,
  companies: trigrams,
}

/** What becomes of a set: it gains or loses `count` ids from `first` on, with gaps of up to `gap`. */
interface Step {
  list: SetList
  term: number
  isGained: boolean
  first: number
  count: number
  gap: number
}

const step: fc.Arbitrary<Step> = fc.record({
  list: fc.constantFrom(...setLists),
  term: fc.nat(8),
  isGained: fc.boolean(),
  first: fc.integer({ min: 1, max: lastId }),
  count: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 500, max: 6_000 })),
  gap: fc.oneof(fc.constant(1), fc.constant(2), fc.integer({ min: 3, max: 5_000 })),
})
const bounds = fc.record({
  changes: fc.oneof(fc.integer({ min: 1, max: 5_000 }), fc.constant(1_000_000)),
  terms: fc.integer({ min: 1, max: 10 }),
  parts: fc.integer({ min: 1, max: 40 }),
  sets: fc.integer({ min: 1, max: 10 }),
})
const loads = fc.array(fc.record({ steps: fc.array(step, { minLength: 1, maxLength: 12 }), bounds }), {
  minLength: 2,
  maxLength: 5,
})

/** The ids of each set of each list. */
type Model = Record<SetList, Map<number, Set<number>>>

const createModel = (): Model => createForLists(() => new Map())

function findSet(model: Model, list: SetList, term: number): Set<number> {
  const set = model[list].get(term) ?? new Set()
  model[list].set(term, set)
  return set
}

const columns = '(list, id, lost, gained)'
const selectItems: SelectItems = (list, { first, last }) =>
  `select id, term_ids from model_items where list = '${list}' and id between ${first} and ${last}`

/** Changes the model as the steps say, and lists what each item loses and gains, with some that it keeps. */
function applySteps(model: Model, steps: readonly Step[]): string[] {
  const items = new Map<string, { list: SetList; id: number; lost: number[]; gained: number[] }>()
  const before = structuredClone(model)
  for (const { list, term, isGained, first, count, gap } of steps) {
    const termId = termsOf[list][term % termsOf[list].length] ?? 0
    const set = findSet(model, list, termId)
    for (let id = first, index = 0; index < count && id <= lastId; index++, id += 1 + ((id * 7) % gap)) {
      if (isGained) set.add(id)
      else set.delete(id)
      const key = `${list} ${id}`
      if (!items.has(key)) items.set(key, { list, id, lost: [], gained: [] })
      const item = items.get(key)
      const isThere = before[list].get(termId)?.has(id) ?? false
      if (item === undefined || item.lost.includes(termId) || item.gained.includes(termId)) continue
      if (isThere || id % 5 === 0) item.lost.push(termId)
      if (isThere || id % 5 === 0) item.gained.push(termId)
    }
  }
  const rows: string[] = []
  for (const { list, id, lost, gained } of items.values()) {
    // What it was noted to keep, in two rows, and then how it differs in the end.
    if (id % 2 === 0) rows.push(writeRow([list, id, lost, []]), writeRow([list, id, [], gained]))
    else rows.push(writeRow([list, id, lost, gained]))
  }
  for (const list of setLists) {
    for (const [termId, set] of model[list]) {
      const old = before[list].get(termId) ?? new Set()
      for (const id of set) if (!old.has(id)) rows.push(writeRow([list, id, [], [termId]]))
      for (const id of old) if (!set.has(id)) rows.push(writeRow([list, id, [termId], []]))
    }
  }
  return rows.sort() // not in the order of ids
}

async function storeTerms(tx: SqlOrTransaction): Promise<void> {
  await tx`
    create temporary table set_changes (
      list list_name not null, id integer not null, lost integer[] not null, gained integer[] not null
    ) on commit drop`
  await tx`
    create temporary table model_items (list list_name not null, id integer not null, term_ids integer[] not null)
    on commit drop`
  await tx`update dataset set last_user_id = ${lastId}, last_repository_id = ${lastId}`
  for (const id of dependencies) {
    await tx`insert into dependencies (id, name, name_key, file) values (${id}, ${`d${id}`}, ${`D${id}`}, '')`
  }
  for (const id of [...userAttributes, ...repositoryAttributes]) {
    await tx`insert into attributes (id, name, value) values (${id}, 'a', ${String(id)})`
  }
  for (const id of locations) {
    // As a load leaves a new row, with the number that it will have.
    await tx`insert into locations (id, location, location_key, users_count) values (${id}, ${`l${id}`}, ${`L${id}`}, 7)`
  }
  for (const id of companies) {
    await tx`insert into companies (id, company, company_key, users_count) values (${id}, ${`c${id}`}, ${`C${id}`}, 7)`
  }
}

async function storeItems(tx: SqlOrTransaction, model: Model): Promise<void> {
  await tx`truncate model_items`
  for (const list of setLists) {
    const items = new Map<number, number[]>()
    for (const [termId, set] of model[list]) {
      for (const id of set) items.set(id, [...(items.get(id) ?? []), termId])
    }
    await copyInto(
      tx,
      'model_items (list, id, term_ids)',
      Array.from(items, ([id, terms]) => writeRow([list, id, terms])),
    )
  }
}

/** Compares the stored sets with the model, and their number of ids with that in the rows. */
async function compare(tx: SqlOrTransaction, model: Model): Promise<void> {
  for (const list of setLists) {
    const found = new Map<number, number[]>()
    for await (const { termId, ids, width } of readSets(tx, list)) {
      if (width === undefined) expect(ids.length).toBeLessThanOrEqual(maxShelvedIds)
      found.set(termId, [...(found.get(termId) ?? []), ...Array.from(ids)])
    }
    for (const [termId, set] of model[list]) {
      const ascending = (ids: Iterable<number>) => [...ids].sort((a, b) => a - b).join()
      expect(ascending(found.get(termId) ?? []), `${list} of ${termId}`).toBe(ascending(set))
    }
    expect([...found.keys()].filter((termId) => !model[list].has(termId))).toEqual([])
  }
  for (const [table, ids] of [
    ['locations', locations],
    ['companies', companies],
  ] as const) {
    const empty = ids.filter((id) => (model.users.get(id)?.size ?? 0) === 0)
    await tx`update ${tx(table)} set users_count = 0 where id = any(${tx.typed.bigints(empty)})`
  }
  await storeItems(tx, model)
  expect((await compareSets(tx, selectItems)).faults).toEqual([])
}

/** The terms with rows whose sets have lost their last id. */
function listEmptied(before: Model, after: Model): number[] {
  return (['users', 'repositories'] as const).flatMap((list) =>
    [...after[list]]
      .filter(([termId, { size }]) => termId !== allTerm && size === 0 && before[list].get(termId)?.size)
      .map(([termId]) => termId),
  )
}

describeOnOneDatabase('a stored set', (kind) => {
  const service = useService(kind, { data: 'empty' })

  /** Runs `work` in a transaction that leaves nothing. */
  async function tryOut(work: (tx: SqlOrTransaction) => Promise<void>): Promise<void> {
    const done = new Error('rolled back')
    await service.sql
      .begin(async (tx) => {
        await storeTerms(tx)
        await work(tx)
        throw done
      })
      .catch((error) => {
        if (error !== done) throw error
      })
  }

  async function change(
    tx: SqlOrTransaction,
    model: Model,
    steps: readonly Step[],
    limits?: Parameters<typeof applySetChanges>[2],
  ) {
    await tx`truncate set_changes`
    await copyInto(tx, `set_changes ${columns}`, applySteps(model, steps))
    return applySetChanges(tx, 'set_changes', limits)
  }

  test('has the ids that any loads leave it, whatever is in memory at a time, while it grows and shrinks', async () => {
    await fc.assert(
      fc.asyncProperty(loads, (drawn) =>
        tryOut(async (tx) => {
          const model = createModel()
          for (const { steps, bounds: limits } of drawn) {
            const before = structuredClone(model)
            const { emptied, haveUsesChanged } = await change(tx, model, steps, limits)
            expect(emptied).toEqual(expect.arrayContaining(listEmptied(before, model)))
            const isChanged = (list: SetList, termId: number) =>
              [...(model[list].get(termId) ?? [])].join() !== [...(before[list].get(termId) ?? [])].join()
            if (
              dependencies.some((termId) => isChanged('users', termId) || isChanged('repositories', termId))
            ) {
              expect(haveUsesChanged).toBe(true)
            }
            await compare(tx, model)
          }
        }),
      ),
      { numRuns: isDrill ? 100 : 4, endOnFailure: true },
    )
  })

  test('goes from a shelf to a part, to parts of bitmaps, and loses all of them', async () => {
    await tryOut(async (tx) => {
      const model = createModel()
      const read = () => tx`
        select coalesce(max(width)::integer, 0) as width, count(*)::integer as parts, coalesce(max(length(bytes)), 0) as bytes
        from sets where term_id = 10 and list = 'users'`
      const grow = (first: number, count: number, isGained = true): Step => ({
        ...{ list: 'users', term: 1, isGained, first, count, gap: 1 },
      })
      await change(tx, model, [grow(1, 16)])
      expect(await read()).toEqual([{ width: 0, parts: 0, bytes: 0 }])
      await change(tx, model, [grow(17, 1)])
      expect(await read()).toEqual([{ width: 31, parts: 1, bytes: 17 }])
      await change(tx, model, [grow(18, 39_983)])
      expect(await read()).toEqual([{ width: 14, parts: 3, bytes: 2_048 }])
      await change(tx, model, [grow(1, 39_500, false)])
      expect(await read()).toEqual([{ width: 31, parts: 1, bytes: 500 + 2 }])
      const { emptied } = await change(tx, model, [grow(39_501, 500, false)])
      expect(await read()).toEqual([{ width: 0, parts: 0, bytes: 0 }])
      expect(emptied).toEqual([10])
      expect(await tx`select users_count, users_on_shelf from dependencies where id = 10`).toEqual([
        { users_count: 0, users_on_shelf: false },
      ])
      await compare(tx, model)
    })
  })

  describe('is found if it is wrong:', () => {
    const bitmap = 'width = 14 and cardinality > 2048'
    const gaps = 'term_id >= 0 and cardinality between 17 and 2048'
    const flip = (bit: string) => `set bytes = set_bit(bytes, ${bit}, 1 - get_bit(bytes, ${bit}))`
    const oneMore = `set cardinality = cardinality + 1, bytes = bytes || decode('7f', 'hex')`
    const oneLess = `set cardinality = cardinality - 1, bytes = substring(bytes from 1 for length(bytes) - 1)`
    const row = (change: string) => `update attributes set ${change} where id = (select term_id from faulty)`
    const part = (change: string) => `update sets s ${change} from faulty f
      where s.term_id = f.row_id and s.list = f.list and s.part = f.part`
    test.each([
      ['a bitmap without a bit', bitmap, part(flip('0'))],
      ['a bitmap with a bit after all others', bitmap, part(flip('8 * length(bytes) - 1'))],
      ['a bitmap whose number of ids is wrong', bitmap, part('set cardinality = cardinality - 1')],
      ['gaps of which one is wrong', gaps, part(flip('8 * (length(bytes) - 1)'))],
      ['gaps with one more id', gaps, part(oneMore)],
      ['gaps with one id less', gaps, part(oneLess)],
      [
        'a part that is missing',
        gaps,
        `delete from sets s using faulty f where s.term_id = f.row_id and s.list = f.list`,
      ],
      ['a shelf with one more id', 'term_id < 0', part(oneMore)],
      ['a shelf with one id less', 'term_id < 0', part(oneLess)],
      ['a number of items that is too high', gaps, row('items_count = items_count + 1')],
      ['a flag that says that it is on a shelf', gaps, row('on_shelf = true')],
      ['a flag that says that it is not', 'term_id < 0', row('on_shelf = false')],
    ])('%s', async (_, condition, statement) => {
      await tryOut(async (tx) => {
        const model = createModel()
        const step = (term: number, first: number, count: number, gap: number): Step => ({
          ...{ list: 'users', term, isGained: true, first, count, gap },
        })
        // Bitmaps and gaps of attribute 20, on a shelf attribute 150 alone.
        const isDense = condition === bitmap
        await change(tx, model, [
          ...(condition === 'term_id < 0' ? [] : [step(6, 10_000, isDense ? 22_000 : 300, 1)]),
          step(7, 5, 9, 1),
        ])
        await tx`
          create temporary table faulty on commit drop as
          select case when term_id < 0 then 150 else term_id end as term_id, term_id as row_id, list, part from sets
          where ${tx.unsafe(condition)} order by part desc limit 1`
        await storeItems(tx, model)
        await tx`update locations set users_count = 0`
        await tx`update companies set users_count = 0`
        expect((await compareSets(tx, selectItems)).faults).toEqual([])
        const { count } = await tx.unsafe(statement)
        expect(count).toBe(1)
        const [wrong] = await tx<{ termId: number }[]>`select term_id as "termId" from faulty`
        expect((await compareSets(tx, selectItems)).faults).toEqual([{ ...wrong, list: 'users' }])
      })
    })
  })
})
