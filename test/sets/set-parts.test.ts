import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mergeChanges } from '../../api/sets/set-parts.ts'

const ids = fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 40 })
const ascending = (list: readonly number[]) => [...list].sort((a, b) => a - b)

test('a merge of changes has the ids that were gained more often than lost, and those that were neither', () => {
  fc.assert(
    fc.property(ids, ids, ids, fc.boolean(), (listed, gained, lost, areCodes) => {
      const before = ascending([...new Set(listed)])
      const count = (list: readonly number[], id: number) => list.filter((other) => other === id).length
      const expected = Array.from({ length: 31 }, (_, id) => id).filter((id) => {
        const growth = count(gained, id) - count(lost, id)
        return growth === 0 ? before.includes(id) : growth > 0
      })
      const after = mergeChanges(areCodes ? Float64Array.from(before) : Uint32Array.from(before), {
        gained: Float64Array.from(ascending(gained)),
        lost: Float64Array.from(ascending(lost)),
      })
      expect([...after]).toEqual(expected)
    }),
    { numRuns: 2_000 },
  )
})
