import { beforeAll, expect, test } from 'vitest'
import type { DatasetChangeResult } from '../../../api/dataset/dataset-change.ts'
import { importNdjson } from '../../../api/sources/ndjson/import.ts'
import type { SampleCommit, SampleDependency, SampleRepository, SampleUser } from '../../../sample/records.ts'
import { expectFilters, type Item, type Records, readCatalog, readFilters } from '../../support/catalog.ts'
import { readListResponse } from '../../support/list-response.ts'
import {
  createAdmin,
  createSource,
  load,
  nothing,
  readDatasetVersion,
  toLines,
} from '../../support/ndjson.ts'
import { createCommit, createDependency, createRepository, createUser } from '../../support/records.ts'
import {
  describeOnOneDatabase,
  startTestService,
  type TestService,
  useService,
} from '../../support/service.ts'

describeOnOneDatabase('an import of what another instance lists', (kind) => {
  const origin = useService(kind)
  const target = useService(kind, { data: 'empty' })
  let originKey: string
  let targetKey: string
  beforeAll(async () => {
    originKey = await createAdmin(origin)
    targetKey = await createAdmin(target)
  })

  test('makes this instance list the same', async () => {
    const users = await readItems(origin, originKey, '/users')
    const repos = await readItems(origin, originKey, '/repos')
    const commits: Item[] = []
    for (const { full_name } of repos) {
      commits.push(...(await readItems(origin, originKey, `/repos/${full_name}/commits`)))
    }
    expect([users.length, repos.length, commits.length]).toEqual([300, 400, 5878])
    // internal_id is still in the lines: it is passed over.
    expect(repos[0]).toHaveProperty('internal_id')
    const result = await load(target, { users, repos, commits })
    expect(result).toEqual({
      users: { added: 300, updated: 0, removed: 0 },
      addresses: { added: 0, updated: 0, removed: 0 },
      repositories: { added: 400, updated: 0, removed: 0 },
      commits: { added: 5878, updated: 0, removed: 0 },
      version: 1,
      forgotten: 0,
      contradicted: { lines: 0, first: undefined },
    })
    expect(await readCatalog(target, targetKey)).toEqual(await readCatalog(origin, originKey))
    const names = ['react', 'pg', 'rspec', 'serde', 'no-such-package']
    expect(await readFilters(target, targetKey, names)).toEqual(await readFilters(origin, originKey, names))

    const again = await load(target, { users, repos, commits })
    expect(again).toEqual({
      users: nothing,
      addresses: nothing,
      repositories: nothing,
      commits: nothing,
      version: 1,
      forgotten: 0,
      contradicted: { lines: 0, first: undefined },
    })
  })

  async function readItems(service: TestService, key: string, path: string): Promise<Item[]> {
    const items: Item[] = []
    for (let page = 1; ; page++) {
      const response = readListResponse(await service.request(`${path}?per_page=100&page=${page}`, { key }))
      items.push(...response.data)
      if (!response.pagination.has_more) return items
    }
  }
})

describeOnOneDatabase('an import into existing data', (kind) => {
  const service = useService(kind, { key: { role: 'admin' }, data: 'empty' })
  const names = ['left', 'right', 'common', 'late', 'never']
  const records: Records = { users: new Map(), repos: new Map(), commits: new Map() }
  beforeAll(async () => {
    await change({
      users: [
        createUser(1, { login: 'Ada', email: 'ada@example.org', location: 'London' }),
        createUser(2, { login: 'grace', email: 'Grace@Example.org', location: 'New York' }),
        createUser(3, { login: 'linus', email: null }),
        createUser(4, { login: 'idle', email: 'idle@example.org' }),
      ],
      repos: [
        createRepository(11, 'ada', ['left', 'common']),
        createRepository(12, 'GRACE', ['right', 'common']),
        createRepository(13, 'nobody-known', ['late']),
      ],
      commits: [
        createCommit(1, 'https://forge.example/r/11', 'grace@example.org', 100),
        createCommit(2, 'https://forge.example/r/12', '3+linus@users.noreply.forge.example', 300),
        createCommit(3, 'https://forge.example/r/12', 'stranger@example.org', 200),
        createCommit(4, 'https://forge.example/r/13', 'linus@users.noreply.forge.example', null),
      ],
    })
  })

  interface TypedLoad {
    users?: readonly SampleUser[]
    repos?: readonly SampleRepository[]
    commits?: readonly SampleCommit[]
  }

  /** Loads lines, applies them to `records`, too, and compares all filters with these. */
  async function change(lines: TypedLoad): Promise<DatasetChangeResult> {
    for (const user of lines.users ?? []) records.users.set(user.forge_rest_id, user)
    for (const repo of lines.repos ?? []) records.repos.set(repo.forge_rest_id, repo)
    for (const commit of lines.commits ?? []) {
      records.commits.set(`${commit.repo_url} ${commit.commit_hash}`, commit)
    }
    const result = await load(service, lines)
    expect(await readFilters(service, service.key, names)).toEqual(expectFilters(records, names))
    return result
  }

  function user(id: number, fields: Partial<SampleUser>): SampleUser {
    const known = records.users.get(id)
    if (known === undefined) throw new Error(`no user ${id}`)
    return { ...known, ...fields }
  }

  function repo(id: number, fields: Partial<SampleRepository>): SampleRepository {
    const known = records.repos.get(id)
    if (known === undefined) throw new Error(`no repository ${id}`)
    return { ...known, ...fields }
  }

  async function read(path: string): Promise<Item[]> {
    return readListResponse(await service.request(path, { key: service.key })).data
  }

  test('moves the commits of an email address that passes from one user to another', async () => {
    const result = await change({
      users: [user(2, { email: null }), user(4, { email: 'GRACE@example.org' })],
    })
    expect(result).toMatchObject({ users: { added: 0, updated: 2, removed: 0 }, commits: nothing })
  })

  test('takes a repository that is handed over from its owner', async () => {
    await change({ repos: [repo(11, { owner_login: 'linus', full_name: 'linus/repo-11' })] })
    expect((await service.request('/repos/ada/repo-11', { key: service.key })).status).toBe(404)
    expect((await service.request('/repos/linus/repo-11', { key: service.key })).status).toBe(200)
  })

  test('forgets a dependency that is not in the line, and lists a removed one as used', async () => {
    const url = 'https://forge.example/r/12'
    const removed: SampleDependency = {
      ...createDependency(url, 'common'),
      status: 'removed',
      last_use_date: 9,
    }
    const result = await change({
      repos: [repo(12, { dependencies: [removed, createDependency(url, 'late')] })],
    })
    expect(result).toMatchObject({ repositories: { added: 0, updated: 1, removed: 0 } })
    expect(await read('/repos/grace/repo-12/dependencies')).toEqual([removed, createDependency(url, 'late')])
  })

  test('counts a commit whose author changes for the new one', async () => {
    const result = await change({
      commits: [createCommit(2, 'https://forge.example/r/12', 'Ada@example.org', 300)],
    })
    expect(result).toMatchObject({ commits: { added: 0, updated: 1, removed: 0 } })
  })

  test('moves what is named by a login that changes hands', async () => {
    await change({ users: [user(3, { login: 'torvalds' }), user(4, { login: 'Linus' })] })
    expect(await (await service.request('/users/LINUS', { key: service.key })).json()).toMatchObject({
      forge_rest_id: 4,
    })
  })

  test('finds a location that changes where it is now', async () => {
    await change({ users: [user(1, { location: 'Łódź' }), user(2, { location: null })] })
    const logins = async (place: string) =>
      (await read(`/users?location=${encodeURIComponent(place)}`)).map(({ login }) => login)
    expect([await logins('london'), await logins('york'), await logins('łÓDŹ')]).toEqual([[], [], ['Ada']])
    // What nobody has any more is gone: it may have been personal.
    const orphans = await service.sql`
      select from locations where not exists (select from users where locations.id = any(term_ids))`
    expect(orphans).toHaveLength(0)
  })

  test('lists new commits among the others, newest first, those without a date last', async () => {
    const url = 'https://forge.example/r/12'
    await change({
      commits: [
        createCommit(30, url, 'a@example.org', 250),
        createCommit(31, url, 'a@example.org', 400),
        createCommit(32, url, 'a@example.org', null),
        createCommit(29, url, 'a@example.org', 250),
      ],
    })
    const order = async () =>
      (await read('/repos/grace/repo-12/commits')).map(({ commit_hash }) =>
        Number.parseInt(String(commit_hash), 16),
      )
    expect(await order()).toEqual([31, 2, 29, 30, 3, 32])
    await change({ commits: [createCommit(31, url, 'a@example.org', 1)] })
    expect(await order()).toEqual([2, 29, 30, 3, 31, 32])
  })

  test('takes the last of several lines for one thing', async () => {
    const result = await change({
      users: [
        user(1, { bio: 'first' }),
        user(1, { bio: 'second' }),
        createUser(5),
        createUser(5, { bio: 'once' }),
      ],
    })
    expect(result.users).toEqual({ added: 1, updated: 1, removed: 0 })
    expect(await (await service.request('/users/ada', { key: service.key })).json()).toMatchObject({
      bio: 'second',
    })
    expect(await (await service.request('/users/user-5', { key: service.key })).json()).toMatchObject({
      bio: 'once',
    })
  })

  test('keeps the dependencies of a repository whose line has none', async () => {
    const { dependencies, ...line } = repo(12, { description: 'described' })
    for (const lines of [[line], [{ ...line, dependencies: null }]]) await load(service, { repos: lines })
    expect(await read('/repos/grace/repo-12/dependencies')).toEqual(dependencies)
    records.repos.set(12, { ...line, dependencies })
    expect(await readFilters(service, service.key, names)).toEqual(expectFilters(records, names))
    await change({ repos: [repo(12, { dependencies: [] })] })
  })

  test('makes in many steps what a load of the final state makes at once', async () => {
    const fresh = await startTestService(kind, { data: 'empty' })
    await load(fresh, {
      users: [...records.users.values()],
      repos: [...records.repos.values()],
      commits: [...records.commits.values()],
    })
    const freshKey = await createAdmin(fresh)
    expect(await readCatalog(fresh, freshKey)).toEqual(await readCatalog(service, service.key))
    expect(await readFilters(fresh, freshKey, names)).toEqual(await readFilters(service, service.key, names))
    await fresh.close()
  })

  test('refuses a commit that names a URL that its repository has just lost', async () => {
    const version = await readDatasetVersion(service)
    const moved = repo(13, { url: 'https://forge.example/r/13-moved', dependencies: [] })
    const commits = [createCommit(40, 'https://forge.example/r/13', 'a@example.org', 1)]
    await expect(load(service, { repos: [moved], commits })).rejects.toThrow(
      'commits.ndjson:1: repo_url: no repository has this URL',
    )
    expect(await readDatasetVersion(service)).toBe(version)
  })

  test('moves commits and kept dependencies of a repository whose URL changes', async () => {
    const before = await read('/repos/linus/repo-11/commits')
    const kept = await read('/repos/linus/repo-11/dependencies')
    const { dependencies: _kept, ...line } = repo(11, { url: 'https://forge.example/r/11-moved' })
    await load(service, { repos: [line] })
    const url = 'https://forge.example/r/11-moved'
    expect(await read('/repos/linus/repo-11/commits')).toEqual(
      before.map((commit) => ({ ...commit, repo_url: url })),
    )
    expect(await read('/repos/linus/repo-11/dependencies')).toEqual(kept.map((each) => ({ ...each, url })))
  })
})

describeOnOneDatabase('an import of ten thousand files', (kind) => {
  test('takes the last of several lines for one thing, in the last files too', async () => {
    const service = await startTestService(kind, { data: 'empty' })
    const key = await createAdmin(service)
    const last = [createUser(1), { ...createUser(2), company: 'The last' }]
    const sources = Array.from({ length: 10_000 }, () => createSource('users', ''))
    sources.push(createSource('users', toLines([createUser(2)])), createSource('users', toLines(last)))
    await importNdjson(service.sql, { sources })
    expect(readListResponse(await service.request('/users', { key })).data).toMatchObject(last)
    await service.close()
  })
})

describeOnOneDatabase('a repository’s URL in other letters', (kind) => {
  test('is the repository’s wherever it is said, and follows it', async () => {
    const service = await startTestService(kind, { data: 'empty' })
    const key = await createAdmin(service)
    const [url, other] = ['https://forge.example/r/1', 'https://forge.example/R/1']
    const { dependencies: _dependencies, ...repository } = createRepository(1, 'user-1', [])
    const dependencies = [createDependency(other, 'left')]
    const path = `/repos/${repository.full_name}`
    const read = async (list: string) =>
      readListResponse(await service.request(`${path}/${list}`, { key })).data
    const commits = [createCommit(1, other, 'a@example.org', 1)]
    await load(service, { repos: [{ ...repository, url, dependencies }], commits })
    expect((await read('dependencies')).map((use) => use.url)).toEqual([url])
    const moved = 'https://forge.example/r/1&moved'
    await load(service, { repos: [{ ...repository, url: moved }] })
    expect((await read('dependencies')).map((use) => use.url)).toEqual([moved])
    expect(await read('commits')).toEqual([{ ...commits[0], repo_url: moved }])
    await service.close()
  })

  test('is that of its commits, however loads spell it, and a load that spells it otherwise changes nothing', async () => {
    const service = await startTestService(kind, { data: 'empty' })
    const key = await createAdmin(service)
    const repository = createRepository(1, 'user-1', [])
    const { url } = repository
    const read = () => service.request(`/repos/${repository.full_name}/commits`, { key })
    const spell = (repo_url: string) =>
      [1, 2].map((number) => createCommit(number, repo_url, 'a@example.org', number))
    await load(service, { repos: [repository], commits: spell(`${url.toUpperCase()}.git/`) })
    const first = await read()
    expect(readListResponse(first).data).toEqual(spell(url).reverse())
    const version = await readDatasetVersion(service)
    for (const other of [url, `${url}/`, url.replace('https:', 'http:')]) {
      await load(service, { commits: spell(other) })
    }
    expect(await readDatasetVersion(service)).toBe(version)
    expect((await read()).headers.get('etag')).toBe(first.headers.get('etag'))

    await load(service, { repos: [{ ...repository, url: `${url}/` }] })
    const renamed = await read()
    expect(readListResponse(renamed).data).toEqual(spell(`${url}/`).reverse())
    expect(renamed.headers.get('etag')).not.toBe(first.headers.get('etag'))
    await service.close()
  })
})
