/**
 * A copy follows another dataset: it imports what has changed there.
 *
 * @module-tag later
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { ExportError, exportNdjson } from '../../../api/sources/ndjson/export.ts'
import { findSources, importNdjson } from '../../../api/sources/ndjson/import.ts'
import { createRandom, type Random } from '../../../sample/random.ts'
import { locationOf, runCommand } from '../../support/command-line.ts'
import { isDrill, seed } from '../../support/drill.ts'
import { createFolder, dataFiles, readFiles, readObjects } from '../../support/export-folder.ts'
import { createSource, load, readDatasetVersion, toLines } from '../../support/ndjson.ts'
import { createRandomForge } from '../../support/random-forge.ts'
import { createCommit, createRepository, createUser } from '../../support/records.ts'
import { describeOnOneDatabase, type TestService, useService } from '../../support/service.ts'

const rounds = isDrill ? 25 : 6
const url = 'https://forge.example/r/1'
const repository = createRepository(1, 'ada', ['react'])
const removal = { forge_rest_id: 1, kind: 'repository' }
const commits = [1, 2, 3].map((number) => createCommit(number, url, 'ada@example.org', number))

describeOnOneDatabase('A copy', (kind) => {
  const origin = useService(kind, { each: true, data: 'empty' })
  const copy = useService(kind, { each: true, data: 'empty' })

  /** Brings the copy up to date. Returns the version that it has then. */
  async function follow(since: number): Promise<number> {
    await using folder = await createFolder()
    const { version } = await exportNdjson(origin.sql, folder.path, { since })
    await importNdjson(copy.sql, { sources: await findSources([folder.path]) })
    return version
  }

  async function expectSameData(): Promise<void> {
    await using first = await createFolder()
    await using second = await createFolder()
    await exportNdjson(origin.sql, first.path)
    await exportNdjson(copy.sql, second.path)
    expect(await readFiles(second.path)).toEqual(await readFiles(first.path))
    expect(await readUses(copy)).toEqual(await readUses(origin))
  }

  test('is refused two exports together: what the second one removes would come back from the first', async () => {
    await using first = await createFolder()
    await using second = await createFolder()
    await load(origin, { repos: [repository] })
    await exportNdjson(origin.sql, first.path, { since: 0 })
    const since = await readDatasetVersion(origin)
    await load(origin, { removals: [removal] })
    await exportNdjson(origin.sql, second.path, { since })
    const both = ['import', 'ndjson', first.path, second.path]
    expect(await runCommand(both, locationOf(copy))).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^\S+ and \S+ are in different folders\. Removals are applied before all other lines, so import one export after another$/m,
      ),
    })
    for (const { path } of [first, second])
      await importNdjson(copy.sql, { sources: await findSources([path]) })
    await expectSameData()
  })

  test('that follows random loads and removals has the same bytes after each of them', async () => {
    console.info(`seed ${seed}`)
    const random = createRandom(`${seed} removals`)
    const forge = createRandomForge(seed)
    let version = 0
    for (let round = 0; round < rounds; round++) {
      for (let change = random.integer(1, 3); change > 0; change--) {
        const records =
          round === 0 || random.chance(0.4)
            ? forge.grow({ users: 60, repositories: 40, commits: 150 })
            : random.chance(0.5)
              ? forge.change({ users: 20, repositories: 15, commits: 40 })
              : {}
        await importNdjson(origin.sql, {
          sources: [
            createSource('users', toLines(records.users ?? [])),
            createSource('repos', toLines(records.repos ?? [])),
            createSource('commits', toLines(records.commits ?? [])),
            createSource(
              'removals',
              toLines(drawRemovals(random, forge.users.length, forge.repositories.length)),
            ),
          ],
          onInvalid: async ({ reason }) => expect(reason).toContain('no repository has this URL'),
        })
      }
      version = await follow(version)
      await expectSameData()
    }
  })

  test('drops what a repository had before it was removed, when it returns with less', async () => {
    await load(origin, { repos: [repository], commits })
    const version = await follow(0)
    await load(origin, { removals: [removal] })
    await load(origin, { repos: [repository], commits: commits.slice(1) })
    await follow(version)
    await expectSameData()
    await load(origin, { removals: [removal], repos: [repository], commits: commits.slice(2) })
    await follow(version)
    await expectSameData()
  })

  test.each([
    ['gets the forge’s record', [createRepository(2, 'ada', [], { url })]],
    ['is merged with a renamed one', [createRepository(1, 'ada', [], { url })]],
  ])('keeps the commits of a repository that only a clone described when it %s', async (_, records) => {
    const old = createRepository(1, 'ada', [], { url: `${url}-old`, full_name: 'ada/old', name: 'old' })
    const local = createRepository(-5, 'ada', ['react'], { url })
    await load(origin, {
      repos: [old, local],
      commits: [...commits, createCommit(4, old.url, 'ada@example.org', 4)],
    })
    const version = await follow(0)
    await load(origin, { repos: records })
    await follow(version)
    await expectSameData()
  })

  test('imports nothing, and keeps its version, when nothing has changed', async () => {
    await load(origin, { repos: [repository], commits })
    const version = await follow(0)
    expect(await follow(version)).toBe(version)
    expect(await readDatasetVersion(copy)).toBe(1)
  })
})

describeOnOneDatabase('An export since a version', (kind) => {
  const service = useService(kind, { each: true, data: 'empty' })
  beforeEach(async () => {
    await load(service, { users: [1, 2, 3].map((id) => createUser(id)), repos: [repository], commits })
  })

  test('has what changed after it, what was removed, and a manifest with both versions', async () => {
    await using folder = await createFolder()
    const user = createUser(2, { bio: 'new' })
    const commit = createCommit(4, url, 'ada@example.org', 4)
    await load(service, { users: [user] })
    await load(service, { commits: [commit], removals: [{ forge_rest_id: 3, kind: 'user', version: 70 }] })
    const manifest = await exportNdjson(service.sql, folder.path, { since: 1 })
    expect(manifest).toMatchObject({ version: 3, since: 1 })
    expect(Object.entries(manifest.files).map(([name, { lines }]) => [name, lines])).toEqual([
      ['users.ndjson', 1],
      ['identities.ndjson', 0],
      ['repos.ndjson', 0],
      ['commits.ndjson', 1],
      ['removals.ndjson', 1],
    ])
    expect(await readObjects(folder.path, 'users.ndjson')).toEqual([user])
    expect(await readObjects(folder.path, 'commits.ndjson')).toEqual([commit])
    expect(await readFile(join(folder.path, 'removals.ndjson'), 'utf8')).toBe(
      '{"forge_rest_id":3,"kind":"user","version":3}\n',
    )
    expect(JSON.parse(await readFile(join(folder.path, 'manifest.json'), 'utf8'))).toEqual(manifest)
  })

  test('of the current version has five empty files, and a full export in its place has four', async () => {
    await using folder = await createFolder()
    const { files } = await exportNdjson(service.sql, folder.path, { since: 1 })
    expect(Object.values(files).map(({ bytes }) => bytes)).toEqual([0, 0, 0, 0, 0])
    expect(await exportNdjson(service.sql, folder.path)).not.toHaveProperty('since')
    expect((await readdir(folder.path)).sort()).toEqual([...dataFiles, 'manifest.json'].sort())
  })

  test('is refused for a version whose changes are no longer known, and for one of the future', async () => {
    await using folder = await createFolder()
    const path = join(folder.path, 'changes')
    await service.sql`update dataset set changes_since = 1`
    await exportNdjson(service.sql, path, { since: 1 })
    const tooOld = exportNdjson(service.sql, path, { since: 0 })
    await expect(tooOld).rejects.toThrow(ExportError)
    await expect(tooOld).rejects.toThrow(
      /^--since 0: .* since version 1 .*; export everything, without --since, and import it with --mirror$/,
    )
    await expect(exportNdjson(service.sql, path, { since: 2 })).rejects.toThrow(
      /^--since 2: the dataset's version is 1; /,
    )
    expect(JSON.parse(await readFile(join(path, 'manifest.json'), 'utf8'))).toMatchObject({ since: 1 })
  })

  test('is a command', async () => {
    await using folder = await createFolder()
    const path = join(folder.path, 'changes')
    expect(await runCommand(['export', 'ndjson', path, '--since', '0'], locationOf(service))).toEqual({
      code: 0,
      stdout:
        'users.ndjson      3 lines\nidentities.ndjson 0 lines\nrepos.ndjson      1 line\n' +
        `commits.ndjson    3 lines\nremovals.ndjson   0 lines\ndataset           version 1, changes since version 0, in ${path}\n`,
      stderr: '',
    })
    const refused = await runCommand(['export', 'ndjson', path, '--since', '2'], locationOf(service))
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('export everything')])
  })
})

/** A few, some of them unknown. */
function drawRemovals(random: Random, users: number, repositories: number): object[] {
  const draw = (kind: string, step: number, count: number) =>
    Array.from({ length: random.integer(0, 8) }, () => ({
      forge_rest_id: random.integer(1, count + 5) * step,
      kind,
    }))
  return [...draw('user', 3, users), ...draw('repository', 5, repositories)]
}

/** Who uses what, by the ids of the forge. */
async function readUses({ sql }: TestService): Promise<readonly object[]> {
  const rows = await sql`
    select u.forge_rest_id, string_agg(d.name || ' ' || d.file, ', ' order by d.name, d.file) as dependencies
    from user_dependencies join users u on u.id = user_id join dependencies d on d.id = any(dependency_ids)
    group by u.forge_rest_id order by u.forge_rest_id`
  return [...rows]
}
