import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readDataset } from '../api/catalog/dataset.ts'
import { openDatabase } from '../api/database/database.ts'
import { applyImport, applyLock, type ImportResult } from '../api/import/apply.ts'
import { ImportError } from '../api/import/import-error.ts'
import { type InvalidLine, importNdjson, type Source } from '../api/import/ndjson.ts'
import { readRecord } from '../api/import/records.ts'
import { beginStaging } from '../api/import/staging.ts'
import type { SampleCommit, SampleDependency, SampleRepository, SampleUser } from '../sample/records.ts'
import { expectFilters, type Item, type Records, readCatalog, readFilters } from './support/catalog.ts'
import { locationOf, runCommand } from './support/command-line.ts'
import { testPool } from './support/databases.ts'
import { startFaultyProxy } from './support/faulty-proxy.ts'
import { openSameDatabase } from './support/instance.ts'
import { readListAnswer } from './support/list-answer.ts'
import { createCommit, createDependency, createRepository, createUser } from './support/records.ts'
import { getServerUrl, testOnServer } from './support/server.ts'
import { describeOnEachDatabase, startTestService, type TestService } from './support/service.ts'

type Kind = Source['kind']
interface Load {
  users?: readonly object[]
  repos?: readonly object[]
  commits?: readonly object[]
}

const nothing = { added: 0, updated: 0 }

/** A file in memory, read in chunks of so many bytes. */
function createSource(kind: Kind, content: string | Uint8Array, chunkSize = 65_536): Source {
  const bytes = Buffer.from(content)
  return {
    kind,
    name: `${kind}.ndjson`,
    size: bytes.length,
    async *open() {
      for (let at = 0; at < bytes.length; at += chunkSize) yield bytes.subarray(at, at + chunkSize)
    },
  }
}

function toLines(records: readonly object[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('')
}

function load({ sql }: TestService, { users = [], repos = [], commits = [] }: Load): Promise<ImportResult> {
  return importNdjson(sql, {
    // Commits come first: the order of files must not matter.
    sources: [
      createSource('commits', toLines(commits)),
      createSource('repos', toLines(repos)),
      createSource('users', toLines(users)),
    ],
  })
}

async function readVersion({ sql }: TestService): Promise<number> {
  const [dataset] = await sql<{ version: number }[]>`select version from dataset`
  return dataset?.version ?? Number.NaN
}

async function createAdmin(service: TestService): Promise<string> {
  return (await service.createKey({ role: 'admin' })).secret
}

describeOnEachDatabase('import ndjson, from one instance to another', (kind) => {
  let origin: TestService
  let target: TestService
  let originKey: string
  let targetKey: string
  beforeAll(async () => {
    origin = await startTestService(kind)
    target = await startTestService(kind, { data: 'empty' })
    originKey = await createAdmin(origin)
    targetKey = await createAdmin(target)
  })
  afterAll(async () => {
    await origin.close()
    await target.close()
  })

  test('what one lists, another can load, and then lists the same', async () => {
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
      users: { added: 300, updated: 0 },
      repositories: { added: 400, updated: 0 },
      commits: { added: 5878, updated: 0 },
      version: 1,
    })
    expect(await readCatalog(target, targetKey)).toEqual(await readCatalog(origin, originKey))
    const names = ['react', 'pg', 'rspec', 'serde', 'no-such-package']
    expect(await readFilters(target, targetKey, names)).toEqual(await readFilters(origin, originKey, names))

    const again = await load(target, { users, repos, commits })
    expect(again).toEqual({ users: nothing, repositories: nothing, commits: nothing, version: 1 })
  })

  async function readItems(service: TestService, key: string, path: string): Promise<Item[]> {
    const items: Item[] = []
    for (let page = 1; ; page++) {
      const answer = readListAnswer(await service.request(`${path}?per_page=100&page=${page}`, { key }))
      items.push(...answer.data)
      if (!answer.pagination.has_more) return items
    }
  }
})

describeOnEachDatabase('import ndjson, updating in place', (kind) => {
  let service: TestService
  let key: string
  const names = ['left', 'right', 'common', 'late', 'never']
  const records: Records = { users: new Map(), repos: new Map(), commits: new Map() }
  beforeAll(async () => {
    service = await startTestService(kind, { data: 'empty' })
    key = await createAdmin(service)
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
  afterAll(() => service.close())

  interface TypedLoad {
    users?: readonly SampleUser[]
    repos?: readonly SampleRepository[]
    commits?: readonly SampleCommit[]
  }

  /** Loads lines, remembers what they make of the whole, and holds all filters to it. */
  async function change(lines: TypedLoad): Promise<ImportResult> {
    for (const user of lines.users ?? []) records.users.set(user.forge_rest_id, user)
    for (const repo of lines.repos ?? []) records.repos.set(repo.forge_rest_id, repo)
    for (const commit of lines.commits ?? []) {
      records.commits.set(`${commit.repo_url} ${commit.commit_hash}`, commit)
    }
    const result = await load(service, lines)
    expect(await readFilters(service, key, names)).toEqual(expectFilters(records, names))
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
    return readListAnswer(await service.request(path, { key })).data
  }

  test('an e-mail address that passes from one user to another takes its commits along', async () => {
    const result = await change({
      users: [user(2, { email: null }), user(4, { email: 'GRACE@example.org' })],
    })
    expect(result).toMatchObject({ users: { added: 0, updated: 2 }, commits: nothing })
  })

  test('a repository that is handed over leaves its owner', async () => {
    await change({ repos: [repo(11, { owner_login: 'linus', full_name: 'linus/repo-11' })] })
    expect((await service.request('/repos/ada/repo-11', { key })).status).toBe(404)
    expect((await service.request('/repos/linus/repo-11', { key })).status).toBe(200)
  })

  test('a dependency that is gone is gone, one that was removed is still one that was used', async () => {
    const url = 'https://forge.example/r/12'
    const removed: SampleDependency = {
      ...createDependency(url, 'common'),
      status: 'removed',
      last_use_date: 9,
    }
    const result = await change({
      repos: [repo(12, { dependencies: [removed, createDependency(url, 'late')] })],
    })
    expect(result).toMatchObject({ repositories: { added: 0, updated: 1 } })
    expect(await read('/repos/grace/repo-12/dependencies')).toEqual([removed, createDependency(url, 'late')])
  })

  test('a commit whose author changes counts for the new one', async () => {
    const result = await change({
      commits: [createCommit(2, 'https://forge.example/r/12', 'Ada@example.org', 300)],
    })
    expect(result).toMatchObject({ commits: { added: 0, updated: 1 } })
  })

  test('a login that changes hands takes what is named by it', async () => {
    await change({ users: [user(3, { login: 'torvalds' }), user(4, { login: 'Linus' })] })
    expect(await (await service.request('/users/LINUS', { key })).json()).toMatchObject({ forge_rest_id: 4 })
  })

  test('a location that changes is found where it is now', async () => {
    await change({ users: [user(1, { location: 'Łódź' }), user(2, { location: null })] })
    const logins = async (place: string) =>
      (await read(`/users?location=${encodeURIComponent(place)}`)).map(({ login }) => login)
    expect([await logins('london'), await logins('york'), await logins('łÓDŹ')]).toEqual([[], [], ['Ada']])
  })

  test('commits come in between, newest first, those without a date last', async () => {
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

  test('of several lines for one thing in a load the last one counts', async () => {
    const result = await change({
      users: [
        user(1, { bio: 'first' }),
        user(1, { bio: 'second' }),
        createUser(5),
        createUser(5, { bio: 'once' }),
      ],
    })
    expect(result.users).toEqual({ added: 1, updated: 1 })
    expect(await (await service.request('/users/ada', { key })).json()).toMatchObject({ bio: 'second' })
    expect(await (await service.request('/users/user-5', { key })).json()).toMatchObject({ bio: 'once' })
  })

  test('a repository’s line without dependencies leaves those that are there', async () => {
    const { dependencies, ...line } = repo(12, { description: 'described' })
    for (const lines of [[line], [{ ...line, dependencies: null }]]) await load(service, { repos: lines })
    expect(await read('/repos/grace/repo-12/dependencies')).toEqual(dependencies)
    records.repos.set(12, { ...line, dependencies })
    expect(await readFilters(service, key, names)).toEqual(expectFilters(records, names))
    await change({ repos: [repo(12, { dependencies: [] })] })
  })

  test('all these changes leave what a load of the final state alone makes', async () => {
    const fresh = await startTestService(kind, { data: 'empty' })
    await load(fresh, {
      users: [...records.users.values()],
      repos: [...records.repos.values()],
      commits: [...records.commits.values()],
    })
    const freshKey = await createAdmin(fresh)
    expect(await readCatalog(fresh, freshKey)).toEqual(await readCatalog(service, key))
    expect(await readFilters(fresh, freshKey, names)).toEqual(await readFilters(service, key, names))
    await fresh.close()
  })

  test('a commit that names an address its repository has just lost is refused, not lost', async () => {
    const version = await readVersion(service)
    const moved = repo(13, { url: 'https://forge.example/r/13-moved', dependencies: [] })
    const commits = [createCommit(40, 'https://forge.example/r/13', 'a@example.org', 1)]
    await expect(load(service, { repos: [moved], commits })).rejects.toThrow(
      'commits.ndjson:1: repo_url: no repository has this URL',
    )
    expect(await readVersion(service)).toBe(version)
  })

  test('a repository whose address changes takes its commits and kept dependencies along', async () => {
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

describeOnEachDatabase('import ndjson, all or nothing', (kind) => {
  let service: TestService
  let key: string
  const url = 'https://forge.example/r/1'
  const valid = {
    users: createUser(1),
    repos: createRepository(1, 'user-1', ['left']),
    commits: createCommit(1, url, 'a@example.org', 1),
  }
  beforeAll(async () => {
    service = await startTestService(kind, { data: 'empty' })
    key = await createAdmin(service)
    await load(service, { repos: [valid.repos] })
  })
  afterAll(() => service.close())

  const texts = 'must be Unicode text without NUL characters'
  const string = 'must be a string'
  const integer = 'must be an integer'
  const safe = 'must be an integer up to ±(2^53 - 1)'
  const negative = 'must not be negative'
  const date = 'must be a date in Unix seconds, not milliseconds, in the years 1 to 9999'
  const flag = 'must be true or false'
  const name = 'must be 1 to 100 letters, digits, -, _, ., [ or ], and not . or ..'
  const web = 'must be an http or https URL'
  const time = 'must be an ISO 8601 timestamp such as 2024-05-06T07:08:09Z'
  const hash = 'must be 40 to 64 lowercase hexadecimal digits'
  const short = 'must have 1 to 255 characters'
  const object = 'must be a JSON object'
  const required = 'required'
  const use = createDependency(url, 'left')
  const uses = (fields: object) => ({ dependencies: [use, { ...createDependency(url, 'right'), ...fields }] })
  const declares = (fields: object) => uses({ dependency: { ...use.dependency, ...fields } })

  const userRules: [object, string][] = [
    ...[
      'forge_rest_id',
      'forge_graphql_id',
      'login',
      'followers',
      'following',
      'type',
      'created_at',
      'updated_at',
    ].map((field): [object, string] => [{ [field]: undefined }, `${field}: ${required}`]),
    ...['name', 'email', 'avatar_url', 'company', 'location', 'bio'].flatMap((field): [object, string][] => [
      [{ [field]: 7 }, `${field}: ${string}`],
      [{ [field]: 'a\0b' }, `${field}: ${texts}`],
      [{ [field]: '\ud800' }, `${field}: ${texts}`],
    ]),
    [{ forge_rest_id: '1' }, `forge_rest_id: ${integer}`],
    [{ forge_rest_id: null }, `forge_rest_id: ${integer}`],
    [{ forge_rest_id: 1.5 }, `forge_rest_id: ${safe}`],
    [{ forge_rest_id: 2 ** 53 }, `forge_rest_id: ${safe}`],
    [{ forge_graphql_id: 1 }, `forge_graphql_id: ${string}`],
    [{ login: 1 }, `login: ${string}`],
    [{ login: '' }, `login: ${name}`],
    [{ login: 'a b' }, `login: ${name}`],
    [{ login: 'é' }, `login: ${name}`],
    [{ login: 'a'.repeat(101) }, `login: ${name}`],
    [{ followers: -1 }, `followers: ${negative}`],
    [{ followers: 1.5 }, `followers: ${safe}`],
    [{ following: null }, `following: ${integer}`],
    [{ following: -1 }, `following: ${negative}`],
    [{ type: null }, `type: ${string}`],
    [{ created_at: 1_700_000_000 }, `created_at: ${string}`],
    [{ created_at: '2024-01-01' }, `created_at: ${time}`],
    [{ created_at: '2024-01-01T00:00:00' }, `created_at: ${time}`],
    [{ updated_at: '01/02/2024' }, `updated_at: ${time}`],
    [{ updated_at: '2024-13-01T00:00:00Z' }, 'updated_at: must be a date that exists'],
    [{ updated_at: '2023-02-29T00:00:00Z' }, 'updated_at: must be a date that exists'],
    [{ updated_at: '2024-01-01T00:61:00Z' }, 'updated_at: must be a date that exists'],
    [{ nickname: 'x' }, 'nickname: unknown field'],
  ]
  const repositoryRules: [object, string][] = [
    ...['forge_rest_id', 'forge_graphql_id', 'url', 'name', 'full_name', 'owner_login'].map(
      (field): [object, string] => [{ [field]: undefined }, `${field}: ${required}`],
    ),
    ...['private', 'fork', 'archived', 'disabled', 'has_issues', 'has_discussions', 'has_projects'].map(
      (field): [object, string] => [{ [field]: 'yes' }, `${field}: ${flag}`],
    ),
    ...['forks_count', 'stargazers_count', 'watchers_count', 'open_issues_count', 'size'].flatMap(
      (field): [object, string][] => [
        [{ [field]: '1' }, `${field}: ${integer}`],
        [{ [field]: -1 }, `${field}: ${negative}`],
      ],
    ),
    ...['created_at', 'updated_at', 'pushed_at'].flatMap((field): [object, string][] => [
      [{ [field]: '2024-01-01T00:00:00Z' }, `${field}: ${integer}`],
      [{ [field]: 0.5 }, `${field}: ${safe}`],
      [{ [field]: 253_402_300_800 }, `${field}: ${date}`],
      [{ [field]: -62_135_596_801 }, `${field}: ${date}`],
    ]),
    ...[
      'owner_avatar_url',
      'description',
      'homepage',
      'license',
      'language',
      'visibility',
      'default_branch',
    ].flatMap((field): [object, string][] => [
      [{ [field]: {} }, `${field}: ${string}`],
      [{ [field]: 'a\0b' }, `${field}: ${texts}`],
    ]),
    [{ forge_rest_id: true }, `forge_rest_id: ${integer}`],
    [{ url: 'forge.example/r/1' }, `url: ${web}`],
    [{ url: 'ssh://forge.example/r/1' }, `url: ${web}`],
    [{ url: `https://forge.example/${'a'.repeat(2000)}` }, 'url: must have at most 2000 bytes'],
    [{ url: `https://forge.example/${'東'.repeat(700)}` }, 'url: must have at most 2000 bytes'],
    [{ url: 'https://ada@forge.example/r/1' }, 'url: must not contain a user name or a token'],
    [{ url: 'https://:token@forge.example/r/1' }, 'url: must not contain a user name or a token'],
    [{ name: 'a/b' }, `name: ${name}`],
    [{ owner_login: '' }, `owner_login: ${name}`],
    [{ full_name: 'other/repo-1' }, 'full_name: must be owner_login/name, user-1/repo-1'],
    [{ dependencies: {} }, 'dependencies: must be an array'],
    [{ dependencies: ['left'] }, `dependencies.0: ${object}`],
    [uses({ url: 'https://forge.example/r/2' }), `dependencies.1.url: must be the repository's URL, ${url}`],
    [uses({ url: undefined }), `dependencies.1.url: ${required}`],
    [uses({ first_use_date: 'x' }), `dependencies.1.first_use_date: ${integer}`],
    [uses({ last_use_date: 1.5 }), `dependencies.1.last_use_date: ${safe}`],
    [uses({ updated_at: false }), `dependencies.1.updated_at: ${integer}`],
    ...['first_use_date', 'last_use_date', 'updated_at'].map((field): [object, string] => [
      uses({ [field]: 1_700_000_000_000 }),
      `dependencies.1.${field}: ${date}`,
    ]),
    [uses({ status: 'gone' }), 'dependencies.1.status: must be active or removed'],
    [uses({ dependency: undefined }), `dependencies.1.dependency: ${required}`],
    [uses({ dependency: 'right' }), `dependencies.1.dependency: ${object}`],
    [uses({ version: '1' }), 'dependencies.1.version: unknown field'],
    [declares({ dependency_name: '' }), `dependencies.1.dependency.dependency_name: ${short}`],
    [declares({ dependency_name: 'x'.repeat(256) }), `dependencies.1.dependency.dependency_name: ${short}`],
    [declares({ dependency_file: 7 }), `dependencies.1.dependency.dependency_file: ${string}`],
    [declares({ dependency_file: undefined }), `dependencies.1.dependency.dependency_file: ${required}`],
    [declares({}), 'dependencies.1.dependency: has the same name and file as dependencies.0'],
    [{ topics: [] }, 'topics: unknown field'],
  ]
  const commitRules: [object, string][] = [
    ...['commit_hash', 'author_email', 'committer_email', 'message', 'repo_url'].map(
      (field): [object, string] => [{ [field]: undefined }, `${field}: ${required}`],
    ),
    [{ commit_hash: 'abc' }, `commit_hash: ${hash}`],
    [{ commit_hash: 'A'.repeat(40) }, `commit_hash: ${hash}`],
    [{ commit_hash: 'a'.repeat(65) }, `commit_hash: ${hash}`],
    [{ author_email: null }, `author_email: ${string}`],
    [{ committer_email: 7 }, `committer_email: ${string}`],
    [{ author_date: '1' }, `author_date: ${integer}`],
    [{ committer_date: 1e300 }, `committer_date: ${safe}`],
    [{ author_date: 1_700_000_000_000 }, `author_date: ${date}`],
    [{ committer_date: 253_402_300_800 }, `committer_date: ${date}`],
    [{ message: 'a\0b' }, `message: ${texts}`],
    [{ repo_url: 'r/1' }, `repo_url: ${web}`],
    [
      { repo_url: 'https://forge.example/r/unknown' },
      'repo_url: no repository has this URL; load the repository first, or together with its commits',
    ],
    [{ parents: [] }, 'parents: unknown field'],
  ]
  const cases = [
    ...userRules.map(([patch, reason]) => ['users', patch, reason] as const),
    ...repositoryRules.map(([patch, reason]) => ['repos', patch, reason] as const),
    ...commitRules.map(([patch, reason]) => ['commits', patch, reason] as const),
  ]

  test('a line that breaks a rule stops the load with file, line, field and rule', async () => {
    const version = await readVersion(service)
    const before = await readCatalog(service, key)
    for (const [kindOfLine, patch, reason] of cases) {
      // A valid line that would change something goes before it, and one comes after it.
      const lines = [{ ...valid.users, bio: 'changed' }, createUser(77)]
      const bad = { ...valid[kindOfLine], ...patch }
      const sources = [
        createSource('users', toLines(lines)),
        createSource(kindOfLine, `${toLines([valid[kindOfLine]])}\n${toLines([bad, valid[kindOfLine]])}`),
      ]
      const loading = importNdjson(service.sql, { sources })
      await expect(loading).rejects.toThrow(ImportError)
      await expect(loading).rejects.toThrow(
        new ImportError(`${kindOfLine}.ndjson:3: ${reason}; nothing was changed`),
      )
    }
    expect(await readVersion(service)).toBe(version)
    expect(await readCatalog(service, key)).toEqual(before)
    expect(await service.sql`select from imports`).toHaveLength(0)
    expect(await service.sql`select from pg_class where relname like 'import\\_%'`).toHaveLength(0)
  })

  test.each([
    ['{"login":', /^users\.ndjson:1: not JSON: .+; nothing was changed$/],
    ['[]', /^users\.ndjson:1: must be a JSON object; nothing was changed$/],
    ['null', /^users\.ndjson:1: must be a JSON object; nothing was changed$/],
    ['"text"', /^users\.ndjson:1: must be a JSON object; nothing was changed$/],
    ['{} {}', /^users\.ndjson:1: not JSON: .+; nothing was changed$/],
  ])('%s is no line of users', async (line, message) => {
    const sources = [createSource('users', line)]
    await expect(importNdjson(service.sql, { sources })).rejects.toThrow(message)
  })

  test('a field that may be null may be left out, and is listed as null', async () => {
    const { forge_rest_id, forge_graphql_id, login, followers, following, type, created_at, updated_at } =
      createUser(50)
    const least = {
      forge_rest_id,
      forge_graphql_id,
      login,
      followers,
      following,
      type,
      created_at,
      updated_at,
    }
    await load(service, { users: [least] })
    expect((await service.request('/users/user-50', { key })).json()).toEqual(createUser(50))
  })

  test('invalid lines go to onInvalid with their reason, and the rest is loaded', async () => {
    const invalid: InvalidLine[] = []
    const bad = { ...createRepository(60, 'user-60', []), size: -1 }
    const lost = createCommit(60, bad.url, 'a@example.org', 1)
    const kept = createCommit(61, url, 'a@example.org', 1)
    const result = await importNdjson(service.sql, {
      sources: [
        createSource('users', toLines([createUser(60), { ...createUser(61), login: 'no login' }])),
        createSource('repos', toLines([bad])),
        createSource('commits', toLines([lost, kept])),
      ],
      onInvalid: async (line) => {
        invalid.push(line)
      },
    })
    expect(result).toMatchObject({ users: { added: 1 }, repositories: nothing, commits: { added: 1 } })
    expect(invalid).toEqual([
      {
        file: 'users.ndjson',
        line: 2,
        reason: `login: ${name}`,
        content: JSON.stringify({ ...createUser(61), login: 'no login' }),
      },
      { file: 'repos.ndjson', line: 1, reason: `size: ${negative}`, content: JSON.stringify(bad) },
      {
        file: 'commits.ndjson',
        line: 1,
        reason:
          'repo_url: no repository has this URL; load the repository first, or together with its commits',
        content: JSON.stringify(lost),
      },
    ])
  })
})

testOnServer('the data is as new as the load is, though it has waited for another one', async () => {
  const service = await startTestService('postgresql', { data: 'empty' })
  const other = await openSameDatabase(service)
  try {
    const { loading, released } = await other.sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(${applyLock})`
      const loading = load(service, { users: [createUser(1)] })
      for (let isWaiting = false; !isWaiting; await sleep(20)) {
        const waiting = await tx`
            select from pg_locks join pg_database d on d.oid = database
            where datname = current_database() and locktype = 'advisory' and not granted`
        isWaiting = waiting.length > 0
      }
      const [clock] = await tx<{ released: Date }[]>`select clock_timestamp() as released`
      return { loading, released: clock?.released }
    })
    await loading
    const { updated_at } = await readDataset(service.sql)
    expect(updated_at.getTime()).toBeGreaterThanOrEqual(released?.getTime() ?? Number.NaN)
  } finally {
    await other.close()
    await service.close()
  }
})

describeOnEachDatabase('import ndjson, beside another load', (kind) => {
  test('keeps what the other has staged; on a server, it says that it waits', async () => {
    const service = await startTestService(kind, { data: 'empty' })
    const steps = new Set<string>()
    const { promise: waits, resolve: noteWait } = Promise.withResolvers<void>()
    const staging = await beginStaging(service.sql)
    await staging.add('users', 0, readRecord('users', JSON.stringify(createUser(1))))
    await staging.flush()
    const loadSecond = () =>
      importNdjson(service.sql, {
        sources: [createSource('users', toLines([createUser(2)]))],
        onProgress({ step }) {
          steps.add(step)
          if (step === 'waiting for another load') noteWait()
        },
      })
    if (kind === 'embedded') {
      await loadSecond() // whatever waits there waits for the session
    } else {
      const second = await service.sql.begin(async (tx) => {
        await tx`select pg_advisory_xact_lock(${applyLock})`
        const loading = loadSecond()
        await waits
        return { loading }
      })
      await second.loading
    }
    await applyImport(service.sql, staging.id)
    await staging.end()
    const waiting = kind === 'embedded' ? [] : ['waiting for another load']
    expect([...steps]).toEqual(['reading users', ...waiting, 'applying'])
    const { data } = readListAnswer(await service.request('/users', { key: await createAdmin(service) }))
    expect(data.map(({ login }) => login).sort()).toEqual(['user-1', 'user-2'])
    await service.close()
  })
})

testOnServer('a load that readers see is no failure, though the connection is lost behind it', async () => {
  const service = await startTestService('postgresql', { data: 'empty' })
  await using proxy = await startFaultyProxy(getServerUrl(), 'delete from stored_lists') // after the load
  const databaseUrl = proxy.urlOf(service.location.databaseUrl ?? '')
  const loader = await openDatabase({ ...testPool, databaseUrl, dataDirectory: '' })
  try {
    const broken = proxy.breakNext('sent')
    const result = await load({ ...service, sql: loader.sql }, { users: [createUser(1)] })
    expect(await broken).toBeGreaterThan(0)
    expect(result).toMatchObject({ users: { added: 1 }, version: await readVersion(service) })
  } finally {
    await loader.close()
    await service.close()
  }
})

describeOnEachDatabase('import ndjson, ten thousand files', (kind) => {
  test('of several lines for one thing the last one wins, in the last files too', async () => {
    const service = await startTestService(kind, { data: 'empty' })
    const key = await createAdmin(service)
    const last = [createUser(1), { ...createUser(2), company: 'The last' }]
    const sources = Array.from({ length: 10_000 }, () => createSource('users', ''))
    sources.push(createSource('users', toLines([createUser(2)])), createSource('users', toLines(last)))
    await importNdjson(service.sql, { sources })
    expect(readListAnswer(await service.request('/users', { key })).data).toMatchObject(last)
    await service.close()
  })
})

describeOnEachDatabase('import ndjson, an address in other letters', (kind) => {
  test('is the repository’s wherever it is said, and follows it', async () => {
    const service = await startTestService(kind, { data: 'empty' })
    const key = await createAdmin(service)
    const [url, other] = ['https://forge.example/r/1', 'https://forge.example/R/1']
    const { dependencies: _dependencies, ...repository } = createRepository(1, 'user-1', [])
    const dependencies = [createDependency(other, 'left')]
    const path = `/repos/${repository.full_name}`
    const read = async (list: string) =>
      readListAnswer(await service.request(`${path}/${list}`, { key })).data
    const commits = [createCommit(1, other, 'a@example.org', 1)]
    await load(service, { repos: [{ ...repository, url, dependencies }], commits })
    expect((await read('dependencies')).map((use) => use.url)).toEqual([url])
    const moved = 'https://forge.example/r/1&moved'
    await load(service, { repos: [{ ...repository, url: moved }] })
    expect((await read('dependencies')).map((use) => use.url)).toEqual([moved])
    expect(await read('commits')).toEqual([{ ...commits[0], repo_url: moved }])
    await service.close()
  })
})

describeOnEachDatabase('import ndjson, commits without a repository', (kind) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(kind, { data: 'empty' })
  })
  afterAll(() => service.close())

  test('are told in their order, however many, and the others are loaded', async () => {
    const repository = createRepository(1, 'user-1', [])
    const commits = Array.from({ length: 2_500 }, (_, index) =>
      createCommit(
        index,
        index % 5 === 4 ? repository.url : `https://forge.example/lost/${index % 700}`,
        'a@example.org',
        index,
      ),
    )
    const lost: number[] = []
    const statements: string[] = []
    const { debug } = service.sql.options
    service.sql.options.debug = (_connection, query) => statements.push(query)
    const result = await importNdjson(service.sql, {
      sources: [createSource('commits', toLines(commits)), createSource('repos', toLines([repository]))],
      onInvalid: async ({ file, line, reason, content }) => {
        expect([file, reason]).toEqual(['commits.ndjson', expect.stringMatching(/^repo_url: no repository/)])
        expect(JSON.parse(content)).toEqual(commits[line - 1])
        lost.push(line)
      },
    })
    service.sql.options.debug = debug
    expect(result.commits).toEqual({ added: 500, updated: 0 })
    expect(lost).toEqual(commits.flatMap((_, index) => (index % 5 === 4 ? [] : [index + 1])))
    // A pass over what is staged takes longer the more that is.
    expect(statements.filter((query) => query.includes('distinct url_key'))).toHaveLength(1)
    expect(await service.sql`select from pg_class where relname like 'import\\_%'`).toHaveLength(0)
  })
})

describeOnEachDatabase('import ndjson, lines', (kind) => {
  let service: TestService
  let key: string
  beforeAll(async () => {
    service = await startTestService(kind, { data: 'empty' })
    key = await createAdmin(service)
  })
  afterAll(() => service.close())

  const odd = 'a\u2028b\u2029c\u0085d\u000be 🦊 \\n é'
  const user = JSON.stringify(createUser(1, { bio: odd }))
  const other = JSON.stringify(createUser(2))
  test.each<[string, string]>([
    ['LF', `${user}\n${other}\n`],
    ['no newline at the end', `${user}\n${other}`],
    ['CRLF', `${user}\r\n${other}\r\n`],
    ['blank lines', `\n\n  \t\r\n${user}\n\n${other}\n\n   `],
    ['a byte order mark', `\ufeff${user}\n${other}\n`],
    ['a byte order mark in each of several files put together', `\ufeff${user}\n\ufeff${other}\n`],
  ])('are the same with %s, in chunks of any size', async (_what, text) => {
    for (const chunkSize of [1, 7, 65_536]) {
      const sources = [createSource('users', text, chunkSize)]
      const result = await importNdjson(service.sql, { sources })
      expect(result.version).toBe(1)
    }
    expect((await service.request('/users/user-1', { key })).json()).toEqual(createUser(1, { bio: odd }))
    expect((await service.request('/users', { key })).headers.get('X-Total-Count')).toBe('2')
  })

  test('none at all is a load that changes nothing', async () => {
    for (const text of ['', '\n', '\ufeff']) {
      const result = await importNdjson(service.sql, { sources: [createSource('users', text)] })
      expect(result).toMatchObject({ users: nothing })
    }
  })

  test('that are not UTF-8 stop the load, or are skipped like any other', async () => {
    const bytes = Buffer.concat([
      Buffer.from(`${JSON.stringify(createUser(3))}\n`),
      Buffer.from('"caf\xe9"\n', 'latin1'),
      Buffer.from(`${JSON.stringify(createUser(4))}\n`),
    ])
    const sources = [createSource('users', bytes)]
    await expect(importNdjson(service.sql, { sources })).rejects.toThrow(
      new ImportError('users.ndjson:2: not UTF-8 text; nothing was changed'),
    )
    const invalid: InvalidLine[] = []
    const result = await importNdjson(service.sql, {
      sources,
      onInvalid: async (line) => {
        invalid.push(line)
      },
    })
    expect(result.users).toEqual({ added: 2, updated: 0 })
    expect(invalid).toMatchObject([{ line: 2, reason: 'not UTF-8 text', content: '"caf\ufffd"' }])
  })

  test('that are longer than 64 MiB are refused without being kept', async () => {
    const source: Source = {
      kind: 'users',
      name: 'users.ndjson',
      size: undefined,
      async *open() {
        const chunk = Buffer.alloc(2 ** 20, 'x')
        for (let megabytes = 0; megabytes < 70; megabytes++) yield chunk
        yield Buffer.from(`\n${JSON.stringify(createUser(5))}`)
      },
    }
    const invalid: InvalidLine[] = []
    await importNdjson(service.sql, {
      sources: [source],
      onInvalid: async (line) => {
        invalid.push(line)
      },
    })
    expect(invalid).toEqual([
      { file: 'users.ndjson', line: 1, reason: 'longer than 67108864 bytes', content: '' },
    ])
    expect((await service.request('/users/user-5', { key })).status).toBe(200)
  })

  test('are loaded in roughly constant memory', async () => {
    // What is held: when the rest is cleared away, and how large the process is until then, is the engine's business.
    const report = `
      let peak = 0
      setInterval(() => {
        gc()
        const { heapUsed, external } = process.memoryUsage()
        peak = Math.max(peak, heapUsed + external)
      }, 100).unref()
      process.on('exit', () => console.error('held ' + peak))`
    const program = [
      process.execPath,
      '--expose-gc',
      '--import',
      `data:text/javascript,${encodeURIComponent(report)}`,
    ]
    /** The most that the command held at a time, in MiB. */
    const measurePeak = async (lines: number): Promise<number> => {
      const location = locationOf(service)
      async function* generate() {
        const bio = 'x'.repeat(1000)
        for (let number = 1; number <= lines; number++) {
          yield `${JSON.stringify(createUser(1_000_000 + number, { bio }))}\n`
        }
      }
      const { code, stdout, stderr } = await runCommand(
        ['import', 'ndjson', '-', '--kind', 'users', '--json'],
        { ...location, program, input: generate() },
      )
      expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining(`"lines":${lines}`) })
      return Number(/held (\d+)/.exec(stderr)?.[1]) / 2 ** 20
    }
    const few = await measurePeak(5_000)
    const many = await measurePeak(100_000) // more than 100 MiB of lines
    console.log(`a load of 5,000 lines held ${few.toFixed(1)} MiB at most, one of 100,000 ${many.toFixed(1)}`)
    expect(few).toBeGreaterThan(0)
    expect(many).toBeLessThan(few + 30)
  })
})

describeOnEachDatabase('import ndjson, beside readers', (kind) => {
  let service: TestService
  let key: string
  const people = 250
  beforeAll(async () => {
    service = await startTestService(kind, { data: 'empty' })
    key = await createAdmin(service)
  })
  afterAll(() => service.close())

  /** Everything says which generation it is of; each brings something that was not there, too. */
  function createGeneration(generation: number): Load {
    const url = 'https://forge.example/r/1'
    const author = `author-${generation}@example.org`
    return {
      users: Array.from({ length: people + generation }, (_, index) =>
        createUser(index + 1, {
          bio: `generation ${generation}`,
          location: `Place ${generation}`,
          email: index < 10 ? author : null,
        }),
      ),
      repos: Array.from({ length: 120 + generation }, (_, index) =>
        createRepository(index + 1, `user-${index + 1}`, [`package-${generation}`], {
          description: `generation ${generation}`,
        }),
      ),
      commits: Array.from({ length: 50 + generation }, (_, index) => ({
        ...createCommit(index + 1, url, author, index),
        message: `generation ${generation}`,
      })),
    }
  }

  test('who see the data before or after a load, never a mixture, and no error', async () => {
    await load(service, createGeneration(1))
    const newest = 6
    let isLoading = true
    const reads: Record<string, number> = {}

    /** Reads one list again and again; it must be of one generation, and never of an older one than before. */
    async function readInLoop(path: string, check: (items: Item[], total: number) => number): Promise<void> {
      let last = 1
      while (isLoading) {
        const { data, total } = readListAnswer(await service.request(path, { key }))
        const generation = check(data, total)
        expect([path, generation]).toEqual([path, Math.max(generation, last)])
        last = generation
        reads[path] = (reads[path] ?? 0) + 1
      }
    }
    /** The one generation that all items are of, by a text field. */
    function generationOf(items: readonly Item[], field: string): number {
      const generations = new Set(items.map((item) => item[field]))
      expect(generations.size).toBe(1)
      return Number(String([...generations][0]).replace('generation ', ''))
    }

    const readers = [
      readInLoop('/users?per_page=100&page=3', (items, total) => {
        const generation = generationOf(items, 'bio')
        expect([total, items.length]).toEqual([people + generation, people + generation - 200])
        return generation
      }),
      readInLoop('/repos?per_page=100', (items, total) => {
        const generation = generationOf(items, 'description')
        expect(total).toBe(120 + generation)
        for (const { dependencies } of items) {
          expect(dependencies).toMatchObject([{ dependency: { dependency_name: `package-${generation}` } }])
        }
        return generation
      }),
      readInLoop('/repos/user-1/repo-1/commits?per_page=100', (items, total) => {
        const generation = generationOf(items, 'message')
        expect([total, items.length]).toEqual([50 + generation, 50 + generation])
        return generation
      }),
      readInLoop(
        `/users?per_page=100&dependency_names=${Array.from({ length: newest }, (_, index) => `package-${index + 1}`)}`,
        (items, total) => {
          const generation = generationOf(items, 'bio')
          expect(total).toBe(120 + generation)
          return generation
        },
      ),
      readInLoop('/users?per_page=100&location=place', (items, total) => {
        const generation = generationOf(items, 'bio')
        expect(total).toBe(people + generation)
        return generation
      }),
    ]
    const loading = (async () => {
      try {
        for (let generation = 2; generation <= newest; generation++)
          await load(service, createGeneration(generation))
      } finally {
        isLoading = false
      }
    })()
    await Promise.all([...readers, loading])
    expect(Object.keys(reads)).toHaveLength(readers.length)
    const { data } = readListAnswer(await service.request('/users', { key }))
    expect(data[0]).toMatchObject({ bio: `generation ${newest}` })
    expect(await readFilters(service, key, ['package-1', `package-${newest}`])).toMatchObject({
      'package-1': { users: [], repos: [] },
    })
  })
})
