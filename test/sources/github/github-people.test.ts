/**
 * `import github`: the people of repositories stay who they are, whatever they change on the forge.
 *
 * @module-tag later
 */
import { beforeEach, expect, test } from 'vitest'
import { findRepository, removeRepository } from '../../../api/dataset/repository-removal.ts'
import { identifyForgeId, identifyLogin } from '../../../api/names/forge-names.ts'
import { forgetPerson, undoForgetting } from '../../../api/people/forget.ts'
import { type Account, noReplyHost, type Repository } from '../../support/fake-forge/model.ts'
import { searchTables } from '../../support/forgotten.ts'
import { startTestForge } from '../../support/github-import.ts'
import { load, nothing } from '../../support/ndjson.ts'
import { createUser } from '../../support/records.ts'
import { describeOnOneDatabase, useService } from '../../support/service.ts'
import { useStarted } from '../../support/suite.ts'

const size = { repositories: 10, people: 2, commits: 10, monolithCommits: 1 }
const [work, home] = ['ada@work.example', 'ada@home.example']

describeOnOneDatabase('An import from the forge', (kind) => {
  const service = useService(kind, { each: true, data: 'empty' })
  const started = useStarted(() => startTestForge(size), { each: true })
  let ada: Account
  let bob: Account
  let tool: Repository
  let date = 1_750_000_000

  beforeEach(async () => {
    const { model } = started.organization
    ada = model.addAccount({ login: 'ada', addresses: [work] })
    bob = model.addAccount({ login: 'bob', addresses: ['bob@example.org'] })
    tool = model.addRepository({ owner: bob, name: 'tool' })
  })

  async function commitAs(repository: Repository, ...addresses: string[]): Promise<void> {
    for (const email of addresses) {
      const person = { name: 'x', email }
      date += 60
      await started.organization.model.push(repository, [
        {
          author: person,
          committer: person,
          date,
          committerDate: date,
          message: 'Work',
          files: { f: email },
        },
      ])
    }
  }

  const loadBob = (options: { refresh?: boolean; batch?: number } = {}) =>
    started.load(service.sql, { targets: [{ owner: 'bob' }], ...options })

  /** The logins of all commits' authors. */
  async function readAuthors(): Promise<unknown> {
    const rows = await service.sql<{ login: string | null }[]>`
      select distinct u.document::json ->> 'login' as login
      from commits c left join identities i on i.identity = c.author_identity left join users u on u.id = i.user_id`
    return rows.map(({ login }) => login)
  }

  test('finds the accounts of co-authors, by addresses that no profile shows', async () => {
    const { model } = started.organization
    date += 60
    const message = `Pair\n\nCo-authored-by: X <${work}>\nCo-authored-by: Y <nobody@example.org>`
    const author = { name: 'Bob', email: 'bob@example.org' }
    await model.push(tool, [{ author, date, message, files: { f: 'x' } }])
    const { authors } = await loadBob()
    expect(authors).toEqual({ found: 3, unknown: 1 })
    const [user] = await service.sql`
      select login_key from contributions join identities using (identity) join users u on u.id = user_id
      where kind = 'author' and identity = ${`email:${work.toUpperCase()}`}`
    expect(user).toEqual({ login_key: 'ADA' })
  })

  test('redacts commits that the dataset has, if their address turns out to be one of a forgotten person', async () => {
    await commitAs(tool, work, home)
    await loadBob()
    await forgetPerson(service.sql, {
      identities: [identifyForgeId(ada.databaseId)],
      keepRepositories: false,
    })
    expect(await searchTables(service.sql, [work])).toEqual([])
    expect(await searchTables(service.sql, [home])).not.toEqual([])
    const { model } = started.organization
    model.addAddress(ada, home)
    await commitAs(model.addRepository({ owner: bob, name: 'other' }), home)
    await loadBob()
    expect(await searchTables(service.sql, [home])).toEqual([])
    expect(await service.sql`select from commits`).toHaveLength(3)
  })

  test('forgets nothing of a forgotten person if it fails', async () => {
    await commitAs(tool, work, home)
    await loadBob()
    await forgetPerson(service.sql, {
      identities: [identifyForgeId(ada.databaseId)],
      keepRepositories: false,
    })
    const { model } = started.organization
    model.addAddress(ada, home)
    model.renameAccount(ada, 'ada-2')
    await commitAs(model.addRepository({ owner: bob, name: 'other' }), home)
    const readState = () => service.sql`
      select version, (select count(*) from forgotten_identities) as identities from dataset`
    const before = await readState()
    const failing = started.load(service.sql, {
      targets: [{ owner: 'bob' }],
      onBegin() {
        throw new Error('the disk is full')
      },
    })
    await expect(failing).rejects.toThrow('the disk is full')
    expect(await readState()).toEqual(before)
    const { load } = await loadBob()
    expect(load?.version).toBe(Number(before[0]?.version) + 1)
    expect(await searchTables(service.sql, [home, 'ada-2'])).toEqual([])
  })

  test('forgets a user of the dataset whom the forge links to a forgotten address', async () => {
    await commitAs(tool, work)
    await loadBob()
    await forgetPerson(service.sql, { identities: [`email:${home.toUpperCase()}`], keepRepositories: false })
    started.organization.model.addAddress(ada, home)
    ada.email = home
    const { load } = await loadBob({ refresh: true })
    expect(load?.users).toMatchObject({ removed: 1 })
    expect(await searchTables(service.sql, ['ada"', work, home])).toEqual([])
  })

  test('takes nobody for a forgotten person whose login they have now, if the id of the person is known', async () => {
    await commitAs(tool, work)
    await loadBob()
    await forgetPerson(service.sql, { identities: [`email:${work.toUpperCase()}`], keepRepositories: false })
    const { model } = started.organization
    model.renameAccount(ada, 'ada-2')
    const carol = model.addAccount({ login: 'ada', addresses: [home] })
    await commitAs(tool, home)
    await commitAs(model.addRepository({ owner: carol, name: 'own' }), home)
    const before = await service.sql`select encode(hash, 'hex') as hash from forgotten_identities order by 1`
    await loadBob({ refresh: true })
    await started.load(service.sql, { targets: [{ owner: 'ada' }] })
    expect(
      await service.sql`select encode(hash, 'hex') as hash from forgotten_identities order by 1`,
    ).toEqual(before)
    expect(await searchTables(service.sql, [home])).not.toEqual([])
    expect(await searchTables(service.sql, [work])).toEqual([])
  })

  test('leaves out who was forgotten by the login alone, with all addresses, and asks for no profile', async () => {
    await commitAs(tool, work, 'bob@example.org')
    await forgetPerson(service.sql, { identities: [identifyLogin('ada')], keepRepositories: false })
    await loadBob()
    expect(await searchTables(service.sql, ['ada"', work])).toEqual([])
    expect(await service.sql`select from commits`).toHaveLength(2)
    started.organization.model.addRepository({ owner: ada, name: 'own' })
    started.forge.requests.length = 0
    const { repositories, load } = await started.load(service.sql, { targets: [{ owner: 'ada' }] })
    expect({ repositories, forgotten: load?.forgotten }).toEqual({ repositories: 1, forgotten: 1 })
    expect(started.forge.requests.map(({ what }) => what)).toEqual(['OwnedRepositories'])
  })

  test('adds a person after the forgetting was undone, if the repository was removed first', async () => {
    await commitAs(tool, work)
    const identities = [identifyForgeId(ada.databaseId)]
    await loadBob()
    await forgetPerson(service.sql, { identities, keepRepositories: false })
    await undoForgetting(service.sql, { identities, people: [] })
    const repository = await findRepository(service.sql, { forgeRestId: tool.databaseId })
    if (repository === undefined) throw new Error('the repository is missing')
    await removeRepository(service.sql, repository)
    await loadBob()
    expect(await readAuthors()).toEqual(['ada'])
  })

  test('keeps who was forgotten by the login alone out after a new login', async () => {
    await commitAs(tool, work)
    await forgetPerson(service.sql, { identities: [identifyLogin('ada')], keepRepositories: false })
    await loadBob()
    const { model } = started.organization
    model.renameAccount(ada, 'ada-2')
    model.addAddress(ada, home)
    await commitAs(model.addRepository({ owner: ada, name: 'own' }), home)
    await started.load(service.sql, { targets: [{ owner: 'ada-2' }] })
    expect(await searchTables(service.sql, ['ada"', 'ada-2', home])).toEqual([])
  })

  test('keeps who was forgotten by the id out after a new login', async () => {
    await forgetPerson(service.sql, {
      identities: [identifyForgeId(ada.databaseId)],
      keepRepositories: false,
    })
    started.organization.model.renameAccount(ada, 'ada-2')
    started.organization.model.addRepository({ owner: ada, name: 'own' })
    await started.load(service.sql, { targets: [{ owner: 'ada-2' }] })
    expect(await service.sql`select from users`).toHaveLength(0)
    expect(await service.sql`select from repositories`).toHaveLength(0)
    expect(started.forge.requests.map(({ what }) => what)).toEqual(['OwnedRepositories'])
  })

  test.each(['import github', 'import ndjson'])(
    'keeps commits linked under the address that a profile had, loaded by %s',
    async (source) => {
      ada.email = work
      await commitAs(tool, work)
      if (source === 'import ndjson') {
        const { databaseId, id, login, email } = ada
        await load(service, { users: [createUser(databaseId, { forge_graphql_id: id, login, email })] })
      }
      await loadBob()
      for (const email of ['', 'ada@new.example', '']) {
        ada.email = email
        await loadBob({ refresh: true })
        expect(await readAuthors()).toEqual(['ada'])
      }
    },
  )

  test('asks again for a known owner or author who has another login', async () => {
    await commitAs(tool, work)
    await loadBob()
    const { model } = started.organization
    model.renameAccount(bob, 'bobby')
    model.renameAccount(ada, 'lovelace')
    model.addAddress(ada, home)
    await commitAs(tool, home)
    await started.load(service.sql, { targets: [{ owner: 'bobby' }] })
    expect(await readAuthors()).toEqual(['lovelace'])
    const owners = await service.sql`
      select document::json ->> 'login' as login
      from users join identities i on i.user_id = users.id join contributions c using (identity) where c.kind = 'owner'`
    expect(owners).toEqual([{ login: 'bobby' }])
  })

  test('removes a deleted account once another one has its address, and gives that one the commits', async () => {
    await commitAs(tool, work)
    await loadBob()
    const { model } = started.organization
    model.deleteAccount(ada)
    const stays = { name: 'ada', reason: 'not found: the account was deleted' }
    expect(await loadBob({ refresh: true })).toMatchObject({ skipped: [stays], load: { users: nothing } })
    await commitAs(tool, work)
    expect(await loadBob({ refresh: true })).toMatchObject({ skipped: [stays], load: { users: nothing } })
    expect(await readAuthors()).toEqual(['ada'])
    model.addAccount({ login: 'lovelace', addresses: [work] })
    await commitAs(model.addRepository({ owner: bob, name: 'other' }), work)
    const { skipped, load } = await loadBob({ refresh: true, batch: 1 })
    expect(skipped).toContainEqual({
      name: 'ada',
      reason: 'removed: the account was deleted, and another one has its login or an address',
    })
    expect(load?.users).toEqual({ added: 1, updated: 0, removed: 1 })
    expect(await readAuthors()).toEqual(['lovelace'])
    expect(await loadBob({ refresh: true })).toMatchObject({ skipped: [], load: { users: nothing } })
  })

  test('removes a deleted account once another one has its login', async () => {
    const old = `ada@${noReplyHost}`
    await commitAs(tool, old)
    await loadBob()
    const { model } = started.organization
    model.deleteAccount(ada)
    const other = model.addAccount({ login: 'Ada', addresses: [home] })
    await commitAs(model.addRepository({ owner: other, name: 'own' }), home)
    const refresh = { targets: [{ owner: 'ada' }], refresh: true }
    const bounded = await started.load(service.sql, { ...refresh, maxRemovals: 0 })
    expect(bounded.load?.users).toEqual({ added: 1, updated: 0, removed: 0 })
    const { load } = await started.load(service.sql, refresh)
    expect(load?.users).toEqual({ added: 0, updated: 0, removed: 1 })
    expect(await readAuthors()).toEqual(['Ada'])
    expect(await service.sql`select forge_rest_id as id from users where login_key = 'ADA'`).toEqual([
      { id: other.databaseId },
    ])
  })

  test('keeps a user of another forge, who has the login and the address of an account', async () => {
    ada.email = work
    await commitAs(tool, work)
    const avatar_url = 'https://avatars.elsewhere.example/u/7'
    await load(service, { users: [createUser(7, { login: 'ada', email: work, avatar_url })] })
    started.organization.model.addRepository({ owner: ada, name: 'own' })
    for (const owner of ['ada', 'bob']) {
      await started.load(service.sql, { targets: [{ owner }], refresh: true })
    }
    expect(
      await service.sql`select forge_rest_id as id from users where login_key = 'ADA' order by 1`,
    ).toEqual([7, ada.databaseId].map((id) => ({ id })))
  })

  test('gives commits to the repository that has the name now, and leaves those of the one that had it', async () => {
    const { model } = started.organization
    const other = model.addRepository({ owner: bob, name: 'other' })
    await commitAs(tool, work)
    await commitAs(other, work, work)
    await loadBob()
    model.deleteRepository(other)
    model.moveRepository(tool, { name: 'other' })
    await commitAs(tool, work)
    await loadBob()
    const counts = () => service.sql`
      select forge_rest_id as id, commits
      from repositories r join (
        select repository_id, count(*) as commits from commits group by repository_id
      ) counted on repository_id = r.id
      order by forge_rest_id`
    expect(await counts()).toEqual([
      { id: tool.databaseId, commits: 2 },
      { id: other.databaseId, commits: 2 },
    ])
    const { load: again, unchanged } = await loadBob()
    expect({ again, unchanged }).toMatchObject({ again: { commits: nothing }, unchanged: 1 })
  })
})
