/** @module-tag later */
import { beforeAll, expect, test } from 'vitest'
import { type Run, readJson, startServiceForCommands } from '../support/command-line.ts'
import { readListResponse } from '../support/list-response.ts'
import { createAdmin } from '../support/ndjson.ts'
import { createCommit, createRepository, createUser, loadRecords } from '../support/records.ts'
import { describeOnOneDatabase } from '../support/service.ts'
import { useStarted } from '../support/suite.ts'

const ada = createUser(1, { login: 'Ada', email: 'ada@example.org' })
const first = createRepository(11, 'Ada', ['left', 'common'])
const second = createRepository(12, 'other', ['common'])
const renamed = createRepository(13, 'org', ['left'], { name: 'same' })
const successor = createRepository(-14, 'ORG', [], { name: 'Same' })
const commits = [
  createCommit(1, first.url, 'ada@example.org', 100),
  createCommit(2, first.url, 'ada@example.org', 200),
  createCommit(3, second.url, 'ada@example.org', 100),
]

describeOnOneDatabase('devdata remove repo', (kind) => {
  const started = useStarted(() => startServiceForCommands(kind))
  let key: string
  const run: Run = (args, options) => started.run(args, options)
  beforeAll(async () => {
    key = await createAdmin(started.service)
    await loadRecords(started.service.sql, {
      users: [ada],
      repos: [first, second, renamed, successor],
      commits,
    })
  })

  async function list(path: string) {
    const { data, total } = readListResponse(await started.service.request(path, { key }))
    expect(data.length).toBe(total)
    return data
  }

  async function readStatus(path: string): Promise<number> {
    return (await started.service.request(path, { key })).status
  }

  test('is preceded by show repo, which says what there is, and which load last changed it', async () => {
    expect(await readJson(run, ['show', 'repo', 'ada/repo-11'])).toEqual({
      full_name: 'Ada/repo-11',
      forge_rest_id: 11,
      internal_id: 1,
      commits: 2,
      dependencies: 2,
      origin: {
        dataset_version: 1,
        load: {
          command: 'import ndjson',
          source: 'users, repos, commits',
          started_at: expect.stringMatching(/^\d{4}-/),
          applied_at: expect.stringMatching(/^\d{4}-/),
        },
      },
    })
    const { code, stdout } = await run(['show', 'repo', '--id', '-14'])
    expect([code, stdout.replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\dZ/g, 'TIME')]).toEqual([
      0,
      [
        'repository    ORG/Same',
        'ids           forge_rest_id -14, internal_id 4',
        'has           0 commits, 0 dependencies',
        'last changed  in version 1 of the dataset: import ndjson (users, repos, commits), begun TIME, applied TIME',
        '',
      ].join('\n'),
    ])
    expect(await run(['show', 'repo', 'ada/none'])).toMatchObject({
      code: 1,
      stderr: 'No repository is named ada/none\n',
    })
  })

  test('removes a repository and its commits, and what it alone gave to users', async () => {
    expect(await list('/users?dependency_names=left')).toEqual([ada])
    expect(await run(['remove', 'repo', 'aDA/REPO-11'])).toEqual({
      code: 0,
      stdout:
        'Removed Ada/repo-11 (forge_rest_id 11) with 2 commits and 2 dependencies. The dataset has version 2.\n',
      stderr: '',
    })
    expect(await readStatus('/repos/ada/repo-11')).toBe(404)
    expect(await readStatus('/repos/ada/repo-11/commits')).toBe(404)
    expect(await list('/users?dependency_names=left')).toEqual([])
    expect(await list('/users?dependency_names=common')).toEqual([ada])
    expect(await list('/repos/other/repo-12/commits')).toEqual([commits[2]])
  })

  test('refuses a repository that is unknown, and changes nothing', async () => {
    expect(await run(['remove', 'repo', 'ada/repo-11'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'No repository is named ada/repo-11\n',
    })
    expect(await run(['remove', 'repo', '--id', '11'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'No repository has the forge_rest_id 11\n',
    })
  })

  test('removes of two repositories with one name the one that was added last, or the one with the id', async () => {
    expect(await readJson(run, ['remove', 'repo', 'org/same', '--yes', '--json'])).toEqual({
      forge_rest_id: -14,
      full_name: 'ORG/Same',
      commits: 0,
      dependencies: 0,
      dataset_version: 3,
    })
    expect(await readStatus('/repos/org/same')).toBe(200)
    await loadRecords(started.service.sql, { repos: [successor] })
    expect(await readJson(run, ['remove', 'repo', '--id', '-14', '--json'])).toMatchObject({
      forge_rest_id: -14,
    })
    expect(await readJson(run, ['remove', 'repo', '--id', '13', '--json'])).toMatchObject({
      forge_rest_id: 13,
    })
    expect(await readStatus('/repos/org/same')).toBe(404)
  })

  test('lets the repository return when a load has it again', async () => {
    await loadRecords(started.service.sql, { repos: [first], commits: commits.slice(0, 1) })
    expect(await list('/repos/ada/repo-11/commits')).toEqual([commits[0]])
    expect(await list('/users?dependency_names=left')).toEqual([ada])
  })
})
