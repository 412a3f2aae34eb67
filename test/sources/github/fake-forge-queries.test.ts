/**
 * What the fake forge responses: a test of an import is worth what the forge under it is worth.
 *
 * @module-tag later
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { askForge } from '../../support/fake-forge/ask-forge.ts'
import { nameWithOwner, noReplyAddress, type Repository } from '../../support/fake-forge/model.ts'
import { createOrganization, type FakeOrganization } from '../../support/fake-forge/organization.ts'
import { type FakeForge, startFakeForge } from '../../support/fake-forge/server.ts'
import type { Token } from '../../support/fake-forge/token.ts'

const folder = mkdtempSync(join(tmpdir(), 'fake-forge-queries-'))
let organization: FakeOrganization
let forge: FakeForge
let token: Token

beforeAll(async () => {
  organization = await createOrganization(folder, { monolithCommits: 10_000 })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))
beforeEach(async () => {
  forge = await startFakeForge(organization.model)
  token = forge.createToken()
})
// Fails the test when the forge was asked something that the real one refuses.
afterEach(() => forge[Symbol.asyncDispose]())

const ask = (query: string, variables?: Record<string, unknown>) => askForge(forge, token, query, variables)

/** A query of one repository. */
async function askRepository({ owner, name }: { owner: string; name: string }, fields: string) {
  const query = `query($owner: String!, $name: String!) { repository(owner: $owner, name: $name) { ${fields} } }`
  return (await ask(query, { owner, name })).body
}

const nameOf = ({ owner, name }: Repository) => ({ owner: owner.login, name })

describe('the schema', () => {
  test('refuses a field that the forge does not have, and fails the test that asked for it', async () => {
    const { status, body } = await ask('{ viewer { login shoeSize } }')
    expect(status).toBe(200)
    expect(body).toEqual({
      errors: [
        expect.objectContaining({
          message: expect.stringContaining('Cannot query field "shoeSize" on type "User"'),
        }),
      ],
    })
    await expect(forge[Symbol.asyncDispose]()).rejects.toThrow(/invalid query: Cannot query field "shoeSize"/)
    expect(forge.takeViolations()).toMatchObject([{ rule: 'invalid query' }])
    forge = await startFakeForge(organization.model)
  })

  test('refuses variables of another type than the query declares, and queries that are not GraphQL', async () => {
    await ask('query($login: String!) { user(login: $login) { id } }', { login: 7 })
    await ask('{ viewer { login }')
    expect(forge.takeViolations()).toMatchObject([{ rule: 'invalid query' }, { rule: 'invalid query' }])
  })

  test('fails loudly at what the real forge has and the fake one lacks', async () => {
    const { status, body } = await ask('{ viewer { login twitterUsername } }')
    expect(status).toBe(501)
    expect(body.message).toContain('The fake forge has no field User.twitterUsername')
    const { status: ordered } = await ask(
      `{ organization(login: "acme-works") { repositories(first: 1, isLocked: true) { totalCount } } }`,
    )
    expect(ordered).toBe(501)
    expect(forge.takeViolations()).toMatchObject([{ rule: 'not modeled' }, { rule: 'not modeled' }])
  })
})

test('Aliases, fragments and variables work, and one query gives all that an import reads of a repository', async () => {
  const repository = organization.special.renamed
  const { body } = await ask(
    `query($id: ID!) {
      found: node(id: $id) { ...Fields }
      rateLimit { cost limit remaining used nodeCount resetAt }
    }
    fragment Fields on Repository {
      databaseId id url name nameWithOwner isPrivate visibility description homepageUrl isFork forkCount isArchived isDisabled
      owner { __typename login avatarUrl ... on User { databaseId } ... on Organization { databaseId } }
      licenseInfo { spdxId } primaryLanguage { name } stargazerCount watchers { totalCount }
      issues(states: OPEN) { totalCount } hasIssuesEnabled hasDiscussionsEnabled hasProjectsEnabled
      createdAt updatedAt pushedAt diskUsage defaultBranchRef { name target { oid } }
    }`,
    { id: repository.id },
  )
  expect(body.errors).toBeUndefined()
  const head = execFileSync('git', ['-C', repository.git.path, 'rev-parse', 'HEAD'], {
    encoding: 'utf8',
  }).trim()
  expect(body.data.found).toMatchObject({
    databaseId: repository.databaseId,
    url: `${forge.origin}/acme-works/renamed`,
    nameWithOwner: 'acme-works/renamed',
    visibility: 'PUBLIC',
    owner: { __typename: 'Organization', login: 'acme-works', databaseId: organization.account.databaseId },
    watchers: { totalCount: repository.watcherCount },
    issues: { totalCount: repository.openIssueCount },
    pushedAt: repository.pushedAt,
    defaultBranchRef: { name: 'main', target: { oid: head } },
  })
  expect(body.data.rateLimit).toMatchObject({ cost: 1, limit: 5000, remaining: 4999, used: 1 })
})

describe('owners, users and nodes', () => {
  test('are found by login: an owner of either kind, a user or an organization of its own kind', async () => {
    const user = organization.authors.people[0]?.account
    const { data, errors } = (
      await ask(
        `query($user: String!) {
          repositoryOwner(login: "ACME-works") { __typename login }
          user(login: $user) { databaseId email followers { totalCount } following { totalCount } createdAt updatedAt }
          none: repositoryOwner(login: "nobody-at-all") { id }
          wrong: user(login: "acme-works") { id }
        }`,
        { user: user?.login },
      )
    ).body
    expect(data).toMatchObject({
      repositoryOwner: { __typename: 'Organization', login: 'acme-works' },
      user: {
        databaseId: user?.databaseId,
        email: user?.email,
        followers: { totalCount: user?.followerCount },
      },
      none: null,
      wrong: null,
    })
    expect(errors).toEqual([
      expect.objectContaining({
        type: 'NOT_FOUND',
        path: ['wrong'],
        message: "Could not resolve to a User with the login of 'acme-works'.",
      }),
    ])
  })

  test('are found by id, 100 at a time, with an error at the place of each that is gone, private or blocked', async () => {
    const { secret, blocked, renamed } = organization.special
    const ids = [renamed.id, 'R_gone', secret.id, blocked.id, organization.account.id]
    const query =
      'query($ids: [ID!]!) { nodes(ids: $ids) { __typename ... on Repository { nameWithOwner } } }'
    const { data, errors } = (await ask(query, { ids })).body
    expect(data.nodes).toEqual([
      { __typename: 'Repository', nameWithOwner: 'acme-works/renamed' },
      null,
      null,
      null,
      { __typename: 'Organization' },
    ])
    expect(errors).toMatchObject([
      {
        type: 'NOT_FOUND',
        path: ['nodes', 1],
        message: "Could not resolve to a node with the global id of 'R_gone'.",
      },
      { type: 'NOT_FOUND', path: ['nodes', 2] },
      { type: 'FORBIDDEN', path: ['nodes', 3], message: 'Repository access blocked' },
    ])
    const insider = forge.createToken({ seesPrivate: true })
    const seen = await askForge(forge, insider, query, { ids: [secret.id] })
    expect(seen.body.data.nodes).toEqual([{ __typename: 'Repository', nameWithOwner: 'acme-works/secret' }])
  })

  test('of a repository that was renamed or transferred are found under the old name too', async () => {
    const { transferred, personal } = organization.special
    const fields = 'id nameWithOwner'
    expect(
      (await askRepository({ owner: 'acme-works', name: 'first-name' }, fields)).data.repository,
    ).toEqual({
      id: organization.special.renamed.id,
      nameWithOwner: 'acme-works/renamed',
    })
    const formerly = { owner: personal.owner.login, name: 'transferred' }
    expect((await askRepository(formerly, fields)).data.repository).toEqual({
      id: transferred.id,
      nameWithOwner: 'acme-works/transferred',
    })
    const { model, account } = organization
    const owner = model.addAccount({ login: 'first-login' })
    const moved = model.addRepository({ owner, name: 'tool' })
    model.renameAccount(owner, 'second-login')
    expect((await askRepository({ owner: 'first-login', name: 'tool' }, fields)).data.repository).toEqual({
      id: moved.id,
      nameWithOwner: 'second-login/tool',
    })
    // Until somebody else takes the name.
    const successor = model.addRepository({ owner: account, name: 'first-name' })
    expect((await askRepository(nameOf(successor), 'id')).data.repository).toEqual({ id: successor.id })
    model.deleteRepository(successor)
    model.deleteAccount(owner)
    expect(await askRepository({ owner: 'acme-works', name: 'never-was' }, fields)).toMatchObject({
      data: { repository: null },
      errors: [{ type: 'NOT_FOUND', path: ['repository'] }],
    })
  })
})

describe('pages', () => {
  interface RepositoryPage {
    totalCount: number
    nodes: ({ name: string } | null)[]
    pageInfo: { hasNextPage: boolean; endCursor: string }
  }
  interface HistoryPage {
    totalCount: number
    nodes: { oid: string }[]
    pageInfo: { hasNextPage: boolean; endCursor: string }
  }

  /** Pages through the repositories of the organization; calls `between` after each page. */
  async function listNames(order: string, between: (page: number) => void = () => {}) {
    const query = `query($after: String) { organization(login: "acme-works") { repositories(first: 4, after: $after ${order}) {
      totalCount nodes { name } pageInfo { hasNextPage endCursor }
    } } }`
    const names: string[] = []
    let after: string | null = null
    for (let page = 1; ; page++) {
      const { repositories }: Record<'repositories', RepositoryPage> = (await ask(query, { after })).body.data
        .organization
      names.push(...repositories.nodes.map((node) => node?.name ?? 'blocked'))
      if (!repositories.pageInfo.hasNextPage) return { names, totalCount: repositories.totalCount }
      after = repositories.pageInfo.endCursor
      between(page)
    }
  }

  test('of repositories neither skip nor repeat one, in any order', async () => {
    const visible = organization.model.repositories.filter(
      ({ owner, isPrivate }) => owner === organization.account && !isPrivate,
    )
    for (const order of [
      '',
      ', orderBy: { field: STARGAZERS, direction: DESC }',
      ', orderBy: { field: NAME, direction: ASC }',
    ]) {
      const { names, totalCount } = await listNames(order)
      expect(names.toSorted()).toEqual(visible.map(({ name }) => name).toSorted())
      expect(totalCount).toBe(visible.length)
    }
  })

  test('neither skip nor repeat what stays, while repositories come and go', async () => {
    const { model, account } = organization
    const passing = model.addRepository({ owner: account, name: 'passing' })
    const before = (await listNames(', orderBy: { field: NAME, direction: DESC }')).names
    const { names } = await listNames(', orderBy: { field: NAME, direction: DESC }', (page) => {
      // The last one of the page that was just read goes, and one comes among those that were read.
      if (page === 1) {
        passing.name = before[3] ?? ''
        model.deleteRepository(passing)
        model.addRepository({ owner: account, name: 'zzz-new' })
      }
    })
    expect(names).toEqual(before.filter((name, index) => index < 4 || name !== 'passing'))
    for (const repository of model.repositories.filter(({ name }) => name === 'zzz-new')) {
      model.deleteRepository(repository)
    }
  })

  test('of 10,000 commits give what git gives', async () => {
    const { monolith } = organization.special
    const oids: string[] = []
    let after: string | null = null
    do {
      const query = `query($id: ID!, $after: String) { node(id: $id) { ... on Repository { defaultBranchRef { target {
        ... on Commit { history(first: 100, after: $after) { totalCount nodes { oid } pageInfo { hasNextPage endCursor } } }
      } } } } }`
      const { history }: Record<'history', HistoryPage> = (await ask(query, { id: monolith.id, after })).body
        .data.node.defaultBranchRef.target
      expect(history.totalCount).toBe(10_000)
      oids.push(...history.nodes.map(({ oid }) => oid))
      after = history.pageInfo.hasNextPage ? history.pageInfo.endCursor : null
    } while (after !== null)
    const listed = execFileSync('git', ['-C', monolith.git.path, 'rev-list', 'HEAD'], { encoding: 'utf8' })
    expect(oids).toEqual(listed.trim().split('\n'))
  })

  test('of a user list what they collaborate on too, unless only their own are asked for', async () => {
    const { personal } = organization.special
    const [collaborator] = personal.collaborators
    const query = (own: string) => `query($login: String!) { user(login: $login) {
      repositories(first: 100${own}) { nodes { nameWithOwner } } } }`
    const variables = { login: collaborator?.login }
    expect((await ask(query(''), variables)).body.data.user.repositories.nodes).toEqual([
      { nameWithOwner: nameWithOwner(personal) },
    ])
    expect(
      (await ask(query(', ownerAffiliations: [OWNER]'), variables)).body.data.user.repositories.nodes,
    ).toEqual([])
  })
})

describe('the author of a commit', () => {
  async function findAuthor(email: string) {
    const { model } = organization
    const repository = model.addRepository({ owner: organization.account, name: 'authors' })
    await model.push(repository, [
      { author: { name: 'Somebody', email }, date: 1_700_000_000, message: 'Change' },
    ])
    const oid = repository.git.readHead()?.oid
    const fields = `object(oid: "${oid}") { ... on Commit { author { name email user { id login } } } }`
    const { data } = await askRepository(nameOf(repository), fields)
    model.deleteRepository(repository)
    expect(data.repository.object.author).toMatchObject({ name: 'Somebody', email })
    return data.repository.object.author.user
  }

  test('is the account that has the address, in any case, or that a no-reply address names', async () => {
    const { model } = organization
    const account = model.addAccount({ login: 'Ada', addresses: ['ada@work.example', 'ada@home.example'] })
    const expected = { id: account.id, login: 'Ada' }
    expect(await findAuthor('ADA@home.example')).toEqual(expected)
    expect(await findAuthor(noReplyAddress(account))).toEqual(expected)
    expect(await findAuthor('ada@users.noreply.github.com')).toEqual(expected)
    // The id counts, because logins change.
    expect(await findAuthor(`${account.databaseId}+old-login@users.noreply.github.com`)).toEqual(expected)
    model.deleteAccount(account)
    expect(await findAuthor('ada@work.example')).toBeNull()
    expect(await findAuthor(noReplyAddress(account))).toBeNull()
  })

  test('is null for strangers, and looks like a user for a bot, whose id is of a bot', async () => {
    expect(await findAuthor('stranger@nowhere.example')).toBeNull()
    const [bot, goneBot] = organization.authors.bots
    expect(await findAuthor(goneBot?.identities[0]?.email ?? '')).toBeNull()
    const user = await findAuthor(bot?.identities[0]?.email ?? '')
    expect(user).toEqual({ id: bot?.account?.id, login: 'dependabot[bot]' })
    const { body } = await ask(
      `query($id: ID!) { node(id: $id) { __typename ... on Bot { login databaseId } ... on User { email } } }`,
      { id: user.id },
    )
    expect(body.data.node).toEqual({
      __typename: 'Bot',
      login: 'dependabot',
      databaseId: bot?.account?.databaseId,
    })
  })

  test('of the newest commits is read from a page of the history, and an empty repository has none', async () => {
    const fields = `isEmpty defaultBranchRef { target { ... on Commit { history(first: 100) { nodes { author { email user { login } } } } } } }`
    const { data } = await askRepository(nameOf(organization.special.monolith), fields)
    const { nodes } = data.repository.defaultBranchRef.target.history
    const logins = nodes.map(
      ({ author }: { author: { user: { login: string } | null } }) => author.user?.login,
    )
    expect(nodes).toHaveLength(100)
    expect(new Set(logins).size).toBeGreaterThan(2)
    expect((await askRepository(nameOf(organization.special.empty), fields)).data.repository).toEqual({
      isEmpty: true,
      defaultBranchRef: null,
    })
  })
})
