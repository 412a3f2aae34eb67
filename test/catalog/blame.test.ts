/** `GET /repos/{owner}/{name}/dependencies/blame` of files (decisions/0003-lists.md). git-blame.test.ts has that of git histories. */
import { beforeEach, expect, test } from 'vitest'
import { exportNdjson } from '../../api/sources/ndjson/export.ts'
import { createFolder, readObjects } from '../support/export-folder.ts'
import { readListResponse } from '../support/list-response.ts'
import { createAdmin, load, readDatasetVersion } from '../support/ndjson.ts'
import { createCommit, createDependency, createRepository } from '../support/records.ts'
import { describeOnOneDatabase, useService } from '../support/service.ts'

const url = 'https://forge.example/r/1'
const path = '/repos/ada/repo-1/dependencies/blame'
const commits = [1, 2].map((number) => createCommit(number, url, 'ada@example.org', number * 100))
const [first, second, third] = [1, 2, 3].map((number) => createCommit(number, url, '', 0).commit_hash)
const blamed = (hash: string | undefined, date: number) => ({
  commit_hash: hash,
  date,
  author_email: 'ada@example.org',
})

describeOnOneDatabase('the blame of dependencies from files', (kind) => {
  const service = useService(kind, { each: true, data: 'empty' })
  let key: string
  beforeEach(async () => {
    key = await createAdmin(service)
  })

  const read = async (query = '') => readListResponse(await service.request(path + query, { key })).data
  const createUse = (name: string, fields: object) => ({ ...createDependency(url, name), ...fields })
  const loadUses = (...dependencies: object[]) =>
    load(service, { repos: [{ ...createRepository(1, 'ada', []), dependencies }], commits })

  test('names the commits that the repository has, and no others', async () => {
    await loadUses(
      createUse('added', { added_commit_hash: first }),
      createUse('back', { added_commit_hash: first, removed_commit_hash: second }),
      createUse('gone', { status: 'removed', added_commit_hash: first, removed_commit_hash: second }),
      createUse('lost', { status: 'removed', added_commit_hash: third, removed_commit_hash: null }),
      createUse('silent', {}),
      createUse('unknown', { status: null, removed_commit_hash: second }),
    )
    expect(await read()).toEqual(
      [
        ['added', blamed(first, 100), null],
        ['back', blamed(first, 100), null], // it is declared
        ['gone', blamed(first, 100), blamed(second, 200)],
        ['lost', null, null],
        ['silent', null, null],
        ['unknown', null, blamed(second, 200)],
      ].map(([name, added, removed]) => ({
        dependency: { dependency_name: name, dependency_file: 'package.json' },
        added,
        removed,
      })),
    )
    const listed = await service.request('/repos', { key })
    expect(listed.text).not.toContain('commit_hash')
    // A commit of another repository is none of this one.
    await load(service, {
      repos: [createRepository(2, 'ada', [])],
      commits: [{ ...createCommit(3, 'https://forge.example/r/2', 'bob@example.org', 300) }],
    })
    expect((await read('?page=4&per_page=1'))[0]).toMatchObject({ added: null })
    await load(service, { commits: [createCommit(3, url, 'bob@example.org', 300)] })
    expect((await read('?page=4&per_page=1'))[0]).toMatchObject({
      added: { author_email: 'bob@example.org' },
    })
  })

  test('is kept by lines without dependencies, and replaced by lines with them', async () => {
    const use = createUse('react', { added_commit_hash: first })
    await loadUses(use)
    await load(service, { repos: [{ ...createRepository(1, 'ada', []), dependencies: null, size: 7 }] })
    expect(await read()).toMatchObject([{ added: blamed(first, 100) }])
    await loadUses({ ...use, added_commit_hash: second })
    expect(await read()).toMatchObject([{ added: blamed(second, 200) }])
    await loadUses(createUse('react', {}))
    expect(await read()).toMatchObject([{ added: null, removed: null }])
  })

  test('changes no repository for clients, but is in exports of changes', async () => {
    await loadUses(createUse('react', { added_commit_hash: first }))
    const version = await readDatasetVersion(service)
    const tag = (await service.request(path, { key })).headers.get('ETag') ?? ''
    expect((await service.request(path, { key, headers: { 'If-None-Match': tag } })).status).toBe(304)
    expect((await loadUses(createUse('react', { added_commit_hash: first }))).version).toBe(version)
    const { repositories } = await loadUses(createUse('react', { added_commit_hash: second }))
    expect(repositories).toEqual({ added: 0, updated: 1, removed: 0 })
    expect(await readDatasetVersion(service)).toBe(version + 1)
    expect(readListResponse(await service.request(`/repos?changed_since=${version}`, { key })).data).toEqual(
      [],
    )
    expect((await service.request(path, { key, headers: { 'If-None-Match': tag } })).status).toBe(200)

    await using folder = await createFolder()
    await exportNdjson(service.sql, folder.path, { since: version })
    expect(await readObjects(folder.path, 'repos.ndjson')).toMatchObject([
      { dependencies: [{ added_commit_hash: second }] },
    ])
    await exportNdjson(service.sql, folder.path, { since: version + 1 })
    expect(await readObjects(folder.path, 'repos.ndjson')).toEqual([])
    await load(service, { removals: [{ forge_rest_id: 1, kind: 'repository' }] })
    expect(await service.sql`select from dependency_commit_changes`).toHaveLength(0)
  })

  test('takes names that mean something to JavaScript, JSON and PostgreSQL, and any number of them', async () => {
    const names = [
      '__proto__',
      '7',
      'constructor',
      '{a,b}',
      '"q"',
      'NULL',
      'back\\slash',
      "o'clock",
      '名前',
      '🌍',
    ]
    const many = Array.from({ length: 30_000 }, (_, number) => `p-${number}`)
    await loadUses(
      ...[...names, ...many].map((name) =>
        createUse(name, { status: 'removed', removed_commit_hash: second }),
      ),
    )
    for (const name of names) {
      const after = encodeURIComponent(JSON.stringify([name, '']))
      expect(await read(`?per_page=1&after=${after}`)).toEqual([
        {
          dependency: { dependency_name: name, dependency_file: 'package.json' },
          added: null,
          removed: blamed(second, 200),
        },
      ])
    }
    const last = await read('?per_page=100&page=300')
    expect(last).toHaveLength(100)
    expect(last).toMatchObject(last.map(() => ({ removed: blamed(second, 200) })))
  })
})
