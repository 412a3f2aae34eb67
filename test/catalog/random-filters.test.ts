/**
 * Any page of any list, for random filters, and their counts by any value are what an independent computation finds
 * (decisions/0003-lists.md).
 */
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readDataset } from '../../api/catalog/dataset.ts'
import { createRandom, type Random } from '../../sample/random.ts'
import { type AttributeFilter, countryOf, domainOf, writeAttributes } from '../support/attribute-oracle.ts'
import { type ListQuery, writeQuery } from '../support/catalog.ts'
import { ChangeLog } from '../support/changes-oracle.ts'
import { divisions, expectCounts, type Item } from '../support/counts-oracle.ts'
import { isDrill, seed } from '../support/drill.ts'
import { foldCompany } from '../support/fold.ts'
import { readListResponse } from '../support/list-response.ts'
import { createRandomForge, type RandomForge } from '../support/random-forge.ts'
import { loadRecords, type Records } from '../support/records.ts'
import {
  createOracle,
  type Oracle,
  type OracleFilter,
  sampleCommits,
  sampleOracle,
  sampleRepositories,
  sampleUsers,
  type UseFilter,
} from '../support/sample-oracle.ts'
import { describeOnEachDatabase, startTestService, type TestService } from '../support/service.ts'
import type { Loaded } from '../support/uses.ts'

const firstLoad = isDrill
  ? { users: 5_000, repositories: 3_000, commits: 7_500 }
  : { users: 1_200, repositories: 1_100, commits: 1_500 } // so many that a sorted list doesn't read the rows of all
const laterLoad = { users: 60, repositories: 40, commits: 150 }
const laterChange = { users: 150, repositories: 120, commits: 200 }
const rounds = isDrill ? 6 : 2
/** Of users and of repositories together. */
const sampleQuestions = isDrill ? 2_000 : 120
/** New ones in each round; half as many of the earlier ones are asked again. */
const questionsPerRound = isDrill ? 240 : 40
const repositoriesPerRound = isDrill ? 15 : 4
/** In characters. A list's URL has at most 4,000 without its page, and may be spelled longer in links. */
const maxQueryLength = 3_500

/** A list that can be asked for, and what it must return. */
interface Question {
  path: string
  query: ListQuery
  find(oracle: Oracle): readonly object[]
  /** How to count what it finds. */
  counts?: {
    of: 'users' | 'repos'
    query: ListQuery
    asked: readonly string[]
    items(oracle: Oracle): readonly Item[]
  }
}

describeOnEachDatabase('every list', (kind) => {
  let service: TestService
  let key: string
  const start = async (data: 'sample' | 'empty') => {
    service = await startTestService(kind, { data })
    key = (await service.createKey({ credits: 1_000_000_000 })).secret
  }
  beforeEach(() => console.info(`seed ${seed}`))
  afterEach(() => service.close())

  const perPage = fc.integer({ min: 1, max: 100 })
  /** Of a page in the middle, as a fraction of the list. */
  const position = fc.double({ min: 0, max: 1, noNaN: true })

  /** Asks random questions, and returns them. */
  async function ask(
    questions: fc.Arbitrary<Question>,
    numRuns: number,
    oracle: Oracle,
  ): Promise<Question[]> {
    const asked: Question[] = []
    await fc.assert(
      fc.asyncProperty(questions, position, perPage, async (question, at, size) => {
        fc.pre(writeQuery(question.query).length <= maxQueryLength)
        asked.push(question)
        await expectPages(question, oracle, at, size)
        await expectCountsOf(question, oracle, at)
      }),
      { numRuns, seed: createRandom(seed).integer(0, 2 ** 31 - 1) },
    )
    return asked
  }

  /** The first page, one in the middle, the last one and one behind it are right, with what each says of the whole. */
  async function expectPages({ path, query, find }: Question, oracle: Oracle, at: number, size: number) {
    const expected = find(oracle)
    const last = Math.max(1, Math.ceil(expected.length / size))
    const middle = 1 + Math.floor(at * (last - 1))
    const behind = last + (at < 0.5 ? 1 : 1_000_000)
    for (const page of new Set([1, middle, last, behind])) {
      const asked = `${path}?${writeQuery({ ...query, per_page: String(size), page: String(page) })}`
      const { data, total, cost, links } = readListResponse(await service.request(asked, { key }))
      expect(total, asked).toBe(expected.length)
      expect(links.get('last')?.searchParams.get('page'), asked).toBe(String(last))
      expect(data, asked).toEqual(expected.slice((page - 1) * size, page * size))
      expect(cost, asked).toBe(data.length)
      const next = links.get('next')
      if (next === undefined) continue
      const following = readListResponse(await service.request(next.pathname + next.search, { key }))
      expect(following.data, next.search).toEqual(expected.slice(page * size, (page + 1) * size))
    }
  }

  /** The counts by a value are right. */
  async function expectCountsOf({ counts }: Question, oracle: Oracle, at: number) {
    if (counts === undefined) return
    const { of, query, asked, items } = counts
    const by = divisions[of][Math.floor(at * 0.999 * divisions[of].length)] ?? 'dependency'
    const response = await service.request(`/counts?${writeQuery({ of, by, ...query })}`, { key })
    expect([response.status, response.headers.get('X-Credits-Cost')]).toEqual([200, '0'])
    expectCounts(response.json(), { items: items(oracle), by, oracle, asked })
  }

  /** What is new among the items is right, since any version. */
  async function expectChangesOf({ path, counts }: Question, oracle: Oracle, log: ChangeLog, random: Random) {
    if (counts === undefined) return
    const since = random.pick(log.versions)
    const query = { ...counts.query, changed_since: String(since), per_page: '100' }
    const asked = `${path}?${writeQuery(query)}`
    const found: unknown[] = []
    const items = counts.items(oracle)
    const hasFilters = Object.values(counts.query).some((values) => values.length > 0)
    const asksLosses = Object.keys(query).some((name) => /^(without|first_use|last_use)_/.test(name))
    const isOf = (wanted: 'must' | 'may') => (item: Item) => {
      const list = path === '/users' ? 'users' : 'repositories'
      const change = log.since(since, list, item.forge_rest_id)
      if (!hasFilters) return change.isChanged
      if (change.isNew || (asksLosses && change.hasLost)) return true
      return wanted === 'may' && change.mayBeNew
    }
    for (let next: string | undefined = asked; next !== undefined; ) {
      const { data, links } = readListResponse(await service.request(next, { key }))
      found.push(...data.map(({ forge_rest_id: id }) => id))
      const url = links.get('next')
      next = url && url.pathname + url.search
    }
    const may = items.filter(isOf('may')).map(({ forge_rest_id: id }) => id)
    const must = items.filter(isOf('must')).map(({ forge_rest_id: id }) => id)
    expect(found, asked).toEqual(may.filter((id) => found.includes(id)))
    expect(
      must.filter((id) => !found.includes(id)),
      asked,
    ).toEqual([])
  }

  test('of the sample data has the pages that an independent computation finds, for any filter', async () => {
    await start('sample')
    const sample = { users: sampleUsers, repositories: sampleRepositories, commits: sampleCommits }
    await ask(createQuestions(sample), sampleQuestions, sampleOracle)
  })

  test('of random data has the pages that an independent computation finds, before and after loads', async () => {
    await start('empty')
    const random = createRandom(`${seed} filters`)
    const forge = createRandomForge(seed)
    const known: Question[] = []
    const log = new ChangeLog()
    for (let round = 0; round < rounds; round++) {
      for (const createLoad of round === 0 ? [() => forge.grow(firstLoad)] : createLoads(random, forge)) {
        await loadRecords(service.sql, createLoad())
        log.note((await readDataset(service.sql)).version, forge)
      }
      const oracle = createOracle(forge)
      const again = random.shuffle(known).slice(0, questionsPerRound / 2)
      for (const question of [...again, ...createNestedLists(random, forge)]) {
        await expectPages(question, oracle, random.fraction(), random.pick([1, 7, 30, 100]))
        await expectCountsOf(question, oracle, random.fraction())
        await expectChangesOf(question, oracle, log, random)
      }
      known.push(...(await ask(createQuestions(forge), questionsPerRound, oracle)))
    }
  })
})

/** What changes and what comes, in one load or in two. */
function createLoads(random: Random, forge: RandomForge): (() => Records)[] {
  const change = () => forge.change(laterChange)
  const grow = () => forge.grow(laterLoad)
  if (random.chance(0.5)) return [change, grow]
  return [
    () => {
      const [changed, grown] = [change(), grow()]
      const join = <Kind extends keyof Records>(kind: Kind) => [
        ...(changed[kind] ?? []),
        ...(grown[kind] ?? []),
      ]
      return { users: join('users'), repos: join('repos'), commits: join('commits') }
    },
  ]
}

function createNestedLists(random: Random, { repositories }: RandomForge): Question[] {
  return random
    .sampleByRank(repositories, repositoriesPerRound)
    .flatMap(({ full_name: name }): Question[] => [
      { path: `/repos/${name}/commits`, query: {}, find: (oracle) => oracle.commitsOf(name) },
      { path: `/repos/${name}/dependencies`, query: {}, find: (oracle) => oracle.dependenciesOf(name) },
      { path: `/repos/${name}/dependencies/blame`, query: {}, find: (oracle) => oracle.blameOf(name) },
    ])
}

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

const status = fc.constantFrom(undefined, 'active' as const, 'removed' as const)
const match = fc.constantFrom(undefined, 'any' as const, 'all' as const)
const flag = fc.constantFrom('true' as const, 'false' as const)

/** Names and files of dependencies, and what goes with them. */
function createDependencyFilters({ repositories }: Loaded): fc.Arbitrary<OracleFilter> {
  const declared = repositories.flatMap(({ dependencies }) =>
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
  const moments = momentOrDate(
    repositories.flatMap(({ dependencies }) =>
      dependencies.flatMap(({ first_use_date, last_use_date }) => [first_use_date, last_use_date]),
    ),
  )
  const times = fc.oneof(
    { weight: 2, arbitrary: fc.constant<UseFilter>({}) },
    someOf({
      first_use_since: moments,
      first_use_until: moments,
      last_use_since: moments,
      last_use_until: moments,
    }),
  )
  return fc.tuple(namesAndFiles, status, match, times).map(([filter, status, match, times]): OracleFilter => {
    const { names, without, files } = filter
    return {
      ...filter,
      ...((names ?? files) !== undefined && times),
      ...(names !== undefined && match !== undefined && { match }),
      ...((names ?? without ?? files) !== undefined && status !== undefined && { status }),
    }
  })
}

function createUserAttributes({ users, commits }: Loaded): fc.Arbitrary<AttributeFilter> {
  return someOf({
    country: fc.array(inRandomCase(valuesOf(['AT', ...users.flatMap((user) => countryOf(user) ?? [])])), {
      minLength: 1,
      maxLength: 3,
    }),
    type: valuesIn(users.map(({ type }) => type)),
    has: fc.uniqueArray(fc.constantFrom('email', 'name', 'company', 'location', 'bio'), { minLength: 1 }),
    email_domain: valuesIn(users.map(domainOf)),
    min_followers: about(users.map(({ followers }) => followers)),
    active_since: momentOrDate(commits.map(({ author_date }) => author_date)),
  })
}

function createRepositoryAttributes({ repositories }: Loaded): fc.Arbitrary<AttributeFilter> {
  return someOf({
    language: valuesIn(repositories.map(({ language }) => language)),
    license: valuesIn(repositories.map(({ license }) => license)),
    min_stars: about(repositories.map(({ stargazers_count }) => stargazers_count)),
    min_forks: about(repositories.map(({ forks_count }) => forks_count)),
    fork: flag,
    archived: flag,
    pushed_since: momentOrDate(repositories.map(({ pushed_at }) => pushed_at)),
  })
}

/** Questions that some of these records answer: all filters of users and of repositories. */
function createQuestions(loaded: Loaded): fc.Arbitrary<Question> {
  const { users, repositories } = loaded
  const places = valuesOf(users.flatMap(({ location }) => location ?? []))
  const locations = someOrMany(
    withRandomMarks(inRandomCase(fc.oneof(places, { weight: 3, arbitrary: partOf(places) }))).filter(
      (place) => place.trim() !== '' && place.length <= 255, // anything else is 400
    ),
    { minLength: 0, maxLength: 5, limit: 20 },
  )
  const known = valuesOf(users.flatMap(({ company }) => (company === '' ? [] : (company ?? []))))
  const companies = someOrMany(
    fc
      .tuple(fc.constantFrom('', '', '@'), withRandomMarks(inRandomCase(fc.oneof(known, partOf(known)))))
      .map((texts) => texts.join(''))
      .filter((company) => foldCompany(company) !== '' && company.length <= 255),
    { minLength: 0, maxLength: 5, limit: 20 },
  )
  const owners = inRandomCase(
    fc.oneof(
      { weight: 4, arbitrary: valuesOf(repositories.map(({ owner_login: owner }) => owner)) },
      valuesOf(users.map(({ login }) => login)),
      fc.constant('nobody-has-this-login'),
    ),
  )
  const namesOf = (names: readonly string[], unknown: string) =>
    fc.oneof(
      { weight: 3, arbitrary: fc.constant(undefined) },
      fc.array(inRandomCase(valuesOf([...names, unknown])), { minLength: 1, maxLength: 3 }),
    )
  const contributedTo = namesOf(
    repositories.map(({ full_name }) => full_name),
    'nobody/nothing',
  )
  const contributors = namesOf(
    users.map(({ login }) => login),
    'nobody-has-this-login',
  )
  const dependencies = createDependencyFilters(loaded)
  const ofUsers = fc
    .tuple(
      fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, locations),
      fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, companies),
      dependencies,
      createUserAttributes(loaded),
      contributedTo,
      fc.boolean(),
      fc.constantFrom(undefined, 'followers' as const),
    )
    .map(([location, company, filter, attributes, repositories, repeats, sort]): Question => {
      const contributed = repositories === undefined ? {} : { contributed_to: repositories }
      const query = {
        location,
        company,
        ...contributed,
        ...writeAttributes(attributes),
        ...writeDependencies(filter, repeats),
      }
      const items = (oracle: Oracle) =>
        oracle.findUsers({ location, company, ...contributed, ...filter, ...attributes })
      return {
        path: '/users',
        query: { ...query, ...(sort && { sort }) },
        counts: { of: 'users', query, asked: filter.names ?? [], items },
        find: (oracle) => sortItems(items(oracle), (user) => (sort === undefined ? 0 : user.followers)),
      }
    })
  const ofRepositories = fc
    .tuple(
      fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, owners),
      contributors,
      dependencies,
      createRepositoryAttributes(loaded),
      fc.boolean(),
      fc.boolean(),
      fc.constantFrom(undefined, 'stars' as const, 'pushed' as const),
    )
    .map(([login, logins, filter, attributes, excludes, repeats, sort]): Question => {
      const people = {
        ...(login !== undefined && { owner: login }),
        ...(logins !== undefined && { contributor: logins }),
      }
      const exclude = excludes ? { exclude: 'dependencies' } : {}
      const query = { ...people, ...writeAttributes(attributes), ...writeDependencies(filter, repeats) }
      const items = (oracle: Oracle) => oracle.findRepositories({ ...people, ...filter, ...attributes })
      return {
        path: '/repos',
        query: { ...query, ...exclude, ...(sort && { sort }) },
        counts: { of: 'repos', query, asked: filter.names ?? [], items },
        find(oracle) {
          const found = sortItems(items(oracle), ({ stargazers_count, pushed_at }) =>
            sort === undefined ? 0 : sort === 'stars' ? stargazers_count : pushed_at,
          )
          return excludes ? found.map(({ dependencies: _excluded, ...others }) => others) : found
        },
      }
    })
  return fc.oneof(ofUsers, ofRepositories)
}

/** Sorts items: the highest value first, null last. Those with the same one stay in their order. */
function sortItems<Item>(items: readonly Item[], readValue: (item: Item) => number | null): Item[] {
  const values = [...new Set(items.map(readValue))].sort((a, b) => (b ?? -Infinity) - (a ?? -Infinity))
  const groups = Map.groupBy(items, readValue)
  return values.flatMap((value) => groups.get(value) ?? [])
}

/** Lists are comma-separated, or repeat their parameter. */
function writeDependencies(
  { names, match, without, files, status, ...times }: OracleFilter,
  repeats: boolean,
): ListQuery {
  const { first_use_since, first_use_until, last_use_since, last_use_until } = times
  const write = (values: readonly string[]) => (repeats ? values : values.join())
  return {
    ...(names !== undefined && { dependency_names: write(names) }),
    ...(match !== undefined && { dependency_match: match }),
    ...(without !== undefined && { without_dependency_names: write(without) }),
    ...(files !== undefined && { dependency_files: write(files) }),
    ...(status !== undefined && { dependency_status: status }),
    ...(first_use_since !== undefined && { first_use_since }),
    ...(first_use_until !== undefined && { first_use_until }),
    ...(last_use_since !== undefined && { last_use_since }),
    ...(last_use_until !== undefined && { last_use_until }),
  }
}
