/**
 * What the fake forge responses: a test of an import is worth what the forge under it is worth.
 *
 * @module-tag later
 */
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
  organization = await createOrganization(folder)
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
    await ask('query($login: String!) { repositoryOwner(login: $login) { id } }', { login: 7 })
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

describe('owners and repositories', () => {
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
    nodes: ({ name: string } | null)[]
    pageInfo: { hasNextPage: boolean; endCursor: string }
  }
  /** Pages through the repositories of the organization, newest first; calls `between` after each page. */
  async function listNames(between: (page: number) => void = () => {}): Promise<string[]> {
    const query = `query($after: String) { repositoryOwner(login: "acme-works") {
      repositories(first: 4, after: $after, orderBy: { field: CREATED_AT, direction: DESC }) {
        nodes { name } pageInfo { hasNextPage endCursor }
      }
    } }`
    const names: string[] = []
    let after: string | null = null
    for (let page = 1; ; page++) {
      const { repositories }: Record<'repositories', RepositoryPage> = (await ask(query, { after })).body.data
        .repositoryOwner
      names.push(...repositories.nodes.map((node) => node?.name ?? 'blocked'))
      if (!repositories.pageInfo.hasNextPage) return names
      after = repositories.pageInfo.endCursor
      between(page)
    }
  }

  test('neither skip nor repeat what stays, while repositories come and go', async () => {
    const { model, account } = organization
    const createdAt = '2030-01-01T00:00:00Z' // newer than all others
    const add = (name: string) => model.addRepository({ owner: account, name, createdAt })
    const [passing, ...others] = ['passing', 'zzz-1', 'zzz-2', 'zzz-3'].map(add)
    const before = await listNames()
    expect(before.slice(0, 4)).toEqual(['zzz-3', 'zzz-2', 'zzz-1', 'passing'])
    const names = await listNames((page) => {
      // The last one of the page that was just read goes, and one comes before those that were read.
      if (page !== 1 || passing === undefined) return
      model.deleteRepository(passing)
      others.push(add('zzz-new'))
    })
    expect(names).toEqual(before)
    for (const repository of others) model.deleteRepository(repository)
  })

  test('of a user list what they collaborate on too, unless only their own are asked for', async () => {
    const { personal } = organization.special
    const [collaborator] = personal.collaborators
    const query = (own: string) => `query($login: String!) { repositoryOwner(login: $login) {
      repositories(first: 100${own}) { nodes { nameWithOwner } } } }`
    const variables = { login: collaborator?.login }
    expect((await ask(query(''), variables)).body.data.repositoryOwner.repositories.nodes).toEqual([
      { nameWithOwner: nameWithOwner(personal) },
    ])
    expect(
      (await ask(query(', ownerAffiliations: [OWNER]'), variables)).body.data.repositoryOwner.repositories
        .nodes,
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
})
