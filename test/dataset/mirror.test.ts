/**
 * A copy that a client keeps: it follows `changed_since` and `/removals`, and has what the service has
 * (decisions/0003-lists.md).
 */
import { expect, test } from 'vitest'
import { createRandom, type Random } from '../../sample/random.ts'
import { isDrill, seed } from '../support/drill.ts'
import { readListResponse } from '../support/list-response.ts'
import { createRandomForge, type RandomForge } from '../support/random-forge.ts'
import { loadRecords } from '../support/records.ts'
import { removeRows } from '../support/removal.ts'
import { describeOnOneDatabase, startTestService, type TestService } from '../support/service.ts'

const rounds = isDrill ? 20 : 5

/** A client's copy: JSON texts by `forge_rest_id`. */
class Mirror {
  users = new Map<unknown, string>()
  repositories = new Map<unknown, string>()
  version = 0
  /** Items that it has paid for. */
  items = 0
  readonly #service: TestService
  readonly #key: string

  constructor(service: TestService, key: string) {
    this.#service = service
    this.#key = key
  }

  /** Yields pages; `version` is that of the first. */
  async *#read(path: string) {
    for (let next: string | undefined = path; next !== undefined; ) {
      const response = await this.#service.request(next, { key: this.#key })
      const { data, links } = readListResponse(response)
      const target: URL | undefined = links.get('next')
      next = target && target.pathname + target.search
      yield { data, version: Number(response.headers.get('X-Dataset-Version')) }
    }
  }

  /** Fetches what has changed. `between` runs after each page. */
  async refresh(between: () => Promise<void>): Promise<void> {
    const since = this.version
    let first: number | undefined
    for (const [path, items] of [
      ['/users', this.users],
      ['/repos', this.repositories],
    ] as const) {
      for await (const { data, version } of this.#read(`${path}?changed_since=${since}&per_page=100`)) {
        first ??= version
        this.items += data.length
        for (const item of data) items.set(item.forge_rest_id, JSON.stringify(item))
        await between()
      }
    }
    for await (const { data } of this.#read(`/removals?since=${since}&per_page=100`)) {
      for (const { kind, forge_rest_id: id } of data) {
        const items = kind === 'user' ? this.users : this.repositories
        items.delete(id)
      }
      await between()
    }
    this.version = first ?? since
  }

  /** What the service has now. */
  async readSource() {
    const source = { users: new Map<unknown, string>(), repositories: new Map<unknown, string>() }
    for (const [path, items] of [
      ['/users', source.users],
      ['/repos', source.repositories],
    ] as const) {
      for await (const { data } of this.#read(`${path}?per_page=100`)) {
        for (const item of data) items.set(item.forge_rest_id, JSON.stringify(item))
      }
    }
    return source
  }
}

/** Loads or removes something. What was removed may return with a later load. */
async function changeSource({ sql }: TestService, random: Random, forge: RandomForge): Promise<void> {
  const pick = (items: readonly { forge_rest_id: number }[], count: number) =>
    Array.from({ length: count }, () => random.pick(items).forge_rest_id)
  if (random.chance(0.5)) {
    await removeRows(sql, { users: pick(forge.users, 40), repositories: pick(forge.repositories, 25) })
  } else if (random.chance(0.7)) {
    await loadRecords(sql, forge.change({ users: 40, repositories: 25, commits: 0 }))
  } else {
    await loadRecords(sql, forge.grow({ users: 10, repositories: 10, commits: 0 }))
  }
}

describeOnOneDatabase('a copy that follows changes and removals', (kind) => {
  test('has what the service has, byte for byte, however it changes between and during refreshes', async () => {
    console.info(`seed ${seed}`)
    const random = createRandom(`${seed} mirror`)
    const forge = createRandomForge(seed)
    const service = await startTestService(kind, { data: 'empty' })
    try {
      const { secret } = await service.createKey({ role: 'admin' })
      const mirror = new Mirror(service, secret)
      await loadRecords(service.sql, forge.grow({ users: 700, repositories: 400, commits: 800 }))
      for (let round = 0; round < rounds; round++) {
        for (let left = random.integer(0, 3); left > 0; left--) await changeSource(service, random, forge)
        let changes = 3
        await mirror.refresh(async () => {
          if (changes-- > 0 && random.chance(0.5)) await changeSource(service, random, forge)
        })
        const before = mirror.items
        await mirror.refresh(async () => {})
        const source = await mirror.readSource()
        expect(sortEntries(mirror.users), `users, round ${round}, seed ${seed}`).toEqual(
          sortEntries(source.users),
        )
        expect(sortEntries(mirror.repositories), `repositories, round ${round}, seed ${seed}`).toEqual(
          sortEntries(source.repositories),
        )
        // A refresh fetches what has changed, not everything.
        expect(mirror.items - before).toBeLessThan((source.users.size + source.repositories.size) / 2)
      }
    } finally {
      await service.close()
    }
  })
})

function sortEntries(items: ReadonlyMap<unknown, string>): [unknown, string][] {
  return [...items].sort(([one], [other]) => Number(one) - Number(other))
}
