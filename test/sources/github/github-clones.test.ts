/**
 * The clones of `import github`: a broken one is made anew, and nothing outside their folder is touched.
 *
 * @module-tag later
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { ForgeClient, ForgeError } from '../../../api/sources/github/client.ts'
import { openCloneFolder } from '../../../api/sources/github/clones.ts'
import { nameWithOwner, type Repository } from '../../support/fake-forge/model.ts'
import { startTestForge } from '../../support/github-import.ts'
import { anyDatabase, startTestService } from '../../support/service.ts'

const author = { name: 'x', email: 'x@x.example' }

test('A broken clone is made anew, even where a folder above it is a repository', async () => {
  await using fake = await startTestForge({ repositories: 12 })
  const service = await startTestService(anyDatabase, { data: 'empty' })
  const above = join(fake.clones, '..', 'work')
  execFileSync('git', ['init', '--quiet', '--initial-branch=own', above])
  const identity = ['-c', 'user.name=x', '-c', 'user.email=x@x.example']
  execFileSync('git', ['-C', above, ...identity, 'commit', '--quiet', '--allow-empty', '-m', 'x'])
  const clones = join(above, 'clones')
  const { organization } = fake
  const { monolith, fork } = organization.special
  await fake.load(service.sql, { clones })
  // As a machine that crashed may leave them.
  rmSync(join(clones, `${monolith.databaseId}.git`, 'objects'), { recursive: true })
  writeFileSync(join(clones, `${fork.databaseId}.git`, 'config'), '')
  for (const repository of [monolith, fork]) {
    await organization.model.push(repository, [{ author, date: 1_752_000_000, message: 'x' }])
  }
  const result = await fake.load(service.sql, { clones })
  expect(result).toMatchObject({ fetched: 2, load: { commits: { added: 2, updated: 0, removed: 0 } } })
  expect(await readdir(join(above, '.git', 'refs', 'heads'))).toEqual(['own'])
  await service.close()
})

test('A clone stays while the forge fails', async () => {
  await using fake = await startTestForge({ repositories: 4 })
  const service = await startTestService(anyDatabase, { data: 'empty' })
  const { organization, forge } = fake
  const { monolith } = organization.special
  await fake.load(service.sql)
  const marker = join(fake.clones, `${monolith.databaseId}.git`, 'marker')
  writeFileSync(marker, '')
  await organization.model.push(monolith, [{ author, date: 1_752_000_000, message: 'x' }])
  forge.gitFaults.next('bad gateway', 'reset')
  expect(await fake.load(service.sql)).toMatchObject({ fetched: 1, load: { commits: { added: 1 } } })
  expect(existsSync(marker)).toBe(true)
  await service.close()
})

test('Fetches wait together while the forge says that there are too many, and end the import after six pauses', async () => {
  await using fake = await startTestForge({ repositories: 4 })
  const { forge, organization } = fake
  const [first, second] = organization.model.repositories.filter(
    ({ git, isBlocked, isDisabled, isPrivate }) => git.readHead() && !isBlocked && !isDisabled && !isPrivate,
  )
  if (first === undefined || second === undefined) throw new Error('the organization is too small')
  const waits: number[] = []
  const client = new ForgeClient({ apiUrl: forge.apiUrl, tokens: [fake.addToken()], concurrency: 2 })
  const clones = await openCloneFolder({
    ...{ directory: fake.clones, apiUrl: forge.apiUrl, client, firstPauseSeconds: 0.01 },
    onWait: (_, waitMs) => waits.push(waitMs),
  })
  const fetch = (repository: Repository) =>
    clones.fetch(
      repository.databaseId,
      `${forge.origin}/${nameWithOwner(repository)}`,
      repository.git.readBranch(),
    )
  forge.gitFaults.next(...Array.from({ length: 6 }, () => 'too many requests' as const))
  await Promise.all([fetch(first), fetch(second)])
  expect(await clones.readHead(second.databaseId)).toBeDefined()
  expect(waits.length).toBeGreaterThan(1)
  expect(waits.length).toBeLessThan(7)

  const requests = forge.requests.length
  forge.gitFaults.next(...Array.from({ length: 9 }, () => 'too many requests' as const))
  await expect(fetch(first)).rejects.toThrow(ForgeError)
  expect(forge.requests.length - requests).toBe(7)
})

test('A clone is made anew if its branch is in the way of the new default branch', async () => {
  await using fake = await startTestForge({ repositories: 4 })
  const service = await startTestService(anyDatabase, { data: 'empty' })
  const { organization } = fake
  const { monolith } = organization.special
  await fake.load(service.sql)
  const branch = monolith.git.readBranch()
  for (const name of ['other', `${branch}/next`]) {
    execFileSync('git', ['-C', monolith.git.path, 'branch', '-m', name])
  }
  await organization.model.push(monolith, [{ author, date: 1_752_000_000, message: 'x' }])
  const { load } = await fake.load(service.sql)
  expect(load?.commits).toEqual({ added: 1, updated: 0, removed: 0 })
  await service.close()
})

test('A clone loses what a killed git has left, and keeps a branch that is named alike', async () => {
  await using fake = await startTestForge({ repositories: 1 })
  const service = await startTestService(anyDatabase, { data: 'empty' })
  const { organization } = fake
  const repository = organization.model.addRepository({
    owner: organization.account,
    name: 'temporary',
    branch: 'tmp_next',
  })
  const push = (date: number) => organization.model.push(repository, [{ author, date, message: 'x' }])
  await push(1_752_000_000)
  await fake.load(service.sql)
  const clone = join(fake.clones, `${repository.databaseId}.git`)
  const remains = ['objects/pack/tmp_pack_x', 'refs/heads/tmp_next.lock'].map((name) => join(clone, name))
  for (const file of remains) writeFileSync(file, '')
  await push(1_752_000_001)
  const { skipped } = await fake.load(service.sql, {
    onProgress({ step }) {
      if (step === 'listing repositories') repository.isBlocked = true
    },
  })
  expect(skipped.map(({ reason }) => reason)).toContainEqual(expect.stringContaining('returned error: 451'))
  expect(remains.filter(existsSync)).toEqual([])
  expect(existsSync(join(clone, 'refs', 'heads', 'tmp_next'))).toBe(true)
  await service.close()
})

test('A clone that lacks objects is made anew, or else its history is skipped and the rest is loaded', async () => {
  await using fake = await startTestForge({ repositories: 12 })
  const first = await startTestService(anyDatabase, { data: 'empty' })
  const second = await startTestService(anyDatabase, { data: 'empty' })
  const whole = await fake.load(first.sql)
  const [withoutTree, withoutCommit, refused] = fake.organization.model.repositories.filter(
    ({ databaseId }) => ['HEAD^{tree}', 'HEAD~1'].every((name) => existsSync(findObject(databaseId, name))),
  )
  if (withoutTree === undefined || withoutCommit === undefined || refused === undefined) {
    throw new Error('the organization is too small')
  }
  rmSync(findObject(withoutTree.databaseId, 'HEAD^{tree}'))
  rmSync(findObject(withoutCommit.databaseId, 'HEAD~1'))
  rmSync(findObject(refused.databaseId, 'HEAD^{tree}'))
  const result = await fake.load(second.sql, {
    onProgress({ step }) {
      if (step === 'asking for profiles') refused.isBlocked = true
    },
  })
  expect(result.skipped.slice(whole.skipped.length)).toEqual([
    { name: nameWithOwner(refused), reason: expect.stringContaining('without its history: ') },
  ])
  const [row] = await first.sql<{ id: number }[]>`
    select id from repositories where forge_rest_id = ${refused.databaseId}`
  const lost = await first.sql<{ count: number }[]>`
    select count(*) as count from commits where repository_id = ${row?.id ?? 0}`
  expect(result.load?.commits.added).toBe((whole.load?.commits.added ?? 0) - (lost[0]?.count ?? 0))
  await first.close()
  await second.close()

  /** The path of a clone's object, if it isn't in a pack. */
  function findObject(id: number, name: string): string {
    const path = join(fake.clones, `${id}.git`)
    const args = ['--git-dir', path, 'rev-parse', '--verify', '--quiet', name]
    const hash = spawnSync('git', args, { encoding: 'utf8' }).stdout.trim()
    return hash === '' ? '' : join(path, 'objects', hash.slice(0, 2), hash.slice(2))
  }
})

test('An import without git fails before it asks the forge', async () => {
  await using fake = await startTestForge({ repositories: 1 })
  const service = await startTestService(anyDatabase, { data: 'empty' })
  vi.stubEnv('PATH', '/nowhere')
  const failing = fake.load(service.sql).finally(() => vi.unstubAllEnvs())
  await expect(failing).rejects.toThrow('git is not installed')
  expect(fake.forge.requests).toEqual([])
  await service.close()
})

test('An import fails, and keeps its clones, when git can fetch nothing at all', async () => {
  await using fake = await startTestForge({ repositories: 12 })
  const service = await startTestService(anyDatabase, { data: 'empty' })
  const { model, pushSome } = fake.organization
  await fake.load(service.sql)
  const pushed = await pushSome(2)
  const names = new Map(pushed.map((repository) => [repository, repository.name]))
  const failing = fake.load(service.sql, {
    onProgress({ step }) {
      if (step !== 'listing repositories') return
      // The forge redirects then.
      for (const [repository, name] of names) model.moveRepository(repository, { name: `${name}-moved` })
    },
  })
  await expect(failing).rejects.toThrow(/^git can't fetch any of 2 repositories: .*returned error: 301\. /)
  for (const [repository, name] of names) model.moveRepository(repository, { name })
  expect(await fake.load(service.sql)).toMatchObject({ isResumed: true, fetched: 2 })
  await service.close()
})

test('An error ends the fetches under way', async () => {
  await using fake = await startTestForge({ repositories: 4 })
  const service = await startTestService(anyDatabase, { data: 'empty' })
  fake.forge.gitFaults.next('silence')
  const failing = fake.load(service.sql, {
    onProgress({ step }) {
      if (step === 'fetching histories') throw new Error('wrong')
    },
  })
  await expect(failing).rejects.toThrow('wrong')
  await service.close()
})
