/**
 * When `import github --refresh` has succeeded. The exit code, the last load, the last refresh and the coverage follow
 * the same rule: every history was read, apart from those that the forge says are empty, blocked or gone.
 * @module-tag later
 */
import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { afterEach, expect, test, vi } from 'vitest'
import { readCoverage } from '../../../api/catalog/coverage.ts'
import { readDataset } from '../../../api/catalog/dataset.ts'
import type { GithubImportOptions } from '../../../api/sources/github/import.ts'
import { nameWithOwner, type Repository } from '../../support/fake-forge/model.ts'
import { startTestForge } from '../../support/github-import.ts'
import { anyDatabase, useService } from '../../support/service.ts'
import { useStarted } from '../../support/suite.ts'

const service = useService(anyDatabase, { each: true, data: 'empty' })
const fake = useStarted(() => startTestForge({ repositories: 6 }), { each: true })
afterEach(async () => {
  vi.restoreAllMocks()
})

const refresh = (options: Partial<GithubImportOptions> = {}) =>
  fake.load(service.sql, { refresh: true, ...options })
const push = (repository: Repository) =>
  fake.organization.model.push(repository, [
    { author: { name: 'x', email: 'x@x.example' }, date: 1_752_000_000, message: 'x' },
  ])

/** What `doctor`, the metrics and the coverage say. */
async function readTimes() {
  const { loaded_at, refreshed_at } = await readDataset(service.sql)
  const { oldest } = (await readCoverage(service.sql)).refreshed
  const read = (time: string | null) => (time === null ? undefined : Date.parse(time))
  return { loaded: read(loaded_at), refreshed: read(refreshed_at), oldest: read(oldest) ?? 0 }
}

/** Does something after the API has described the repositories, before git fetches any. */
const meanwhile = (work: () => void): Partial<GithubImportOptions> => ({
  onProgress({ step }) {
    if (step === 'listing repositories') work()
  },
})

test('A refresh succeeds, whatever the forge says is empty, disabled, blocked or gone', async () => {
  const { special, model } = fake.organization
  await refresh()
  const { renamed, monolith, fork } = special
  renamed.isBlocked = true
  await push(monolith)
  await push(fork)
  const begunAt = Date.now()
  const block = () => {
    monolith.isBlocked = true
    model.deleteRepository(fork)
  }
  const { failed, skipped } = await refresh(meanwhile(block))
  expect(failed).toEqual([])
  const reasons = new Map(skipped.map(({ name, reason }) => [name, reason]))
  expect(Object.fromEntries(reasons)).toMatchObject({
    'acme-works/empty': 'without its history: it is empty',
    'acme-works/disabled': 'without its history: disabled by the forge',
    [nameWithOwner(renamed)]: 'GitHub refuses it: Repository access blocked',
    [nameWithOwner(monolith)]: expect.stringMatching(/^without its history: .*returned error: 451$/),
    [nameWithOwner(fork)]: expect.stringMatching(/^without its history: repository .* not found$/),
  })
  const { loaded, refreshed, oldest } = await readTimes()
  expect([loaded, oldest >= begunAt]).toEqual([refreshed, true])
})

test('A refresh that fails at a history loads the rest, and no time advances before the next success', async () => {
  const { special, model } = fake.organization
  await refresh()
  const before = await readTimes()
  const { monolith, fork } = special
  await push(monolith)
  await push(fork)
  const result = await refresh(meanwhile(() => model.moveRepository(monolith, { name: 'moved' })))
  expect(result.failed).toEqual([
    { name: 'acme-works/monolith', reason: expect.stringMatching(/^without its history: .*error: 301/) },
  ])
  expect(result.load?.commits).toEqual({ added: 1, updated: 0, removed: 0 })
  expect(await readTimes()).toEqual(before)
  const next = await refresh()
  expect([next.failed, next.load?.commits.added]).toEqual([[], 1])
  const after = await readTimes()
  expect(after.loaded).toBeGreaterThan(before.loaded ?? 0)
  expect(after.refreshed).toBe(after.loaded)
  expect(after.oldest).toBeGreaterThan(before.oldest)
})

test('A refresh fails at histories whose branch was renamed after GitHub described it, and loads the rest', async () => {
  const { monolith, fork } = fake.organization.special
  await refresh()
  const repositories = [fork, monolith] // as they are listed
  for (const repository of repositories) await push(repository)
  monolith.description = 'Changed'
  const rename = ({ git }: Repository) => {
    if (git.readBranch() === 'next') return
    execFileSync('git', ['-C', git.path, 'branch', '--move', git.readBranch(), 'next'])
  }
  fake.forge.requests.length = 0
  const result = await refresh(meanwhile(() => repositories.forEach(rename)))
  expect(result.failed).toEqual(
    repositories.map((repository) => ({
      name: nameWithOwner(repository),
      reason: expect.stringMatching(/^without its history: couldn't find remote ref refs\/heads\//),
    })),
  )
  expect(result.load?.repositories).toMatchObject({ added: 0, updated: 2 })
  // The branch doesn't return, so it is asked for once: git's greeting, and the question.
  expect(fake.forge.requests.filter(({ kind }) => kind === 'git')).toHaveLength(2 * repositories.length)
  const next = await refresh()
  expect([next.failed, next.load?.commits.added]).toEqual([[], 2])
})

test('Of a refresh in batches only the last one counts, if none before it has failed', async () => {
  const { monolith } = fake.organization.special
  await refresh()
  const before = await readTimes()
  await push(monolith)
  const move = (name: string) => fake.organization.model.moveRepository(monolith, { name })
  const { failed } = await refresh({ batch: 3, ...meanwhile(() => move('moved')) })
  expect(failed).toHaveLength(1)
  expect(await readTimes()).toEqual(before)
  let batches = 0
  const onBegin = () => {
    if (++batches === 3) throw new Error('interrupted')
  }
  const begunAt = Date.now()
  await expect(refresh({ batch: 3, onBegin })).rejects.toThrow('interrupted')
  expect(await readTimes()).toEqual(before)
  const continuedAt = Date.now()
  expect(await refresh({ batch: 3 })).toMatchObject({ isResumed: true, failed: [] })
  // What was read before the interruption is as old as that.
  const { loaded, refreshed, oldest } = await readTimes()
  expect(loaded).toBe(refreshed)
  expect([oldest >= begunAt, oldest < continuedAt, (loaded ?? 0) >= continuedAt]).toEqual([true, true, true])
})

test('Clones of another user are not touched, and say what to do; root refuses a folder of a user', async () => {
  await refresh()
  const before = await readTimes()
  const { monolith } = fake.organization.special
  await push(monolith)
  const marker = join(fake.clones, `${monolith.databaseId}.git`, 'marker')
  writeFileSync(marker, '')
  const own = process.geteuid?.() ?? 0
  const geteuid = vi.spyOn(process, 'geteuid').mockReturnValue(own + 1)
  const { failed, load } = await refresh()
  expect(failed).toContainEqual({
    name: 'acme-works/monolith',
    reason: `without its history: the clone belongs to another user; run the import as that user, or give this one all clones: sudo chown -R ${own + 1} ${fake.clones}`,
  })
  expect([load?.commits.added, existsSync(marker)]).toEqual([0, true])
  expect(await readTimes()).toEqual(before)
  geteuid.mockReturnValue(0)
  if (own === 0) chownSync(fake.clones, 1, 1)
  await expect(refresh()).rejects.toThrow(
    /^The clones in \S+ belong to the user [1-9]\d*, who can't use what root adds; run the import as that user \(sudo -u '#[1-9]\d*'\), or name another folder with --clones$/,
  )
  if (own === 0) chownSync(fake.clones, 0, 0)
  geteuid.mockRestore()
  expect(await refresh()).toMatchObject({ failed: [], load: { commits: { added: 1 } } })
})
