/**
 * Large lists: exact totals, and pages that cost the same wherever they are (decisions/0003-lists.md). The records follow
 * from their number, so that every page is known.
 */
import { beforeAll, expect, test } from 'vitest'
import { importNdjson, type Source } from '../../api/sources/ndjson/import.ts'
import { isDrill } from '../support/drill.ts'
import { createInstance, openSameDatabase } from '../support/instance.ts'
import { readListResponse } from '../support/list-response.ts'
import { createRepository, createUser } from '../support/records.ts'
import { describeOnServer } from '../support/server.ts'
import { useService } from '../support/service.ts'

/** Users, and as many repositories. */
const count = isDrill ? 1_000_000 : 20_000
const perPage = 100
const cities = 7
const names = 3
const rareNames = 500

/** Different numbers of followers, and of stars. */
const values = 500

const makeUser = (number: number) =>
  createUser(number, { location: `City ${number % cities}, Somewhere`, followers: number % values })
const listNames = (number: number) => [
  `dep-${number % names}`,
  `rare-${number % rareNames}`,
  ...(number % 10 === 0 ? ['tenth'] : []),
]
const makeRepository = (number: number) =>
  createRepository(number, `user-${number}`, listNames(number), {
    stargazers_count: number % values,
    pushed_at: 600 * number, // a day has 144
  })

/** The number of the item at a place, from 0, of a list that is sorted by followers or stars. */
function findByValue(place: number): number {
  const value = values - 1 - Math.floor((place * values) / count)
  const before = (values - 1 - value) * (count / values)
  return value + (place - before + (value === 0 ? 1 : 0)) * values
}

/** With its number of items, and the number of the item at a place, from 0. */
const sortedLists: [path: string, total: number, numberAt: (place: number) => number][] = [
  ['/users?type=user&sort=followers', count, findByValue],
  ['/repos?exclude=dependencies&fork=false&sort=stars', count, findByValue],
  ['/repos?exclude=dependencies&sort=pushed', count, (place) => count - place],
  [
    '/repos?exclude=dependencies&dependency_names=tenth&sort=pushed',
    count / 10,
    (place) => count - 10 * place,
  ],
]

/** A list, whose items are those with the number `rest` modulo `modulus`. */
const lists: [query: string, rest: number, modulus: number][] = [
  ['/users?', 0, 1],
  ['/users?location=CITY+3', 3, cities],
  ['/users?dependency_names=dep-1', 1, names],
  ['/users?dependency_names=rare-5', 5, rareNames],
  ['/users?location=city+3&dependency_names=dep-1', 10, cities * names],
  ['/repos?', 0, 1],
  ['/repos?dependency_names=dep-1', 1, names],
  ['/repos?dependency_names=rare-5,rare-255', 5, rareNames / 2],
]

/** How many numbers up to `count` are `rest` modulo `modulus`. */
function countItems(rest: number, modulus: number): number {
  return Math.floor((count - (rest === 0 ? modulus : rest)) / modulus) + 1
}

describeOnServer(`a list of ${count} items, or a filter of it,`, () => {
  // One connection reads, so that its statistics say what a page costs.
  const service = useService('postgresql', { data: 'empty', databasePoolSize: 2 })
  let key: string
  beforeAll(async () => {
    const loader = await openSameDatabase(service, { databaseStatementTimeoutSeconds: 0 })
    const began = performance.now()
    await importNdjson(loader.sql, {
      sources: [createSource('users', makeUser), createSource('repos', makeRepository)],
    })
    console.info(`loaded in ${Math.round((performance.now() - began) / 1_000)} s`)
    await loader.sql`vacuum analyze`
    await loader.close()
    key = (await service.createKey({ role: 'admin' })).secret
  })

  async function readPage(query: string, page: number) {
    const began = performance.now()
    const response = readListResponse(
      await service.request(`${query}&per_page=${perPage}&page=${page}`, { key }),
    )
    return { ...response, milliseconds: performance.now() - began }
  }

  /** Blocks that the database has read so far, from memory or disk. */
  async function countBlocks(): Promise<number> {
    await service.sql`select pg_stat_force_next_flush()`
    const [row] = await service.sql<{ blocks: number }[]>`
      select blks_hit + blks_read as blocks from pg_stat_database where datname = current_database()`
    return row?.blocks ?? 0
  }

  test.each(lists)(
    'has an exact total, and the right items on any page: %s',
    async (query, rest, modulus) => {
      const first = rest === 0 ? modulus : rest
      const total = Math.floor((count - first) / modulus) + 1
      const last = Math.ceil(total / perPage)
      for (const page of new Set([1, Math.ceil(last / 2), last, last + 1])) {
        const start = (page - 1) * perPage
        const expected = Array.from(
          { length: Math.max(0, Math.min(perPage, total - start)) },
          (_, index) => first + (start + index) * modulus,
        )
        const response = await readPage(query, page)
        expect([page, response.total]).toEqual([page, total])
        expect(response.data.map((item) => item.forge_rest_id)).toEqual(expected)
        if (page >= last) continue
        const next = response.links.get('next') ?? expect.unreachable()
        const following = readListResponse(await service.request(`${next.pathname}${next.search}`, { key }))
        expect(following.data[0]?.forge_rest_id).toBe(first + page * perPage * modulus)
      }
    },
  )

  test.each(sortedLists)(
    'sorted: has the right items, and reads as much for any page: %s',
    async (query, total, numberAt) => {
      const last = total / perPage
      /** The least of some requests of a page that is seen for the first time: others use the database too. */
      async function measure(page: number): Promise<number> {
        const costs: number[] = []
        for (let attempt = 0; attempt < 3; attempt++) {
          const { request } = createInstance(service) // which knows no matches yet
          const before = await countBlocks()
          const response = readListResponse(
            await request(`${query}&per_page=${perPage}&page=${page}`, { key }),
          )
          costs.push((await countBlocks()) - before)
          expect(response.total).toBe(total)
          expect(response.data.map((item) => item.forge_rest_id)).toEqual(
            Array.from({ length: perPage }, (_, index) => numberAt((page - 1) * perPage + index)),
          )
        }
        return Math.min(...costs)
      }
      const costs = { first: await measure(1), middle: await measure(last / 2), last: await measure(last) }
      console.info(`${query}: ${JSON.stringify(costs)} blocks`)
      expect(Math.max(costs.middle, costs.last)).toBeLessThan(1.5 * costs.first + 100)
    },
  )

  const longLists = lists.filter(([, rest, modulus]) => countItems(rest, modulus) > 20 * perPage)

  test.each(longLists)(
    'reads as much for its last page as for its first: %s',
    async (query, rest, modulus) => {
      const last = Math.ceil(countItems(rest, modulus) / perPage)
      /** The least of some pages: others use the database too. */
      const measure = async (pages: readonly number[]) => {
        const costs: { blocks: number; milliseconds: number }[] = []
        for (const page of pages) {
          const before = await countBlocks()
          const { milliseconds } = await readPage(query, page)
          costs.push({ blocks: (await countBlocks()) - before, milliseconds })
        }
        return {
          blocks: Math.min(...costs.map(({ blocks }) => blocks)),
          milliseconds: Math.min(...costs.map(({ milliseconds }) => milliseconds)),
        }
      }
      const atStart = await measure([3, 4, 5, 6, 7])
      const atEnd = await measure([5, 4, 3, 2, 1].map((fromEnd) => last - fromEnd))
      console.info(
        `${query}: ${atStart.blocks} blocks, ${atStart.milliseconds.toFixed(1)} ms at the start; ` +
          `${atEnd.blocks} blocks, ${atEnd.milliseconds.toFixed(1)} ms at the end`,
      )
      expect(atEnd.blocks).toBeLessThan(1.5 * atStart.blocks + 30)
    },
  )
})

/** Lines in chunks, made while they are read. */
function createSource(kind: Source['kind'], make: (number: number) => object): Source {
  const linesPerChunk = 1_000
  return {
    kind,
    name: `${kind}.ndjson`,
    size: undefined,
    async *open() {
      for (let done = 0; done < count; done += linesPerChunk) {
        const length = Math.min(linesPerChunk, count - done)
        const lines = Array.from({ length }, (_, index) => `${JSON.stringify(make(done + index + 1))}\n`)
        yield Buffer.from(lines.join(''))
      }
    },
  }
}
