/**
 * Lists of users and repositories after some were removed: ids are missing, and lists are still exact
 * (decisions/0003-lists.md).
 */
import { expect, test } from 'vitest'
import { createRandom, type Random } from '../../sample/random.ts'
import type { SampleRepository, SampleUser } from '../../sample/records.ts'
import { isDrill, seed } from '../support/drill.ts'
import { readListResponse, readNextPages } from '../support/list-response.ts'
import { createRepository, createUser, loadRecords } from '../support/records.ts'
import { removeRows } from '../support/removal.ts'
import { describeOnOneDatabase, startTestService, type TestService } from '../support/service.ts'

const rounds = isDrill ? 30 : 8
/** Loads and removals during an iteration. */
const maxChanges = 10
const cities = ['Berlin', 'Lagos', 'Oslo']
const packages = ['react', 'zod', 'hono']

/** An item, and the versions of the dataset in which it was added and last changed. */
interface Kept<Item> {
  item: Item
  added: number
  version: number
}

/** A list that can be requested. */
interface List {
  path: string
  /** The ids that it must have now; only those of items that were added at this version or before. */
  findIds(added?: number): number[]
}

/**
 * What there must be. A `Map` has the order of lists: what changes keeps its place, and what returns after its removal
 * comes last.
 */
class Model {
  users = new Map<number, Kept<SampleUser>>()
  repositories = new Map<number, Kept<SampleRepository>>()
  version = 0
  readonly #random: Random
  readonly #service: TestService

  constructor(random: Random, service: TestService) {
    this.#random = random
    this.#service = service
  }

  /** Adds some, changes some; some return that were removed. */
  async load(size: number): Promise<void> {
    const random = this.#random
    const pickNumbers = () => new Set(Array.from({ length: size }, () => random.integer(1, size * 8)))
    const users = [...pickNumbers()].map((number) =>
      createUser(number, { location: random.pick(cities), followers: random.integer(0, 1_000_000) }),
    )
    const repos = [...pickNumbers()].map((number) =>
      createRepository(number, `user-${number}`, [random.pick(packages)], {
        stargazers_count: random.integer(0, 1_000_000),
      }),
    )
    await loadRecords(this.#service.sql, { users, repos })
    this.version++
    const { version } = this
    for (const item of users) {
      const { added = version } = this.users.get(item.forge_rest_id) ?? {}
      this.users.set(item.forge_rest_id, { item, added, version })
    }
    for (const item of repos) {
      const { added = version } = this.repositories.get(item.forge_rest_id) ?? {}
      this.repositories.set(item.forge_rest_id, { item, added, version })
    }
  }

  /** Removes a share of each list, the last of it too. */
  async remove(share: number): Promise<void> {
    const pick = (items: ReadonlyMap<number, unknown>) => {
      const keys = [...items.keys()]
      return keys.filter((_, index) => this.#random.chance(share) || index === keys.length - 1)
    }
    const [users, repositories] = [pick(this.users), pick(this.repositories)]
    this.version = await removeRows(this.#service.sql, { users, repositories })
    for (const key of users) this.users.delete(key)
    for (const key of repositories) this.repositories.delete(key)
  }

  /** Every kind of list. */
  createLists(): List[] {
    const since = this.#random.integer(0, this.version)
    const createList = <Item>(
      path: string,
      items: ReadonlyMap<number, Kept<Item>>,
      matches: (kept: Kept<Item>) => boolean = () => true,
    ): List => ({
      path,
      findIds: (added = Number.POSITIVE_INFINITY) =>
        [...items].filter(([, kept]) => kept.added <= added && matches(kept)).map(([id]) => id),
    })
    return [
      createList('/users?', this.users),
      createList('/users?location=oslo', this.users, ({ item }) => item.location === 'Oslo'),
      createList(`/users?changed_since=${since}`, this.users, ({ version }) => version > since),
      createList('/repos?', this.repositories),
      createList('/repos?dependency_names=zod', this.repositories, ({ item }) =>
        item.dependencies.some(({ dependency }) => dependency.dependency_name === 'zod'),
      ),
      createList(`/repos?changed_since=${since}`, this.repositories, ({ version }) => version > since),
    ]
  }
}

describeOnOneDatabase('a list from which items were removed', (kind) => {
  async function createModel() {
    console.info(`seed ${seed}`)
    const random = createRandom(`${seed} gaps`)
    const service = await startTestService(kind, { data: 'empty' })
    const { secret } = await service.createKey({ role: 'admin' })
    const ask = async (path: string) => readListResponse(await service.request(path, { key: secret }))
    return { random, service, ask, model: new Model(random, service) }
  }

  test('has exact pages, totals and links, whatever was loaded and removed before', async () => {
    const { random, service, ask, model } = await createModel()
    try {
      for (let round = 0; round < rounds; round++) {
        if (round === 0 || random.chance(0.5)) await model.load(60)
        else await model.remove(random.pick([0, 0.1, 0.6]))
        for (const { path, findIds } of model.createLists()) {
          const ids = findIds()
          const size = random.pick([7, 30, 100])
          const last = Math.max(1, Math.ceil(ids.length / size))
          for (let page = 1; page <= last + 1; page++) {
            const response = await ask(`${path}&per_page=${size}&page=${page}`)
            const label = `${path}, page ${page} of ${size}, round ${round}, seed ${seed}`
            expect(response.total, label).toBe(ids.length)
            expect(response.links.get('last')?.searchParams.get('page'), label).toBe(String(last))
            expect(
              response.data.map(({ forge_rest_id: id }) => id),
              label,
            ).toEqual(ids.slice((page - 1) * size, page * size))
            expect(response.pagination.has_more, label).toBe(page < last)
          }
        }
      }
    } finally {
      await service.close()
    }
  })

  test('gives an iteration each item once, in order, that stays while others leave and return', async () => {
    const { random, service, ask, model } = await createModel()
    try {
      await model.load(300)
      // Some iterations begin before the first id is missing, some after.
      for (let round = 0; round < rounds / 2; round++) {
        const start = model.version
        const states = model.createLists().map((list) => {
          const staying = list.findIds()
          const size = Math.min(100, Math.max(1, Math.ceil(staying.length / 5)))
          return {
            list,
            staying,
            seen: [] as unknown[],
            next: `${list.path}&per_page=${size}` as string | undefined,
          }
        })
        for (let changes = 0; states.some(({ next }) => next !== undefined); changes++) {
          await readNextPages(states, ask)
          // A list without an item that stays has pages of one item: it could grow faster than it is read.
          if (changes >= maxChanges) continue
          if (random.chance(0.6)) await model.remove(0.05)
          else await model.load(20)
          for (const state of states) {
            const there = new Set(state.list.findIds(start))
            state.staying = state.staying.filter((id) => there.has(id))
          }
        }
        for (const { list, staying, seen } of states) {
          const stayed = new Set<unknown>(staying)
          expect(
            seen.filter((id) => stayed.has(id)),
            `${list.path}, seed ${seed}`,
          ).toEqual(staying)
        }
      }
    } finally {
      await service.close()
    }
  })
})
