/**
 * `import git` reads only what is new of clones, and nobody can tell from the data (decisions/0004-data.md).
 *
 * @module-tag later
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  dropLoadedHistories,
  findKnownHistory,
  noteLoadedHistories,
} from '../../../api/dataset/loaded-histories.ts'
import { findRepository, removeRepository } from '../../../api/dataset/repository-removal.ts'
import { markRestored } from '../../../api/dataset/restored-dataset.ts'
import { identifyAddress } from '../../../api/names/forge-names.ts'
import { forgetPerson, undoForgetting } from '../../../api/people/forget.ts'
import { type GitImportOptions, importGit } from '../../../api/sources/git/import.ts'
import { exportNdjson } from '../../../api/sources/ndjson/export.ts'
import { createRandom, type Random } from '../../../sample/random.ts'
import { resetCatalog } from '../../support/catalog-tables.ts'
import { isDrill } from '../../support/drill.ts'
import { createFolder, readFiles } from '../../support/export-folder.ts'
import { Clone, npm, useClones } from '../../support/git-clone.ts'
import { createCommit, createRepository, loadRecords } from '../../support/records.ts'
import {
  describeOnOneDatabase,
  startTestService,
  type TestService,
  useService,
} from '../../support/service.ts'

useClones()

const origin = 'https://forge.example/acme'
const ada = '11+ada@users.noreply.forge.example'

/** A record of the forge. Without names, it doesn't say what the dependencies are. */
function createRecord(id: number, url: string, names: string[] | null) {
  const { dependencies, ...record } = createRepository(id, 'acme', names ?? [])
  return { ...record, url, dependencies: names && dependencies.map((use) => ({ ...use, url })) }
}

describeOnOneDatabase('an unchanged clone', (kind) => {
  const service = useService(kind, { data: 'empty' })
  let clone: Clone
  let url: string
  let clones = 0
  beforeEach(async () => {
    const name = `${kind}-${++clones}`
    clone = new Clone(name)
    url = `${origin}/${name}`
    clone.git(0, 'remote', 'add', 'origin', url)
    clone.commit(1_600_000_000, { 'package.json': npm('first', 'second') })
    clone.git(1_600_000_000, 'commit', '--quiet', '--amend', '--no-edit', `--author=Ada <${ada}>`)
    clone.commit(1_600_000_100, { 'package.json': npm('first') })
    await load()
  })

  const load = (options: Partial<GitImportOptions> = {}) =>
    importGit(service.sql, { clones: [{ path: clone.path }], ...options })

  /** Expects that the next load reads everything again, and the one after it nothing. */
  async function expectReading(options: Partial<GitImportOptions> = {}): Promise<void> {
    const { clones, unchanged } = await load(options)
    expect({ read: clones.length, unchanged: unchanged.length }).toEqual({ read: 1, unchanged: 0 })
    await expectSkipping(options)
  }

  async function expectSkipping(options: Partial<GitImportOptions> = {}): Promise<void> {
    const branch = clone.git(0, 'branch', '--show-current')
    expect(await load(options)).toMatchObject({
      clones: [],
      unchanged: [{ path: clone.path, url, branch }],
      repositories: { added: 0, updated: 0, removed: 0 },
      commits: { added: 0, updated: 0, removed: 0 },
    })
  }

  /** Expects that reading everything again changes nothing. */
  async function expectWhole(): Promise<void> {
    const none = { added: 0, updated: 0, removed: 0 }
    expect(await load({ readAll: true })).toMatchObject({ repositories: none, commits: none })
  }

  test('is skipped, and the load is noted', async () => {
    const count = async () =>
      (await service.sql`select source from loads order by id`).map((row) => row.source)
    const before = await count()
    await expectSkipping()
    expect(await count()).toEqual([...before, '1 clone'])
    expect(await load({ readAll: true })).toMatchObject({ clones: [{ commitsRead: 2 }], unchanged: [] })
  })

  test('is skipped although the forge’s record has other stars', async () => {
    const record = createRecord(7_000 + clones, url, null)
    await loadRecords(service.sql, { repos: [record] })
    await expectReading() // another id
    await loadRecords(service.sql, { repos: [{ ...record, stargazers_count: 99 }] })
    await expectSkipping()
  })

  test('is read again with other options, as far as these matter', async () => {
    await expectReading({ allManifests: true })
    await expectReading({ allManifests: false })
    await expectSkipping({ keepUnreachable: true })
    clone.git(1_600_000_100, 'commit', '--quiet', '--amend', '-m', 'rewritten')
    await expectReading({ keepUnreachable: true })
    await expectReading({ keepUnreachable: false })
    clone.git(0, 'branch', 'same')
    clone.git(0, 'switch', '--quiet', 'same')
    await expectReading() // of another default branch
    expect(await load({ clones: [{ path: clone.path, restId: 9_000 + clones }] })).toMatchObject({
      unchanged: [],
    })
    await expectSkipping()
  })

  test('is read again if its history was rewritten', async () => {
    clone.git(1_600_000_300, 'commit', '--quiet', '--amend', '-m', 'rewritten')
    const { commits } = await load()
    expect(commits).toEqual({ added: 1, updated: 0, removed: 1 })
    await expectSkipping()
  })

  test('is read again by another version of the service', async () => {
    await service.sql`update loaded_histories set read_by = '0.0.9 ' where read_by <> ''`
    await expectReading()
  })

  test('is read again after another load changed its commits or its dependencies', async () => {
    const hash = clone.git(0, 'rev-parse', 'HEAD')
    const commit = createCommit(1, url, 'a@example.org', 1_600_000_100)
    await loadRecords(service.sql, { commits: [{ ...commit, commit_hash: hash, message: 'other' }] })
    await expectReading()
    await loadRecords(service.sql, { commits: [commit] })
    await expectReading()
    const [row] = await service.sql<{ id: number }[]>`
      select forge_rest_id as id from repositories order by id desc limit 1`
    const record = createRecord(Number(row?.id), url, ['other'])
    await loadRecords(service.sql, { repos: [record] })
    await expectReading()
  })

  test('is read again after its repository was removed, or the dataset was restored', async () => {
    const repository = await findRepository(service.sql, { owner: 'acme', name: `${kind}-${clones}` })
    if (repository === undefined) throw new Error('no repository')
    await removeRepository(service.sql, repository)
    expect(
      await service.sql`select from loaded_histories where repository_id = ${repository.id}`,
    ).toHaveLength(0)
    await expectReading()
    await markRestored(service.sql)
    await expectReading()
  })

  test('is read again after its author was forgotten, and after that was undone', async () => {
    const identities = [identifyAddress(ada) ?? '']
    await forgetPerson(service.sql, { identities, keepRepositories: false })
    await expectReading()
    await undoForgetting(service.sql, { identities, people: [] })
    const { commits } = await load()
    expect(commits).toEqual({ added: 0, updated: 1, removed: 0 })
    await expectSkipping()
  })

  test('gives the users whom --authors asks for', async () => {
    expect(await load({ authors: true })).toMatchObject({
      unchanged: [{ path: clone.path }],
      authors: { found: 2, unknown: 1 },
    })
    await expectSkipping({ authors: true })
  })

  test('that has new commits now is read from there on', async () => {
    const first = clone.git(0, 'rev-parse', 'HEAD')
    clone.commit(1_600_000_200, { 'package.json': npm('first', 'third'), 'web/package.json': npm('first') })
    clone.git(0, 'switch', '--quiet', '--create', 'side', first)
    clone.commit(1_600_000_250, { 'lib/package.json': npm('second') })
    clone.git(0, 'switch', '--quiet', 'main')
    clone.git(1_600_000_300, 'merge', '--quiet', '--no-ff', '-m', 'merge', 'side')
    expect(await load()).toMatchObject({
      clones: [{ commitsRead: 3 }],
      commits: { added: 3, updated: 0, removed: 0 },
      dependencies: { active: 3, removed: 0 },
      manifests: { read: new Map([['package.json', 3]]) },
    })
    await expectSkipping()
    await expectWhole()
    clone.commit(1_600_000_400, { 'package.json': '{' })
    expect(await load()).toMatchObject({ clones: [{ commitsRead: 1 }], manifestWarnings: 1 })
    clone.commit(1_600_000_500, { 'package.json': npm() })
    // What the manifest that doesn't parse declares, only those before it say.
    expect(await load()).toMatchObject({ clones: [{ commitsRead: 7 }], manifestWarnings: 1 })
    await expectWhole()
  })

  test('is read from the beginning if what was known is now a side branch', async () => {
    const known = clone.commit(1_600_000_200, { 'package.json': npm('first', 'third') })
    await load()
    clone.git(0, 'switch', '--quiet', '--create', 'other', 'HEAD~1')
    clone.commit(1_600_000_300, { 'lib/package.json': npm('second') })
    clone.git(1_600_000_400, 'merge', '--quiet', '--no-ff', '-m', 'merge', known)
    expect(await load()).toMatchObject({ clones: [{ commitsRead: 5 }], commits: { added: 2 } })
    await expectWhole()
  })

  test('is not continued if another load has changed its commits in the meantime', async () => {
    const reading = { allManifests: false, isComplete: true }
    const continued = await findKnownHistory(service.sql, { url }, reading)
    if (continued === undefined) throw new Error('it is not known')
    const note = () =>
      service.sql.begin((tx) =>
        noteLoadedHistories(tx, [{ ...continued, url, isRepeatable: true, continued }], reading),
      )
    await note()
    await loadRecords(service.sql, { commits: [createCommit(1, url, 'a@example.org', 1_600_000_100)] })
    await expect(note()).rejects.toThrow('Nothing was changed; run the import again')
    await expectReading()
  })

  test('is not noted if the load fails', async () => {
    await dropLoadedHistories(service.sql)
    const onStep = () => {
      throw new Error('stop')
    }
    await expect(
      load({ onProgress: ({ step }) => (step === 'applying' ? onStep() : undefined) }),
    ).rejects.toThrow('stop')
    expect(await service.sql`select from loaded_histories`).toHaveLength(0)
  })
})

describeOnOneDatabase('after any history of clones and of what else changes the dataset,', (kind) => {
  const histories = isDrill ? 60 : 2
  const steps = 12
  let services: [skipping: TestService, reading: TestService]
  beforeAll(async () => {
    services = [
      await startTestService(kind, { data: 'empty' }),
      await startTestService(kind, { data: 'empty' }),
    ]
  })
  afterAll(() => Promise.all(services.map((each) => each.close())))

  test('an export has the same bytes as if every clone had been read again', async () => {
    let [skipped, continued, read] = [0, 0, 0]
    for (let seed = 1; seed <= histories; seed++) {
      const random = createRandom(`unchanged clones ${seed}`)
      const clones = ['one', 'two'].map((name) => createClone(random, `${kind}-${seed}-${name}`))
      for (const { sql } of services) await resetCatalog(sql)
      for (let step = 0; step < steps; step++) {
        const name = random.pick(Object.keys(changes) as (keyof typeof changes)[])
        const work = changes[name](random, clones)
        for (const { sql } of services) await work(sql)
        const options = {
          clones: clones.map(({ clone: { path }, branch }) => ({ path, branch })),
          authors: random.chance(0.3),
          allManifests: random.chance(0.15),
          keepUnreachable: random.chance(0.15),
        }
        const [skipping, reading] = services
        const { unchanged, clones: loaded } = await importGit(skipping.sql, options)
        skipped += unchanged.length
        for (const { path, commitsRead } of loaded) {
          const grown = clones.find(({ clone }) => clone.path === path)
          if (commitsRead < Number(grown?.clone.git(0, 'rev-list', '--count', grown.branch))) continued++
          else read++
        }
        await importGit(reading.sql, { ...options, readAll: true })
        const at = `seed ${seed}, step ${step}: ${name}`
        expect([at, await readExport(skipping)]).toEqual([at, await readExport(reading)])
      }
    }
    console.info(`${histories} histories: ${skipped} clones skipped, ${continued} continued, ${read} read`)
    expect(Math.min(skipped, continued, read)).toBeGreaterThan(histories)
  })
})

async function readExport({ sql }: TestService): Promise<string[]> {
  await using folder = await createFolder()
  await exportNdjson(sql, folder.path)
  return (await readFiles(folder.path)).map(String)
}

/** A clone that grows. */
interface GrowingClone {
  clone: Clone
  url: string
  branch: string
  seconds: number
}

function createClone(random: Random, name: string): GrowingClone {
  const clone = new Clone(name)
  const url = `${origin}/${name}`
  clone.git(0, 'remote', 'add', 'origin', url)
  const growing = { clone, url, branch: 'main', seconds: 1_600_000_000 }
  for (let commits = 0; commits < 3; commits++) grow(random, growing)
  return growing
}

const files = ['package.json', 'web/package.json', 'test/package.json', 'lib/package.json']

/** Commits a change of a manifest: other names, a move, a deletion, or something that doesn't parse. */
function grow(random: Random, growing: GrowingClone): void {
  const { clone } = growing
  growing.seconds += 100
  const names = ['a', 'b', 'c', 'd'].filter(() => random.chance(0.5))
  const content = random.chance(0.15) ? '{"dependencies":' : npm(...names)
  clone.commit(
    growing.seconds,
    { [random.pick(files)]: content },
    `at ${growing.seconds} ${random.integer(0, 1e9)}`,
  )
  const tracked = clone.git(0, 'ls-files').split('\n')
  const from = random.pick(tracked)
  const to = random.pick(files)
  if (random.chance(0.3) && !tracked.includes(to)) {
    clone.git(0, 'rm', '--quiet', '--cached', from)
    clone.commit(growing.seconds + 10, { [to]: npm(...names), [from]: null })
  }
  if (random.chance(0.4))
    clone.git(growing.seconds + 20, 'commit', '--quiet', '--amend', '--no-edit', `--author=Ada <${ada}>`)
}

type Work = (sql: TestService['sql']) => Promise<unknown>
type Step = (random: Random, clones: GrowingClone[]) => Work
const nothing: Work = async () => {}

const changes = {
  'nothing changes': () => nothing,
  'nothing changes again': () => nothing,
  'commits are added': (random, clones) => {
    for (const clone of clones) grow(random, clone)
    return nothing
  },
  'commits are added again': (random, clones) => {
    for (let commits = random.integer(1, 3); commits > 0; commits--) grow(random, random.pick(clones))
    return nothing
  },
  'a branch is merged': (random, clones) => {
    const growing = random.pick(clones)
    const { clone } = growing
    clone.git(0, 'switch', '--quiet', '--create', `side-${growing.seconds}`)
    grow(random, growing)
    clone.git(0, 'switch', '--quiet', growing.branch)
    clone.git(
      growing.seconds + 50,
      'merge',
      '--quiet',
      '--no-ff',
      '-m',
      'merge',
      `side-${growing.seconds - 100}`,
    )
    return nothing
  },
  'the history is rewritten': (random, clones) => {
    const growing = random.pick(clones)
    growing.clone.git(0, 'reset', '--quiet', '--hard', 'HEAD~1')
    if (random.chance(0.7)) grow(random, growing)
    return nothing
  },
  'another branch is loaded': (random, clones) => {
    const growing = random.pick(clones)
    growing.branch = `branch-${growing.seconds}`
    growing.clone.git(0, 'switch', '--quiet', '--force-create', growing.branch)
    if (random.chance(0.5)) grow(random, growing)
    return nothing
  },
  'a record replaces the repository': (random, clones) => {
    const { url } = random.pick(clones)
    const id = clones.findIndex((each) => each.url === url) + 1
    const stars = random.integer(0, 9)
    const record = createRecord(id, url, random.chance(0.5) ? ['a', 'z'] : null)
    return (sql) => loadRecords(sql, { repos: [{ ...record, stargazers_count: stars }] })
  },
  'a file has other commits': (random, clones) => {
    const { url, clone } = random.pick(clones)
    const commit = createCommit(random.integer(1, 3), url, ada, 1_600_000_050)
    const hash = clone.git(0, 'rev-parse', 'HEAD~1')
    const known = random.chance(0.5)
    return async (sql) => {
      const rows = await sql`select from repositories where url_key = (
        select url_key from repositories where members like ${`%"${url}"%`} limit 1)`
      if (rows.length === 0) return
      await loadRecords(sql, { commits: [known ? { ...commit, commit_hash: hash } : commit] })
    }
  },
  'a person is forgotten': () => (sql) =>
    forgetPerson(sql, { identities: [identifyAddress(ada) ?? ''], keepRepositories: true }),
  'the forgetting is undone': () => (sql) =>
    undoForgetting(sql, { identities: [identifyAddress(ada) ?? ''], people: [] }),
  'a repository is removed': (random, clones) => {
    const { clone } = random.pick(clones)
    return async (sql) => {
      const name = clone.path.slice(clone.path.lastIndexOf('/') + 1)
      const repository = await findRepository(sql, { owner: 'acme', name })
      if (repository !== undefined) await removeRepository(sql, repository)
    }
  },
  'the dataset is restored': () => (sql) => markRestored(sql),
} satisfies Record<string, Step>
