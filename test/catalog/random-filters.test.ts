/**
 * Random filters find what an independent computation finds (decisions/0003-lists.md).
 *
 * @module
 */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ListQuery, writeQuery } from '../support/catalog.ts'
import { isDrill } from '../support/drill.ts'
import { readListResponse } from '../support/list-response.ts'
import {
  findRepositories,
  findUsers,
  type OracleFilter,
  sampleRepositories,
  sampleUsers,
} from '../support/sample-oracle.ts'
import { describeOnEachDatabase, startTestService, type TestService } from '../support/service.ts'

describeOnEachDatabase('a random filter', (kind) => {
  let service: TestService
  let key: string
  beforeAll(async () => {
    service = await startTestService(kind)
    key = (await service.createKey({ credits: 10_000_000 })).secret
  })
  afterAll(() => service.close())

  const perPage = fc.integer({ min: 1, max: 100 })
  /** As a fraction, so that most pages are inside the list. */
  const position = fc.double({ min: 0, max: 1.2, noNaN: true })

  test('of users finds on any page what an independent computation finds', async () => {
    await fc.assert(
      fc.asyncProperty(locations, dependencyFilter, position, perPage, async (location, filter, at, size) => {
        const expected = findUsers({ location, ...filter })
        await expectPage('/users', { location }, filter, { expected, at, size })
      }),
      { numRuns: isDrill ? 1_000 : 60 },
    )
  })

  test('of repositories finds on any page what an independent computation finds', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.option(owners),
        dependencyFilter,
        fc.boolean(),
        position,
        perPage,
        async (login, filter, excludes, at, size) => {
          const owner = login === null ? {} : { owner: login }
          const found = findRepositories({ ...owner, ...filter })
          const expected = excludes ? found.map(({ dependencies: _excluded, ...others }) => others) : found
          const own = { ...owner, ...(excludes && { exclude: 'dependencies' }) }
          await expectPage('/repos', own, filter, { expected, at, size })
        },
      ),
      { numRuns: isDrill ? 1_000 : 60 },
    )
  })

  async function expectPage(
    path: string,
    own: ListQuery,
    { names, files, status }: OracleFilter,
    { expected, at, size }: { expected: readonly object[]; at: number; size: number },
  ): Promise<void> {
    const page = 1 + Math.floor((at * expected.length) / size)
    const query = writeQuery({
      page: String(page),
      per_page: String(size),
      ...own,
      ...(names !== undefined && { dependency_names: names.join() }),
      ...(files !== undefined && { dependency_files: files }),
      ...(status !== undefined && { dependency_status: status }),
    })
    const { data, total, cost } = readListResponse(await service.request(`${path}?${query}`, { key }))
    expect(total).toBe(expected.length)
    expect(data).toEqual(expected.slice((page - 1) * size, page * size))
    expect(cost).toBe(data.length)
  }
})

/** A text with each of its letters in either case. */
function inRandomCase(texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(texts, fc.infiniteStream(fc.constantFrom('as it is', 'upper', 'lower')))
    .map(([text, cases]) => {
      let changed = ''
      for (const letter of text) {
        const { value: to } = cases.next()
        changed += to === 'upper' ? letter.toUpperCase() : to === 'lower' ? letter.toLowerCase() : letter
      }
      return changed
    })
}

/** A text whose letters have lost their marks or got others, some of them. */
function withRandomMarks(texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const change = fc.constantFrom('as it is', 'as it is', 'as it is', '', '\u0301', '\u0308', '\u0327\u0301')
  return fc.tuple(texts, fc.infiniteStream(change)).map(([text, changes]) => {
    let changed = ''
    for (const letter of text) {
      const { value: mark } = changes.next()
      const plain = letter.normalize('NFD').replace(/[\u0300-\u036f]/g, '')
      changed += mark === 'as it is' ? letter : plain + mark
    }
    return changed
  })
}

/** Part of a text, by whole characters. */
function partOf(texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.tuple(texts, fc.nat(), fc.nat()).map(([text, from, length]) => {
    const characters = [...text]
    const start = from % Math.max(1, characters.length)
    return characters.slice(start, start + 1 + (length % 8)).join('')
  })
}

/** A few values, or as many as a parameter may have: then a filter is a union of hundreds of sets. */
function someOrMany<Value>(
  value: fc.Arbitrary<Value>,
  { minLength, maxLength, limit }: { minLength: number; maxLength: number; limit: number },
): fc.Arbitrary<Value[]> {
  return fc.oneof(
    { weight: 4, arbitrary: fc.array(value, { minLength, maxLength }) },
    fc.array(value, { minLength: limit, maxLength: limit }),
  )
}

function valuesOf<Value>(values: Iterable<Value>): fc.Arbitrary<Value> {
  return fc.constantFrom(...new Set(values))
}

const places = valuesOf(sampleUsers.flatMap(({ location }) => location ?? []))

const partsOfPlaces = partOf(places)
const locations = someOrMany(
  withRandomMarks(inRandomCase(fc.oneof(places, { weight: 3, arbitrary: partsOfPlaces }))).filter(
    (place) => place.trim() !== '' && place.length <= 255, // anything else is 400
  ),
  { minLength: 0, maxLength: 5, limit: 20 },
)

const owners = inRandomCase(
  fc.oneof(
    { weight: 4, arbitrary: valuesOf(sampleRepositories.map(({ owner_login: owner }) => owner)) },
    valuesOf(sampleUsers.map(({ login }) => login)),
    fc.constant('nobody-has-this-login'),
  ),
)

const declared = sampleRepositories.flatMap(({ dependencies }) =>
  dependencies.map(({ dependency }) => dependency),
)

const names = valuesOf(declared.map(({ dependency_name }) => dependency_name))

const files = valuesOf(declared.map(({ dependency_file }) => dependency_file))

const status = fc.option(fc.constantFrom('active' as const, 'removed' as const), { nil: undefined })

const namesAndFiles: fc.Arbitrary<OracleFilter> = fc.record(
  {
    names: someOrMany(fc.oneof({ weight: 4, arbitrary: inRandomCase(names) }, partOf(names)), {
      minLength: 1,
      maxLength: 6,
      limit: 50,
    }),
    files: someOrMany(fc.oneof({ weight: 8, arbitrary: files }, inRandomCase(files)), {
      minLength: 1,
      maxLength: 3,
      limit: 50,
    }),
  },
  { requiredKeys: [] },
)

const dependencyFilter = fc.tuple(namesAndFiles, status).map(([filter, status]): OracleFilter => {
  const namesOne = filter.names !== undefined || filter.files !== undefined
  return namesOne && status !== undefined ? { ...filter, status } : filter
})
