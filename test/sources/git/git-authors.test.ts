/**
 * `import git --authors`: users of the authors whom no-reply addresses name.
 *
 * @module-tag later
 */
import { expect, test } from 'vitest'
import { identifyLogin } from '../../../api/names/forge-names.ts'
import { forgetPerson } from '../../../api/people/forget.ts'
import { importGit } from '../../../api/sources/git/import.ts'
import { searchTables } from '../../support/forgotten.ts'
import { Clone, useClones } from '../../support/git-clone.ts'
import { startTestForge } from '../../support/github-import.ts'
import { readListResponse } from '../../support/list-response.ts'
import { nothing } from '../../support/ndjson.ts'
import { createUser, loadRecords } from '../../support/records.ts'
import { describeOnOneDatabase, useService } from '../../support/service.ts'

useClones()

const host = 'users.noreply.forge.example'
const unknown = { email: null, avatar_url: null, company: null, location: null, bio: null }
let number = 0

/** A clone with a commit of each author, written 5 seconds before the given time. */
function createClone(...commits: readonly (readonly [seconds: number, author: string])[]): string {
  const clone = new Clone(`authors-${++number}`)
  for (const [seconds, author] of commits) {
    clone.git(seconds, 'commit', '--quiet', '--allow-empty', '--author', author, '-m', 'A change')
  }
  return clone.path
}

describeOnOneDatabase('import git --authors', (kind) => {
  const service = useService(kind, { each: true, key: { role: 'admin' }, data: 'empty' })

  const load = (path: string, name = 'widget') =>
    importGit(service.sql, {
      clones: [{ path, url: `https://forge.example/acme/${name}` }],
      authors: true,
    })
  const listUsers = async () => readListResponse(await service.request('/users', { key: service.key })).data

  test('makes users of co-authors, too', async () => {
    const clone = new Clone(`authors-${++number}`)
    const message = `Pair\n\nCo-authored-by: Ada Lovelace <1001+ada@${host}>\nCo-authored-by: Bob <bob@example.org>`
    const author = `Assistant <1002+assistant@${host}>`
    clone.git(1_600_000_005, 'commit', '--quiet', '--allow-empty', '--author', author, '-m', message)
    const { authors } = await load(clone.path)
    expect(authors).toEqual({ found: 3, unknown: 1 })
    expect(await listUsers()).toMatchObject([
      { forge_rest_id: 1001, login: 'ada', name: 'Ada Lovelace' },
      { forge_rest_id: 1002, login: 'assistant' },
    ])
  })

  test('makes users with login, id and name, and says how many authors stay unknown', async () => {
    const path = createClone(
      [1_600_000_005, `Ada <1001+ada@${host}>`],
      [1_600_003_005, `Ada Lovelace <1001+Ada-L@${host.toUpperCase()}>`],
      [1_600_002_005, `Ada <1001+ada@${host}>`],
      [1_600_001_005, `helper[bot] <49+helper[bot]@${host}>`],
      [1_600_001_005, `Ada, long ago <ada-l@${host}>`], // of the login above
      [1_600_001_005, `Bob <bob@${host}>`],
      [1_600_001_005, 'Carol <carol@example.org>'],
      [1_600_001_005, 'Dora <7+dora@users.noreply.github.com>'], // of another forge
      [1_600_001_005, `Nobody <0+nobody@${host}>`],
      [1_600_001_005, `Nobody <5+no body@${host}>`],
    )
    const result = await load(path)
    expect(result).toMatchObject({
      users: { added: 2, updated: 0, removed: 0 },
      commits: { added: 10 },
      authors: { found: 8, unknown: 5 },
    })
    expect(await listUsers()).toEqual([
      {
        forge_rest_id: 49,
        forge_graphql_id: 'local_49',
        login: 'helper[bot]',
        name: 'helper[bot]',
        ...unknown,
        followers: 0,
        following: 0,
        type: 'Bot',
        created_at: '2020-09-13T12:43:20Z',
        updated_at: '2020-09-13T12:43:20Z',
      },
      {
        forge_rest_id: 1001,
        forge_graphql_id: 'local_1001',
        login: 'Ada-L',
        name: 'Ada Lovelace',
        ...unknown,
        followers: 0,
        following: 0,
        type: 'User',
        created_at: '2020-09-13T12:26:40Z',
        updated_at: '2020-09-13T13:16:40Z',
      },
    ])
  })

  test('makes none unless it is asked to', async () => {
    const path = createClone([1000, `Ada <1001+ada@${host}>`])
    const clones = [{ path, url: 'https://forge.example/acme/widget' }]
    const result = await importGit(service.sql, { clones })
    expect(result).toMatchObject({ users: nothing, commits: { added: 1 } })
    expect(result).not.toHaveProperty('authors')
  })

  test('changes nothing the second time, and merges what other clones say, in any order', async () => {
    const newer = createClone([5005, `New <1001+new@${host}>`])
    const older = createClone([1005, `Old <1001+old@${host}>`], [2005, `Old <1001+old@${host}>`])
    await load(newer, 'newer')
    expect((await load(newer, 'newer')).users).toEqual(nothing)
    expect((await load(older, 'older')).users).toMatchObject({ added: 0, updated: 1 })
    expect((await load(newer, 'newer')).users).toEqual(nothing)
    expect(await listUsers()).toMatchObject([
      { login: 'new', name: 'New', created_at: '1970-01-01T00:16:40Z', updated_at: '1970-01-01T01:23:20Z' },
    ])
  })

  test('leaves users of whom more is known as they are, and a record of the forge replaces what it made', async () => {
    const path = createClone([1005, `Ada <1001+ada@${host}>`], [1005, `Bob <1002+bob@${host}>`])
    const ada = createUser(1001, { login: 'ada-lovelace', name: 'Ada Lovelace', location: 'London' })
    await loadRecords(service.sql, { users: [ada] })
    expect(await load(path)).toMatchObject({
      users: { added: 1, updated: 0 },
      authors: { found: 2, unknown: 0 },
    })
    expect(await listUsers()).toEqual([ada, expect.objectContaining({ login: 'bob', location: null })])
    const bob = createUser(1002, { login: 'bob', location: 'Berlin' })
    await loadRecords(service.sql, { users: [bob] })
    expect(await listUsers()).toEqual([ada, bob])
    expect((await load(path)).users).toEqual(nothing)
  })

  test('makes nobody who was forgotten, under any login', async () => {
    const path = createClone(
      [1005, `Zelda <4711+zelda-q@${host}>`],
      [2005, `Zelda <4711+zelda-new@${host}>`],
      [3005, `Zelda <zelda-q@${host}>`], // the dataset doesn't know of this login
      [3005, `Bob <1002+bob@${host}>`],
    )
    await load(path)
    await forgetPerson(service.sql, { identities: [identifyLogin('zelda-new')], keepRepositories: false })
    expect(await load(path)).toMatchObject({ users: nothing, authors: { found: 2, unknown: 1 } })
    expect(await searchTables(service.sql, ['4711+', 'zelda-new'])).toEqual([])
  })

  test('makes users whom import github fills, unless their accounts are gone', async () => {
    await using forge = await startTestForge({ repositories: 10, commits: 40, monolithCommits: 60 })
    const { model, special } = forge.organization
    const { git, databaseId } = special.monolith
    const url = 'https://github.com/acme-works/monolith'
    await importGit(service.sql, { clones: [{ path: git.path, url, restId: databaseId }], authors: true })
    const made = await listUsers()
    expect(made.length).toBeGreaterThan(3)
    const isMade = ({ forge_graphql_id: id }: Record<string, unknown>) => String(id).startsWith('local_')
    expect(made.filter(isMade)).toEqual(made)
    await forge.load(service.sql)
    const accounts = new Set(model.accounts.map(({ databaseId }) => databaseId))
    const gone = made.filter(({ forge_rest_id: id }) => !accounts.has(Number(id)))
    expect(gone.length).toBeLessThan(made.length)
    expect((await listUsers()).filter(isMade)).toEqual(gone)
  })
})
