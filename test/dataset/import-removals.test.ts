/** `removals.ndjson`: what a load removes. */
import { beforeEach, expect, test } from 'vitest'
import { readListResponse } from '../support/list-response.ts'
import { load, nothing, readDatasetVersion } from '../support/ndjson.ts'
import { createCommit, createRepository, createUser } from '../support/records.ts'
import { describeOnOneDatabase, useService } from '../support/service.ts'

const url = 'https://forge.example/r/1'
const address = 'user-1@example.org'

describeOnOneDatabase('A load with removals', (kind) => {
  const service = useService(kind, { each: true, key: { role: 'admin' }, data: 'empty' })
  beforeEach(async () => {
    await load(service, {
      users: [createUser(1, { email: address }), createUser(2)],
      repos: [createRepository(1, 'user-2', ['react']), createRepository(2, 'user-2', ['zod'])],
      commits: [createCommit(1, url, address, 1), createCommit(2, url, address, 2)],
    })
  })

  const listLogins = async (path: string) =>
    readListResponse(await service.request(path, { key: service.key })).data.map(
      (item) => item.login ?? item.name,
    )

  test('removes users and repositories, and says how much', async () => {
    const removals = [
      { forge_rest_id: 1, kind: 'repository' },
      { forge_rest_id: 2, kind: 'user', version: 12 },
      { forge_rest_id: 2, kind: 'user' },
    ]
    expect(await load(service, { removals })).toEqual({
      users: { ...nothing, removed: 1 },
      addresses: nothing,
      repositories: { ...nothing, removed: 1 },
      commits: { ...nothing, removed: 2 },
      forgotten: 0,
      contradicted: { lines: 0, first: undefined },
      version: 2,
    })
    expect(await listLogins('/users')).toEqual(['user-1'])
    expect(await listLogins('/repos')).toEqual(['repo-2'])
    expect(await listLogins('/users?dependency_names=react')).toEqual([])
    expect((await service.request('/repos/user-2/repo-1', { key: service.key })).status).toBe(404)
  })

  test('changes nothing when none of them is in the dataset', async () => {
    const removals = [
      { forge_rest_id: 3, kind: 'user' },
      { forge_rest_id: -1, kind: 'repository' },
    ]
    expect(await load(service, { removals })).toEqual({
      users: nothing,
      addresses: nothing,
      repositories: nothing,
      commits: nothing,
      forgotten: 0,
      contradicted: { lines: 0, first: undefined },
      version: 1,
    })
  })

  test('adds what it has a line for too, without what it had before', async () => {
    const result = await load(service, {
      users: [createUser(1, { email: address, bio: 'back' })],
      repos: [{ ...createRepository(1, 'user-2', []), dependencies: null }],
      commits: [createCommit(3, url, address, 3)],
      removals: [
        { forge_rest_id: 1, kind: 'user' },
        { forge_rest_id: 1, kind: 'repository' },
      ],
    })
    expect(result).toEqual({
      users: { added: 1, updated: 0, removed: 1 },
      addresses: nothing,
      repositories: { added: 1, updated: 0, removed: 1 },
      commits: { added: 1, updated: 0, removed: 2 },
      forgotten: 0,
      contradicted: { lines: 0, first: undefined },
      version: 2,
    })
    expect(await listLogins('/users')).toEqual(['user-2', 'user-1'])
    expect(await listLogins('/users?dependency_names=react')).toEqual([])
    const commits = readListResponse(
      await service.request('/repos/user-2/repo-1/commits', { key: service.key }),
    )
    expect(commits.data.map(({ message }) => message)).toEqual(['Commit 3'])
  })

  test('refuses a commit of a repository that it removes', async () => {
    const refused = load(service, {
      commits: [createCommit(3, url, address, 3)],
      removals: [{ forge_rest_id: 1, kind: 'repository' }],
    })
    await expect(refused).rejects.toThrow(
      'commits.ndjson:1: repo_url: no repository has this URL; load the repository first, or together with its commits; nothing was changed',
    )
    expect(await readDatasetVersion(service)).toBe(1)
  })

  test.each([
    [{ forge_rest_id: '1', kind: 'user' }, 'forge_rest_id: must be an integer'],
    [{ forge_rest_id: 1, kind: 'users' }, 'kind: must be user or repository'],
    [{ forge_rest_id: 1 }, 'kind: required'],
    [{ forge_rest_id: 1, kind: 'user', login: 'user-1' }, 'login: unknown field'],
  ])('refuses %j', async (removal, reason) => {
    await expect(load(service, { removals: [removal] })).rejects.toThrow(
      `removals.ndjson:1: ${reason}; nothing was changed`,
    )
    expect(await readDatasetVersion(service)).toBe(1)
  })
})
