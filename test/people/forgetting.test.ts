/** What goes and what stays when a person is forgotten. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, expect, test } from 'vitest'
import { verifyLedger } from '../../api/ledger/verify.ts'
import {
  forgottenAddress,
  identifyAddress,
  identifyForgeId,
  identifyLogin,
} from '../../api/names/forge-names.ts'
import { forgetPerson, listForgotten } from '../../api/people/forget.ts'
import { previewForgetting } from '../../api/people/forget-preview.ts'
import { exportPerson } from '../../api/people/person-export.ts'
import { exportNdjson } from '../../api/sources/ndjson/export.ts'
import { parseItem } from '../../api/staging/records.ts'
import { beginStaging } from '../../api/staging/staging.ts'
import {
  forgetZelda,
  hasAny,
  loadAll,
  names,
  others,
  own,
  searchTables,
  toolUrl,
} from '../support/forgotten.ts'
import { openSameDatabase } from '../support/instance.ts'
import { readListResponse } from '../support/list-response.ts'
import { countLockWaits } from '../support/lock-waits.ts'
import { createAdmin, load } from '../support/ndjson.ts'
import { createCommit, createRepository, createUser } from '../support/records.ts'
import { testOnServer } from '../support/server.ts'
import { describeOnOneDatabase, startTestService, useService } from '../support/service.ts'

testOnServer(
  'a request that is charged while its person is forgotten leaves no name in the ledger',
  async () => {
    const service = await startTestService('postgresql', { data: 'empty' })
    const other = await openSameDatabase(service)
    try {
      await loadAll(service.sql)
      const { secret, id } = await service.createKey()
      const forgetting = await other.sql.begin(async (tx) => {
        await tx`lock table dataset in share mode` // the new version, which comes last, waits
        const forgetting = forgetZelda(service.sql)
        while ((await countLockWaits(tx)) === 0) await sleep(20)
        expect((await service.request('/users/zelda-q', { key: secret })).status).toBe(200)
        return { forgetting }
      })
      expect(await forgetting.forgetting).toMatchObject({ ledgerEntries: 1 })
      const paths = await service.sql`select path from ledger where api_key_id = ${id} and kind = 'charge'`
      expect(paths).toEqual([{ path: '/users/{login}' }])
    } finally {
      await other.close()
      await service.close()
    }
  },
)

describeOnOneDatabase('a person who is forgotten', (kind) => {
  const service = useService(kind, { each: true, data: 'empty' })
  let admin: string
  beforeEach(async () => {
    admin = await createAdmin(service)
    await loadAll(service.sql)
  })

  const list = async (path: string) => readListResponse(await service.request(path, { key: admin })).data

  /** Requests that leave the person's names in the ledger, and in filters. */
  async function request(key: string): Promise<void> {
    for (const path of [
      '/users/zelda-q',
      '/users/ZELDA%2dQ',
      '/users/%7Aelda-q',
      '/repos/zelda-q/Zelda-Q',
      '/repos/Zelda-Q/zelda-q/commits',
      '/repos/zelda-q/zelda-q/dependencies?page=1',
      '/repos/zelda-q/zelda-q/dependencies/blame',
      '/users?location=zelda-q',
      '/repos?dependency_names=hono,zelda-q',
      '/users/bob',
      '/users/zelda-quinn',
    ]) {
      await service.request(path, { key })
    }
  }

  test.each([false, true])(
    'is named nowhere in the database and its export, whether the repositories stay: %j',
    async (keepRepositories) => {
      const { secret } = await service.createKey()
      await request(secret)
      await service.sql`analyze`
      for (const name of names) expect(await searchTables(service.sql, [name])).not.toEqual([])
      await forgetZelda(service.sql, { keepRepositories })
      expect(await searchTables(service.sql, names)).toEqual([])

      const folder = await mkdtemp(join(tmpdir(), 'devdata-forgotten-'))
      await exportNdjson(service.sql, folder)
      for (const file of await readdir(folder)) {
        expect(hasAny(await readFile(join(folder, file), 'utf8'), names)).toBe(false)
      }
      await rm(folder, { recursive: true })

      await request(secret) // what nobody has any more isn't recorded
      const paths = await service.sql<{ path: string }[]>`select path from ledger where kind = 'charge'`
      expect(paths.filter(({ path }) => hasAny(path, names))).toEqual([])
    },
  )

  test.each(['zelda-q@users.noreply.forge.example', '4711+old@users.noreply.forge.example'])(
    'is not somebody whose address names their account: %s',
    async (email) => {
      await load(service, { users: [createUser(4, { login: 'dora', email })] })
      const dora = [identifyForgeId(4)]
      const { users, repositories } = await exportPerson(service.sql, dora)
      expect([users.map(({ record }) => record), repositories]).toEqual([
        [expect.objectContaining({ login: 'dora' })],
        [],
      ])
      const options = { identities: dora, keepRepositories: false }
      expect(await previewForgetting(service.sql, options)).toMatchObject({
        logins: ['dora'],
        repositories: 0,
      })
      await forgetPerson(service.sql, options)
      expect((await list('/users')).map(({ login }) => login)).toEqual(['Zelda-Q', 'bob', 'carol'])
      await loadAll(service.sql)
      expect((await list('/repos')).length).toBe(2)

      await load(service, { users: [createUser(5, { login: 'eve', email })] })
      expect(await forgetZelda(service.sql)).toMatchObject({ users: { removed: 1 } })
      const others = ['bob', 'carol', 'eve']
      expect((await list('/users')).map(({ login }) => login)).toEqual(others)
      // Now nobody has the account, but it was not Eve's.
      const again = { identities: [identifyLogin('zelda-q'), identifyForgeId(4711)], keepRepositories: false }
      expect(await previewForgetting(service.sql, again)).toMatchObject({ logins: [], repositories: 0 })
      expect((await exportPerson(service.sql, again.identities)).users).toEqual([])
      await forgetPerson(service.sql, again)
      expect((await list('/users')).map(({ login }) => login)).toEqual(others)
      await load(service, { users: [createUser(5, { login: 'eve', email, bio: 'x' })] })
      expect((await list('/users')).map(({ login }) => login)).toEqual(others)
      expect((await exportPerson(service.sql, [identifyLogin('eve')])).users).toHaveLength(1)
      await forgetPerson(service.sql, { identities: [identifyLogin('eve')], keepRepositories: false })
      expect((await listForgotten(service.sql)).people).toHaveLength(3) // Dora, Zelda and Eve
    },
  )

  test('is unknown, with the repositories, and mirrors learn it', async () => {
    const { version, ...result } = await forgetZelda(service.sql)
    expect(result).toEqual({
      person: 1,
      wasForgotten: false,
      identities: 3,
      users: { added: 0, updated: 0, removed: 1 },
      addresses: { added: 0, updated: 0, removed: 0 },
      repositories: { added: 0, updated: 0, removed: 1 },
      commits: { added: 0, updated: 5, removed: 2 },
      ledgerEntries: 0,
    })
    for (const path of ['/users/zelda-q', '/repos/zelda-q/zelda-q', '/repos/zelda-q/zelda-q/commits']) {
      expect([path, (await service.request(path, { key: admin })).status]).toEqual([path, 404])
    }
    expect((await list('/users')).map(({ login }) => login)).toEqual(['bob', 'carol'])
    expect((await list('/users?location=elm')).length).toBe(0)
    expect((await list('/repos')).map(({ name }) => name)).toEqual(['tool'])
    expect(await service.sql`select kind, forge_rest_id as id, version from removals order by kind`).toEqual([
      { kind: 'repository', id: 501, version },
      { kind: 'user', id: 4711, version },
    ])
  })

  test.each([false, true])(
    'is counted before, as what is then changed, whether the repositories stay: %j',
    async (keepRepositories) => {
      const identities = [identifyLogin('zelda-q')]
      const preview = await previewForgetting(service.sql, { identities, keepRepositories })
      expect(preview).toEqual({
        logins: ['Zelda-Q'],
        repositories: 1,
        commits: { removed: keepRepositories ? 0 : 2, redacted: keepRepositories ? 6 : 5, messages: 1 },
        examples: [{ before: 'Merge from Zelda-Q/fix', after: 'Merge from forgotten/fix' }],
      })
      const result = await forgetPerson(service.sql, { identities, keepRepositories })
      expect(result.commits).toMatchObject({
        removed: preview.commits.removed,
        updated: preview.commits.redacted,
      })
      expect(await searchTables(service.sql, names)).toEqual([])
    },
  )

  test('has one constant address in commits of others, which stay', async () => {
    const before = await list('/repos/bob/tool/commits')
    await forgetZelda(service.sql)
    const after = await list('/repos/bob/tool/commits')
    expect(after.map(({ commit_hash }) => commit_hash)).toEqual(before.map(({ commit_hash }) => commit_hash))
    expect(after.map(({ author_email, committer_email }) => [author_email, committer_email])).toEqual([
      ['carol@example.com', 'carol@example.com'],
      ['bob@example.com', 'bob@example.com'],
      ['bob@example.com', 'bob@example.com'],
      ['bob@example.com', forgottenAddress],
      [forgottenAddress, forgottenAddress],
      [forgottenAddress, forgottenAddress],
      [forgottenAddress, forgottenAddress],
    ])
    expect(after[2]?.message).toBe(
      `Merge from forgotten/fix\n\nThanks forgotten, ${forgottenAddress}\n\nSigned-off-by: Bob <bob@example.com>`,
    )
    expect(after.slice(0, 2)).toEqual(before.slice(0, 2))
    const authors = await service.sql`
      select identity from contributions where kind = 'author' order by identity`
    expect(authors).toEqual([{ identity: 'email:BOB@EXAMPLE.COM' }, { identity: 'email:CAROL@EXAMPLE.COM' }])
  })

  test('is not charged, and the ledger still adds up', async () => {
    const { secret, id } = await service.createKey({ credits: 1000 })
    await request(secret)
    const before = await service.readLedger(id)
    const { ledgerEntries } = await forgetZelda(service.sql)
    expect(ledgerEntries).toBe(7)
    const paths = await service.sql<{ path: string }[]>`
      select path from ledger where api_key_id = ${id} and kind = 'charge' order by position`
    expect(paths.map(({ path }) => path)).toEqual([
      '/users/{login}',
      '/users/{login}',
      '/users/{login}',
      '/repos/{owner}/{name}',
      '/repos/{owner}/{name}/commits',
      '/repos/{owner}/{name}/dependencies',
      '/repos/{owner}/{name}/dependencies/blame',
      '/repos',
      '/users/bob',
      '/users/{login}', // nobody had this name
    ])
    expect(await service.readLedger(id)).toEqual(before)
    expect((await verifyLedger(service.sql)).problems).toEqual([])
  })

  test('leaves the repositories behind if they shall stay, under an owner who says nothing', async () => {
    const { person } = await forgetZelda(service.sql, { keepRepositories: true })
    const [repository] = await list('/repos')
    expect(repository).toMatchObject({
      forge_rest_id: 501,
      name: 'forgotten',
      full_name: `forgotten.${person}/forgotten`,
      owner_login: `forgotten.${person}`,
      owner_avatar_url: null,
      url: `https://forge.example/forgotten.${person}/forgotten`,
      homepage: null,
      dependencies: [{ url: `https://forge.example/forgotten.${person}/forgotten`, status: 'active' }],
    })
    const path = `/repos/forgotten.${person}/forgotten`
    expect((await service.request(path, { key: admin })).status).toBe(200)
    expect((await list(`${path}/commits`)).map(({ repo_url }) => repo_url)).toEqual(
      Array(2).fill(`https://forge.example/forgotten.${person}/forgotten`),
    )
    expect(
      await service.sql`select identity from contributions where repository_id = 1 and kind = 'owner'`,
    ).toEqual([{ identity: `login:FORGOTTEN.${person}` }])

    // The last command decides.
    const again = await forgetZelda(service.sql)
    expect(again).toMatchObject({ person, repositories: { removed: 1 }, commits: { removed: 2 } })
    expect((await list('/repos')).map(({ name }) => name)).toEqual(['tool'])
    expect((await listForgotten(service.sql)).people).toMatchObject([{ person, keepsRepositories: false }])
  })

  test('can be forgotten by an address or an id, and again with another address', async () => {
    await load(service, { commits: [createCommit(60, toolUrl, 'zelda@home.example', 5)] })
    const byId = await forgetPerson(service.sql, {
      identities: [identifyForgeId(4711)],
      keepRepositories: false,
    })
    expect(byId).toMatchObject({ person: 1, identities: 3, users: { removed: 1 }, commits: { updated: 5 } })
    const again = await forgetZelda(service.sql, { email: 'Zelda@Home.example' })
    expect(again).toMatchObject({ person: 1, identities: 2, users: { removed: 0 }, commits: { updated: 1 } })
    expect((await listForgotten(service.sql)).people).toMatchObject([{ person: 1, identities: 4 }])
    expect(await searchTables(service.sql, [...names, 'home.example'])).toEqual([])
  })

  test('is one person, once a command names what two forgettings named', async () => {
    await load(service, { removals: [{ forge_rest_id: 4711, kind: 'user' }] })
    const address = identifyAddress('zelda@example.com') ?? ''
    await forgetPerson(service.sql, { identities: [address], keepRepositories: false })
    await forgetZelda(service.sql, { keepRepositories: true })
    expect((await listForgotten(service.sql)).people).toMatchObject([{ identities: 1 }, { identities: 1 }])
    const both = [identifyLogin('zelda-q'), address]
    expect(await previewForgetting(service.sql, { identities: both, keepRepositories: false })).toMatchObject(
      {
        logins: [],
        repositories: 1,
      },
    )

    const kept = await forgetZelda(service.sql, { email: 'zelda@example.com', keepRepositories: true })
    expect(kept).toMatchObject({ person: 1, repositories: { updated: 1 } })
    expect((await list('/repos')).map(({ owner_login }) => owner_login)).toEqual(['forgotten.1', 'bob'])
    expect((await listForgotten(service.sql)).people).toMatchObject([{ person: 1, identities: 2 }])

    expect(await forgetZelda(service.sql)).toMatchObject({ person: 1, repositories: { removed: 1 } })
    expect(await load(service, own)).toMatchObject({ repositories: { added: 0 } })
  })

  test('is not in repositories that stay if another address is named later', async () => {
    await load(service, { repos: own.repos.map((each) => ({ ...each, description: 'z@home.example' })) })
    await forgetZelda(service.sql, { keepRepositories: true })
    const { version } = await forgetZelda(service.sql, { keepRepositories: true, email: 'z@home.example' })
    expect(await searchTables(service.sql, [...names, 'home.example'])).toEqual([])
    expect(await forgetZelda(service.sql, { keepRepositories: true })).toMatchObject({ version })
  })

  test('is found by letters that are several in upper case', async () => {
    const committer_email = 'Z.Groß@example.com'
    await load(service, {
      commits: [{ ...createCommit(60, toolUrl, 'bob@example.com', 5), committer_email }],
    })
    await forgetZelda(service.sql, { email: 'z.groß@example.com' })
    expect(await searchTables(service.sql, ['groß'])).toEqual([])
  })

  test('need not be a user', async () => {
    const identities = [identifyLogin('dora'), identifyAddress('dóra@example.com') ?? '']
    await load(service, {
      commits: [
        createCommit(61, toolUrl, '99+Dora@users.noreply.forge.example', 5),
        createCommit(62, toolUrl, 'DÓRA@example.com', 5),
        { ...createCommit(63, toolUrl, 'bob@example.com', 5), committer_email: 'do\u0301ra@example.com' },
      ],
    })
    expect(await previewForgetting(service.sql, { identities, keepRepositories: false })).toMatchObject({
      logins: [],
      repositories: 0,
      commits: { removed: 0, redacted: 3, messages: 0 },
    })
    const result = await forgetPerson(service.sql, { identities, keepRepositories: false })
    expect(result).toMatchObject({ identities: 2, users: { removed: 0 }, commits: { updated: 3 } })
    expect(await searchTables(service.sql, ['dora', 'dóra', 'do\u0301ra'])).toEqual([])
    const { version } = await forgetPerson(service.sql, { identities, keepRepositories: false })
    expect(version).toBe(result.version) // nothing changed
  })

  test('takes nothing from others but the commits whose address has the login', async () => {
    // Another account had the login before: its address names the person, too.
    await load(service, { commits: [createCommit(63, toolUrl, '77+zelda-q@users.noreply.forge.example', 5)] })
    await load(service, {
      commits: [createCommit(64, toolUrl, '1+bob@users.noreply.forge.example', 5)],
      users: [createUser(77, { login: 'carol', email: 'carol@example.org' })],
    })
    const using = async () => (await list('/users?dependency_names=zod')).map(({ login }) => login)
    expect(await using()).toEqual(['Zelda-Q', 'bob', 'carol'])
    await forgetZelda(service.sql)
    expect(await using()).toEqual(['bob'])
    const [bob] = await list('/users')
    expect(bob).toEqual(others.users[0])
  })

  test('stays in bios and names of dependencies of others', async () => {
    await load(service, {
      users: [createUser(2, { bio: 'Friend of @zelda-q' })],
      repos: [createRepository(503, 'bob', ['forge.example/zelda-q/lib'])],
    })
    await forgetZelda(service.sql)
    const found = await searchTables(service.sql, names)
    expect(new Set(found.map((row) => row.split(':', 1)[0]))).toEqual(
      new Set(['dependencies', 'repositories', 'users', 'pg_stats']),
    )
  })

  test('is named nowhere after many commits and repositories, either', async () => {
    const repos = Array.from({ length: 230 }, (_, index) =>
      createRepository(1000 + index, 'zelda-q', ['hono'], {
        url: `https://forge.example/zelda-q/repo-${1000 + index}`,
      }),
    )
    const commits = Array.from({ length: 350 }, (_, index) =>
      createCommit(1000 + index, toolUrl, 'zelda@example.com', index),
    )
    await load(service, { repos, commits })
    expect(await forgetZelda(service.sql, { keepRepositories: true })).toMatchObject({
      repositories: { updated: 231 },
      commits: { updated: 356 }, // one of them in a repository that stays
    })
    expect(await searchTables(service.sql, names)).toEqual([])
  })

  test('is not in what a killed load has staged', async () => {
    const staging = await beginStaging(service.sql)
    await staging.add(0, parseItem('users', JSON.stringify(own.users[0])))
    await staging.flush()
    await staging.end()
    await forgetZelda(service.sql)
    expect(await searchTables(service.sql, names)).toEqual([])
  })
})
