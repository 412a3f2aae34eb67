/**
 * Histories of loads, mirrors and removals leave what a fresh database has of what remains (decisions/0004-data.md).
 *
 * @module-tag later
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findRepository, removeRepository } from '../../api/dataset/repository-removal.ts'
import { verifySets } from '../../api/dataset/set-verification.ts'
import { importNdjson } from '../../api/sources/ndjson/import.ts'
import { createRandom, type Random } from '../../sample/random.ts'
import { readTables, resetCatalog } from '../support/catalog-tables.ts'
import { isDrill } from '../support/drill.ts'
import { createSource, toLines } from '../support/ndjson.ts'
import { createRandomForge, type ForgeSize, type RandomForge } from '../support/random-forge.ts'
import { loadRecords, type Records } from '../support/records.ts'
import { describeOnOneDatabase, type TestService, useService } from '../support/service.ts'
import { listUseDates, listUses, sortRows } from '../support/uses.ts'

const histories = isDrill ? 120 : 3
const firstLoad = { users: 25, repositories: 20, commits: 90 }
const none = { users: 0, repositories: 0, commits: 0 }

const kinds = ['users', 'repositories', 'commits'] as const
type Kind = (typeof kinds)[number]

/** What the database says of an item. */
interface Row {
  key: string
  id: number
  version: number
}

/** What is expected of an item that exists. */
interface Expected {
  /** The record as JSON: it changes with the version. */
  content: string
  version: number
  id: number
}

describeOnOneDatabase('after any history of loads, mirrors and removals,', (kind) => {
  const service = useService(kind, { data: 'empty' })
  const fresh = useService(kind, { data: 'empty' })

  test('the tables are those of a fresh database, no id is used again, and versions and removals are exact', async () => {
    let steps = 0
    let runs = 0
    await fc.assert(
      fc.asyncProperty(seeds, stepNames, async (seed, names) => {
        runs++
        await resetCatalog(service.sql)
        const random = createRandom(`${seed} steps`)
        const forge = createRandomForge(String(seed))
        const ledger = createExpectations()
        await loadRecords(service.sql, forge.grow(firstLoad))
        await expectCatalog(forge, ledger)
        for (const name of names) {
          steps++
          await stepsByName[name](service, random, forge)
          await expectCatalog(forge, ledger)
        }
      }),
      { numRuns: histories, examples: [[1, everyStep]], endOnFailure: true },
    )
    console.info(`${runs} histories, ${steps} steps`)
  })

  async function expectCatalog(forge: RandomForge, expectations: Expectations): Promise<void> {
    await resetCatalog(fresh.sql)
    await loadRecords(fresh.sql, { ...forge, repos: forge.repositories })
    const tables = await readTables(service.sql)
    expect(tables).toEqual(await readTables(fresh.sql))
    expect(await verifySets(service.sql, 'all')).toMatchObject({ faults: [] })
    expect(sortRows(tables.userDependencies)).toEqual(sortRows(listUses(forge)))
    expect(sortRows(tables.userDates)).toEqual(sortRows(listUseDates(forge)))
    expectations.check(forge, await readState(service))
  }
})

/** Versions, ids and removals. */
async function readState({ sql }: TestService) {
  const [dataset] = await sql<{ version: number; lastUserId: number; lastRepositoryId: number }[]>`
    select version, last_user_id as "lastUserId", last_repository_id as "lastRepositoryId" from dataset`
  const removals = await sql<{ key: string; version: number }[]>`
    select (case kind when 'user' then 'users ' else 'repositories ' end) || forge_rest_id as key, version
    from removals where not exists_again order by id`
  return {
    dataset,
    removals: removals.map(({ key, version }) => ({ key, version })),
    rows: {
      users: await sql<Row[]>`select forge_rest_id::text as key, id, version from users order by id`,
      repositories: await sql<
        Row[]
      >`select forge_rest_id::text as key, id, version from repositories order by id`,
      commits: await sql<Row[]>`
        select forge_rest_id || ' ' || commit_hash as key, c.position as id, c.version
        from commits c join repositories r on r.id = repository_id`,
    },
  }
}

type Expectations = ReturnType<typeof createExpectations>

/** Follows what the versions, ids and removals must be, by comparing each item with what it was before. */
function createExpectations() {
  const known: Record<Kind, Map<string, Expected>> = {
    users: new Map(),
    repositories: new Map(),
    commits: new Map(),
  }
  const highest = { users: 0, repositories: 0 }
  const removals = new Map<string, number>()
  let version = 0

  return {
    check(forge: RandomForge, { dataset, removals: found, rows }: Awaited<ReturnType<typeof readState>>) {
      const contents = readContents(forge)
      const hasChanged = kinds.some(
        (kind) =>
          contents[kind].size !== known[kind].size ||
          [...contents[kind]].some(([key, content]) => known[kind].get(key)?.content !== content),
      )
      if (hasChanged) version++
      for (const kind of kinds) {
        for (const key of known[kind].keys()) {
          if (contents[kind].has(key)) continue
          known[kind].delete(key)
          if (kind !== 'commits') removals.set(`${kind} ${key}`, version)
        }
        expect(rows[kind].length).toBe(contents[kind].size)
        for (const { key, id, version: changedAt } of rows[kind]) {
          const before = known[kind].get(key)
          const content = contents[kind].get(key) ?? ''
          const expected = before?.content === content ? before.version : version
          expect(`${kind} ${key} of ${changedAt}`).toBe(`${kind} ${key} of ${expected}`)
          if (kind !== 'commits') {
            removals.delete(`${kind} ${key}`)
            if (before === undefined) expect(id).toBe(++highest[kind])
            else expect(id).toBe(before.id)
          }
          known[kind].set(key, { content, version: expected, id })
        }
      }
      expect(dataset).toEqual({
        version,
        lastUserId: highest.users,
        lastRepositoryId: highest.repositories,
      })
      expect(Object.fromEntries(found.map((removal) => [removal.key, removal.version]))).toEqual(
        Object.fromEntries(removals),
      )
      expect(found.length).toBe(removals.size)
      const versions = found.map((removal) => removal.version)
      expect(versions).toEqual(versions.toSorted((one, other) => one - other))
    },
  }
}

/** Each item's record, by what identifies it. */
function readContents({ users, repositories, commits }: RandomForge): Record<Kind, Map<string, string>> {
  const ids = new Map(repositories.map((repository) => [repository.url, repository.forge_rest_id]))
  const toMap = <Item>(items: readonly Item[], keyOf: (item: Item) => string) =>
    new Map(items.map((item) => [keyOf(item), JSON.stringify(item)]))
  return {
    users: toMap(users, (user) => String(user.forge_rest_id)),
    repositories: toMap(repositories, (repository) => String(repository.forge_rest_id)),
    commits: toMap(commits, (commit) => `${ids.get(commit.repo_url)} ${commit.commit_hash}`),
  }
}

type Step = (service: TestService, random: Random, forge: RandomForge) => Promise<unknown>

const itemKinds = ['users', 'repos', 'commits'] as const
type ItemKind = (typeof itemKinds)[number]

/** How much a step concerns: of some kinds nothing. */
function drawSize(random: Random, [most, ...concerned]: [number, ...ItemKind[]]): ForgeSize {
  const draw = (kind: ItemKind) => (concerned.includes(kind) ? random.integer(0, most) : 0)
  return { users: draw('users'), repositories: draw('repos'), commits: draw('commits') * 2 }
}

/** Some of the forge's items are gone, others are new or different; the files have all of these kinds. */
function mirror(...mirrored: ItemKind[]): Step {
  return async ({ sql }, random, forge) => {
    const before = new Set<object>([...forge.users, ...forge.repositories, ...forge.commits])
    if (random.chance(0.8)) forge.remove(drawSize(random, [6, ...mirrored]))
    if (random.chance(0.6)) forge.change(drawSize(random, [6, ...mirrored]))
    if (random.chance(0.6)) forge.grow(drawSize(random, [4, ...mirrored]))
    const items = { users: forge.users, repos: forge.repositories, commits: forge.commits }
    /** The order of items that exist doesn't matter. */
    const mix = (all: readonly object[]) => [
      ...random.shuffle(all.filter((item) => before.has(item))),
      ...all.filter((item) => !before.has(item)),
    ]
    const missing = { users: -1, addresses: -1, repositories: -1, commits: -1 }
    const result = await importNdjson(sql, {
      sources: mirrored.map((kind) => createSource(kind, toLines(mix(items[kind])))),
      onMirror: async (counts) => void Object.assign(missing, counts),
    })
    expect(missing).toEqual({
      users: result.users.removed,
      addresses: result.addresses.removed,
      repositories: result.repositories.removed,
      commits: result.commits.removed,
    })
  }
}

const load =
  (records: Records): Step =>
  ({ sql }: TestService) =>
    loadRecords(sql, records)

const stepsByName = {
  grow: (service, random, forge) =>
    load(forge.grow(drawSize(random, [5, ...itemKinds])))(service, random, forge),
  change: (service, random, forge) =>
    load(forge.change(drawSize(random, [8, ...itemKinds])))(service, random, forge),
  restore: (service, random, forge) => load(forge.restore())(service, random, forge),
  async 'remove a repository'({ sql }, _, forge) {
    const before = [...forge.repositories]
    forge.remove({ ...none, repositories: 1 })
    for (const { forge_rest_id: forgeRestId } of before.filter(
      (each) => !forge.repositories.includes(each),
    )) {
      const repository = await findRepository(sql, { forgeRestId })
      if (repository === undefined) throw new Error(`no repository ${forgeRestId}`)
      const result = await removeRepository(sql, repository)
      expect(result.commits.removed).toBe(repository.commits)
    }
  },
  'mirror all': mirror('users', 'repos', 'commits'),
  'mirror users': mirror('users'),
  'mirror repositories': mirror('repos'),
  'mirror commits': mirror('commits'),
  'mirror repositories and commits': mirror('repos', 'commits'),
} satisfies Record<string, Step>

const everyStep = Object.keys(stepsByName) as (keyof typeof stepsByName)[]
const seeds = fc.nat()
const stepNames = fc.array(fc.constantFrom(...everyStep), { minLength: 1, maxLength: 8 })
