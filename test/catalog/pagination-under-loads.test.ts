/** Iterations through every kind of list while loads change it (decisions/0003-lists.md). */
import { expect, test } from 'vitest'
import { createRandom } from '../../sample/random.ts'
import type { SampleCommit, SampleRepository } from '../../sample/records.ts'
import { writeQuery } from '../support/catalog.ts'
import { isDrill, seed } from '../support/drill.ts'
import { type ListResponse, readListResponse } from '../support/list-response.ts'
import { createRandomForge } from '../support/random-forge.ts'
import { createRepository, loadRecords } from '../support/records.ts'
import { createOracle, type Oracle, type OracleFilter } from '../support/sample-oracle.ts'
import { describeOnOneDatabase, startTestService } from '../support/service.ts'

const loads = isDrill ? 16 : 4
/** Pages of an iteration: most have a load before and after. */
const pages = isDrill ? 18 : 8
const identity = {
  owner_login: 'own',
  name: 'busy',
  full_name: 'own/busy',
  url: 'https://forge.example/own/busy',
}

/** A list, and the key of its items. */
interface Iteration {
  path: string
  keyOf(item: Record<string, unknown>): unknown
  listAll(oracle: Oracle): object[]
}

const byId = ({ forge_rest_id: id }: Record<string, unknown>) => id
const filters: OracleFilter[] = [
  {},
  { location: 'a' },
  { location: ['berlin', 'lagos', 'o'] },
  { names: ['react'] },
  { names: ['react'], status: 'active' },
  { owner: 'Many' },
  { owner: 'MANY', names: ['zod'] },
  { names: ['lodash', 'package-60', 'package-200'] },
  { files: ['go.mod', 'pom.xml'] },
]
const iterations: Iteration[] = [
  ...[...filters, { location: 'e', names: ['django', 'react'] }]
    .filter((filter) => !('owner' in filter))
    .map((filter) => ({
      path: `/users?${toQuery(filter)}`,
      keyOf: byId,
      listAll: (oracle: Oracle) => oracle.findUsers(filter),
    })),
  ...filters
    .filter((filter) => !('location' in filter))
    .map((filter) => ({
      path: `/repos?${toQuery(filter)}`,
      keyOf: byId,
      listAll: (oracle: Oracle) => oracle.findRepositories(filter),
    })),
  {
    path: '/repos/own/busy/commits?',
    keyOf: ({ commit_hash: hash }) => hash,
    listAll: (oracle) => oracle.commitsOf('own/busy'),
  },
  {
    path: '/repos/own/busy/dependencies?',
    keyOf: ({ dependency }) => JSON.stringify(dependency),
    listAll: (oracle) => oracle.dependenciesOf('own/busy'),
  },
]

function toQuery({ location, names, files, status, owner }: OracleFilter) {
  return writeQuery({
    ...(location !== undefined && { location }),
    ...(names && { dependency_names: names.join() }),
    ...(files && { dependency_files: files }),
    ...(status && { dependency_status: status }),
    ...(owner && { owner }),
  })
}

describeOnOneDatabase('an iteration of any list by rel="next"', (kind) => {
  test('has each item exactly once, in order, that stays in the list while loads change it', async () => {
    console.info(`seed ${seed}`)
    const random = createRandom(`${seed} iterations`)
    const forge = createRandomForge(seed)
    const service = await startTestService(kind, { data: 'empty' })
    try {
      const { secret } = await service.createKey({ role: 'admin' })
      const first = forge.grow({ users: 900, repositories: 500, commits: 900 })
      let busy = declareAnew({
        ...(forge.repositories[0] ?? expect.unreachable()),
        ...identity,
        forge_rest_id: 1,
      })
      const itsCommits: SampleCommit[] = []

      /** The next state of the one repository whose own lists are read. */
      function declareAnew(repository: SampleRepository): SampleRepository {
        const kept = repository.url === identity.url && repository.dependencies.length > 50
        const names = new Set<string>()
        for (const { dependency } of kept ? repository.dependencies : []) {
          if (!random.chance(0.8 / loads)) names.add(dependency.dependency_name)
        }
        while (names.size < 150)
          names.add(`${random.pick(['a', 'Ü', '@b/', '"', '🌍'])}${random.integer(1, 5000)}`)
        const dependencies = [...names].map((name) => ({
          url: identity.url,
          first_use_date: 1,
          last_use_date: null,
          updated_at: 1,
          status: 'active' as const,
          dependency: { dependency_name: name, dependency_file: 'package.json' },
        }))
        return { ...repository, ...identity, dependencies }
      }

      /** Commits of any age, as when a branch is merged. */
      function commitTo(count: number): SampleCommit[] {
        return Array.from({ length: count }, () => ({
          commit_hash: Array.from({ length: 40 }, () => random.integer(0, 15).toString(16)).join(''),
          author_email: 'somebody@example.org',
          author_date: 1,
          committer_email: 'somebody@example.org',
          committer_date: random.chance(0.1) ? null : random.integer(1, 500),
          message: 'more',
          repo_url: identity.url,
        }))
      }

      /** Repositories that change hands between two owners. */
      const owned: SampleRepository[] = []
      const handOver = (number: number) =>
        createRepository(1_000_000 + number, random.pick(['many', 'many', 'others']), [
          random.pick(['zod', 'hono']),
        ])
      for (let number = 0; number < 100; number++) owned.push(handOver(number))

      itsCommits.push(...commitTo(200))
      await loadRecords(service.sql, {
        users: first.users ?? [],
        repos: [busy, ...owned, ...(first.repos ?? [])],
        commits: [...itsCommits, ...(first.commits ?? [])],
      })

      function listAll(): unknown[][] {
        const oracle = createOracle({
          users: forge.users,
          repositories: [busy, ...owned, ...forge.repositories],
          commits: [...itsCommits, ...forge.commits],
        })
        return iterations.map(({ listAll, keyOf }) => listAll(oracle).map((item) => keyOf({ ...item })))
      }

      let staying = listAll()
      const states = iterations.map(({ path }, index) => ({
        next: `${path}&per_page=${Math.min(100, Math.ceil((staying[index]?.length ?? 0) / pages))}` as
          | string
          | undefined,
        seen: [] as unknown[],
      }))
      for (let step = 0; states.some(({ next }) => next !== undefined); step++) {
        for (const [index, state] of states.entries()) {
          if (state.next === undefined) continue
          const response: ListResponse = readListResponse(await service.request(state.next, { key: secret }))
          state.seen.push(...response.data.map((item) => iterations[index]?.keyOf(item)))
          const next = response.links.get('next')
          state.next = next && next.pathname + next.search
        }
        if (step >= loads) continue
        const changed = forge.change({ users: 60, repositories: 40, commits: 0 })
        const grown = forge.grow({ users: 5, repositories: 5, commits: 40 })
        busy = declareAnew(busy)
        for (let left = 8; left > 0; left--) {
          const number = random.integer(0, owned.length) // one more, perhaps
          owned[number] = handOver(number)
        }
        const newCommits = commitTo(20)
        itsCommits.push(...newCommits)
        await loadRecords(service.sql, {
          users: [...(changed.users ?? []), ...(grown.users ?? [])],
          repos: [busy, ...owned, ...(changed.repos ?? []), ...(grown.repos ?? [])],
          commits: [...newCommits, ...(grown.commits ?? [])],
        })
        const now = listAll()
        staying = staying.map((keys, index) => {
          const there = new Set(now[index])
          return keys.filter((key) => there.has(key))
        })
      }
      for (const [index, { path }] of iterations.entries()) {
        const seen = states[index]?.seen ?? []
        const stayed = new Set(staying[index])
        expect(staying[index]?.length, `${path}, seed ${seed}`).toBeGreaterThan(pages)
        expect(
          seen.filter((key) => stayed.has(key)),
          `${path}, seed ${seed}`,
        ).toEqual(staying[index])
        expect(seen.length, `${path}, seed ${seed}: seen twice`).toBe(new Set(seen).size)
      }
    } finally {
      await service.close()
    }
  })
})
