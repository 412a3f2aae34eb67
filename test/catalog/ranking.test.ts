/** What a sorted list reads: the sets of its attribute once, then those that a page has items of (decisions/0003-lists.md). */
import { beforeAll, expect, test, vi } from 'vitest'
import { createFilter } from '../../api/catalog/canonical-filter.ts'
import { createList } from '../../api/catalog/list.ts'
import { createMatchCache } from '../../api/catalog/matches.ts'
import { createUser, loadRecords } from '../support/records.ts'
import { describeOnOneDatabase, useService } from '../support/service.ts'

const options = { maxBytes: 2 ** 20, maxWaitMs: 300_000, maxQueued: 1_000 }
const size = 50
/** Users with each number of followers, from 0. */
const usersOfEach = 100
const numbers = 20
const total = usersOfEach * numbers

describeOnOneDatabase('a sorted list', (kind) => {
  const service = useService(kind, { data: 'empty' })
  beforeAll(() =>
    loadRecords(service.sql, {
      users: Array.from({ length: total }, (_, index) =>
        createUser(index + 1, { followers: index % numbers, location: index < 500 ? 'Wien' : 'Berlin' }),
      ),
    }),
  )

  /** Creates a list that knows nothing, and what counts the statements and the bytes of sets that it reads. */
  function createCountedList({ maxBytes = options.maxBytes } = {}) {
    const { sql } = service
    const list = createList(sql, createMatchCache({ ...options, maxBytes }).createFinder(sql), 'users')
    return async (number: number, country?: string) => {
      const statements = vi.spyOn(sql, 'unsafe')
      try {
        const filter = createFilter(country === undefined ? {} : { country: [country] })
        const found = await list({ filter, sort: 'followers', page: { number, size } }, { caller: 1 })
        const copies = statements.mock.calls.filter(([text]) => text.startsWith('copy (select '))
        return { offset: found.offset, count: found.count, total: found.total, statements: copies.length }
      } finally {
        statements.mockRestore()
      }
    }
  }
  const rest = { count: size, total }

  test('reads all sets once, and for a page those of its items, once too', async () => {
    const read = createCountedList()
    const ofGermany = { count: size, total: 1_500 }
    // Users in Germany, the sets of all numbers, and the set of 19 followers.
    expect(await read(1, 'DE')).toEqual({ ...ofGermany, offset: 0, statements: 3 })
    expect(await read(16, 'DE')).toEqual({ ...ofGermany, offset: 750, statements: 1 })
    expect(await read(1, 'DE')).toEqual({ ...ofGermany, offset: 0, statements: 0 })
    expect(await read(30, 'DE')).toEqual({ ...ofGermany, offset: 1_450, statements: 1 }) // the set of those without followers
    expect(await createCountedList()(30, 'DE')).toEqual({ ...ofGermany, offset: 1_450, statements: 3 })
  })

  test('of all items is counted by the rows of terms', async () => {
    const read = createCountedList()
    expect(await read(1)).toEqual({ ...rest, offset: 0, statements: 2 })
    expect(await read(2)).toEqual({ ...rest, offset: 50, statements: 0 })
    expect(await read(21)).toEqual({ ...rest, offset: 1_000, statements: 1 })
    expect(await read(22)).toEqual({ ...rest, offset: 1_050, statements: 0 })
    expect(await read(39)).toEqual({ ...rest, offset: 1_900, statements: 1 }) // the set of those without followers
    expect(await read(40)).toEqual({ ...rest, offset: 1_950, statements: 0 })
  })

  test('of few matches reads their rows in place of sets', async () => {
    const read = createCountedList()
    expect(await read(1, 'AT')).toEqual({ count: size, total: 500, offset: 0, statements: 1 })
    expect(await read(7, 'AT')).toEqual({ count: size, total: 500, offset: 300, statements: 0 })
  })

  test('is exact without any memory', async () => {
    const read = createCountedList({ maxBytes: 1 })
    expect(await read(21)).toEqual({ ...rest, offset: 1_000, statements: 2 })
    expect(await read(21)).toEqual({ ...rest, offset: 1_000, statements: 2 })
  })

  test('is read once for concurrent requests of any pages', async () => {
    const { sql } = service
    const list = createList(sql, createMatchCache(options).createFinder(sql), 'users')
    const statements = vi.spyOn(sql, 'unsafe')
    const found = await Promise.all(
      [1, 2, 1, 2, 1, 2].map((number, index) =>
        list({ filter: createFilter({}), sort: 'followers', page: { number, size } }, { caller: index }),
      ),
    )
    const copies = statements.mock.calls.filter(([text]) => text.startsWith('copy (select '))
    statements.mockRestore()
    expect(found.map(({ offset }) => offset)).toEqual([0, 50, 0, 50, 0, 50])
    expect(found.map(({ next }) => next)).toEqual(
      [999, 1_999, 999, 1_999, 999, 1_999].map((before) => `19.${before + 1}`),
    )
    expect(copies.length).toBeLessThanOrEqual(5)
  })
})
