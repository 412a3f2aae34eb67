/**
 * After any history of clones and records of the forge, one repository is one repository (decisions/0004-data.md).
 *
 * @module-tag later
 */
import { expect, test } from 'vitest'
import { applyImport } from '../../api/dataset/apply-load.ts'
import { verifySets } from '../../api/dataset/set-verification.ts'
import { parseItem } from '../../api/staging/records.ts'
import { withStaging } from '../../api/staging/staging.ts'
import { createRandom, type Random } from '../../sample/random.ts'
import type { SampleCommit } from '../../sample/records.ts'
import { readTables, resetCatalog } from '../support/catalog-tables.ts'
import { isDrill } from '../support/drill.ts'
import {
  createCommit,
  createDependency,
  createRepository,
  createUser,
  loadRecords,
  testOrigin,
} from '../support/records.ts'
import { describeOnOneDatabase, useService } from '../support/service.ts'

const stepsOfHistory = 20
const users = [1, 2, 3].map((number) => createUser(number, { email: `${number}@example.org` }))

/** A record that is loaded, or a repository that is expected. */
interface Repository {
  forge_rest_id: number
  /** The URL as most would spell it. It names the repository while nobody renames it. */
  place: string
  /** The URL as it is spelled. */
  url: string
  /** Names of dependencies; null: the record doesn't say. */
  dependencies: readonly string[] | null
}

interface Commit {
  number: number
  url: string
}

/** What is expected of a repository. */
interface Row extends Repository {
  id: number
  dependencies: readonly string[]
  /** The spelling of the URL, by number. */
  commits: Map<number, string>
}

interface Load {
  repositories: readonly Repository[]
  /** The commits of the first repository, as a clone has them. */
  commits: readonly Commit[]
  /** Whether other commits of it leave. */
  hasAllCommits: boolean
}

describeOnOneDatabase('after any history of clones and records,', (kind) => {
  // The embedded database takes much longer to empty its tables.
  const histories = kind === 'embedded' ? 1 : isDrill ? 150 : 2
  const service = useService(kind, { data: 'empty' })
  const fresh = useService(kind, { data: 'empty' })

  test('each repository is there once, with its commits and dependencies, as if loaded at once', async () => {
    for (let seed = 1; seed <= histories; seed++) {
      const random = createRandom(`one repository ${seed}`)
      const forge = createForge(random)
      const model = createModel()
      await resetCatalog(service.sql)
      await loadRecords(service.sql, { users })
      for (let step = 1; step <= stepsOfHistory; step++) {
        const load = step < stepsOfHistory ? forge.step() : forge.refresh()
        await apply(load)
        model.apply(load)
        await expectRows(model, `seed ${seed}, step ${step}`)
      }
      const told = model.rows.filter(({ forge_rest_id }) => forge_rest_id > 0).map(({ place }) => place)
      expect(told.sort()).toEqual(forge.places())
      // A clone under a name that the repository had only between two records is of no known repository.
      const others = model.rows.filter(({ forge_rest_id }) => forge_rest_id < 0)
      expect(others.filter(({ place }) => told.includes(place))).toEqual([])
    }
  })

  async function apply({ repositories, commits, hasAllCommits }: Load): Promise<void> {
    await withStaging(service.sql, {}, async (staging) => {
      for (const [index, repository] of repositories.entries()) {
        await staging.add(index, parseItem('repos', JSON.stringify(toRecord(repository))))
      }
      for (const [index, commit] of commits.entries()) {
        await staging.add(index, { kind: 'commits', record: toCommit(commit) })
      }
      await staging.flush()
      await applyImport(service.sql, staging.id, {
        origin: testOrigin,
        completeUrls: hasAllCommits ? repositories.map((repository) => toRecord(repository).url) : [],
      })
    })
  }

  async function expectRows({ rows, removed }: Model, at: string): Promise<void> {
    await resetCatalog(fresh.sql)
    await loadRecords(fresh.sql, {
      users,
      repos: rows.map(toRecord),
      commits: rows.flatMap(({ commits }) => [...commits].map(([number, url]) => toCommit({ number, url }))),
    })
    expect([at, await readTables(service.sql)]).toEqual([at, await readTables(fresh.sql)])
    expect([at, await verifySets(service.sql, 'all')]).toMatchObject([at, { faults: [] }])
    const ids = await service.sql`select id, forge_rest_id from repositories order by id`
    expect([at, ...ids]).toEqual([at, ...rows.map(({ id, forge_rest_id }) => ({ id, forge_rest_id }))])
    const removals = await service.sql`select forge_rest_id as id from removals where kind = 'repository'`
    expect([at, removals.map(({ id }) => id).sort()]).toEqual([at, removed().sort()])
  }
})

type Model = ReturnType<typeof createModel>

/** What the loads promise, in plain loops. */
function createModel() {
  const rows: Row[] = []
  const known = new Set<number>()
  let lastId = 0

  function add(repository: Repository): void {
    rows.push({
      ...repository,
      id: ++lastId,
      dependencies: repository.dependencies ?? [],
      commits: new Map(),
    })
  }

  /** Gives a row the record's values. A new spelling goes into its commits too. */
  function update(row: Row, { forge_rest_id, place, url, dependencies }: Repository): void {
    if (row.url !== url) for (const number of row.commits.keys()) row.commits.set(number, url)
    Object.assign(row, { forge_rest_id, place, url, dependencies: dependencies ?? row.dependencies })
  }

  function loadLocal(record: Repository): void {
    const row = rows.find(({ place }) => place === record.place)
    if (row === undefined) add(record)
    else if (row.forge_rest_id < 0) update(row, record)
    else row.dependencies = record.dependencies ?? row.dependencies
  }

  function loadFromForge(record: Repository): void {
    const local = rows.find(({ forge_rest_id, place }) => forge_rest_id < 0 && place === record.place)
    const row = rows.find(({ forge_rest_id }) => forge_rest_id === record.forge_rest_id)
    if (row === undefined) {
      if (local === undefined) add(record)
      else update(local, record)
      return
    }
    update(row, record)
    if (local === undefined) return
    if (record.dependencies === null && row.dependencies.length === 0) row.dependencies = local.dependencies
    for (const number of local.commits.keys()) {
      if (!row.commits.has(number)) row.commits.set(number, record.url)
    }
    rows.splice(rows.indexOf(local), 1)
  }

  return {
    rows,
    removed: () => [...known].filter((id) => rows.every(({ forge_rest_id }) => forge_rest_id !== id)),
    apply({ repositories, commits, hasAllCommits }: Load): void {
      const [first] = repositories
      const local = repositories.find(({ forge_rest_id }) => forge_rest_id < 0)
      const others = repositories.filter((record) => record !== local)
      const sameAsLocal = others.find(({ place }) => place === local?.place)
      if (local !== undefined && sameAsLocal === undefined) loadLocal(local)
      for (const record of others) {
        const given = record === sameAsLocal ? local?.dependencies : undefined
        loadFromForge({ ...record, dependencies: record.dependencies ?? given ?? null })
      }
      const row = rows.find(({ place }) => place === first?.place)
      if (hasAllCommits) {
        const numbers = new Set(commits.map(({ number }) => number))
        for (const number of row?.commits.keys() ?? []) if (!numbers.has(number)) row?.commits.delete(number)
      }
      for (const { number, url } of commits) row?.commits.set(number, url)
      for (const { forge_rest_id } of rows) known.add(forge_rest_id)
    },
  }
}

/** A forge whose repositories are renamed, and what is loaded of them. Only repositories that it has told about move. */
function createForge(random: Random) {
  let lastPlace = 0
  const nextPlace = () => `https://forge.example/acme/place-${++lastPlace}`
  const repositories = [1, 2, 3, 4].map((id) => ({ id, place: nextPlace(), isTold: false }))
  const pickDependencies = () =>
    random.pick([null, null, [], ['left'], ['left', 'right'], ['common', 'right']] as const)

  const tell = (repository: (typeof repositories)[number]): Repository => {
    repository.isTold = true
    const { id, place } = repository
    return { forge_rest_id: id, place, url: spell(random, place), dependencies: pickDependencies() }
  }
  const describe = ({ place }: (typeof repositories)[number]): Repository => ({
    forge_rest_id: -Number(place.match(/\d+$/)),
    place,
    url: spell(random, place),
    dependencies: pickDependencies(),
  })
  const pickCommits = (place: string): Commit[] =>
    Array.from({ length: 8 }, (_, number) => ({ number, url: spell(random, place) })).filter(() =>
      random.chance(0.5),
    )

  function step(): Load {
    const repository = random.pick(repositories)
    const { place } = repository
    const other = random.pick(repositories)
    const movable = repositories.filter(({ isTold }) => isTold)
    switch (random.pick(['clone', 'clone', 'tell', 'both', 'rename', 'swap'] as const)) {
      case 'clone':
        return {
          repositories: [describe(repository)],
          commits: pickCommits(place),
          hasAllCommits: random.chance(0.5),
        }
      case 'tell': {
        const others = other === repository ? [] : [tell(other)]
        return {
          repositories: [tell(repository), ...others],
          commits: pickCommits(place),
          hasAllCommits: false,
        }
      }
      case 'both': {
        const records = [tell(repository), describe(repository)]
        if (random.chance(0.5)) records.reverse()
        return { repositories: records, commits: pickCommits(place), hasAllCommits: false }
      }
      case 'rename':
        if (movable.length > 0) random.pick(movable).place = nextPlace()
        return step()
      case 'swap': {
        if (!repository.isTold || !other.isTold || repository === other) return step()
        repository.place = other.place
        other.place = place
        return { repositories: [tell(repository), tell(other)], commits: [], hasAllCommits: false }
      }
    }
  }

  return {
    step,
    refresh: (): Load => ({ repositories: repositories.map(tell), commits: [], hasAllCommits: false }),
    places: () => repositories.map(({ place }) => place).sort(),
  }
}

function spell(random: Random, place: string): string {
  return random.pick([
    place,
    place.replace('https', 'http'),
    place.replace('://', '://www.'),
    `${place}.git`,
    `${place}/`,
    `${place}/tree/main`,
    place.replace('acme', 'ACME'),
  ])
}

/** A clone's description says less than the forge's. */
function toRecord({ forge_rest_id, place, url, dependencies }: Repository) {
  const name = place.slice(place.lastIndexOf('/') + 1)
  const description = forge_rest_id < 0 ? null : 'from the forge'
  return {
    ...createRepository(forge_rest_id, 'acme', [], { name, url, description }),
    dependencies:
      dependencies?.map((name) => ({
        ...createDependency(url, name),
        ...(name === 'left' && { status: 'removed', last_use_date: 100 }),
        added_commit_hash: toCommit({ number: name.length, url }).commit_hash,
      })) ?? null,
  }
}

function toCommit({ number, url }: Commit): SampleCommit {
  return createCommit(
    number,
    url,
    `${(number % 4) + 1}@example.org`,
    number === 7 ? null : 100 + (number % 3),
  )
}
