/** Loads leave forgotten people out, until their forgetting is undone. */
import { beforeEach, expect, test } from 'vitest'
import { applyImport } from '../../api/dataset/apply-load.ts'
import { forgottenAddress, identifyAddress, identifyLogin } from '../../api/names/forge-names.ts'
import { forgetPerson, listForgotten, undoForgetting } from '../../api/people/forget.ts'
import { readForgottenPeople } from '../../api/people/forgotten-people.ts'
import { importGit } from '../../api/sources/git/import.ts'
import { importNdjson } from '../../api/sources/ndjson/import.ts'
import { parseItem } from '../../api/staging/records.ts'
import { beginStaging } from '../../api/staging/staging.ts'
import { forgetZelda, loadAll, names, others, own, searchTables, toolUrl } from '../support/forgotten.ts'
import { Clone, npm, useClones } from '../support/git-clone.ts'
import { readListResponse } from '../support/list-response.ts'
import { createAdmin, createSource, load, nothing, readDatasetVersion, toLines } from '../support/ndjson.ts'
import { createCommit, createRepository, createUser, testOrigin } from '../support/records.ts'
import { describeOnOneDatabase, useService } from '../support/service.ts'

useClones()

describeOnOneDatabase('a load after a person was forgotten', (kind) => {
  const service = useService(kind, { each: true, data: 'empty' })
  let admin: string
  beforeEach(async () => {
    admin = await createAdmin(service)
  })

  const list = async (path: string) => readListResponse(await service.request(path, { key: admin })).data
  const all = {
    users: [...own.users, ...others.users],
    repos: [...own.repos, ...others.repos],
    commits: [...own.commits, ...others.commits],
  }

  test('leaves the person out, counts it, and changes nothing that is there', async () => {
    await loadAll(service.sql)
    const { version } = await forgetZelda(service.sql)
    expect(await load(service, all)).toEqual({
      users: nothing,
      addresses: nothing,
      repositories: nothing,
      commits: nothing,
      version,
      forgotten: 4, // the user, the repository and its two commits
      contradicted: { lines: 0, first: undefined },
    })
    expect(await searchTables(service.sql, names)).toEqual([])
  })

  test('leaves the person out of an empty dataset, too', async () => {
    await forgetZelda(service.sql)
    // Their names were never there: only the login is known.
    const user = { ...own.users[0], email: null, forge_rest_id: 9 }
    const commits = others.commits.filter(({ author_email }) => !/^zelda@|^4711/i.test(author_email))
    const result = await load(service, { ...all, users: [user, ...others.users], commits })
    expect(result).toMatchObject({ forgotten: 2, users: { added: 2 }, repositories: { added: 1 } })
    expect(await searchTables(service.sql, ['zelda-q'])).toEqual([])
  })

  test('takes commits alone: those of a repository of the person are not missing one', async () => {
    await loadAll(service.sql)
    await forgetZelda(service.sql)
    const commits = [...own.commits, createCommit(90, toolUrl, 'zelda@example.com', 90)]
    expect(await load(service, { commits })).toMatchObject({
      forgotten: 2,
      commits: { added: 1, updated: 0 },
    })
    const [newest] = await list('/repos/bob/tool/commits')
    expect(newest).toMatchObject({ author_email: forgottenAddress, committer_email: forgottenAddress })
  })

  test('still refuses a commit of an unknown repository of somebody else', async () => {
    await forgetZelda(service.sql)
    const commit = createCommit(1, 'https://forge.example/bob/unknown', 'bob@example.com', 1)
    await expect(load(service, { commits: [commit] })).rejects.toThrow(
      'commits.ndjson:1: repo_url: no repository has this URL',
    )
  })

  test('gives repositories that stay the owner who says nothing, and new commits', async () => {
    await loadAll(service.sql)
    const { version, person } = await forgetZelda(service.sql, { keepRepositories: true })
    expect(await load(service, all)).toMatchObject({ version, forgotten: 1 })
    const second = createRepository(504, 'zelda-q', ['vite'], {
      url: 'https://forge.example/zelda-q/second',
      name: 'second',
    })
    const commits = [
      createCommit(91, second.url, 'bob@example.com', 1),
      createCommit(92, String(own.repos[0]?.url), 'bob@example.com', 90),
    ]
    expect(await load(service, { repos: [second], commits })).toMatchObject({
      forgotten: 0,
      repositories: { added: 1, updated: 0 },
      commits: { added: 2 },
    })
    expect((await list('/repos')).map(({ full_name }) => full_name)).toEqual([
      `forgotten.${person}/forgotten`,
      'bob/tool',
      `forgotten.${person}/second`,
    ])
    expect((await list(`/repos/forgotten.${person}/forgotten/commits`)).length).toBe(3)
    expect(await searchTables(service.sql, names)).toEqual([])
  })

  test('of a clone leaves out the repository of the person, and redacts the commits of others', async () => {
    const clone = new Clone(`others-${kind}`)
    clone.commit(100, { 'package.json': npm('hono') }, 'Begin\n\nSigned-off-by: Z <zelda@example.com>')
    await loadAll(service.sql)
    await forgetZelda(service.sql)
    const left = await importGit(service.sql, {
      clones: [{ path: clone.path, url: String(own.repos[0]?.url) }],
    })
    expect(left).toMatchObject({
      clones: [{ isLeftOut: true, commitsRead: 0 }],
      dependencies: { active: 0, removed: 0 },
    })
    const loaded = await importGit(service.sql, { clones: [{ path: clone.path, url: toolUrl }] })
    expect(loaded).toMatchObject({ clones: [{ isLeftOut: false }], commits: { added: 1 } })
    expect(await searchTables(service.sql, names)).toEqual([])
  })

  test('of a clone finds the repository that stays under its old URL', async () => {
    const clone = new Clone(`kept-${kind}`)
    clone.commit(100, { 'package.json': npm('vite') }, 'Begin\n\nSigned-off-by: Z <zelda@example.com>')
    await loadAll(service.sql)
    await forgetZelda(service.sql, { keepRepositories: true })
    const result = await importGit(service.sql, {
      clones: [{ path: clone.path, url: 'http://www.forge.example/zelda-q/zelda-q.git' }],
    })
    expect(result).toMatchObject({ repositories: { added: 0, updated: 1 }, commits: { added: 1 } })
    expect(await searchTables(service.sql, names)).toEqual([])
  })

  test.each([false, true])(
    'brings everything back once that is undone, whether the repositories stayed: %j',
    async (keepRepositories) => {
      await loadAll(service.sql)
      const before = { users: await list('/users'), repos: await list('/repos') }
      const commits = await list('/repos/bob/tool/commits')
      await forgetZelda(service.sql, { keepRepositories })
      expect(
        await undoForgetting(service.sql, { identities: [identifyLogin('ZELDA-q')], people: [] }),
      ).toEqual([1])
      expect((await listForgotten(service.sql)).people).toEqual([])
      expect(await load(service, all)).toMatchObject({
        forgotten: 0,
        commits: { updated: keepRepositories ? 6 : 5 },
      })
      const byName = (a: Record<string, unknown>, b: Record<string, unknown>) =>
        Number(a.forge_rest_id) - Number(b.forge_rest_id)
      const strip = (rows: Record<string, unknown>[]) =>
        rows.map(({ internal_id: _, ...rest }) => rest).sort(byName)
      expect({ users: strip(await list('/users')), repos: strip(await list('/repos')) }).toEqual({
        users: strip(before.users),
        repos: strip(before.repos),
      })
      expect(await list('/repos/bob/tool/commits')).toEqual(commits)
      expect((await list('/repos/zelda-q/zelda-q/commits')).length).toBe(2)
      expect((await list('/users?dependency_names=zod')).length).toBe(3)
      expect(await service.sql`select from removals where not exists_again`).toEqual([])
    },
  )

  const home = 'zelda@home.example'
  const user = createUser(4711, { login: 'Zelda-Q', email: 'Zelda@example.com' })
  const forgetHome = (keepRepositories: boolean) =>
    forgetPerson(service.sql, { identities: [String(identifyAddress(home))], keepRepositories })

  test.for([
    ['of the user', false, { users: [{ ...user, email: home }] }],
    ['of the user, who keeps repositories', true, { users: [{ ...user, email: home }] }],
    [
      'of further addresses',
      false,
      { identities: [{ forge_rest_id: 4711, addresses: ['z@b.example', home] }] },
    ],
  ] as const)(
    'forgets a user who has a forgotten address by a line %s',
    async ([, keepRepositories, lines]) => {
      await loadAll(service.sql)
      const { version } = await forgetHome(keepRepositories)
      const path = '/repos/bob/tool/commits'
      await service.sql`update ledger set path = '/users/zelda-q'`
      const added = [
        createCommit(93, toolUrl, 'zelda@example.com', 80),
        createCommit(94, toolUrl, 'bob@example.com', 81),
      ]
      expect(await load(service, { commits: added, ...lines })).toMatchObject({
        users: { ...nothing, removed: 1 },
        repositories: keepRepositories ? { ...nothing, updated: 1 } : { ...nothing, removed: 1 },
        version: version + 1,
        forgotten: 1,
      })
      expect(await searchTables(service.sql, [...names, home])).toEqual([])
      expect((await list(path)).map(({ commit_hash }) => commit_hash)).toEqual(
        expect.arrayContaining(added.map(({ commit_hash }) => commit_hash)),
      )
      expect((await listForgotten(service.sql)).people).toMatchObject([
        { keepsRepositories: keepRepositories },
      ])
      expect(await load(service, all)).toMatchObject({ users: nothing, version: version + 1 })
      expect(await searchTables(service.sql, [...names, home])).toEqual([])
    },
  )

  test('forgets a new user, whose further addresses show that it is somebody forgotten, with all names', async () => {
    await loadAll(service.sql)
    await forgetHome(false)
    const shown = { login: 'z-at-work', email: 'z@work.example' }
    const url = 'https://forge.example/z-at-work/own'
    const lines = {
      users: [createUser(4712, shown)],
      identities: [{ forge_rest_id: 4712, addresses: [home] }],
      repos: [createRepository(505, shown.login, ['vite'], { url, name: 'own' })],
      commits: [
        createCommit(95, toolUrl, shown.email, 82),
        createCommit(96, toolUrl, 'bob@example.com', 83),
        createCommit(97, url, 'bob@example.com', 84),
      ],
    }
    expect(await load(service, lines)).toMatchObject({ users: nothing, forgotten: 2 })
    expect(await searchTables(service.sql, [shown.login, shown.email, home])).toEqual([])
    const [newest, second] = await list('/repos/bob/tool/commits')
    expect([newest?.author_email, second?.author_email]).toEqual(['bob@example.com', forgottenAddress])
    expect(await load(service, lines)).toMatchObject({ users: nothing, forgotten: 4 })
  })

  test('keeps a user of whom it shows no more than a forgotten login, or a commit with a forgotten id', async () => {
    await loadAll(service.sql)
    await forgetZelda(service.sql)
    const before = await list('/users')
    const renamed = createUser(77, { login: 'zelda-q', email: 'carol@example.com' })
    const madeFromCommit = createUser(4711, { login: 'carol', email: null, forge_graphql_id: 'local_4711' })
    const withLoginOfOther = createUser(4711, { login: 'carol', email: null })
    for (const line of [renamed, madeFromCommit, withLoginOfOther]) {
      expect(await load(service, { users: [line] })).toMatchObject({ users: nothing, forgotten: 1 })
    }
    expect(await list('/users')).toEqual(before)
  })

  test('fails if the person was forgotten after it was read, and says what to do', async () => {
    await loadAll(service.sql)
    let version = 0
    const loading = importNdjson(service.sql, {
      sources: [
        createSource('users', toLines(own.users)),
        {
          ...createSource('commits', toLines(own.commits)),
          async *open() {
            ;({ version } = await forgetZelda(service.sql))
            yield Buffer.from(toLines([createCommit(1, toolUrl, 'zelda@example.com', 1)]))
          },
        },
      ],
    })
    await expect(loading).rejects.toThrow(
      'The list of forgotten people has changed since this load began. Nothing was changed; run the import again',
    )
    expect(await readDatasetVersion(service)).toBe(version)
    expect(await searchTables(service.sql, names)).toEqual([])
    expect(await load(service, all)).toMatchObject({ version, forgotten: 4 })
  })

  test('fails if a forgotten person got another identity, or came back, since it was read', async () => {
    await forgetZelda(service.sql)
    for (const change of [
      () => forgetZelda(service.sql, { email: 'zelda@home.example' }),
      () => forgetZelda(service.sql, { keepRepositories: true }),
      () => undoForgetting(service.sql, { identities: [], people: [1] }),
    ]) {
      const forgotten = await readForgottenPeople(service.sql)
      const staging = await beginStaging(service.sql)
      await staging.add(0, parseItem('users', JSON.stringify(others.users[0])))
      await staging.flush()
      await change()
      await expect(
        applyImport(service.sql, staging.id, { origin: testOrigin, assertValid: forgotten.assertSame }),
      ).rejects.toThrow('run the import again')
      await staging.discard()
    }
  })

  test('fails if the key of the hashes is missing', async () => {
    await forgetZelda(service.sql)
    await service.sql`delete from forgotten_identities_key`
    const missing = 'The key of forgotten people is missing (table forgotten_identities_key)'
    await expect(load(service, all)).rejects.toThrow(missing)
    await expect(forgetZelda(service.sql)).rejects.toThrow(missing)
    expect(await readDatasetVersion(service)).toBe(0)
  })

  test('finds no name in the tables of forgotten people, not even as a plain hash', async () => {
    await forgetZelda(service.sql)
    const [plain] = await service.sql`
      select from forgotten_identities where hash = sha256(${Buffer.from(identifyLogin('zelda-q'))})`
    expect(plain).toBeUndefined()
    const [{ length } = { length: 0 }] = await service.sql<{ length: number }[]>`
      select length(key) from forgotten_identities_key`
    expect(length).toBe(32)
  })
})
