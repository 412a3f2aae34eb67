/** Sets of ids: how they are stored, and what is computed with them in memory, against arrays. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Bitmap } from '../../api/sets/id-set.ts'
import {
  decodePart,
  decodeSets,
  encodePart,
  encodeShelf,
  findShelf,
  isBitmap,
  maxWidth,
  minWidth,
  type SetPart,
  shelfPlaces,
} from '../../api/sets/set-encoding.ts'

const lastId = 2 ** 31 - 1

/** Ids that are rare in a range, or common, or next to the end of all. */
const idArrays = fc
  .record({
    first: fc.constantFrom(1, 16_000, 2 ** 20 - 5, lastId - 40_000),
    range: fc.constantFrom(70, 5_000, 40_000, lastId),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    count: fc.integer({ min: 0, max: 6_000 }),
    seed: fc.integer(),
  })
  .map(({ first, range, share, count, seed }) => {
    const width = Math.min(range, lastId - first)
    const ids = new Set<number>()
    let state = seed >>> 0
    for (let draw = 0; draw < count; draw++) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      ids.add(first + Math.floor((state / 2 ** 32) * width * Math.max(share, 1e-9)))
    }
    return [...ids].sort((a, b) => a - b)
  })
const widths = fc.constantFrom(minWidth, 15, 20, maxWidth - 1, maxWidth)

/** Encodes ids in parts of a width. */
function encode(ids: readonly number[], width: number): SetPart[] {
  const parts = Map.groupBy(ids, (id) => Math.floor(id / 2 ** width))
  return [...parts].map(([part, own]) => encodePart(Uint32Array.from(own), { width, part }))
}

/** Creates a bitmap from parts whose bytes are in the middle of a buffer, as the driver returns them. */
function createBitmap(ids: readonly number[], width: number): Bitmap {
  const bitmap = new Bitmap()
  for (const part of encode(ids, width)) {
    const bytes = Buffer.concat([Buffer.of(255), part.bytes, Buffer.of(255)]).subarray(1, -1)
    bitmap.addPart({ ...part, bytes })
  }
  return bitmap
}

describe('a stored set', () => {
  test('has the ids that were encoded, whatever its width is', () => {
    fc.assert(
      fc.property(idArrays, widths, (ids, width) => {
        expect(encode(ids, width).flatMap((part) => [...decodePart(part)])).toEqual(ids)
      }),
    )
  })

  test('has no part that is larger than a bitmap, if its parts have the smallest width', () => {
    fc.assert(
      fc.property(idArrays, (ids) => {
        for (const part of encode(ids, minWidth)) {
          expect(part.bytes.length).toBeLessThanOrEqual(isBitmap(part) ? 2_048 : 2 * 2_048)
        }
      }),
    )
  })
})

describe('a shelf', () => {
  const members = fc.array(
    fc.record({
      place: fc.nat(shelfPlaces - 1),
      id: fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: lastId })),
    }),
    { maxLength: 2_000 },
  )
  test('has the members that were encoded, of the terms that share it', () => {
    fc.assert(
      fc.property(members, fc.constantFrom(0, 128, 2 ** 31 - 128), (drawn, firstTerm) => {
        const shelf = findShelf(firstTerm)
        expect(new Set(drawn.map(({ place }) => findShelf(firstTerm + place))).size).toBeLessThanOrEqual(1)
        const byTerm = Map.groupBy(drawn, ({ place }) => firstTerm + place)
        const sets = new Map(
          [...byTerm].map(([termId, members]) => [
            termId,
            [...new Set(members.map(({ id }) => id))].sort((a, b) => a - b),
          ]),
        )
        expect(decodeSets(shelf, encodeShelf(sets))).toEqual(sets)
      }),
    )
  })
})

describe('a set in memory', () => {
  test('knows its total, the rank of any id, and the ids from any place', () => {
    fc.assert(
      fc.property(idArrays, widths, fc.nat(), fc.nat(200), fc.nat(lastId), (ids, width, place, count, id) => {
        const set = createBitmap(ids, width).toIdSet()
        expect(set.total).toBe(ids.length)
        for (const offset of [0, place % (ids.length + 2), ids.length]) {
          expect(set.select(offset, count)).toEqual(ids.slice(offset, offset + count))
        }
        for (const limit of [0, id, ids.at(place % (ids.length + 1)) ?? lastId, lastId, 2 ** 40]) {
          expect(set.rank(limit)).toBe(ids.filter((each) => each <= limit).length)
        }
      }),
    )
  })

  test('is the union of what was added, without what was removed or is missing in another one', () => {
    fc.assert(
      fc.property(idArrays, idArrays, idArrays, idArrays, widths, (a, b, c, d, width) => {
        const matches = createBitmap(a, width)
        for (const part of encode(b, minWidth)) matches.addPart(part)
        matches.intersect(createBitmap(c, width))
        matches.subtract(createBitmap(d, width))
        const [kept, removed] = [new Set(c), new Set(d)]
        const expected = [...new Set([...a, ...b])].filter((id) => kept.has(id) && !removed.has(id))
        const set = matches.toIdSet()
        expect(set.select(0, set.total)).toEqual(expected.sort((x, y) => x - y))
      }),
    )
  })

  test('takes the memory of its ids, or of a bitmap if that is smaller', () => {
    const rare = Array.from({ length: 1_000 }, (_, index) => (index + 1) * 1_000_000)
    expect(createBitmap(rare, maxWidth).toIdSet().bytes).toBe(4_000)
    const dense = Array.from({ length: 160_000 }, (_, index) => index + 1)
    expect(createBitmap(dense, minWidth).toIdSet().bytes).toBeLessThan(21_000)
  })
})
