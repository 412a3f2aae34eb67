/**
 * `import github --refresh` removes repositories that the forge doesn't have any more, once it has said so in two
 * refreshes at least 20 hours apart.
 * @module-tag later
 */
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { selectMember } from '../../../api/catalog/stored-documents.ts'
import { findRepository, removeRepository } from '../../../api/dataset/repository-removal.ts'
import type { GithubImportOptions } from '../../../api/sources/github/import.ts'
import { type Account, nameWithOwner, type Repository } from '../../support/fake-forge/model.ts'
import { startTestForge } from '../../support/github-import.ts'
import { load, nothing, readDatasetVersion } from '../../support/ndjson.ts'
import { createRepository } from '../../support/records.ts'
import { describeOnOneDatabase, useService } from '../../support/service.ts'
import { useStarted } from '../../support/suite.ts'

describeOnOneDatabase('A refresh from the forge', (kind) => {
  const service = useService(kind, { each: true, data: 'empty' })
  const fake = useStarted(
    () => startTestForge({ repositories: 10, people: 2, commits: 10, monolithCommits: 1 }),
    { each: true },
  )
  let bob: Account
  let tool: Repository

  beforeEach(async () => {
    const { model } = fake.organization
    bob = model.addAccount({ login: 'bob', addresses: ['bob@example.org'] })
    tool = model.addRepository({ owner: bob, name: 'tool' })
    const author = { name: 'bob', email: 'bob@example.org' }
    const files = { 'package.json': '{"dependencies":{"left-pad":"1"}}' }
    await model.push(tool, [{ author, date: 1_750_000_000, message: 'x', files }])
  })

  const loadBob = () => fake.load(service.sql, { targets: [{ owner: 'bob' }] })
  const refresh = (options: Partial<GithubImportOptions> = {}) =>
    fake.load(service.sql, { targets: [], refresh: true, withHistory: false, ...options })
  const addRepositories = (count: number) =>
    Array.from({ length: count }, (_, number) =>
      fake.organization.model.addRepository({ owner: bob, name: `tool-${number}` }),
    )

  /** Loads a record of one of Bob's repositories as `import ndjson` does. */
  async function loadFromFile({ databaseId, id, name }: Pick<Repository, 'databaseId' | 'id' | 'name'>) {
    const fullName = `bob/${name}`
    const fields = {
      forge_graphql_id: id,
      name,
      full_name: fullName,
      url: `${fake.forge.origin}/${fullName}`,
    }
    await load(service, { repos: [createRepository(databaseId, 'bob', [], fields)] })
  }

  /** Makes what was noted older, as if time had passed. */
  async function letHoursPass(hours: number): Promise<void> {
    await service.sql`update forge_repositories set missing_since = missing_since - ${hours} * interval '1 hour'`
  }
  async function readNames(): Promise<string[]> {
    const rows = await service.sql<{ name: string }[]>`
      select ${selectMember(service.sql, service.sql`members`, 'name')} as name from repositories order by id`
    return rows.map(({ name }) => name)
  }

  test('removes one that was deleted and one that became private, in two refreshes 20 hours apart, and says so once', async () => {
    const [secret] = addRepositories(2)
    if (secret === undefined) throw new Error('there are two')
    await loadBob()
    fake.organization.model.deleteRepository(tool)
    secret.isPrivate = true
    // The token of one refresh may see what is private, and that of another may not.
    const seeing = [fake.forge.createToken({ seesPrivate: true }).text]
    const quiet = { removed: [], skipped: [], load: { repositories: nothing, version: 1 } }
    expect(await refresh()).toMatchObject(quiet)
    expect(await refresh({ targets: [{ owner: 'bob' }], tokens: seeing })).toMatchObject(quiet)
    await letHoursPass(19.9)
    expect(await refresh()).toMatchObject(quiet)
    await letHoursPass(0.2)
    const dry = await refresh({ dryRun: true })
    expect(dry.removed.map(({ name }) => name)).toEqual(['bob/tool', 'bob/tool-0'])
    const result = await refresh({ tokens: seeing })
    expect(result).toMatchObject({
      removed: [
        {
          name: 'bob/tool',
          forgeRestId: tool.databaseId,
          state: 'not found',
          sinceMs: dry.removed[0]?.sinceMs,
        },
        { name: 'bob/tool-0', forgeRestId: secret.databaseId, state: 'private' },
      ],
      skipped: [],
      load: { repositories: { ...nothing, removed: 2 }, commits: { removed: 1 }, version: 2 },
    })
    expect(await readNames()).toEqual(['tool-1'])
    expect(await service.sql`select from user_dependencies where dependency_ids <> '{}'`).toHaveLength(0)
    expect(await service.sql`select kind, forge_rest_id from removals order by id`).toEqual(
      [tool, secret].map(({ databaseId }) => ({ kind: 'repository', forge_rest_id: databaseId })),
    )
    expect(await refresh()).toMatchObject({ ...quiet, load: { version: 2 } })
    // It returns when the forge has it again.
    secret.isPrivate = false
    expect(await loadBob()).toMatchObject({ load: { repositories: { added: 1 } } })
    expect(await readNames()).toEqual(['tool-1', 'tool-0'])
  })

  test('deletes the clones of removed repositories, unless the forge gives them again', async () => {
    const [gone, returned] = addRepositories(2)
    if (!gone || !returned) throw new Error('there are two')
    const author = { name: 'bob', email: 'bob@example.org' }
    for (const repository of [gone, returned]) {
      await fake.organization.model.push(repository, [{ author, date: 1_750_000_000, message: 'x' }])
    }
    await loadBob()
    mkdirSync(join(fake.clones, '7.git'))
    const readClones = () =>
      readdirSync(fake.clones)
        .filter((name) => name.endsWith('.git'))
        .sort()
    const all = [tool, gone, returned].map(({ databaseId }) => `${databaseId}.git`)
    expect(readClones()).toEqual([...all, '7.git'].sort())
    fake.organization.model.deleteRepository(tool)
    await refresh({ withHistory: true })
    await letHoursPass(24)
    for (const repository of [gone, returned]) {
      const stored = await findRepository(service.sql, { forgeRestId: repository.databaseId })
      if (stored === undefined) throw new Error('the repository is missing')
      await removeRepository(service.sql, stored)
    }
    await refresh({ dryRun: true })
    expect(readClones()).toEqual([...all, '7.git'].sort())
    await refresh({ withHistory: true, targets: [{ owner: 'bob', name: returned.name }] })
    expect(readClones()).toEqual(['7.git', `${returned.databaseId}.git`].sort())
  })

  test('keeps what it has for another reason than that the forge doesn’t have it', async () => {
    const [blocked, unexplained, incomplete, heavy] = addRepositories(4)
    if (!blocked || !unexplained || !incomplete || !heavy) throw new Error('there are four')
    await loadBob()
    const { forge } = fake
    blocked.isBlocked = true
    forge.isTooHeavy = ({ ids }) => Array.isArray(ids) && ids.includes(heavy.id)
    forge.reviveValue = (_, value) => {
      if (typeof value !== 'object' || value === null || !('name' in value)) return value
      if (value.name === unexplained.name) return null
      return value.name === incomplete.name ? { ...value, owner: null } : value
    }
    for (let night = 0; night < 2; night++) {
      const result = await refresh()
      expect(result.removed).toEqual([])
      expect(result.skipped.map(({ name }) => name)).toEqual([nameWithOwner(blocked)])
      expect(result.failed.map(({ name }) => name).sort()).toEqual(
        [unexplained, incomplete, heavy].map(nameWithOwner),
      )
      await letHoursPass(24)
    }
    expect(await readNames()).toHaveLength(5)
    expect(await service.sql`select from forge_repositories where missing_since is not null`).toHaveLength(0)
  })

  test('names a repository once that a list lacks or describes incompletely, and that it asks for again', async () => {
    const [blocked, incomplete] = addRepositories(2)
    if (!blocked || !incomplete) throw new Error('there are two')
    const everything = {
      targets: [{ owner: 'bob' }, { owner: 'Bob' }, { owner: 'bob', name: incomplete.name }],
    }
    await loadBob()
    blocked.isBlocked = true
    let isListed = false
    fake.forge.reviveValue = (_, value) => {
      if (typeof value !== 'object' || value === null || !('name' in value)) return value
      return value.name === incomplete.name && !isListed ? { ...value, owner: null } : value
    }
    const { failed, skipped } = await refresh(everything)
    expect(failed.map(({ name }) => name)).toEqual([nameWithOwner(incomplete)])
    expect(skipped.map(({ name }) => name)).toEqual([nameWithOwner(blocked)])
    // Described incompletely in the list alone.
    const onProgress = () => {
      isListed = true
    }
    expect(await refresh({ ...everything, onProgress })).toMatchObject({ failed: [], repositories: 2 })
  })

  test('fails at an owner who was renamed, and loads the rest', async () => {
    await loadBob()
    fake.organization.model.renameAccount(bob, 'bobby')
    const { failed, skipped, load } = await refresh({ targets: [{ owner: 'bob' }] })
    expect({ failed, skipped }).toEqual({
      failed: [{ name: 'bob', reason: 'no account has this login; if it was renamed, use the new one' }],
      skipped: [],
    })
    expect(load?.repositories).toEqual({ ...nothing, updated: 1 })
  })

  test('counts anew when the forge has had it in between, and forgets what it noted when it is removed otherwise', async () => {
    addRepositories(1)
    await loadBob()
    for (const isPrivate of [true, false, true]) {
      tool.isPrivate = isPrivate
      expect(await refresh()).toMatchObject({ removed: [] })
      await letHoursPass(24)
    }
    const stored = await findRepository(service.sql, { forgeRestId: tool.databaseId })
    if (stored === undefined) throw new Error('the repository is missing')
    await removeRepository(service.sql, stored)
    await loadFromFile(tool)
    expect(await refresh()).toMatchObject({ removed: [], skipped: [{ name: 'bob/tool' }] })
  })

  test('keeps all missing ones if it is asked to, says so once, and removes them without that', async () => {
    addRepositories(1)
    await loadBob()
    fake.organization.model.deleteRepository(tool)
    const options = { keepMissing: true }
    const line = { name: 'bob/tool', reason: 'not found on GitHub; it stays' }
    expect(await refresh(options)).toMatchObject({ removed: [], skipped: [line] })
    await letHoursPass(24)
    expect(await refresh(options)).toMatchObject({ removed: [], skipped: [] })
    expect(await refresh()).toMatchObject({ removed: [{ name: 'bob/tool' }] })
  })

  test('stops before it changes anything if it would remove too many, unless more are allowed', async () => {
    const repositories = addRepositories(11)
    await loadBob()
    const { model } = fake.organization
    for (const repository of repositories) model.deleteRepository(repository)
    tool.description = 'Nobody reads this'
    await refresh()
    await letHoursPass(24)
    tool.description = 'Everybody reads this'
    await expect(refresh()).rejects.toThrow(
      /^This load would remove 11 of 12 repositories\. .* use --max-removals 11$/,
    )
    await expect(refresh({ maxRemovals: 10 })).rejects.toThrow('--max-removals 11')
    expect(await readDatasetVersion(service)).toBe(2)
    // The forge is asked again: it may have recovered.
    expect(await refresh({ maxRemovals: 11 })).toMatchObject({
      isResumed: false,
      load: { repositories: { updated: 1, removed: 11 } },
    })
    // The last one of all is no exception.
    model.deleteRepository(tool)
    expect(await refresh()).toMatchObject({ repositories: 0, removed: [] })
    await letHoursPass(24)
    expect(await refresh()).toMatchObject({ repositories: 0, removed: [{ name: 'bob/tool' }] })
    expect(await readNames()).toEqual([])
  })

  test('keeps one that no import has found on the forge, and names it each time', async () => {
    await loadFromFile({ databaseId: 7, id: 'from-a-file', name: 'from-a-file' })
    await loadBob()
    for (let night = 0; night < 2; night++) {
      expect(await refresh()).toMatchObject({
        removed: [],
        skipped: [{ name: 'bob/from-a-file', reason: 'not found on GitHub' }],
      })
      await letHoursPass(24)
    }
    expect(await readNames()).toEqual(['from-a-file', 'tool'])
  })

  test('counts from when the forge said so, and removes with the last batch, after interruptions too', async () => {
    addRepositories(2)
    await loadBob()
    fake.organization.model.deleteRepository(tool)
    const interrupt = () => {
      throw new Error('interrupted')
    }
    await expect(refresh({ onBegin: interrupt })).rejects.toThrow('interrupted')
    const interruptedAtMs = Date.now()
    expect(await refresh()).toMatchObject({ isResumed: true, removed: [] })
    const [noted] = await service.sql<{ at: number }[]>`
      select (extract(epoch from missing_since) * 1000)::bigint as at from forge_repositories
      where missing_since is not null`
    expect(noted?.at).toBeLessThanOrEqual(interruptedAtMs)
    await letHoursPass(24)
    let batches = 0
    const interrupted = refresh({ batch: 1, onBegin: () => ++batches === 2 && interrupt() })
    await expect(interrupted).rejects.toThrow('interrupted')
    expect(await readNames()).toHaveLength(3)
    expect(await refresh({ batch: 1 })).toMatchObject({ isResumed: true, removed: [{ name: 'bob/tool' }] })
    expect(await readNames()).toEqual(['tool-0', 'tool-1'])
  })
})
