import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { verifySets } from '../../api/dataset/set-verification.ts'
import { importNdjson } from '../../api/sources/ndjson/import.ts'
import { ImportError } from '../../api/staging/import-error.ts'
import type { RecordKind } from '../../api/staging/records.ts'
import { readTables, resetCatalog } from '../support/catalog-tables.ts'
import { startServiceForCommands } from '../support/command-line.ts'
import { createSource, type Load, nothing, readDatasetVersion, toLines } from '../support/ndjson.ts'
import { createCommit, createRepository, createUser, loadRecords, type Records } from '../support/records.ts'
import { describeOnOneDatabase } from '../support/service.ts'
import { useStarted } from '../support/suite.ts'

const users = ['ada', 'ben', 'eve'].map((login, index) =>
  createUser(index + 1, { login, email: `${login}@example.org`, location: `City ${index}` }),
)
const repos = [11, 12, 13].map((number) => createRepository(number, 'ada', ['common', `only-${number}`]))
const [ada, ben] = users
/** With those above, the ids are 1 to 150. */
const many = Array.from({ length: 150 }, (_, index) => createUser(index + 1))
const [first, second] = repos
const commits = repos.flatMap(({ url }, index) =>
  [1, 2, 3].map((date) =>
    createCommit(index * 10 + date, url, `${['ada', 'ben', 'eve'][date - 1]}@example.org`, date),
  ),
)

describeOnOneDatabase('a load that mirrors its files', (kind) => {
  const started = useStarted(() => startServiceForCommands(kind))
  const fresh = useStarted(() => startServiceForCommands(kind))
  beforeEach(async () => {
    await resetCatalog(started.service.sql)
    await loadRecords(started.service.sql, { users, repos, commits })
  })

  /** Loads files of the kinds that are given. */
  async function mirror(files: Load, onMirror: (missing: object) => Promise<void> = async () => {}) {
    const sources = Object.entries(files).map(([name, records]) => {
      return createSource(name as RecordKind, toLines(records))
    })
    return importNdjson(started.service.sql, { sources, onMirror })
  }

  async function expectDataset(records: Records): Promise<void> {
    await resetCatalog(fresh.service.sql)
    await loadRecords(fresh.service.sql, records)
    expect(await readTables(started.service.sql)).toEqual(await readTables(fresh.service.sql))
    expect(await verifySets(started.service.sql, 'all')).toMatchObject({ faults: [] })
  }

  test('removes what no file has', async () => {
    const files = {
      users: [ada, ben].flatMap((user) => user ?? []),
      repos: repos.slice(1),
      commits: commits.slice(4),
    }
    const result = await mirror(files)
    expect(result).toMatchObject({
      users: { ...nothing, removed: 1 },
      repositories: { ...nothing, removed: 1 },
      commits: { ...nothing, removed: 4 },
      version: 2,
    })
    await expectDataset(files)
    expect(await mirror(files)).toMatchObject({ version: 2 })
  })

  test.each<[string, Load, Records]>([
    ['users', { users: users.slice(1) }, { users: users.slice(1), repos, commits }],
    ['repositories', { repos: repos.slice(1) }, { users, repos: repos.slice(1), commits: commits.slice(3) }],
    ['commits', { commits: commits.slice(2) }, { users, repos, commits: commits.slice(2) }],
  ])('leaves the kinds of which it has no file: of %s alone', async (_, files, expected) => {
    await mirror(files)
    await expectDataset(expected)
  })

  test('with an empty file removes all items of that kind', async () => {
    expect(await mirror({ users: [] })).toMatchObject({ users: { ...nothing, removed: 3 } })
    await expectDataset({ repos, commits })
  })

  test('gives the commits of a removed repository to another one that has its URL now', async () => {
    const successor = createRepository(5, 'ada', ['new'], { url: first?.url ?? '' })
    const files = { users, repos: [...repos.slice(1), successor], commits }
    await mirror(files)
    await expectDataset(files)
  })

  test('refuses a commit of a repository that it removes', async () => {
    const files = { repos: repos.slice(1), commits }
    await expect(mirror(files)).rejects.toThrow(ImportError)
    await expectDataset({ users, repos, commits })
    expect(await readDatasetVersion(started.service)).toBe(1)
  })

  test('says before what it will remove, and changes nothing if that is declined', async () => {
    const counts: object[] = []
    const declining = mirror(
      { users: users.slice(2), repos: second === undefined ? [] : [second] },
      (missing) => {
        counts.push(missing)
        return Promise.reject(new Error('declined'))
      },
    )
    await expect(declining).rejects.toThrow('declined')
    expect(counts).toEqual([{ users: 2, addresses: 0, repositories: 2, commits: 6 }])
    await expectDataset({ users, repos, commits })
  })

  test('changes nothing if it would remove more than was approved, because of another load', async () => {
    const { sql } = started.service
    const late = createUser(9, { login: 'late' })
    const mirroring = mirror({ users: users.slice(1) }, () => loadRecords(sql, { users: [late] }))
    await expect(mirroring).rejects.toThrow(
      new ImportError(
        'Another change has added what the files lack, since the removals were counted: this load would remove ' +
          '2 instead of 1 users. Nothing was changed; run the import again',
      ),
    )
    await expectDataset({ users: [...users, late], repos, commits })
  })

  test('removes what was approved after another load that adds nothing else', async () => {
    const { sql } = started.service
    const renamed = users.slice(1).map((user) => ({ ...user, name: 'Another name' }))
    await mirror({ users: renamed }, () => loadRecords(sql, { users: renamed }))
    await expectDataset({ users: renamed, repos, commits })
  })

  test('neither counts nor removes a repository that only a clone described, when the forge has its record', async () => {
    const url = 'https://forge.example/ada/local'
    const local = createRepository(-5, 'ada', ['local'], { url })
    const commit = createCommit(31, url, 'ada@example.org', 9)
    await loadRecords(started.service.sql, { repos: [local], commits: [commit] })
    const counts: object[] = []
    const files = {
      repos: [...repos, createRepository(5, 'ada', ['local'], { url })],
      commits: [...commits, commit],
    }
    const result = await mirror(files, async (missing) => void counts.push(missing))
    expect(counts).toEqual([{ users: 0, addresses: 0, repositories: 0, commits: 0 }])
    expect(result).toMatchObject({
      repositories: { ...nothing, updated: 1 },
      commits: { added: 0, removed: 0 },
    })
    // Nor the other way around.
    const local2 = { ...local, url: `${url}.git` }
    await mirror({ repos: [...repos, local2] }, async (missing) => void counts.push(missing))
    expect(counts.at(-1)).toEqual({ users: 0, addresses: 0, repositories: 0, commits: 0 })
  })

  test('prints on the command line what it will remove, and what it has removed', async () => {
    writeFileSync(join(started.directory, 'users.ndjson'), toLines(users.slice(0, 1)))
    writeFileSync(join(started.directory, 'commits.ndjson'), toLines(commits.slice(0, 8)))
    const files = ['users.ndjson', 'commits.ndjson']
    const { code, stdout, stderr } = await started.run(['import', 'ndjson', ...files, '--mirror'])
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'This load removes what the files lack: 2 of 3 users, 0 of 3 repositories, 1 of 9 commits\n',
    })
    expect(stdout.split('\n').slice(1)).toEqual([
      'users         0 added, 0 updated, 2 removed',
      'repositories  0 added, 0 updated',
      'commits       0 added, 0 updated, 1 removed',
      'dataset       version 2',
      '',
    ])
    const again = await started.run(['import', 'ndjson', ...files, '--mirror', '--yes', '--json'])
    expect(again).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(again.stdout)).toMatchObject({ users: nothing, commits: nothing, dataset_version: 2 })
  })

  test.each([
    ['empty', ''],
    ['cut', toLines(many.slice(0, 100))],
  ])(
    'stops before it removes too much because a file is %s, unless --max-removals allows it',
    async (_, content) => {
      await loadRecords(started.service.sql, { users: many })
      const version = await readDatasetVersion(started.service)
      writeFileSync(join(started.directory, 'users.ndjson'), content)
      const left = content.split('\n').length - 1
      const removed = many.length - left
      const run = (...options: string[]) =>
        started.run(['import', 'ndjson', 'users.ndjson', '--mirror', ...options])
      for (const options of [[], ['--yes'], ['--max-removals', String(removed - 1)]]) {
        const { code, stdout, stderr } = await run(...options)
        expect([code, stdout]).toEqual([1, ''])
        expect(stderr).toContain(`This load would remove ${removed} of 150 users. `)
        expect(stderr).toContain(
          `Nothing was changed; to remove them nevertheless, use --max-removals ${removed}`,
        )
        expect(await readDatasetVersion(started.service)).toBe(version)
      }
      expect(await run('--max-removals', String(removed))).toMatchObject({ code: 0 })
      const [rows] = await started.service.sql`select count(*) as count from users`
      expect(rows).toEqual({ count: left })
    },
  )

  test('is refused for files of changes, which lack what has not changed', async () => {
    writeFileSync(join(started.directory, 'removals.ndjson'), '')
    const { code, stderr } = await started.run(['import', 'ndjson', 'removals.ndjson', '--mirror', '--yes'])
    expect(code).toBe(2)
    expect(stderr).toContain('leave out --mirror')
    await expectDataset({ users, repos, commits })
  })
})
