/** `import github`: repositories, histories and people, as the forge has them. */
import { expect, test } from 'vitest'
import { selectMember } from '../../../api/catalog/stored-documents.ts'
import { identifyAddress } from '../../../api/names/forge-names.ts'
import { forgetPerson } from '../../../api/people/forget.ts'
import { exportNdjson } from '../../../api/sources/ndjson/export.ts'
import { createFolder, readObjects } from '../../support/export-folder.ts'
import type { Account } from '../../support/fake-forge/model.ts'
import { searchTables } from '../../support/forgotten.ts'
import { startTestForge } from '../../support/github-import.ts'
import { nothing } from '../../support/ndjson.ts'
import { describeOnOneDatabase, useService } from '../../support/service.ts'
import { useStarted } from '../../support/suite.ts'

describeOnOneDatabase('An import of an organization', (kind) => {
  const service = useService(kind, { data: 'empty' })
  const test1 = useStarted(startTestForge)

  async function readAll(name: string): Promise<Record<string, unknown>[]> {
    await using folder = await createFolder()
    await exportNdjson(service.sql, folder.path)
    return await readObjects(folder.path, `${name}.ndjson`)
  }

  test('loads its public repositories with their commits, and says what it leaves out', async () => {
    const { organization, forge } = test1
    const result = await test1.load(service.sql)
    const { special } = organization
    const listed = organization.model.repositories.filter(
      ({ owner, isPrivate, isBlocked }) => owner === organization.account && !isPrivate && !isBlocked,
    )
    const repositories = await readAll('repos')
    expect(repositories.map(({ forge_rest_id }) => forge_rest_id).sort()).toEqual(
      listed.map(({ databaseId }) => databaseId).sort(),
    )
    expect(result.skipped).toEqual([
      { name: 'a repository of acme-works', reason: 'GitHub refuses it: Repository access blocked' },
      { name: 'acme-works/empty', reason: 'without its history: it is empty' },
      { name: 'acme-works/disabled', reason: 'without its history: disabled by the forge' },
    ])
    const { monolith } = special
    expect(repositories.find(({ forge_rest_id }) => forge_rest_id === monolith.databaseId)).toMatchObject({
      forge_graphql_id: monolith.id,
      url: `${forge.origin}/acme-works/monolith`,
      full_name: 'acme-works/monolith',
      private: false,
      owner_login: 'acme-works',
      owner_avatar_url: expect.stringContaining('/avatars/'),
      description: monolith.description,
      homepage: monolith.homepageUrl,
      fork: false,
      forks_count: monolith.forkCount,
      archived: false,
      disabled: false,
      license: monolith.license,
      language: monolith.language,
      stargazers_count: monolith.stargazerCount,
      watchers_count: monolith.watcherCount,
      open_issues_count: monolith.openIssueCount,
      has_issues: true,
      has_discussions: monolith.hasDiscussionsEnabled,
      has_projects: monolith.hasProjectsEnabled,
      created_at: Date.parse(monolith.createdAt) / 1000,
      updated_at: Date.parse(monolith.updatedAt) / 1000,
      pushed_at: Date.parse(monolith.pushedAt ?? '') / 1000,
      visibility: 'public',
      size: monolith.diskUsage,
      default_branch: 'main',
    })
    const commits = await readAll('commits')
    expect(commits.filter(({ repo_url }) => repo_url === `${forge.origin}/acme-works/monolith`)).toHaveLength(
      300,
    )
    expect(result.load).toMatchObject({ version: 1, commits: { added: commits.length }, forgotten: 0 })
    expect(result.fetched).toBe(listed.length - 2)
  })

  test('makes users of its owner and of all accounts that committed, each with the addresses', async () => {
    const { organization, forge } = test1
    const users = await readAll('users')
    const commits = await readAll('commits')
    const addresses = new Set(commits.map(({ author_email }) => String(author_email)))
    const authors = [...addresses].flatMap((address) => organization.model.findAuthor(address) ?? [])
    const expected = new Set<Account>([organization.account, ...authors])
    expect(users.map(({ forge_rest_id }) => forge_rest_id).sort()).toEqual(
      [...expected].map(({ databaseId }) => databaseId).sort(),
    )
    const person = authors.find(({ kind: type, location }) => type === 'User' && location !== null)
    expect(users.find(({ login }) => login === person?.login)).toEqual({
      forge_rest_id: person?.databaseId,
      forge_graphql_id: person?.id,
      login: person?.login,
      name: person?.name,
      email: person?.email === '' ? null : person?.email,
      avatar_url: expect.stringContaining(`${forge.origin}/avatars/`),
      company: person?.company,
      location: person?.location,
      bio: person?.bio,
      followers: person?.followerCount,
      following: person?.followingCount,
      type: 'User',
      created_at: person?.createdAt,
      updated_at: person?.updatedAt,
    })
    expect(users.find(({ type }) => type === 'Organization')).toMatchObject({
      login: 'acme-works',
      email: 'hello@acme.example',
      bio: 'We make everything',
      followers: 0,
    })
    expect(users.find(({ type }) => type === 'Bot')).toMatchObject({ login: 'dependabot[bot]', name: null })
    // Every address leads to the user of its account.
    const linked = await service.sql<{ address: string; id: number | null }[]>`
      select distinct ${selectMember(service.sql, service.sql`c.members`, 'author_email')} as address, u.forge_rest_id as id
      from commits c
        left join identities i on i.identity = c.author_identity
        left join users u on u.id = i.user_id`
    expect(new Map(linked.map(({ address, id }) => [address, id]))).toEqual(
      new Map(
        [...addresses].map((address) => [
          address,
          organization.model.findAuthor(address)?.databaseId ?? null,
        ]),
      ),
    )
    expect(linked).toHaveLength(addresses.size)
  })

  test('costs a query for each 100 repositories, authors and profiles', () => {
    const { requests } = test1.forge
    const queries = requests.filter(({ kind }) => kind === 'query')
    expect(queries.map(({ what }) => what)).toEqual(['OwnedRepositories', 'Authors', 'Accounts'])
  })

  test('leaves out private repositories, even if the token sees them', async () => {
    const { forge, organization } = test1
    const tokens = [forge.createToken({ seesPrivate: true }).text]
    const { special } = organization
    const targets = [{ owner: 'acme-works' }, { owner: 'acme-works', name: special.secret.name }]
    const result = await test1.load(service.sql, { targets, tokens })
    expect(result.skipped).toContainEqual({ name: 'acme-works/secret', reason: 'private' })
    expect(result.load?.repositories).toEqual(nothing)
    const repositories = await readAll('repos')
    expect(repositories.map(({ name }) => name)).not.toContain('secret')
    expect(forge.requests.filter(({ what }) => what.startsWith('acme-works/secret '))).toEqual([])
  })

  test('asks only for the list of repositories again when nothing has changed, and changes nothing', async () => {
    test1.forge.requests.length = 0
    const result = await test1.load(service.sql)
    expect(result).toMatchObject({
      fetched: 0,
      people: 0,
      load: { users: nothing, addresses: nothing, repositories: nothing, commits: nothing, version: 1 },
    })
    expect(test1.forge.requests.map(({ what }) => what)).toEqual(['OwnedRepositories'])
  })

  test('fetches and loads only what was pushed to, renamed or edited, in one version', async () => {
    const { organization, forge } = test1
    const pushed = await organization.pushSome(2)
    const { renamed } = organization.special
    organization.model.moveRepository(renamed, { name: 'renamed-again' })
    organization.account.bio = 'We make some things'
    forge.requests.length = 0
    const result = await test1.load(service.sql, { targets: [], refresh: true })
    expect(result).toMatchObject({
      fetched: 2,
      load: { users: { ...nothing, updated: 1 }, repositories: { added: 0, updated: 3 }, version: 2 },
    })
    expect(result.load?.commits.removed).toBe(0)
    const fetches = forge.requests.filter(({ kind }) => kind === 'git').map(({ what }) => what.split(' ')[0])
    expect(new Set(fetches)).toEqual(new Set(pushed.map(({ name }) => `acme-works/${name}`)))
    const repositories = await readAll('repos')
    expect(repositories.find(({ forge_rest_id }) => forge_rest_id === renamed.databaseId)).toMatchObject({
      full_name: 'acme-works/renamed-again',
    })
    expect(await readAll('users')).toContainEqual(
      expect.objectContaining({ login: 'acme-works', bio: 'We make some things' }),
    )
  })

  test('leaves out whoever was forgotten, also under another address', async () => {
    const { organization } = test1
    const [person] = organization.authors.people.filter(({ identities }) => identities.length > 2)
    const [first, ...others] = person?.identities ?? []
    const identities = [identifyAddress(first?.email ?? '') ?? '']
    const login = person?.account?.login ?? ''
    await forgetPerson(service.sql, { identities, keepRepositories: false })
    const [ordinary] = await organization.pushSome(1)
    if (ordinary === undefined || others[0] === undefined) throw new Error('the organization is too small')
    organization.model.addAddress(person?.account ?? organization.account, 'new-place@elsewhere.example')
    await organization.model.push(ordinary, [
      {
        author: { name: 'x', email: 'new-place@elsewhere.example' },
        committer: { name: 'x', email: 'new-place@elsewhere.example' },
        date: 1_752_000_000,
        committerDate: 1_752_000_000,
        message: 'After I was forgotten',
        files: { 'x.txt': 'x' },
      },
    ])
    await test1.load(service.sql, { refresh: true })
    // Nor does a later load, which reads the commit again, bring the address back.
    await organization.pushSome(12)
    await test1.load(service.sql)
    const names = [`"${login}"`, first?.email ?? '', 'new-place']
    expect(await searchTables(service.sql, names)).toEqual([])
  })

  test('of single repositories finds them by their former names, and says which it doesn’t find', async () => {
    const names = ['first-name', 'no-such', 'secret']
    const result = await test1.load(service.sql, {
      targets: [...names.map((name) => ({ owner: 'acme-works', name })), { owner: 'nobody-here' }],
      withHistory: false,
    })
    expect(result).toMatchObject({ repositories: 1, fetched: 0, load: { repositories: nothing } })
    expect(result.skipped.map(({ name }) => name).sort()).toEqual(['acme-works/no-such', 'acme-works/secret'])
    expect(result.failed.map(({ name }) => name)).toEqual(['nobody-here'])
  })

  test('reads histories again that 0.1.0 has read, for the commits that added what they declare', async () => {
    const load = () => test1.load(service.sql, { targets: [], refresh: true })
    const readCommits = () => service.sql<{ id: number; commits: string }[]>`
      select id, dependency_commits as commits from repositories where dependency_commits is not null order by id`
    await load()
    const before = await readCommits()
    expect(before).not.toEqual([])
    await service.sql`update repositories set dependency_commits = null`
    expect(await load()).toMatchObject({ fetched: 0, load: { commits: nothing } })
    expect(await readCommits()).toEqual(before)
    // 0.1.0 changes dependencies, and leaves their commits as they were.
    const [first] = before
    await service.sql`update repositories set dependency_commits = '{}' where id = ${first?.id ?? 0}`
    expect(await load()).toMatchObject({ fetched: 0, load: { commits: nothing } })
    expect(await readCommits()).toEqual(before)
    expect(await load()).toMatchObject({ load: { repositories: nothing, commits: nothing } })
  })

  test('reads histories again that another version of the service has read, once', async () => {
    const load = () => test1.load(service.sql, { targets: [], refresh: true })
    const { unchanged } = await load()
    expect(unchanged).toBeGreaterThan(1)
    await service.sql`update loaded_histories set read_by = '0.0.9 ' where repository_id = (
      select min(repository_id) from loaded_histories)`
    test1.forge.requests.length = 0
    const none = { fetched: 0, authors: { found: 0, unknown: 0 }, load: { commits: nothing } }
    expect(await load()).toMatchObject({ ...none, unchanged: unchanged - 1 })
    expect(new Set(test1.forge.requests.map(({ what }) => what))).toEqual(
      new Set(['Repositories', 'Accounts']),
    )
    expect(await load()).toMatchObject({ ...none, unchanged })
  })
})
