/** How the forge is asked: within its limits, with all tokens, and again after what passes. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { askInBatches, type Forge } from '../../../api/sources/github/ask.ts'
import { ForgeClient, ForgeError } from '../../../api/sources/github/client.ts'
import { findAccounts, findAuthors } from '../../../api/sources/github/forge-accounts.ts'
import { type FoundRepositories, findRepositories } from '../../../api/sources/github/forge-repositories.ts'
import { noJournal } from '../../../api/sources/github/journal.ts'
import { maxItems, queryOwnedRepositories, queryRepositories } from '../../../api/sources/github/queries.ts'
import { findWebOrigin } from '../../../api/sources/github/web-origin.ts'
import { queryFaults } from '../../support/fake-forge/faults.ts'
import { ForgeModel, nameWithOwner, type Repository } from '../../support/fake-forge/model.ts'
import { type FakeForge, type FakeForgeOptions, startFakeForge } from '../../support/fake-forge/server.ts'
import type { Limits } from '../../support/fake-forge/token.ts'

const folder = mkdtempSync(join(tmpdir(), 'devdata-client-'))
let model: ForgeModel

beforeAll(() => {
  model = new ForgeModel(folder)
  const owner = model.addAccount({ login: 'owner' })
  for (let number = 1; number <= 5; number++) model.addRepository({ owner, name: `repository-${number}` })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A forge of a test's own. Its end throws if it was asked too much. */
async function startForge(options: FakeForgeOptions = {}): Promise<FakeForge> {
  const forge = await startFakeForge(model, options)
  forge.responseDelayMs = 20 // queries are under way at the same time, so the forge sees how many the client has
  return forge
}

/** A client with a token for each of the limits. */
function createClient(forge: FakeForge, limits: Partial<Limits>[], concurrency = 4) {
  const tokens = limits.map((each) => forge.createToken({ limits: each }))
  const notes: string[] = []
  const client = new ForgeClient({
    apiUrl: forge.apiUrl,
    tokens: tokens.map(({ text }) => text),
    concurrency,
    onNote: (message) => notes.push(message),
  })
  const list = async () => {
    const { data } = await client.ask(queryOwnedRepositories('owner', null))
    expect(data).toHaveProperty('repositoryOwner.repositories.nodes.length', 5)
  }
  return { client, tokens, notes, list }
}

// Most of them wait most of the time, so they run beside each other.
describe('a client', { concurrent: true }, () => {
  // Silence would take 20 seconds, and waiting without `retry-after` a minute: the other token doesn't wait.
  test.each(queryFaults.filter((fault) => fault !== 'silence'))('A query survives: %s', async (fault) => {
    await using forge = await startForge()
    const { list } = createClient(forge, [
      { windowSeconds: 2, retryAfterSeconds: 1 },
      { windowSeconds: 2, retryAfterSeconds: 1 },
    ])
    await list()
    forge.faults.next(fault)
    await list()
    expect(forge.requests.at(-1)).toMatchObject({ what: 'OwnedRepositories', status: 200 })
  })

  test('Queries wait for new points, and none is sent that would be refused', async () => {
    await using forge = await startForge()
    const { client, list } = createClient(forge, [{ points: 7, windowSeconds: 2 }])
    await Promise.all(Array.from({ length: 7 }, list))
    expect(forge.requests.filter(({ status, points }) => status === 200 && points > 0)).toHaveLength(7)
    expect(client.usage).toMatchObject({ queries: 7, points: 14 })
  })

  test('Several tokens share the work, and the others go on when one is revoked or suspended, which is said', async () => {
    await using forge = await startForge()
    const { list, tokens, notes } = createClient(forge, [{ points: 20 }, { points: 20 }, { points: 20 }])
    await Promise.all(Array.from({ length: 9 }, list))
    expect(tokens.every(({ used }) => used >= 4)).toBe(true)
    const [first] = tokens
    if (first) first.isRevoked = true
    await Promise.all(Array.from({ length: 6 }, list))
    expect(notes).toEqual([
      'The forge refuses token 1 of 3: it is invalid, expired or revoked. Create another one',
    ])
    forge.faults.next('suspended account')
    await list()
    expect(notes.slice(1)).toEqual([
      expect.stringMatching(/^The forge refuses token [23] of 3: Sorry. Your account was suspended$/),
    ])
  })

  test('Queries wait as long as a response asks for, all of the token', async () => {
    await using forge = await startForge()
    const { list } = createClient(forge, [{ retryAfterSeconds: 1 }])
    await Promise.all(Array.from({ length: 9 }, list)) // the forge knows then that several may be under way
    forge.faults.next('secondary limit 429', 'secondary limit 403', null, 'secondary limit 200')
    await Promise.all(Array.from({ length: 6 }, list))
  })

  test('Queries with a token that is asked for a pause again and again end', async () => {
    await using forge = await startForge()
    const { client } = createClient(forge, [{ retryAfterSeconds: 0.01 }])
    forge.faults.next(...Array.from({ length: 7 }, () => 'secondary limit 429' as const))
    await expect(client.ask(queryOwnedRepositories('owner', null))).rejects.toThrow(
      'The forge refuses the token: it still refuses queries after 6 pauses',
    )
  })

  test('Queries wait for new points by the clock of the forge, where ours is fast', async () => {
    await using forge = await startForge({ now: () => Date.now() - 4_000 })
    const { list } = createClient(forge, [{ points: 5, windowSeconds: 3 }])
    for (let number = 1; number <= 3; number++) await list()
    expect(forge.requests.map(({ points }) => points)).toEqual([2, 2, 0, 2])
  })

  test('Several queries are under way with a token that has no limits', async () => {
    await using forge = await startForge()
    const { list, client } = createClient(forge, [{ points: Number.POSITIVE_INFINITY }])
    await list()
    forge.responseDelayMs = 500 // a busy machine sends the four one after the other
    await Promise.all(Array.from({ length: 8 }, list))
    expect(forge.traffic.most).toBe(4)
    expect(client.usage.remaining).toBeUndefined()
  })

  test('Without a valid token the import ends with a message that doesn’t show it', async () => {
    await using forge = await startForge()
    const { client, tokens } = createClient(forge, [{}, {}])
    for (const token of tokens) token.isRevoked = true
    const failing = client.ask(queryOwnedRepositories('owner', null))
    await expect(failing).rejects.toThrow(ForgeError)
    await expect(failing).rejects.toThrow(
      'The forge refuses all 2 tokens. The last one: it is invalid, expired or revoked',
    )
  })

  test('A query with a field that the forge lacks is not repeated', async () => {
    await using forge = await startForge()
    const { client } = createClient(forge, [{}])
    forge.faults.next('undefined field')
    await expect(client.ask(queryOwnedRepositories('owner', null))).rejects.toThrow(
      "The forge refuses the query OwnedRepositories: Field 'hasDiscussionsEnabled' doesn't exist on type 'Repository'",
    )
  })

  test('An import ends when the forge fails at many items, although it responds to other queries', async () => {
    await using forge = await startForge()
    const { client } = createClient(forge, [{}, {}])
    forge.isTooHeavy = (variables) => 'ids' in variables
    const items = Array.from({ length: 100 }, (_, index) => `item-${index}`)
    const givenUp: string[] = []
    const asking = askInBatches(
      { client, journal: noJournal, concurrency: 50, abort: () => {}, onProgress: () => {} },
      items,
      {
        size: 2,
        createQuery: queryRepositories,
        read: () => {},
        giveUp: (item) => givenUp.push(item),
      },
    )
    await expect(asking).rejects.toThrow('The forge failed 3 times at the query Repositories')
    expect(givenUp).toHaveLength(20)
  })
})

test('What the forge refuses or describes wrongly is skipped with the reason', async () => {
  await using forge = await startForge()
  const { client } = createClient(forge, [{}])
  const odd = model.addAccount({ login: 'odd' })
  model.addRepository({ owner: odd, name: 'plain' })
  model.addRepository({ owner: odd, name: 'negative', stargazerCount: -1 })
  model.addAccount({ login: 'protected', kind: 'Organization', isProtected: true })
  const targets = ['odd', 'protected', 'nobody'].map((owner) => ({ owner }))
  const asking = { client, journal: noJournal, concurrency: 1, abort: () => {}, onProgress: () => {} }
  const { repositories, skipped } = await findRepositories(asking, targets, [])
  expect([...repositories.values()].map(({ name }) => name)).toEqual(['plain'])
  expect(skipped).toEqual([
    { name: 'odd/negative', reason: expect.stringMatching(/^can't be loaded: .*stargazers_count/) },
    {
      name: 'protected',
      reason: expect.stringMatching(/^GitHub refuses it: Resource protected by .* SAML/),
      isFailure: true,
    },
    {
      name: 'nobody',
      reason: 'no account has this login; if it was renamed, use the new one',
      isFailure: true,
    },
  ])
})

describe('What the forge gives as null, or describes with a null that its schema rules out, is skipped alone', () => {
  const unexplained = 'GitHub gives nothing for it, and no reason'
  const incomplete = (field: string) => `GitHub describes it incompletely: ${field} is missing or invalid`
  let forge: FakeForge
  let forgeAccess: Forge
  let vanished: Repository
  let ownerless: Repository
  let whole: Repository
  beforeAll(() => {
    const owner = model.addAccount({ login: 'partly' })
    vanished = model.addRepository({ owner, name: 'vanished' })
    ownerless = model.addRepository({ owner, name: 'ownerless' })
    whole = model.addRepository({ owner, name: 'whole' })
  })
  beforeEach(async () => {
    forge = await startForge()
    const { client } = createClient(forge, [{}])
    forgeAccess = { client, journal: noJournal, concurrency: 1, abort: () => {}, onProgress: () => {} }
  })
  afterEach(() => forge[Symbol.asyncDispose]())
  /** Replaces objects of responses in which a field has this value. */
  function replace(replacements: Record<string, (object: object) => unknown>): void {
    forge.reviveValue = (_, value) => {
      if (typeof value !== 'object' || value === null) return value
      const change = Object.values(value).flatMap((field) => replacements[String(field)] ?? [])[0]
      return change === undefined ? value : change(value)
    }
  }
  const hideRepositories = () =>
    replace({
      'partly/vanished': () => null,
      'partly/ownerless': (repository) => ({ ...repository, owner: null }),
    })
  const names = (found: FoundRepositories) => [...found.repositories.values()].map(({ name }) => name)

  test('repositories of an owner', async () => {
    hideRepositories()
    const found = await findRepositories(forgeAccess, [{ owner: 'partly' }], [])
    expect(names(found)).toEqual(['whole'])
    expect(found.skipped).toEqual([
      { name: 'a repository of partly', reason: unexplained, isFailure: true },
      { name: 'partly/ownerless', reason: incomplete('owner'), isFailure: true },
    ])
  })

  test('repositories by their names, and by their ids', async () => {
    hideRepositories()
    const all = [vanished, ownerless, whole]
    const targets = all.map(({ name }) => ({ owner: 'partly', name }))
    const known = all.map((repository) => ({
      id: repository.id,
      name: nameWithOwner(repository),
      forgeRestId: repository.databaseId,
    }))
    const skipped = [
      { name: 'partly/vanished', reason: unexplained, isFailure: true },
      { name: 'partly/ownerless', reason: incomplete('owner'), isFailure: true },
    ]
    for (const found of [
      await findRepositories(forgeAccess, targets, []),
      await findRepositories(forgeAccess, [], known),
    ]) {
      expect(names(found)).toEqual(['whole'])
      expect(found.skipped).toEqual(skipped)
    }
  })

  test('an owner with a page that cannot be followed by another', async () => {
    replace({ true: (page) => ('hasNextPage' in page ? { ...page, endCursor: null } : page) })
    const many = model.addAccount({ login: 'many' })
    for (let count = 0; count <= maxItems; count++) model.addRepository({ owner: many, name: `n-${count}` })
    const found = await findRepositories(forgeAccess, [{ owner: 'many' }, { owner: 'partly' }], [])
    expect(names(found)).toEqual(['vanished', 'ownerless', 'whole'])
    const reason = incomplete('repositories.pageInfo.endCursor')
    expect(found.skipped).toEqual([{ name: 'many', reason, isFailure: true }])
  })

  test('an owner who vanishes while their repositories are listed', async () => {
    const vanishing = model.addAccount({ login: 'vanishing' })
    for (let count = 0; count <= maxItems; count++)
      model.addRepository({ owner: vanishing, name: `v-${count}` })
    const onProgress = () => model.deleteAccount(vanishing)
    const targets = [{ owner: 'vanishing' }, { owner: 'never-there' }]
    const found = await findRepositories({ ...forgeAccess, onProgress }, targets, [])
    expect(names(found)).toHaveLength(maxItems)
    expect(found.skipped).toEqual([
      { name: 'vanishing', reason: unexplained, isFailure: true },
      {
        name: 'never-there',
        reason: 'no account has this login; if it was renamed, use the new one',
        isFailure: true,
      },
    ])
  })

  test('profiles', async () => {
    const [deleted, empty, nameless, user] = ['deleted', 'empty', 'nameless', 'user'].map((login) =>
      model.addAccount({ login }),
    )
    if (!deleted || !empty || !nameless || !user) throw new Error('there are four')
    model.deleteAccount(deleted)
    replace({ empty: () => null, nameless: (account) => ({ ...account, createdAt: null }) })
    const accounts = [deleted, empty, nameless, user]
    const found = await findAccounts(forgeAccess, new Map(accounts.map(({ id, login }) => [id, login])))
    expect([...found.users.values()].map(({ login }) => login)).toEqual(['user'])
    expect(found.skipped).toEqual([
      { name: 'deleted', reason: 'not found: the account was deleted' },
      { name: 'empty', reason: unexplained },
      { name: 'nameless', reason: incomplete('createdAt') },
    ])
  })

  test('authors of commits', async () => {
    const people = ['ada', 'bob', 'nobody'].map((name) => ({ name, email: `${name}@commits.example` }))
    for (const { name, email } of people.slice(0, 2)) model.addAccount({ login: name, addresses: [email] })
    const date = 1_752_000_000
    await model.push(
      whole,
      people.map((author) => ({ author, date, message: author.name })),
    )
    const history = [...(await whole.git.readHistory(whole.git.readHead()?.oid ?? '')).values()].reverse()
    const commits = history.map(
      ({ oid, author }) => [author.name, { repository: whole.id, hash: oid, isCoauthored: false }] as const,
    )
    const unknown = { repository: whole.id, hash: '0'.repeat(40), isCoauthored: false }
    replace({ bob: (account) => ({ ...account, login: null }) })
    const found = await findAuthors(forgeAccess, new Map([...commits, ['unknown', unknown]]))
    expect([...found.accounts].map(([address, { login }]) => [address, login])).toEqual([['ada', 'ada']])
    expect(found.skipped).toEqual([
      { name: `the author of commit ${history[1]?.oid}`, reason: incomplete('author.user.login') },
      { name: `the author of commit ${unknown.hash}`, reason: unexplained },
    ])
  })
})

test('A license that the forge doesn’t recognize is null', async () => {
  await using forge = await startForge()
  const { client } = createClient(forge, [{}])
  const owner = model.addAccount({ login: 'licensor' })
  for (const license of ['MIT', 'NOASSERTION', null])
    model.addRepository({ owner, name: `is-${license}`, license })
  const asking = { client, journal: noJournal, concurrency: 1, abort: () => {}, onProgress: () => {} }
  const { repositories } = await findRepositories(asking, [{ owner: 'licensor' }], [])
  const records = [...repositories.values()].map(({ record: { name, license } }) => [name, license])
  expect(records).toEqual([
    ['is-MIT', 'MIT'],
    ['is-NOASSERTION', null],
    ['is-null', null],
  ])
})

test.each([
  ['https://api.github.com', 'https://github.com'],
  ['https://api.octo.ghe.com', 'https://octo.ghe.com'],
  ['https://forge.example/api/v3', 'https://forge.example'],
  ['https://api.forge.example/api/v3', 'https://api.forge.example'],
])('The clones of the API %s are at %s', (apiUrl, origin) => {
  expect(findWebOrigin(apiUrl)).toBe(origin)
})

test('A URL without the API is named', async () => {
  await using forge = await startForge()
  const apiUrl = `${forge.origin}/nothing-here`
  const client = new ForgeClient({ apiUrl, tokens: ['secret-token'], concurrency: 1 })
  await expect(client.ask(queryOwnedRepositories('owner', null))).rejects.toThrow(
    `--api: ${apiUrl} is not a GitHub API (404)`,
  )
})
