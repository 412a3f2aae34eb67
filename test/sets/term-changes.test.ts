/** Changes of sets in memory, against arrays. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mergeChanges, TermChanges } from '../../api/sets/term-changes.ts'

const terms = fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 8 })
const items = fc.array(
  fc.record({ id: fc.oneof(fc.nat(8), fc.constant(2 ** 31 - 1)), lost: terms, gained: terms }),
  { maxLength: 30 },
)

/** Writes an `integer[]` as PostgreSQL sends it. */
function writeArray(values: readonly number[]): Buffer {
  const header = values.length === 0 ? [0, 0, 23] : [1, 0, 23, values.length, 1]
  const words = [...header, ...values.flatMap((value) => [4, value])]
  const bytes = Buffer.alloc(4 * words.length)
  for (const [index, word] of words.entries()) bytes.writeInt32BE(word, 4 * index)
  return bytes
}

test('changes of a term have the ids that were gained and lost more often than the opposite', () => {
  fc.assert(
    fc.property(fc.array(items, { maxLength: 3 }), fc.nat(40), (ranges, capacity) => {
      const collected = new TermChanges(capacity)
      for (const rows of ranges) {
        const balances = new Map<number, Map<number, number>>()
        for (const { id, lost, gained } of rows) {
          collected.add(id, writeArray(lost), false)
          collected.add(id, writeArray(gained), true)
          const signed = [
            ...lost.map((term) => [term, -1] as const),
            ...gained.map((term) => [term, 1] as const),
          ]
          for (const [term, sign] of signed) {
            const ids = balances.get(term) ?? new Map<number, number>()
            balances.set(term, ids.set(id, (ids.get(id) ?? 0) + sign))
          }
        }
        const expected = [...balances]
          .map(([termId, ids]) => ({
            termId,
            changes: [...ids]
              .filter(([, balance]) => balance !== 0)
              .map(([id, balance]) => id * 2 + Number(balance > 0))
              .sort((a, b) => a - b),
          }))
          .filter(({ changes }) => changes.length > 0)
          .sort((a, b) => a.termId - b.termId)
        const grouped = Array.from(collected.group(), ({ termId, changes }) => ({
          termId,
          changes: [...changes],
        }))
        expect(grouped).toEqual(expected)
      }
    }),
    { numRuns: 1_000 },
  )
})

test('a merge of changes has the ids that were gained, and those that were there and not lost', () => {
  const ids = fc.uniqueArray(fc.oneof(fc.nat(30), fc.constant(2 ** 31 - 1)), { maxLength: 40 })
  fc.assert(
    fc.property(ids, ids, fc.infiniteStream(fc.boolean()), (listed, changed, kinds) => {
      const isGained = new Map(changed.map((id) => [id, kinds.next().value === true]))
      const ascending = (list: Iterable<number>) => [...list].sort((a, b) => a - b)
      const expected = ascending(new Set([...listed, ...changed])).filter((id) => isGained.get(id) ?? true)
      const changes = ascending(isGained.keys()).map((id) => id * 2 + Number(isGained.get(id)))
      expect([...mergeChanges(Uint32Array.from(ascending(listed)), Uint32Array.from(changes))]).toEqual(
        expected,
      )
    }),
    { numRuns: 1_000 },
  )
})
