import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { applyImport } from '../../../api/dataset/apply-load.ts'
import { importGit } from '../../../api/sources/git/import.ts'
import { withStaging } from '../../../api/staging/staging.ts'
import { readDatasetVersion } from '../../support/ndjson.ts'
import { createCommit, createRepository, loadRecords, testOrigin } from '../../support/records.ts'
import { describeOnOneDatabase, useService } from '../../support/service.ts'

const url = 'https://forge.example/acme/widget'

describeOnOneDatabase('importGit', (kind) => {
  const service = useService(kind, { key: {} })
  let clone: string

  /** Runs git in the clone, at a time of its own. */
  function git(seconds: number, ...parameters: string[]): string {
    const date = `@${seconds} +0000`
    const who = { NAME: 'Ada', EMAIL: 'ada@example.org', DATE: date }
    const environment = Object.fromEntries(
      ['AUTHOR', 'COMMITTER'].flatMap((role) =>
        Object.entries(who).map(([name, value]) => [`GIT_${role}_${name}`, value]),
      ),
    )
    return execFileSync('git', parameters, {
      cwd: clone,
      encoding: 'utf8',
      env: { ...process.env, ...environment },
    })
  }

  async function commit(
    seconds: number,
    dependencies: Record<string, string>,
    message: string,
  ): Promise<void> {
    await writeFile(join(clone, 'package.json'), JSON.stringify({ dependencies }))
    git(seconds, 'add', '.')
    git(seconds, 'commit', '--quiet', '--message', message)
  }

  async function list(path: string): Promise<Record<string, unknown>[]> {
    const { data } = (await service.request(path, { key: service.key })).json() as {
      data: Record<string, unknown>[]
    }
    return data
  }

  beforeAll(async () => {
    clone = await mkdtemp(join(tmpdir(), 'devdata-clone-'))
    git(0, 'init', '--quiet', '--initial-branch=main')
    await commit(1_600_000_000, { react: '1', left: '1' }, 'Begin')
    await commit(1_600_002_000, { react: '1' }, 'Drop left\n\nIt was not right.')
  })
  afterAll(async () => {
    await rm(clone, { recursive: true, force: true })
  })

  test('loads the commits and the dependencies of a clone, and who uses them', async () => {
    const before = await list('/users?dependency_names=react&location=nowhere-else')
    const result = await importGit(service.sql, {
      clones: [{ path: clone, url: `${url}.git` }],
    })
    expect(result).toMatchObject({
      repositories: { added: 1, updated: 0, removed: 0 },
      commits: { added: 2, updated: 0, removed: 0 },
      clones: [{ commitsRead: 2 }],
      dependencies: { active: 1, removed: 1 },
    })
    expect((await list('/repos/acme/widget/commits')).map(({ message }) => message)).toEqual([
      'Drop left\n\nIt was not right.',
      'Begin',
    ])
    expect(await list('/repos/acme/widget/dependencies')).toEqual([
      {
        url,
        first_use_date: 1_600_000_000,
        last_use_date: 1_600_002_000,
        updated_at: 1_600_002_000,
        status: 'removed',
        dependency: { dependency_name: 'left', dependency_file: 'package.json' },
      },
      {
        url,
        first_use_date: 1_600_000_000,
        last_use_date: null,
        updated_at: 1_600_000_000,
        status: 'active',
        dependency: { dependency_name: 'react', dependency_file: 'package.json' },
      },
    ])
    const repository = (await service.request('/repos/acme/widget', { key: service.key })).json()
    expect(repository).toMatchObject({
      full_name: 'acme/widget',
      url,
      created_at: 1_600_000_000,
      default_branch: 'main',
    })
    expect(await list('/repos?dependency_names=left')).toHaveLength(1)
    expect(before).toEqual([])
  })

  test('changes nothing when it is run again, and adds what is new', async () => {
    const again = await importGit(service.sql, { clones: [{ path: clone, url }] })
    expect(again).toMatchObject({
      repositories: { added: 0, updated: 0, removed: 0 },
      commits: { added: 0, updated: 0 },
    })
    await commit(1_600_003_000, { react: '1', right: '1' }, 'Add right')
    const more = await importGit(service.sql, { clones: [{ path: clone, url }] })
    expect(more).toMatchObject({
      repositories: { added: 0, updated: 1, removed: 0 },
      commits: { added: 1, updated: 0 },
    })
    expect(more.version).toBe(again.version + 1)
    const repository = (await service.request('/repos/acme/widget', { key: service.key })).json()
    expect(repository).toMatchObject({ created_at: 1_600_000_000, pushed_at: 1_600_003_000 })
    expect((await list('/repos/acme/widget/commits')).map(({ message }) => message)).toEqual([
      'Add right',
      'Drop left\n\nIt was not right.',
      'Begin',
    ])
    expect(await list('/repos?dependency_names=right')).toHaveLength(1)
  })

  test('keeps what is known of the repository', async () => {
    const [known] = await list('/repos?per_page=1')
    const { url: knownUrl, dependencies: _dependencies, ...fields } = known ?? {}
    await importGit(service.sql, { clones: [{ path: clone, url: String(knownUrl) }] })
    const after = (await service.request(`/repos/${fields.full_name}`, { key: service.key })).json()
    expect(after).toEqual({ ...fields, url: knownUrl })
    expect(await list(`/repos/${fields.full_name}/dependencies`)).toHaveLength(3)
  })

  test('keeps what another load says of the repository in the meantime', async () => {
    const { dependencies: _none, ...record } = createRepository(4242, 'acme', [])
    const newer = { ...record, stargazers_count: 7, description: 'Newer', url: `${record.url}/` }
    await loadRecords(service.sql, { repos: [{ ...record, dependencies: null }] })
    let other: Promise<unknown> = Promise.resolve()
    await importGit(service.sql, {
      clones: [{ path: clone, url: record.url }],
      onBegin() {
        other = loadRecords(service.sql, { repos: [{ ...newer, dependencies: null }] })
      },
    })
    await other
    expect((await service.request(`/repos/${record.full_name}`, { key: service.key })).json()).toMatchObject(
      newer,
    )
    const dependencies = await list(`/repos/${record.full_name}/dependencies`)
    expect(dependencies.map((use) => use.url)).toEqual(dependencies.map(() => newer.url))
    expect(dependencies).toHaveLength(3)
    expect(await list(`/repos/${record.full_name}/commits`)).toHaveLength(3)
  })

  test('is refused if the repository gets another URL in the meantime', async () => {
    const record = createRepository(4243, 'acme', [])
    const moved = { ...record, url: 'https://forge.example/acme/moved' }
    await loadRecords(service.sql, { repos: [moved] })
    const before = await readDatasetVersion(service)
    const load = withStaging(service.sql, {}, async (staging) => {
      await staging.add(0, { kind: 'repos', record: { ...record, dependencies: [] } })
      await staging.add(1, { kind: 'commits', record: createCommit(1, record.url, 'a@example.org', 1) })
      await staging.flush()
      await applyImport(service.sql, staging.id, { origin: testOrigin, keepsKnownRecords: true })
    })
    await expect(load).rejects.toThrow(
      `A repository of this load has the URL ${moved.url} since this load began. Nothing was changed; run the import again`,
    )
    expect(await readDatasetVersion(service)).toBe(before)
  })

  test('takes every spelling of a repository’s URL for the same repository', async () => {
    for (const spelling of [
      'http://forge.example/acme/widget',
      'https://www.forge.example/acme/widget/',
      'https://FORGE.example:443//acme/widget.git/',
      'https://forge.example/acme/widget/tree/main',
      'https://forge.example/acme/widget/-/blob/main/README.md',
    ]) {
      const result = await importGit(service.sql, { clones: [{ path: clone, url: spelling }] })
      expect([spelling, result.repositories]).toEqual([spelling, { added: 0, updated: 0, removed: 0 }])
    }
    expect((await service.request('/repos/acme/widget', { key: service.key })).json()).toMatchObject({ url })
    // One that lines have given under another spelling is the same, and keeps the URL that the forge told.
    const repository = {
      ...createRepository(77, 'acme', []),
      url: 'http://www.forge.example/acme/gadget.git',
    }
    await loadRecords(service.sql, { repos: [{ ...repository, name: 'gadget', full_name: 'acme/gadget' }] })
    const result = await importGit(service.sql, {
      clones: [{ path: clone, url: 'https://forge.example/acme/gadget' }],
    })
    expect(result.repositories).toEqual({ added: 0, updated: 1, removed: 0 })
    expect((await service.request('/repos/acme/gadget', { key: service.key })).json()).toMatchObject({
      url: 'http://www.forge.example/acme/gadget.git',
      forge_rest_id: 77,
    })
    // What listens on a port of its own may speak nothing but http.
    await importGit(service.sql, { clones: [{ path: clone, url: 'http://localhost:3000/acme/local.git' }] })
    expect((await service.request('/repos/acme/local', { key: service.key })).json()).toMatchObject({
      url: 'http://localhost:3000/acme/local',
    })
  })

  test('loads the named branch, and says which', async () => {
    git(0, 'switch', '--quiet', '--create', 'release', 'HEAD~1')
    const result = await importGit(service.sql, {
      clones: [{ path: clone, url: `${url}-2`, branch: 'main' }],
    })
    expect(result).toMatchObject({ clones: [{ branch: 'main', commitsRead: 3 }] })
    expect((await service.request('/repos/acme/widget-2', { key: service.key })).json()).toMatchObject({
      default_branch: 'main',
    })
    const older = await importGit(service.sql, { clones: [{ path: clone, url: `${url}-2` }] }) // without an origin: HEAD
    expect(older).toMatchObject({ clones: [{ branch: 'release', commitsRead: 2 }] })
    git(0, 'switch', '--quiet', 'main')
  })

  test('refuses a wrong URL, and the id of another repository', async () => {
    const refusals: [options: { url: string; restId?: number }, message: RegExp][] = [
      [
        { url: 'git@forge.example:acme/widget' },
        /^--url git@forge.example:acme\/widget: must be .*https URL/,
      ],
      [
        { url: 'https://ada:token@forge.example/acme/widget' },
        /^--url: must not contain .* try https:\/\/forge\.example\/acme\/widget$/,
      ],
      [
        { url: 'https://token@forge.example/widget' },
        /^--url: must not contain .* try https:\/\/forge\.example\/widget$/,
      ],
      [
        { url: 'https://token@forge.example:none/a/b' },
        /^--url https:\/\/forge\.example:none\/a\/b: must be /,
      ],
      [{ url: `${url}?tab=readme` }, /must not contain a user name, a token, a query or a fragment/],
      [{ url: 'https://forge.example/acme/%zz' }, /must be the repository's http or https URL/],
      [{ url: 'https://forge.example/acme/%ff' }, /must be the repository's http or https URL/],
      [{ url: 'https://forge.example/widget' }, /must be the repository's http or https URL/],
      [{ url: 'https://forge.example/group/acme%2Fwidget' }, /%2Fwidget: name: must be 1 to 100 letters/],
      [{ url: 'https://forge.example/group%2facme/widget' }, /owner_login: must be 1 to 100 letters/],
      [{ url: 'https://forge.example/~ada/widget' }, /owner_login: must be 1 to 100 letters/],
      [
        { url: 'https://forge.example/group/sub/widget' },
        /^--url https:\/\/forge\.example\/group\/sub\/widget: names a group within a group; an owner can't contain a slash/,
      ],
      [{ url: 'https://forge.example/group/sub/widget/-/tree/main' }, /names a group within a group/],
      [
        { url: 'https://forge.example/acme/gadget', restId: 7 },
        /--rest-id 7: .* is already loaded as repository 77/,
      ],
    ]
    for (const [options, message] of refusals) {
      await expect(importGit(service.sql, { clones: [{ path: clone, ...options }] })).rejects.toThrow(message)
    }
    const [known] = await list('/repos?per_page=1')
    const taken = { url: 'https://forge.example/acme/other', restId: Number(known?.forge_rest_id) }
    await expect(importGit(service.sql, { clones: [{ path: clone, ...taken }] })).rejects.toThrow(
      /that repository is already loaded as/,
    )
  })
})
