/**
 * Random filters find what an independent computation finds (decisions/0003-lists.md).
 *
 * @module
 */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AttributeFilter, countryOf, writeAttributes } from '../support/attribute-oracle.ts'
import { type ListQuery, writeQuery } from '../support/catalog.ts'
import { isDrill } from '../support/drill.ts'
import { readListResponse } from '../support/list-response.ts'
import {
  findRepositories,
  findUsers,
  type OracleFilter,
  sampleCommits,
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
      fc.asyncProperty(
        fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, locations),
        dependencyFilter,
        userAttributes,
        position,
        perPage,
        async (location, filter, attributes, at, size) => {
          const expected = findUsers({ location, ...filter, ...attributes })
          await expectPage('/users', { location, ...writeAttributes(attributes) }, filter, {
            expected,
            at,
            size,
          })
        },
      ),
      { numRuns: isDrill ? 1_000 : 60 },
    )
  })

  test('of repositories finds on any page what an independent computation finds', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, owners),
        dependencyFilter,
        repositoryAttributes,
        fc.boolean(),
        position,
        perPage,
        async (login, filter, attributes, excludes, at, size) => {
          const owner = login === null ? {} : { owner: login }
          const found = findRepositories({ ...owner, ...filter, ...attributes })
          const expected = excludes ? found.map(({ dependencies: _excluded, ...others }) => others) : found
          const own = {
            ...owner,
            ...writeAttributes(attributes),
            ...(excludes && { exclude: 'dependencies' }),
          }
          await expectPage('/repos', own, filter, { expected, at, size })
        },
      ),
      { numRuns: isDrill ? 1_000 : 60 },
    )
  })

  async function expectPage(
    path: string,
    own: ListQuery,
    { names, match, without, files, status }: OracleFilter,
    { expected, at, size }: { expected: readonly object[]; at: number; size: number },
  ): Promise<void> {
    const page = 1 + Math.floor((at * expected.length) / size)
    const query = writeQuery({
      page: String(page),
      per_page: String(size),
      ...own,
      ...(names !== undefined && { dependency_names: names.join() }),
      ...(match !== undefined && { dependency_match: match }),
      ...(without !== undefined && { without_dependency_names: without.join() }),
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

const severalNames = someOrMany(fc.oneof({ weight: 4, arbitrary: inRandomCase(names) }, partOf(names)), {
  minLength: 1,
  maxLength: 6,
  limit: 50,
})

const namesAndFiles: fc.Arbitrary<OracleFilter> = someOf({
  names: severalNames,
  without: severalNames,
  files: someOrMany(fc.oneof({ weight: 8, arbitrary: files }, inRandomCase(files)), {
    minLength: 1,
    maxLength: 3,
    limit: 50,
  }),
})

const status = fc.constantFrom(undefined, 'active' as const, 'removed' as const)
const match = fc.constantFrom(undefined, 'any' as const, 'all' as const)

const dependencyFilter = fc
  .tuple(namesAndFiles, status, match)
  .map(([filter, status, match]): OracleFilter => {
    const { names, without, files } = filter
    return {
      ...filter,
      ...(names !== undefined && match !== undefined && { match }),
      ...((names ?? without ?? files) !== undefined && status !== undefined && { status }),
    }
  })

/** Some of the members, few as a rule: most filters should find something. */
function someOf<Members extends object>(
  arbitraries: { [Name in keyof Members]: fc.Arbitrary<Members[Name]> },
): fc.Arbitrary<Partial<Members>> {
  const names = Object.keys(arbitraries)
  const chosen = fc.oneof(
    { weight: 2, arbitrary: fc.constant<string[]>([]) },
    { weight: 6, arbitrary: fc.subarray(names, { minLength: 1, maxLength: 1 }) },
    { weight: 2, arbitrary: fc.subarray(names) },
  )
  return fc
    .tuple(fc.record(arbitraries), chosen)
    .map(
      ([all, some]) =>
        Object.fromEntries(some.map((name) => [name, Reflect.get(all, name)])) as Partial<Members>,
    )
}

/** Values that some items have, in any case, or that none has. */
function valuesIn(texts: Iterable<string | null>): fc.Arbitrary<string[]> {
  const known = [...texts].flatMap((text) => (text === null || text === '' ? [] : [text]))
  return fc.array(inRandomCase(fc.oneof({ weight: 8, arbitrary: valuesOf(known) }, fc.constant('none'))), {
    minLength: 1,
    maxLength: 3,
  })
}

/** One of the numbers, or about as much. */
function about(numbers: readonly (number | null)[]): fc.Arbitrary<number> {
  return fc
    .tuple(valuesOf(numbers.map((number) => number ?? 0)), fc.integer({ min: -1, max: 1 }))
    .map(([number, more]) => Math.max(1, number + more))
}

/** A moment, or the date of its day. */
const momentOrDate = (moments: readonly (number | null)[]): fc.Arbitrary<string> =>
  fc
    .tuple(about(moments), fc.boolean())
    .map(([moment, asDate]) => (asDate ? new Date(moment * 1_000).toJSON().slice(0, 10) : String(moment)))

const userAttributes: fc.Arbitrary<AttributeFilter> = someOf({
  country: fc.array(inRandomCase(valuesOf(['AT', ...sampleUsers.flatMap((user) => countryOf(user) ?? [])])), {
    minLength: 1,
    maxLength: 3,
  }),
  type: valuesIn(sampleUsers.map(({ type }) => type)),
  has: fc.uniqueArray(fc.constantFrom('email', 'name', 'company', 'location', 'bio'), { minLength: 1 }),
  min_followers: about(sampleUsers.map(({ followers }) => followers)),
  active_since: momentOrDate(sampleCommits.map(({ author_date }) => author_date)),
})

const flag = fc.constantFrom('true' as const, 'false' as const)

const repositoryAttributes: fc.Arbitrary<AttributeFilter> = someOf({
  language: valuesIn(sampleRepositories.map(({ language }) => language)),
  license: valuesIn(sampleRepositories.map(({ license }) => license)),
  min_stars: about(sampleRepositories.map(({ stargazers_count }) => stargazers_count)),
  min_forks: about(sampleRepositories.map(({ forks_count }) => forks_count)),
  fork: flag,
  archived: flag,
  pushed_since: momentOrDate(sampleRepositories.map(({ pushed_at }) => pushed_at)),
})
