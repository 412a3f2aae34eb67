/**
 * Further addresses of users: who committed under them is the author, they are exported, and go with forgetting.
 */
import { beforeEach, expect, test } from 'vitest'
import { identifyAddress, identifyLogin } from '../../api/names/forge-names.ts'
import { forgetPerson, undoForgetting } from '../../api/people/forget.ts'
import { exportNdjson } from '../../api/sources/ndjson/export.ts'
import { findSources, importNdjson } from '../../api/sources/ndjson/import.ts'
import { createFolder, readFiles, readObjects } from '../support/export-folder.ts'
import { searchTables } from '../support/forgotten.ts'
import { createSource, load, nothing, readDatasetVersion, toLines } from '../support/ndjson.ts'
import { createCommit, createRepository, createUser } from '../support/records.ts'
import { describeOnOneDatabase, startTestService, useService } from '../support/service.ts'

const url = 'https://forge.example/bob/tool'
const ada = createUser(1, { login: 'ada', email: 'ada@example.org' })
const bob = createUser(2, { login: 'bob' })
const tool = createRepository(11, 'bob', ['zod'], { url, name: 'tool' })
const work = 'Ada@Work.example'
const commits = [createCommit(1, url, 'ada@work.example', 10)]
const ofAda = { forge_rest_id: 1, addresses: [work, 'only@extra.example'] }
const unknown = 'forge_rest_id: no user has this id; load the user first, or together with the addresses'

describeOnOneDatabase('A further address of a user', (kind) => {
  const service = useService(kind, { each: true, data: 'empty' })
  beforeEach(async () => {
    await load(service, { users: [ada, bob], repos: [tool], commits })
  })

  async function whoUsesZod(): Promise<unknown> {
    const { sql } = service
    const rows = await sql<{ login: string }[]>`
      select document::json ->> 'login' as login from users u
      where exists (
        select from user_dependencies p join dependencies d on d.id = any(dependency_ids)
        where user_id = u.id and d.name = 'zod'
      ) order by u.id`
    return rows.map(({ login }) => login)
  }

  test('links commits to the user, until it is taken away', async () => {
    expect(await whoUsesZod()).toEqual(['bob'])
    const added = await load(service, { identities: [ofAda] })
    expect(added).toMatchObject({ users: nothing, addresses: { ...nothing, added: 1 }, version: 2 })
    expect(await whoUsesZod()).toEqual(['ada', 'bob'])
    const again = await load(service, { identities: [ofAda] })
    expect(again).toMatchObject({ addresses: nothing, version: 2 })
    const other = await load(service, { identities: [{ forge_rest_id: 1, addresses: ['x@example.org'] }] })
    expect(other).toMatchObject({ addresses: { ...nothing, updated: 1 }, version: 3 })
    expect(await whoUsesZod()).toEqual(['bob'])
  })

  test('stays when the user’s own record is loaded, even with that address and then without it', async () => {
    await load(service, { identities: [ofAda] })
    for (const fields of [{ bio: 'new' }, { email: work }, { email: null }, { login: 'ada-2' }]) {
      await load(service, { users: [{ ...ada, ...fields }] })
      expect(await whoUsesZod()).toEqual([fields.login ?? 'ada', 'bob'])
    }
    await load(service, { users: [{ ...ada, email: work }], identities: [{ ...ofAda, addresses: [] }] })
    expect(await whoUsesZod()).toEqual(['ada', 'bob'])
  })

  test('is never served', async () => {
    await load(service, { identities: [ofAda] })
    const { secret: key } = await service.createKey({ role: 'admin' })
    for (const path of ['/users', '/users/ada', '/users?changed_since=0', '/repos', '/openapi.json']) {
      expect((await service.request(path, { key })).text).not.toContain(work)
    }
  })

  test('goes with the user', async () => {
    await load(service, { identities: [ofAda] })
    await load(service, { removals: [{ forge_rest_id: 1, kind: 'user' }] })
    expect(await searchTables(service.sql, ['only@extra.example'])).toEqual([])
    await load(service, { users: [ada] })
    expect(await whoUsesZod()).toEqual(['bob'])
  })

  test.each([
    ['no user', { forge_rest_id: 3, addresses: [work] }, unknown],
    ['a wrong type', { forge_rest_id: 1, addresses: work }, 'addresses: must be an array'],
    [
      'an empty address',
      { forge_rest_id: 1, addresses: ['x@example.org', ''] },
      'addresses.1: must be an address of 1 to 320 characters, and not that of forgotten people',
    ],
    ['another field', { ...ofAda, login: 'ada' }, 'login: unknown field'],
    [
      'too many addresses',
      { forge_rest_id: 1, addresses: Array.from({ length: 1_001 }, (_, n) => `a${n}@example.org`) },
      'addresses: must have at most 1000 addresses',
    ],
  ])('is refused on a line with %s', async (_, line, reason) => {
    await expect(load(service, { identities: [line] })).rejects.toThrow(
      `identities.ndjson:1: ${reason}; nothing was changed`,
    )
    expect(await readDatasetVersion(service)).toBe(1)
  })

  test('is exported, and an import of the export exports the same bytes', async () => {
    await load(service, {
      identities: [{ forge_rest_id: 1, addresses: [work, 'z@example.org', 'ada@work.example'] }],
    })
    const copy = await startTestService(kind, { data: 'empty' })
    await using first = await createFolder()
    await using second = await createFolder()
    await exportNdjson(service.sql, first.path)
    expect(await readObjects(first.path, 'identities.ndjson')).toEqual([
      { forge_rest_id: 1, addresses: [work, 'z@example.org'] },
    ])
    const { version } = await importNdjson(copy.sql, { sources: await findSources([first.path]) })
    await exportNdjson(copy.sql, second.path)
    expect(await readFiles(second.path)).toEqual(await readFiles(first.path))
    // A copy follows changes too: of one user all addresses are taken away, and another gets one.
    expect(version).toBe(1)
    await load(service, {
      identities: [
        { forge_rest_id: 1, addresses: [] },
        { forge_rest_id: 2, addresses: [work] },
      ],
    })
    await exportNdjson(service.sql, first.path, { since: 2 })
    await importNdjson(copy.sql, { sources: await findSources([first.path]) })
    await exportNdjson(copy.sql, second.path)
    await exportNdjson(service.sql, first.path)
    expect(await readFiles(second.path)).toEqual(await readFiles(first.path))
    expect(await readObjects(second.path, 'identities.ndjson')).toEqual([
      { forge_rest_id: 2, addresses: [work] },
    ])
    await copy.close()
  })

  test('is taken away by a mirror of files without it', async () => {
    await load(service, { identities: [ofAda, { forge_rest_id: 2, addresses: ['bob@work.example'] }] })
    const missing: object[] = []
    const sources = [createSource('identities', toLines([{ forge_rest_id: 2, addresses: ['b@x.example'] }]))]
    const onMirror = async (counts: object) => void missing.push(counts)
    const mirrored = await importNdjson(service.sql, { sources, onMirror })
    expect(missing).toEqual([{ users: 0, addresses: 1, repositories: 0, commits: 0 }])
    expect(mirrored).toMatchObject({ addresses: { added: 0, updated: 1, removed: 1 }, users: nothing })
    expect(await whoUsesZod()).toEqual(['bob'])
    expect((await importNdjson(service.sql, { sources, onMirror })).version).toBe(mirrored.version)
    const users = createSource('users', toLines([bob]))
    await importNdjson(service.sql, { sources: [users, ...sources], onMirror })
    expect(missing.at(-1)).toEqual({ users: 1, addresses: 0, repositories: 0, commits: 0 })
    await expect(
      importNdjson(service.sql, { sources: [users, createSource('identities', toLines([ofAda]))], onMirror }),
    ).rejects.toThrow(unknown)
  })

  test('is enough to forget the person, and loads leave out the person by any of the addresses', async () => {
    await load(service, { identities: [ofAda] })
    const identities = [identifyAddress(work) ?? '']
    const forgotten = await forgetPerson(service.sql, { identities, keepRepositories: false })
    expect(forgotten).toMatchObject({ identities: 5, users: { removed: 1 }, commits: { updated: 1 } })
    expect(await searchTables(service.sql, ['ada@', 'ada"'])).toEqual([])
    const version = await readDatasetVersion(service)
    await load(service, { users: [ada], identities: [ofAda], commits })
    await load(service, { identities: [ofAda] })
    // Another account with that address is the same person's, whichever line says it.
    const third = createUser(3, { login: 'ada-3' })
    await load(service, { users: [third], identities: [{ forge_rest_id: 3, addresses: [work] }] })
    await load(service, {
      users: [{ ...third, email: work }],
      identities: [{ forge_rest_id: 3, addresses: ['other@example.org'] }],
    })
    expect(await readDatasetVersion(service)).toBe(version)
    await undoForgetting(service.sql, { identities: [identifyLogin('ada')], people: [] })
    await load(service, { users: [ada], identities: [ofAda] })
    expect(await whoUsesZod()).toEqual(['bob']) // the commit no longer names her
    expect(await readDatasetVersion(service)).toBe(version + 1)
  })
})
