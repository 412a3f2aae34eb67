/** A repository that clones and the forge's records describe is one repository (decisions/0004-data.md). */
import { beforeEach, expect, test } from 'vitest'
import { type GitSource, importGit } from '../../api/sources/git/import.ts'
import { Clone, npm, useClones } from '../support/git-clone.ts'
import { readListResponse } from '../support/list-response.ts'
import {
  createCommit,
  createDependency,
  createRepository,
  createUser,
  loadRecords,
} from '../support/records.ts'
import { describeOnOneDatabase, useService } from '../support/service.ts'

useClones()

const url = 'https://forge.example/acme/widget'
const names = { name: 'widget', full_name: 'acme/widget', url }

describeOnOneDatabase('a repository', (kind) => {
  const service = useService(kind, { each: true, key: { role: 'admin' }, data: 'empty' })
  let clone: Clone
  let clones = 0
  beforeEach(async () => {
    clone = new Clone(`one-${kind}-${++clones}`)
    clone.commit(1_600_000_000, { 'package.json': npm('left') })
    clone.commit(1_600_000_100, { 'package.json': npm('left', 'right') })
    await loadRecords(service.sql, { users: [createUser(1, { login: 'ada', email: 'a@example.org' })] })
  })

  const read = async (path: string) =>
    (await service.request(path, { key: service.key })).json() as Record<string, unknown>
  const list = async (path: string) =>
    readListResponse(await service.request(path, { key: service.key })).data
  const git = (source: Partial<GitSource> = {}, options: { keepUnreachable?: boolean } = {}) =>
    importGit(service.sql, { clones: [{ path: clone.path, url, ...source }], ...options })
  /** The forge's record. Without dependencies, it doesn't say which there are. */
  const record = (id: number, fields: object = {}) => ({
    ...createRepository(id, 'acme', [], names),
    dependencies: null,
    ...fields,
  })
  const removals = async () =>
    (
      await service.sql`select forge_rest_id, version from removals where kind = 'repository' order by id`
    ).map(({ forge_rest_id, version }) => [forge_rest_id, version])
  async function readState() {
    const repositories = await list('/repos')
    return {
      repositories: repositories.map(({ internal_id, forge_rest_id, url }) => [
        internal_id,
        forge_rest_id,
        url,
      ]),
      dependencies: (await list('/repos/acme/widget/dependencies')).map(({ url, dependency }) => [
        url,
        dependency,
      ]),
      commits: (await list('/repos/acme/widget/commits')).map(({ repo_url, message }) => [repo_url, message]),
      users: (await list('/users?dependency_names=left')).map(({ login }) => login),
    }
  }
  const declared = (name: string, of = url) => [
    of,
    { dependency_name: name, dependency_file: 'package.json' },
  ]

  test.each([
    ['null keeps', null, ['left', 'right'], ['ada']],
    ['[] empties', [], [], []],
    ['a list replaces', [createDependency(`${url}/`, 'other')], ['other'], []],
  ])(
    'keeps its row and commits when the forge’s record follows the clone, whose dependencies %s',
    async (_, dependencies, expected, users) => {
      await git()
      const local = Number((await read('/repos/acme/widget')).forge_rest_id)
      expect(local).toBeLessThan(0)
      const other = `http://www.forge.example/Acme/widget.git`
      await loadRecords(service.sql, { repos: [record(7, { url: other, dependencies })] })
      expect(await readState()).toEqual({
        repositories: [[1, 7, other]],
        dependencies: expected.map((name) => declared(name, other)),
        commits: [
          [other, 'at 1600000100'],
          [other, 'at 1600000000'],
        ],
        users,
      })
      expect(await removals()).toEqual([[local, 3]])
      expect((await read('/version')).dataset).toMatchObject({ version: 3 })
      // The next clone finds it.
      expect((await git()).repositories).toMatchObject({ added: 0, removed: 0 })
      expect((await readState()).repositories).toEqual([[1, 7, other]])
    },
  )

  test('keeps what the forge told when the clone follows the record', async () => {
    await loadRecords(service.sql, { repos: [record(7, { description: 'told' })] })
    await git()
    expect(await read('/repos/acme/widget')).toMatchObject({
      internal_id: 1,
      forge_rest_id: 7,
      description: 'told',
    })
    expect((await readState()).dependencies).toEqual([declared('left'), declared('right')])
    expect(await removals()).toEqual([])
  })

  test('keeps what the forge told when a record that only describes a clone comes later', async () => {
    await loadRecords(service.sql, { repos: [record(7, { description: 'told' })] })
    const local = record(-5, { url: `${url}.git`, dependencies: [createDependency(url, 'left')] })
    await loadRecords(service.sql, { repos: [local], commits: [createCommit(1, url, 'a@example.org', 1)] })
    expect(await read('/repos/acme/widget')).toMatchObject({
      internal_id: 1,
      forge_rest_id: 7,
      url,
      description: 'told',
    })
    expect(await readState()).toMatchObject({
      repositories: [[1, 7, url]],
      dependencies: [declared('left')],
      users: ['ada'],
    })
  })

  test('is one if one load has both descriptions, in either order', async () => {
    const both = [
      record(-5, { dependencies: [createDependency(url, 'right')] }),
      record(7, { url: `${url}/` }),
    ]
    await loadRecords(service.sql, { repos: both })
    expect((await readState()).repositories).toEqual([[1, 7, `${url}/`]])
    expect((await readState()).dependencies).toEqual([declared('right', `${url}/`)])
    await loadRecords(service.sql, { repos: both.reverse() })
    expect((await readState()).repositories).toEqual([[1, 7, `${url}/`]])
  })

  test('gets the forge’s id from --rest-id, and keeps its row', async () => {
    await git()
    const local = (await read('/repos/acme/widget')).forge_rest_id
    expect((await git({ restId: 7 })).repositories).toEqual({ added: 0, updated: 1, removed: 0 })
    expect((await readState()).repositories).toEqual([[1, 7, url]])
    expect(await removals()).toEqual([[local, 3]])
    await expect(git({ restId: 8 })).rejects.toThrow(/already loaded as repository 7; leave out --rest-id/)
    await loadRecords(service.sql, { repos: [record(7, { description: 'told' })] })
    expect((await readState()).repositories).toEqual([[1, 7, url]])
    await expect(git({ restId: 7, url: `${url}-2` })).rejects.toThrow(/that repository is already loaded as/)
  })

  test('that was cloned under its new URL is merged into the row of its old one when the forge tells of the new one', async () => {
    const old = 'https://forge.example/old/name'
    const before = record(7, {
      ...createRepository(7, 'old', [], { url: old, name: 'name' }),
      dependencies: null,
    })
    const shared = clone.git(0, 'rev-parse', 'HEAD')
    const commits = [
      { ...createCommit(1, old, 'a@example.org', 1_600_000_050), message: 'only there' },
      {
        ...createCommit(2, old, 'a@example.org', 1_600_000_100),
        commit_hash: shared,
        message: 'at 1600000100',
      },
    ]
    await loadRecords(service.sql, { repos: [before], commits })
    await git()
    expect((await readState()).repositories).toHaveLength(2)
    const local = Number((await read('/repos/acme/widget')).forge_rest_id)
    await loadRecords(service.sql, { repos: [record(7)] })
    expect(await readState()).toEqual({
      repositories: [[1, 7, url]],
      dependencies: [declared('left'), declared('right')],
      commits: [
        [url, 'at 1600000100'],
        [url, 'only there'],
        [url, 'at 1600000000'],
      ],
      users: ['ada'],
    })
    expect(await removals()).toEqual([[local, 4]])
    expect((await service.request('/repos/old/name', { key: service.key })).status).toBe(404)
    expect(await list('/repos?dependency_names=left')).toHaveLength(1)
  })

  test('keeps its row when it is renamed or transferred', async () => {
    await git()
    await loadRecords(service.sql, { repos: [record(7)] })
    const moved = createRepository(7, 'zeta', [], {
      name: 'gadget',
      url: 'https://forge.example/zeta/gadget',
    })
    await loadRecords(service.sql, { repos: [{ ...moved, dependencies: null }] })
    expect(await readState().catch(() => undefined)).toBeUndefined()
    expect(await list('/repos')).toMatchObject([
      { internal_id: 1, forge_rest_id: 7, full_name: 'zeta/gadget' },
    ])
    expect(await list('/repos/zeta/gadget/commits')).toHaveLength(2)
  })

  test('that only a clone described goes to the last of two records with its URL', async () => {
    await git()
    await loadRecords(service.sql, { repos: [record(7), record(8)] })
    expect((await readState()).repositories).toEqual([
      [1, 8, url],
      [2, 7, url],
    ])
  })

  test('stays two when its name changed hands', async () => {
    await loadRecords(service.sql, {
      repos: [record(7)],
      commits: [createCommit(1, url, 'a@example.org', 1)],
    })
    await loadRecords(service.sql, {
      repos: [record(8)],
      commits: [createCommit(2, `${url}.git`, 'a@example.org', 2)],
    })
    expect((await readState()).repositories).toEqual([
      [1, 7, url],
      [2, 8, url],
    ])
    expect((await readState()).commits).toEqual([[url, 'Commit 2']])
    expect(await removals()).toEqual([])
  })

  test('has exactly the commits that its branch reaches, unless others are to be kept', async () => {
    await git()
    const messages = async () => (await list('/repos/acme/widget/commits')).map(({ message }) => message)
    clone.git(0, 'switch', '--quiet', '--create', 'side')
    clone.commit(1_600_000_150, {}, 'on the side')
    clone.git(0, 'switch', '--quiet', 'main')
    clone.gitWith({}, 1_600_000_200, 'commit', '--quiet', '--amend', '-m', 'rewritten')
    expect((await git({}, { keepUnreachable: true })).commits).toEqual({ added: 1, updated: 0, removed: 0 })
    expect(await messages()).toEqual(['rewritten', 'at 1600000100', 'at 1600000000'])
    expect((await git({ branch: 'side' })).commits).toEqual({ added: 1, updated: 0, removed: 1 })
    expect(await messages()).toEqual(['on the side', 'at 1600000100', 'at 1600000000'])
    // Others' commits stay.
    const other = createRepository(9, 'acme', [])
    await loadRecords(service.sql, {
      repos: [other],
      commits: [createCommit(1, other.url, 'a@example.org', 1)],
    })
    expect((await git()).commits).toEqual({ added: 1, updated: 0, removed: 2 })
    expect(await messages()).toEqual(['rewritten', 'at 1600000000'])
    expect(await list('/repos/acme/repo-9/commits')).toHaveLength(1)
    expect((await git()).commits).toEqual({ added: 0, updated: 0, removed: 0 })
  })
})
