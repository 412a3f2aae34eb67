/** `page` and `per_page` (decisions/0003-lists.md). */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyText } from '../support/arbitraries.ts'
import { describePage, readListResponse } from '../support/list-response.ts'

import {
  blameOf,
  commitsOf,
  dependenciesOf,
  findRepositories,
  findUsers,
  sampleRepositories,
  sampleUsers,
} from '../support/sample-oracle.ts'
import { describeOnOneDatabase, useService } from '../support/service.ts'

/** Lists by their path and query, to which page and per_page can be added. */
const lists = new Map<string, readonly object[]>([
  ['/users?', sampleUsers],
  ['/users?location=berlin&', findUsers({ location: 'berlin' })],
  ['/repos?', sampleRepositories],
  ['/repos?dependency_names=react&', findRepositories({ names: ['react'] })],
  ['/repos/yarrow-collective/monolith/commits?', commitsOf('yarrow-collective/monolith')],
  ['/repos/yarrow-collective/platform/dependencies?', dependenciesOf('yarrow-collective/platform')],
  ['/repos/yarrow-collective/platform/dependencies/blame?', blameOf('yarrow-collective/platform')],
  ['/repos/yarrow-collective/placeholder/commits?', []],
])

const anyList = fc.constantFrom(...lists.keys())

/** Not a canonical integer of at least 1. */
const noNumber = fc.oneof(
  anyText.filter((text) => !/^[1-9][0-9]*$/.test(text)),
  fc.integer({ max: 0 }).map(String),
  fc.integer({ min: 1 }).map((number) => `0${number}`),
  fc.integer({ min: 1 }).map((number) => `+${number}`),
  fc.integer({ min: 1 }).map((number) => `${number} `),
  fc.integer({ min: 1 }).map((number) => `${number}\n`),
  fc.integer({ min: 1 }).map((number) => `${number}.0`),
  fc.constantFrom(
    '',
    ' ',
    '1e3',
    '0x10',
    '1_0',
    '1,000',
    '1n',
    'NaN',
    'Infinity',
    'null',
    '１',
    '٣',
    '²',
    '1;2',
  ),
)

describeOnOneDatabase('a list', (kind) => {
  const service = useService(kind, { key: { credits: 10_000_000 } })

  /** Expects one of these errors, for free. */
  async function expectRefused(url: string, errors: readonly string[]): Promise<void> {
    const before = await service.readLedger(service.keyId)
    const response = await service.request(url, { key: service.key })
    expect([url, response.status]).toEqual([url, 400])
    expect(errors.map((error) => ({ error }))).toContainEqual(response.json())
    expect(response.headers.get('X-Credits-Cost')).toBe('0')
    expect(response.headers.get('Link')).toBeNull()
    expect(await service.readLedger(service.keyId)).toEqual(before)
  }

  const invalidPage =
    'Invalid page: must be an integer from 1 to 9007199254740991, digits only, no leading zeros'
  const invalidSize = 'Invalid per_page: must be an integer from 1 to 100, digits only, no leading zeros'
  const tooFar = 'Invalid page: (page - 1) × per_page must be at most 9007199254740991'

  test('refuses a page that is not an integer of at least 1, in digits without leading zeros, with 400 and for free', async () => {
    await fc.assert(
      fc.asyncProperty(anyList, noNumber, (list, page) =>
        expectRefused(`${list}page=${encodeURIComponent(page)}`, [invalidPage]),
      ),
      { numRuns: 60 },
    )
  })

  test('refuses a per_page that is not an integer from 1 to 100, in digits without leading zeros, with 400 and for free', async () => {
    const tooLarge = fc.oneof(
      fc.integer({ min: 101 }).map(String),
      fc.bigInt({ min: 2n ** 53n, max: 10n ** 400n }).map(String),
      fc.constant('101'),
    )
    await fc.assert(
      fc.asyncProperty(anyList, fc.oneof(noNumber, tooLarge), (list, size) =>
        expectRefused(`${list}per_page=${encodeURIComponent(size)}`, [invalidSize]),
      ),
      { numRuns: 60 },
    )
  })

  test('refuses a page whose offset leaves the safe integers, with 400 and for free', async () => {
    const sizes = fc.integer({ min: 1, max: 100 })
    const numbers = fc.bigInt({ min: 2n ** 53n, max: 10n ** 400n })
    await fc.assert(
      fc.asyncProperty(anyList, numbers, sizes, async (list, offset, size) => {
        const page = offset / BigInt(size) + 2n
        const error = page > Number.MAX_SAFE_INTEGER ? invalidPage : tooFar
        await expectRefused(`${list}page=${page}&per_page=${size}`, [error])
      }),
      { numRuns: 60 },
    )
  })

  test('refuses page or per_page given twice, even with the same value, with 400 and for free', async () => {
    for (const list of lists.keys()) {
      for (const name of ['page', 'per_page']) {
        for (const [first, second] of [
          [1, 2],
          [1, 1],
          ['', ''],
          [1, 'x'],
        ]) {
          await expectRefused(`${list}${name}=${first}&${name}=${second}`, [
            `Invalid ${name}: given more than once`,
          ])
        }
      }
    }
  })

  test('names one of page and per_page if both are wrong', async () => {
    await expectRefused('/users?page=0&per_page=101', [invalidPage, invalidSize])
  })

  test('gives exactly the slice of any valid page and per_page, for a credit an item', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyList,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.integer({ min: 1, max: 100 }),
        async (list, at, size) => {
          const expected = lists.get(list) ?? []
          const last = Math.max(1, Math.ceil(expected.length / size))
          const page = Math.min(last, 1 + Math.floor(at * last))
          const response = readListResponse(
            await service.request(`${list}page=${page}&per_page=${size}`, { key: service.key }),
          )
          expect(response.data).toEqual(expected.slice((page - 1) * size, page * size))
          expect(response.cost).toBe(response.data.length)
          expect(response.total).toBe(expected.length)
          expect(response.pagination).toEqual(describePage(page, size, last))
        },
      ),
      { numRuns: 60 },
    )
  })

  test('gives an empty page past the end, however far, for free, with links back', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyList,
        fc.integer({ min: 1, max: 100 }),
        fc.oneof(
          fc.integer({ min: 1, max: 3 }),
          fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
          fc.constantFrom(2 ** 31 - 1, 2 ** 31, 2 ** 32, Number.MAX_SAFE_INTEGER),
        ),
        async (list, size, beyond) => {
          const expected = lists.get(list) ?? []
          const last = Math.max(1, Math.ceil(expected.length / size))
          const page = Math.min(last + beyond, Math.floor(Number.MAX_SAFE_INTEGER / size))
          const before = await service.readLedger(service.keyId)
          const response = readListResponse(
            await service.request(`${list}page=${page}&per_page=${size}`, { key: service.key }),
          )
          expect(response.data).toEqual([])
          expect(response.cost).toBe(0)
          expect(response.total).toBe(expected.length)
          const pages = [...response.links].map(([relation, { searchParams }]) => [
            relation,
            Number(searchParams.get('page')),
          ])
          expect(Object.fromEntries(pages)).toEqual({ first: 1, prev: last, last })
          expect(response.pagination).toEqual({
            page,
            per_page: size,
            next_page: 0,
            prev_page: last,
            has_more: false,
          })
          expect(await service.readLedger(service.keyId)).toEqual(before)
        },
      ),
      { numRuns: 60 },
    )
  })
})
