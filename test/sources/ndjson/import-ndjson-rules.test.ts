import { beforeAll, expect, test } from 'vitest'
import { type InvalidLine, importNdjson } from '../../../api/sources/ndjson/import.ts'
import { ImportError } from '../../../api/staging/import-error.ts'
import { readCatalog } from '../../support/catalog.ts'
import { createSource, load, nothing, readDatasetVersion, toLines } from '../../support/ndjson.ts'
import { createCommit, createDependency, createRepository, createUser } from '../../support/records.ts'
import { describeOnOneDatabase, useService } from '../../support/service.ts'

describeOnOneDatabase('an import', (kind) => {
  const service = useService(kind, { key: { role: 'admin' }, data: 'empty' })
  const url = 'https://forge.example/r/1'
  const valid = {
    users: createUser(1),
    repos: createRepository(1, 'user-1', ['left']),
    commits: createCommit(1, url, 'a@example.org', 1),
  }
  beforeAll(async () => {
    await load(service, { repos: [valid.repos] })
  })

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
    [{ updated_at: '2024-01-01T24:00:00Z' }, 'updated_at: must be a date that exists'],
    [{ updated_at: '0000-01-01T00:00:00Z' }, 'updated_at: must be a date that exists'],
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
    ...['added_commit_hash', 'removed_commit_hash'].flatMap((field): [object, string][] => [
      [uses({ [field]: 'A'.repeat(40) }), `dependencies.1.${field}: ${hash}`],
      [uses({ [field]: 7 }), `dependencies.1.${field}: ${string}`],
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

  test('stops at a line that breaks a rule, with file, line, field and rule, and changes nothing', async () => {
    const version = await readDatasetVersion(service)
    const before = await readCatalog(service, service.key)
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
    expect(await readDatasetVersion(service)).toBe(version)
    expect(await readCatalog(service, service.key)).toEqual(before)
    expect(await service.sql`select from imports`).toHaveLength(0)
    expect(await service.sql`select from pg_class where relname ~ '^import_'`).toHaveLength(0)
  })

  test.each([
    ['{"login":', /^users\.ndjson:1: not JSON: .+; nothing was changed$/],
    ['[]', /^users\.ndjson:1: must be a JSON object; nothing was changed$/],
    ['null', /^users\.ndjson:1: must be a JSON object; nothing was changed$/],
    ['"text"', /^users\.ndjson:1: must be a JSON object; nothing was changed$/],
    ['{} {}', /^users\.ndjson:1: not JSON: .+; nothing was changed$/],
  ])('refuses %s as a line of users', async (line, message) => {
    const sources = [createSource('users', line)]
    await expect(importNdjson(service.sql, { sources })).rejects.toThrow(message)
  })

  test('takes a line without a field that may be null, and lists it as null', async () => {
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
    expect((await service.request('/users/user-50', { key: service.key })).json()).toEqual(createUser(50))
  })

  test('gives invalid lines to onInvalid with their reason, and loads the others', async () => {
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

describeOnOneDatabase('commits without a repository', (kind) => {
  const service = useService(kind, { data: 'empty' })

  test('are reported in their order, however many, and the others are loaded', async () => {
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
    expect(result.commits).toEqual({ added: 500, updated: 0, removed: 0 })
    expect(lost).toEqual(commits.flatMap((_, index) => (index % 5 === 4 ? [] : [index + 1])))
    // A pass over what is staged takes longer the more that is.
    expect(statements.filter((query) => query.includes('distinct url_key'))).toHaveLength(1)
    expect(await service.sql`select from pg_class where relname ~ '^import_'`).toHaveLength(0)
  })
})
