/** Batch look-ups, compared with a plain model on random data (decisions/0003-lists.md). */
import { beforeAll, expect, test } from 'vitest'
import { createRandom, type Random } from '../../sample/random.ts'
import { isDrill, seed } from '../support/drill.ts'
import { describePage, readListResponse, readNextPages } from '../support/list-response.ts'
import { mixCase } from '../support/random-forge.ts'
import { createRepository, createUser, loadRecords } from '../support/records.ts'
import { removeRows } from '../support/removal.ts'
import { describeOnOneDatabase, type TestService, useService } from '../support/service.ts'

const rounds = isDrill ? 30 : 5
const batchesPerRound = isDrill ? 60 : 24
const usersPerLoad = 150

/** What a test compares of an item. */
interface Item {
  id: number
  name: string
}

/** A batch look-up that can be sent. */
interface Batch {
  path: string
  parameter: string
  /** As a client may write them: in any case, repeated, unknown, and blank ones. */
  entries: string[]
  /** What it finds now, in the order of the list. */
  findItems(): Item[]
}

/**
 * What there must be, by `forge_rest_id`. A `Map` has the order of lists: what changes keeps its place, and what
 * returns after its removal comes last.
 */
class Model {
  users = new Map<number, Item>()
  repositories = new Map<number, Item>()
  readonly #random: Random
  readonly #service: TestService

  constructor(random: Random, service: TestService) {
    this.#random = random
    this.#service = service
  }

  /** Adds some and renames some. Now and then, two have the same name. */
  async load(): Promise<void> {
    const random = this.#random
    const drawName = () => mixCase(random, `dev-${random.integer(1, usersPerLoad * 2)}`)
    const pickNumbers = () =>
      new Set(Array.from({ length: usersPerLoad }, () => random.integer(1, usersPerLoad * 4)))
    const users = [...pickNumbers()].map((number) => createUser(number, { login: drawName() }))
    // The forge's ids are positive. Repositories that only clones have described have negative ones.
    const repos = [...pickNumbers()].map((number) =>
      createRepository(number % 5 === 0 ? -number : number, drawName(), [`package-${number}`], {
        name: `repo-${random.integer(1, 2)}`,
      }),
    )
    await loadRecords(this.#service.sql, { users, repos })
    for (const { forge_rest_id: id, login } of users) this.users.set(id, { id, name: login })
    for (const { forge_rest_id: id, full_name } of repos) this.repositories.set(id, { id, name: full_name })
  }

  /** Removes some of each list. */
  async remove(): Promise<void> {
    const pick = (items: ReadonlyMap<number, unknown>) =>
      [...items.keys()].filter(() => this.#random.chance(0.1))
    const [users, repositories] = [pick(this.users), pick(this.repositories)]
    await removeRows(this.#service.sql, { users, repositories })
    for (const id of users) this.users.delete(id)
    for (const id of repositories) this.repositories.delete(id)
  }

  /** Draws a batch of at most `size` entries. */
  drawBatch(size: number): Batch {
    const random = this.#random
    const isOfUsers = random.chance(0.5)
    const items = () => [...(isOfUsers ? this.users : this.repositories).values()]
    const path = isOfUsers ? '/users' : '/repos'
    if (random.chance(0.4)) {
      const entries = Array.from({ length: size }, () => String(this.#drawId(items())))
      const findItems = () => items().filter(({ id }) => entries.includes(String(id)))
      return { path, parameter: 'forge_rest_ids', entries, findItems }
    }
    const entries = Array.from({ length: size }, () =>
      random.chance(0.2)
        ? `unknown-${random.integer(1, 5)}${isOfUsers ? '' : '/repo-1'}`
        : mixCase(random, random.pick(items()).name),
    )
    return {
      path,
      parameter: isOfUsers ? 'logins' : 'full_names',
      entries,
      findItems() {
        const names = new Set(entries.map((entry) => entry.toLowerCase()))
        // Of those that share a name, the last.
        const last = new Map(items().map((item) => [item.name.toLowerCase(), item]))
        return items().filter((item) => {
          const name = item.name.toLowerCase()
          return names.has(name) && last.get(name) === item
        })
      },
    }
  }

  #drawId(items: readonly Item[]): number {
    if (this.#random.chance(0.8)) return this.#random.pick(items).id
    return this.#random.pick([0, -1_000_000, usersPerLoad * 5, Number.MAX_SAFE_INTEGER])
  }
}

/** Writes the query of a batch: in one parameter or in several, with blank entries and white space here and there. */
function writeQuery(random: Random, { parameter, entries }: Batch): URLSearchParams {
  const query = new URLSearchParams()
  let values: string[] = []
  for (const entry of entries) {
    values.push(random.pick([entry, entry, ` ${entry}\t`, `,${entry}`, `${entry},\t`]))
    if (random.chance(0.1)) {
      query.append(parameter, values.join())
      values = []
    }
  }
  if (values.length > 0 || !query.has(parameter)) query.append(parameter, values.join())
  return query
}

const toItem = ({ forge_rest_id, login, full_name }: Record<string, unknown>) => ({
  id: forge_rest_id,
  name: login ?? full_name,
})

describeOnOneDatabase('a batch look-up', (kind) => {
  const service = useService(kind, { key: { credits: 10_000_000 }, data: 'empty' })
  let random: Random
  let model: Model
  beforeAll(async () => {
    console.info(`seed ${seed}`)
    random = createRandom(`${seed} batches`)
    model = new Model(random, service)
    await model.load()
  })

  const send = (path: string, method = 'GET') => service.request(path, { key: service.key, method })
  const ask = async (path: string) => readListResponse(await send(path))

  test('has exactly what it names and there is, on one page, at the price of what is found', async () => {
    let charged = 0
    for (let round = 0; round < rounds; round++) {
      if (round > 0) await (random.chance(0.5) ? model.load() : model.remove())
      for (let left = batchesPerRound; left > 0; left--) {
        const batch = model.drawBatch(random.pick([0, 1, 2, 40, 100]))
        const path = `${batch.path}?${writeQuery(random, batch)}`
        const label = `${path}, round ${round}, seed ${seed}`
        const expected = batch.findItems()
        const quote = await send(path, 'HEAD')
        expect(quote.headers.get('X-Credits-Cost'), label).toBe(String(expected.length))
        expect(quote.headers.get('X-Total-Count'), label).toBe(String(expected.length))
        const response = await ask(path)
        charged += expected.length
        expect(response.data.map(toItem), label).toEqual(expected)
        expect([response.total, response.cost], label).toEqual([expected.length, expected.length])
        expect(response.pagination, label).toEqual(describePage(1, 100, 1))
        expect(response.links.size, label).toBe(0)
      }
    }
    expect(await service.readLedger(service.keyId)).toMatchObject({ charged })
  })

  test('has pages like other lists if the request has page or per_page', async () => {
    for (let left = batchesPerRound; left > 0; left--) {
      const batch = model.drawBatch(100)
      const expected = batch.findItems()
      const size = random.pick([1, 7, 30, 100])
      const last = Math.max(1, Math.ceil(expected.length / size))
      for (const page of new Set([1, random.integer(1, last), last, last + 1, 90_000_000_000_000])) {
        const query = writeQuery(random, batch)
        query.append('page', String(page))
        if (size !== 30) query.append('per_page', String(size))
        const response = await ask(`${batch.path}?${query}`)
        const label = `${batch.path}?${query}, seed ${seed}`
        expect(response.data.map(toItem), label).toEqual(expected.slice((page - 1) * size, page * size))
        expect([response.total, response.cost], label).toEqual([expected.length, response.data.length])
        expect(response.pagination, label).toMatchObject({ page, per_page: size, has_more: page < last })
        expect(response.links.get('last')?.searchParams.get('page'), label).toBe(String(last))
      }
    }
  })

  test('gives an iteration by rel="next" each item once, in order, that it finds all along while loads change things', async () => {
    const states = Array.from({ length: 12 }, () => {
      const batch = model.drawBatch(100)
      const query = writeQuery(random, batch)
      query.append('per_page', '9')
      return {
        batch,
        staying: batch.findItems().map(({ id }) => id),
        seen: [] as unknown[],
        next: `${batch.path}?${query}` as string | undefined,
      }
    })
    while (states.some(({ next }) => next !== undefined)) {
      await readNextPages(states, ask)
      await (random.chance(0.3) ? model.load() : model.remove())
      for (const state of states) {
        const found = new Set(state.batch.findItems().map(({ id }) => id))
        state.staying = state.staying.filter((id) => found.has(id))
      }
    }
    for (const { batch, staying, seen } of states) {
      const stayed = new Set<unknown>(staying)
      expect(
        seen.filter((id) => stayed.has(id)),
        `${batch.path}?${batch.parameter}, seed ${seed}`,
      ).toEqual(staying)
    }
    expect(states.flatMap(({ staying }) => staying)).not.toHaveLength(0)
  })

  test('finds for a name that several have what the single look-up finds: the one that came last', async () => {
    const [old, recent] = ['Berlin', 'Lagos'].map((name, index) => ({
      user: createUser(70_001 + index, { login: 'Shared', name }),
      repository: createRepository(80_001 + index, 'Shared', [name], { name: 'thing', description: name }),
    }))
    if (old === undefined || recent === undefined) throw new Error('there are two')
    // In one load and in two.
    await loadRecords(service.sql, { users: [old.user, recent.user], repos: [old.repository] })
    await loadRecords(service.sql, { repos: [recent.repository] })
    // The older one changes later, and stays the older one.
    await loadRecords(service.sql, { users: [{ ...old.user, followers: 7 }] })
    const { data: users } = await ask('/users?logins=shared')
    expect(users).toEqual([recent.user])
    expect(users).toEqual([(await send('/users/shared')).json()])
    const { data: repositories } = await ask('/repos?full_names=sHARED/thing')
    expect(repositories).toMatchObject([{ description: 'Lagos', dependencies: [expect.anything()] }])
    expect((await send('/repos/shared/thing')).json()).toMatchObject({ description: 'Lagos' })
    // Both have an id of their own.
    const { data: both } = await ask('/users?forge_rest_ids=70002,70001')
    expect(both.map(({ name }) => name)).toEqual(['Berlin', 'Lagos'])
  })
})
