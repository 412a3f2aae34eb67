/**
 * Any page of any list, compared with plain SQL on random data (decisions/0003-lists.md).
 *
 * @module
 */
import { expect, test } from 'vitest'
import { createRandom, type Random } from '../../sample/random.ts'
import { type AttributeFilter, writeAttributes } from '../support/attribute-oracle.ts'
import { type ListQuery, writeQuery } from '../support/catalog.ts'
import { isDrill, seed } from '../support/drill.ts'
import { readListResponse } from '../support/list-response.ts'
import {
  createPlainCatalog,
  type PlainCatalog,
  type PlainPage,
  type PlainRange,
} from '../support/plain-catalog.ts'
import { createRandomForge, mixCase, type RandomForge, takePlace } from '../support/random-forge.ts'
import { loadRecords, type Records } from '../support/records.ts'
import type { OracleFilter } from '../support/sample-oracle.ts'
import { describeOnEachDatabase, startTestService, type TestService } from '../support/service.ts'

const firstLoad = isDrill
  ? { users: 5_000, repositories: 3_000, commits: 7_500 }
  : { users: 1_000, repositories: 600, commits: 1_500 }
const laterLoad = { users: 60, repositories: 40, commits: 150 }
const laterChange = { users: 150, repositories: 120, commits: 200 }
const rounds = isDrill ? 6 : 2
/** New ones in each round; half as many of the earlier ones are read again. */
const filtersPerRound = isDrill ? 120 : 24
const repositoriesPerRound = isDrill ? 15 : 4

/** A list that can be asked for, and what it must response. */
interface List {
  path: string
  query: ListQuery
  findPage(range: PlainRange): Promise<PlainPage>
}

describeOnEachDatabase('every list', (kind) => {
  test('has the pages that plain SQL finds, for any filter, before and after loads', async () => {
    console.info(`seed ${seed}`)
    const random = createRandom(`${seed} filters`)
    const forge = createRandomForge(seed)
    const service = await startTestService(kind, { data: 'empty' })
    try {
      const { secret } = await service.createKey({ role: 'admin' })
      const plain = await createPlainCatalog(service.sql)
      const filtered: List[] = []
      for (let round = 0; round < rounds; round++) {
        for (const load of round === 0 ? [forge.grow(firstLoad)] : createLoads(random, forge)) {
          await loadRecords(service.sql, load)
        }
        await plain.fill(forge)
        const known = random.shuffle(filtered).slice(0, filtersPerRound / 2)
        filtered.push(...createFilteredLists(random, forge, plain))
        const lists = [
          ...known,
          ...filtered.slice(-filtersPerRound),
          ...createNestedLists(random, forge, plain),
        ]
        for (const list of lists) await expectPages(service, secret, random, list)
      }
    } finally {
      await service.close()
    }
  })
})

/** What changes and what comes, in one load or in two. */
function createLoads(random: Random, forge: RandomForge): Records[] {
  const changed = forge.change(laterChange)
  const grown = forge.grow(laterLoad)
  if (random.chance(0.5)) return [changed, grown]
  const join = <Kind extends keyof Records>(kind: Kind) => [...(changed[kind] ?? []), ...(grown[kind] ?? [])]
  return [{ users: join('users'), repos: join('repos'), commits: join('commits') }]
}

function createFilteredLists(random: Random, forge: RandomForge, plain: PlainCatalog): List[] {
  const declared = forge.repositories.flatMap(({ dependencies }) =>
    dependencies.map(({ dependency }) => dependency),
  )
  const pickName = () => random.pick(declared).dependency_name
  return Array.from({ length: filtersPerRound }, (_, index) => {
    const filter: OracleFilter = {
      ...(random.chance(0.5) && {
        location: Array.from({ length: random.pick([1, 1, 2, 20]) }, () => drawLocation(random, forge)),
      }),
      ...(random.chance(0.5) && {
        names: Array.from({ length: random.pick([1, 1, 3, 50]) }, () =>
          random.chance(0.1) ? 'no-such-name' : mixCase(random, pickName()),
        ),
      }),
      ...(random.chance(0.3) && {
        without: Array.from({ length: random.pick([1, 3]) }, () => mixCase(random, pickName())),
      }),
      ...(random.chance(0.3) && {
        files: Array.from({ length: random.integer(1, 3) }, () => random.pick(declared).dependency_file),
      }),
    }
    const { location, names, without, files } = filter
    if (names !== undefined && random.chance(0.5)) filter.match = random.pick(['any', 'all'] as const)
    if ((names ?? without ?? files) !== undefined && random.chance(0.5)) {
      filter.status = random.pick(['active', 'removed'] as const)
    }
    const query: ListQuery = {
      ...(names && { dependency_names: random.chance(0.5) ? names : names.join() }),
      ...(filter.match && { dependency_match: filter.match }),
      ...(without && { without_dependency_names: without.join() }),
      ...(files && { dependency_files: random.chance(0.5) ? files : files.join() }),
      ...(filter.status && { dependency_status: filter.status }),
    }
    if (index % 2 === 0) {
      const owner = random.chance(0.5) ? { owner: drawOwner(random, forge) } : {}
      const excludes = random.chance(0.3)
      const attributes = drawRepositoryAttributes(random)
      const wanted = { ...filter, ...owner, ...attributes }
      return {
        path: '/repos',
        query: {
          ...query,
          ...owner,
          ...writeAttributes(attributes),
          ...(excludes && { exclude: 'dependencies' }),
        },
        findPage: (range) => plain.listRepositories(wanted, range, { excludes }),
      }
    }
    const attributes = drawUserAttributes(random)
    return {
      path: '/users',
      query: { ...(location !== undefined && { location }), ...query, ...writeAttributes(attributes) },
      findPage: (range) => plain.listUsers({ ...filter, ...attributes }, range),
    }
  })
}

function drawUserAttributes(random: Random): AttributeFilter {
  return {
    ...(random.chance(0.2) && { country: random.pick([['de'], ['FR', 'de', 'Us'], ['AQ']]) }),
    ...(random.chance(0.3) && { type: random.pick([['user'], ['Bot', 'ORGANIZATION'], ['nothing']]) }),
    ...(random.chance(0.3) && {
      has: random.pick([['email'] as const, ['name', 'company', 'bio'] as const]),
    }),
    ...(random.chance(0.3) && { min_followers: random.pick([1, 2, 17, 500, 1e9]) }),
    ...(random.chance(0.3) && { active_since: drawTime(random, 80) }),
  }
}

function drawRepositoryAttributes(random: Random): AttributeFilter {
  return {
    ...(random.chance(0.3) && { language: random.pick([['TYPESCRIPT'], ['c++', 'grösse']]) }),
    ...(random.chance(0.3) && { license: random.pick([['mit'], ['MIT', 'apache-2.0', 'none']]) }),
    ...(random.chance(0.3) && { min_stars: random.pick([1, 2, 17, 500]) }),
    ...(random.chance(0.3) && { min_forks: random.pick([1, 3, 200]) }),
    ...(random.chance(0.3) && { fork: random.pick(['true', 'false'] as const) }),
    ...(random.chance(0.3) && { archived: random.pick(['true', 'false'] as const) }),
    ...(random.chance(0.3) && { pushed_since: drawTime(random, 30 * 86_400) }),
  }
}

/** A date, the beginning of a day, or a moment in it. */
function drawTime(random: Random, latest: number): string {
  const day = random.integer(0, 30)
  return random.pick([
    new Date(day * 86_400_000).toJSON().slice(0, 10),
    String(day * 86_400),
    String(random.integer(0, latest)),
  ])
}

/** Somebody who has many repositories, few or none. */
function drawOwner(random: Random, { repositories, users }: RandomForge): string {
  const owner = random.pick([
    random.pick(repositories).owner_login,
    random.pick(users).login,
    'no-such-owner',
  ])
  return mixCase(random, owner)
}

/** One that many have, part of one, all of one, or none that anybody has. Never an empty one, which is refused. */
function drawLocation(random: Random, { users }: RandomForge): string {
  const somebody = random.pick(users.flatMap(({ location }) => location ?? []))
  return random.pick([
    () => random.pick(['a', ',', 'er', '7', '%', 'NORWAY', '🌍']),
    () => takePlace(random, somebody).trim() || 'o',
    () => mixCase(random, ` ${somebody} `),
    () => `${somebody} and beyond`,
  ])()
}

function createNestedLists(random: Random, { repositories }: RandomForge, plain: PlainCatalog): List[] {
  return random.sampleByRank(repositories, repositoriesPerRound).flatMap(({ full_name: name }) => [
    { path: `/repos/${name}/commits`, query: {}, findPage: (range) => plain.listCommits(name, range) },
    {
      path: `/repos/${name}/dependencies`,
      query: {},
      findPage: (range) => plain.listDependencies(name, range),
    },
  ])
}

/** The first, the middle, the last page and those behind it are right, and so is what each says of the whole. */
async function expectPages(
  service: TestService,
  key: string,
  random: Random,
  { path, query, findPage }: List,
): Promise<void> {
  const size = random.pick([1, 7, 30, 100])
  const { total } = await findPage({ limit: 0, offset: 0 })
  const last = Math.max(1, Math.ceil(total / size))
  const pages = new Set([1, random.integer(1, last), last, last + random.pick([1, 1_000_000])])
  for (const page of pages) {
    const search = writeQuery({ ...query, per_page: String(size), page: String(page) })
    const response = readListResponse(await service.request(`${path}?${search}`, { key }))
    const asked = `${path}?${search}, seed ${seed}`
    expect(response.total, asked).toBe(total)
    expect(response.links.get('last')?.searchParams.get('page'), asked).toBe(String(last))
    expect(response.data, asked).toEqual((await findPage({ limit: size, offset: (page - 1) * size })).data)
  }
}
