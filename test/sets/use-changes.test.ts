/** Stored dates of uses after any changes, against dates in memory, and how wrong ones are found. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { SqlOrTransaction } from '../../api/database/connect.ts'
import { type DatedTerm, type ItemUse, readDatedItems } from '../../api/sets/dated-items.ts'
import { readFileUses } from '../../api/sets/file-uses.ts'
import type { IdRange } from '../../api/sets/set-verification.ts'
import { applyUseChanges, type UseSource } from '../../api/sets/use-changes.ts'
import { decodeChunk, encodeUses, Uses, unknownBegin } from '../../api/sets/use-chunks.ts'
import { findWrongUses } from '../../api/sets/use-verification.ts'
import { copyInto, writeRow } from '../support/copied-text.ts'
import { isDrill } from '../support/drill.ts'
import { describeOnOneDatabase, useService } from '../support/service.ts'

const lastId = 3_000
/** Of a file, whose uses have no dates. */
const undated = new Set([3])
const termIds = [1, 2, 3, 4, 5, 700, 2 ** 30]

/** What becomes of the uses of `count` items, from `first` on. */
interface Step {
  term: number
  first: number
  count: number
  gap: number
  /** Null: the items stop using it. */
  dates: { begin: number | null; length: number | null } | null
}

const date = fc.oneof(
  fc.integer({ min: -62_135_596_800, max: 253_402_300_799 }),
  fc.integer({ min: 0, max: 90 }),
)
const step: fc.Arbitrary<Step> = fc.record({
  term: fc.constantFrom(...termIds),
  first: fc.integer({ min: 1, max: lastId }),
  count: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 200, max: 900 })),
  gap: fc.constantFrom(1, 1, 2, 40),
  dates: fc.option(
    fc.record({ begin: fc.option(date), length: fc.option(fc.integer({ min: -100, max: 400_000_000 })) }),
  ),
})
const bounds = fc.record({
  range: fc.integer({ min: 1, max: 4_000 }),
  batch: fc.integer({ min: 1, max: 2_000 }),
})
const loads = fc.array(fc.record({ steps: fc.array(step, { minLength: 1, maxLength: 8 }), bounds }), {
  minLength: 1,
  maxLength: 5,
})

const readBounds = fc.record({
  maxRareUses: fc.constantFrom(0, 300, 10_000),
  maxPendingUses: fc.constantFrom(100, 10_000),
})

type Model = Map<number, Map<number, { begin: number | null; end: number | null }>>

const source: UseSource = {
  hasSeconds: false,
  selectUses: ({ first, last }) => `
    select id, lost, terms, begins, ends from test_uses where id between ${first} and ${last} order by id`,
}

/** Writes what each changed item no longer uses, and what it uses otherwise: some rows have all that it uses. */
async function writeUses(tx: SqlOrTransaction, model: Model, changed: ReadonlyMap<number, Set<number>>) {
  await tx`truncate test_uses`
  const lines = Array.from(changed, ([id, terms]) => {
    const uses = [...(model.get(id) ?? [])].filter(([term]) => id % 3 === 0 || terms.has(term))
    return writeRow([
      id,
      [...terms].filter((term) => !model.get(id)?.has(term)),
      uses.map(([term]) => term),
      uses.map(([, { begin }]) => begin),
      uses.map(([, { end }]) => end),
    ])
  })
  await copyInto(tx, 'test_uses', lines)
}

function listUses(model: Model, group: readonly DatedTerm[]) {
  return [...model.keys()]
    .sort((a, b) => a - b)
    .flatMap((id) => {
      const own = group.flatMap(({ termId, status }) => {
        const use = model.get(id)?.get(termId)
        return use === undefined ? [] : [{ ...use, status }]
      })
      if (own.length === 0) return []
      return {
        id,
        begin: Math.min(...own.map(({ begin }) => begin ?? unknownBegin)),
        end: own.some(({ end }) => end === null) ? null : Math.max(...own.map(({ end }) => Number(end))),
        statuses: own.reduce(
          (bits, { status }) => bits | (status === 'active' ? 1 : status === 'removed' ? 2 : 4),
          0,
        ),
      }
    })
}

const compareItemUses = (one: ItemUse, other: ItemUse) =>
  one.id - other.id ||
  one.statuses - other.statuses ||
  one.begin - other.begin ||
  (one.end ?? 0) - (other.end ?? 0)

describeOnOneDatabase('stored dates', (kind) => {
  const service = useService(kind, { data: 'empty' })

  /** Runs in a transaction that leaves nothing. */
  async function inTransaction(work: (tx: SqlOrTransaction) => Promise<void>): Promise<void> {
    const done = new Error('done')
    await service.sql
      .begin(async (tx) => {
        await tx`
          create temporary table test_uses (id integer, lost integer[], terms integer[], begins bigint[], ends bigint[])
          on commit drop`
        await work(tx)
        throw done
      })
      .catch((error) => {
        if (error !== done) throw error
      })
  }

  const apply = (tx: SqlOrTransaction, limits?: { range: number; batch: number }) =>
    applyUseChanges(
      tx,
      `select 'users'::list_name as list, id, cardinality(lost) + cardinality(terms) as size from test_uses`,
      { users: source, repositories: source },
      undated,
      limits,
    )

  /** Reads the uses of groups as those of names in a file, beside which there is another one. */
  async function readOfFiles(
    tx: SqlOrTransaction,
    groups: readonly (readonly DatedTerm[])[],
    edition: string,
    limits: { maxRareUses: number; maxPendingUses: number },
  ): Promise<ItemUse[]> {
    await tx`delete from dependencies`
    const rows = groups.flatMap((group, place) =>
      group.map(({ termId, status }) => [termId, `n${place}`, `n${place}`, "it's", status, 100]),
    )
    const others = [
      [4, 'n0', 'n0', 'other', 'active', 100],
      [3, '', '', "it's", 'active', 100],
    ]
    await copyInto(
      tx,
      'dependencies (id, name, name_key, file, status, users_count)',
      [...rows, ...others].map(writeRow),
    )
    const found: ItemUse[] = []
    const read = (use: ItemUse) => void found.push(use)
    expect(await readFileUses(tx, 'users', ["it's", 'none'], edition, read, limits)).toBe(true)
    return found
  }

  test('are those of the items after any changes, however many are read and merged at a time', async () => {
    const [dataset] = await service.sql<{ edition: string }[]>`select edition from dataset`
    const groups: DatedTerm[][] = [
      [{ termId: 1, status: 'active' }],
      [
        { termId: 5, status: 'removed' },
        { termId: 2, status: 'active' },
        { termId: 700, status: null },
      ],
      [{ termId: 6, status: 'active' }],
      [{ termId: 2 ** 30, status: 'removed' }],
    ]
    await fc.assert(
      fc.asyncProperty(loads, readBounds, async (steps, readLimits) => {
        await inTransaction(async (tx) => {
          const model: Model = new Map()
          for (const { steps: changes, bounds: limits } of steps) {
            const changed = new Map<number, Set<number>>()
            for (const { term, first, count, gap, dates } of changes) {
              for (let id = first; id < first + count * gap && id <= lastId; id += gap) {
                const uses = model.get(id) ?? new Map()
                model.set(id, uses)
                if (dates === null) uses.delete(term)
                else {
                  const begin = dates.begin === null ? null : 2 * dates.begin + (id % 5 === 0 ? 1 : 0)
                  uses.set(term, {
                    begin,
                    end: dates.length === null ? null : (dates.begin ?? 7) + dates.length,
                  })
                }
                changed.set(id, (changed.get(id) ?? new Set()).add(term))
              }
            }
            await writeUses(tx, model, changed)
            await apply(tx, limits)
          }
          const found: ItemUse[] = []
          expect(
            await readDatedItems(tx, 'users', groups, dataset?.edition ?? '', (use) => void found.push(use)),
          ).toBe(true)
          const expected = groups.flatMap((group) => listUses(model, group))
          expect(found).toEqual(expected)
          const ofFiles = await readOfFiles(tx, groups, dataset?.edition ?? '', readLimits)
          expect(ofFiles.sort(compareItemUses)).toEqual(expected.sort(compareItemUses))
          await writeUses(tx, model, new Map(Array.from(model, ([id, uses]) => [id, new Set(uses.keys())])))
          const compare = (range?: IdRange) => {
            const { first, last } = range ?? { first: 0, last: lastId }
            const items = `select id, terms, begins, ends from test_uses where id between ${first} and ${last}`
            return findWrongUses(tx, 'users', items, { hasSeconds: false, undated }, range)
          }
          expect(await compare()).toEqual([])
          expect(await compare({ first: 3, last: 20 })).toEqual([])
          const [chunk] = await tx<{ termId: number }[]>`
            delete from use_dates where ctid in (select ctid from use_dates order by term_id, item_id limit 1)
            returning term_id as "termId"`
          if (chunk === undefined) return
          for (const range of [undefined, { first: 0, last: lastId }]) {
            expect((await compare(range)).map(({ termId }) => termId)).toContain(chunk.termId)
          }
        })
      }),
      { numRuns: isDrill ? 200 : 8, endOnFailure: true },
    )
  })

  test('of another edition are not read', async () => {
    const read: ItemUse[] = []
    const edition = '00000000-0000-0000-0000-000000000000'
    const groups: DatedTerm[][] = [[{ termId: 1, status: 'active' }]]
    expect(await readDatedItems(service.sql, 'users', groups, edition, (use) => void read.push(use))).toBe(
      false,
    )
    expect(await readFileUses(service.sql, 'users', ['go.mod'], edition, (use) => void read.push(use))).toBe(
      false,
    )
    expect(read).toEqual([])
  })
})

describe('a chunk', () => {
  test('has each use as it was, in less than nine bytes if its dates are of our days', () => {
    const uses = new Uses()
    for (let item = 1; item <= 200; item++) {
      uses.add(
        item < 150 ? 7 : 8,
        item * 3,
        2 * (1_600_000_000 + item * 86_399),
        item % 4 === 0 ? 1_700_000_000 : null,
      )
    }
    const chunks = [...encodeUses(uses)]
    expect(chunks.map(({ termId, item }) => [termId, item])).toEqual([[7, 3]])
    const decoded = new Uses()
    for (const { bytes } of chunks) decodeChunk(bytes, decoded)
    const list = (some: Uses) =>
      Array.from({ length: some.length }, (_, place) => [
        ...[some.termAt(place), some.itemAt(place), some.beginAt(place), some.endAt(place)],
      ])
    expect(list(decoded)).toEqual(list(uses))
    expect((chunks[0]?.bytes.length ?? 0) / 200).toBeLessThan(9)
  })

  test('is split when it has too many uses', () => {
    const uses = new Uses()
    for (let item = 1; item <= 1_000; item++) uses.add(1, item, 0, null)
    const sizes = Array.from(encodeUses(uses), ({ bytes }) => {
      const decoded = new Uses()
      decodeChunk(bytes, decoded)
      return decoded.length
    })
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(1_000)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(256)
    expect([...encodeUses(new Uses())]).toEqual([])
  })
})
