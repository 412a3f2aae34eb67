/**
 * `import git` of several clones, and of folders of them: one load. Their URLs are those of their origins.
 *
 * @module-tag later
 */
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { beforeEach, describe, expect, test } from 'vitest'
import { readDataset } from '../../../api/catalog/dataset.ts'
import { findClones } from '../../../api/sources/git/clone.ts'
import { type GitImportOptions, importGit } from '../../../api/sources/git/import.ts'
import { Clone, npm, root, useClones } from '../../support/git-clone.ts'
import { readListResponse } from '../../support/list-response.ts'
import { readDatasetVersion } from '../../support/ndjson.ts'
import { describeOnOneDatabase, useService } from '../../support/service.ts'

useClones()

describe('a folder of clones', () => {
  test('stands for those in it and in its folders, bare or not; a repository stands for itself', async () => {
    const folder = join(root, 'src')
    for (const path of ['acme/deep', 'plain/er', 'notes']) mkdirSync(join(folder, path), { recursive: true })
    writeFileSync(join(folder, 'README'), '')
    new Clone('src/widget')
    new Clone('src/acme/gadget.git', '--bare')
    new Clone('src/acme/.github')
    new Clone('src/acme/deep/too-deep')
    new Clone('src/widget/inner')
    const found = ['acme/.github', 'acme/gadget.git', 'widget'].map((name) => join(folder, name))
    expect(await findClones([folder])).toEqual(found)
    const [github, gadget, widget] = found as [string, string, string]
    expect(await findClones([widget, folder, join(widget, '.git'), `${gadget}/`])).toEqual([
      widget,
      github,
      gadget,
      join(widget, '.git'),
    ])
    // A folder that is not a clone and contains none stays. It is refused when it is opened.
    const others = ['plain', 'missing', 'README'].map((name) => join(folder, name))
    expect(await findClones(others)).toEqual(others)
  })

  test.skipIf(process.getuid?.() === 0)(
    'may have folders that can’t be read, which are left out',
    async () => {
      const folder = join(root, 'home')
      mkdirSync(join(folder, 'closed'), { recursive: true })
      chmodSync(join(folder, 'closed'), 0o000)
      new Clone('home/widget')
      expect(await findClones([folder])).toEqual([join(folder, 'widget')])
      expect(await findClones([join(folder, 'closed')])).toEqual([join(folder, 'closed')])
    },
  )
})

describeOnOneDatabase('several clones', (kind) => {
  const service = useService(kind, { each: true, key: { role: 'admin' }, data: 'empty' })
  let loads = 0
  beforeEach(async () => {
    loads++
  })

  function createClone(name: string, origin?: string): Clone {
    const clone = new Clone(`${kind}-${loads}-${name}`)
    clone.commit(1_600_000_000, { 'package.json': npm(name) })
    clone.commit(1_600_000_100, { 'package.json': npm(name, 'shared') })
    if (origin !== undefined) clone.git(0, 'remote', 'add', 'origin', origin)
    return clone
  }
  const load = (clones: readonly Clone[], options: Partial<GitImportOptions> = {}) =>
    importGit(service.sql, { clones: clones.map(({ path }) => ({ path })), ...options })
  const list = async (path: string) =>
    readListResponse(await service.request(path, { key: service.key })).data

  test('are one load, under the URLs of their origins', async () => {
    const clones = [
      createClone('one', 'https://ada:secret@forge.example/acme/one.git'),
      createClone('two', 'git@forge.example:acme/two.git'),
      createClone('three', 'ssh://git@altssh.forge.example:443/acme/three'),
      createClone('four', 'http://localhost:3000/acme/four'),
      createClone('five', 'short:acme/five'),
    ]
    clones[4]?.git(0, 'config', 'url.https://forge.example/.insteadOf', 'short:')
    const version = await readDatasetVersion(service)
    const steps = new Set<string>()
    const result = await load(clones, { onProgress: ({ step }) => steps.add(step) })
    expect(result).toMatchObject({
      version: version + 1,
      repositories: { added: 5, updated: 0, removed: 0 },
      commits: { added: 10, updated: 0, removed: 0 },
      dependencies: { active: 10, removed: 0 },
      clones: [
        { url: 'https://forge.example/acme/one', branch: 'main', commitsRead: 2 },
        { url: 'https://forge.example/acme/two' },
        { url: 'https://forge.example/acme/three' },
        { url: 'http://localhost:3000/acme/four' },
        { url: 'https://forge.example/acme/five' },
      ],
    })
    expect(steps).toContain('reading commits of acme/two (2 of 5)')
    for (const name of ['one', 'two', 'three', 'four', 'five']) {
      expect(await list(`/repos/acme/${name}/commits`)).toHaveLength(2)
      expect(await list(`/repos?dependency_names=${name}`)).toMatchObject([{ name }])
    }
    expect(await load(clones)).toMatchObject({ version: version + 1 })
  })

  test('are loaded without those that can’t be, which are named with what to do', async () => {
    const one = createClone('one', 'https://forge.example/acme/one')
    await load([one])
    const last = await readDataset(service.sql)
    const expectFailure = async (other: Clone, reason: string) => {
      one.commit(1_700_000_000 + ++commits)
      const message = expect.stringContaining(`${other.path} ${reason}`)
      expect(await load([other, one])).toMatchObject({
        clones: [{ path: one.path }],
        failed: [{ path: other.path, reason: message }],
        skipped: [],
        commits: { added: 1, updated: 0, removed: 0 },
      })
      await expect(load([one, other], { allOrNothing: true })).rejects.toThrow(`${other.path} ${reason}`)
    }
    let commits = 0
    const hint = 'so its URL is unknown; load it alone, with --url https://HOST/OWNER/NAME'
    await expectFailure(createClone('lost'), `has no origin, ${hint}`)
    const copy = createClone('copy', '/srv/git/acme/copy.git')
    await expectFailure(copy, `has the origin /srv/git/acme/copy.git, which is not on a server, ${hint}`)
    const tokens = ['https://ada:hunter2@forge.example:acme/one.git', 'ftp://ada:hunter2@forge.example/one']
    for (const [index, origin] of tokens.entries()) {
      const shown = origin.replace('ada:hunter2@', '')
      await expectFailure(createClone(`token-${index}`, origin), `has the origin ${shown}, which is not`)
    }
    const nested = createClone('nested', 'git@forge.example:group/sub/nested.git')
    await expectFailure(
      nested,
      'has the origin https://forge.example/group/sub/nested.git: names a group within a group',
    )
    const odd = createClone('odd', 'https://forge.example/~ada/odd')
    await expectFailure(
      odd,
      'has the origin https://forge.example/~ada/odd: owner_login: must be 1 to 100 letters',
    )
    const damaged = createClone('damaged', 'https://forge.example/acme/damaged')
    const blob = damaged.git(0, 'rev-parse', 'HEAD~1:package.json')
    rmSync(join(damaged.path, '.git/objects', blob.slice(0, 2), blob.slice(2)))
    await expectFailure(damaged, 'is a partial or damaged clone')
    const cut = createClone('cut', 'https://forge.example/acme/cut')
    cut.git(0, 'switch', '--quiet', '--create', 'side', 'HEAD~1')
    const side = cut.commit(1_600_000_050)
    cut.git(0, 'switch', '--quiet', 'main')
    cut.git(1_600_000_200, 'merge', '--quiet', '--no-ff', '-m', 'merge', 'side')
    rmSync(join(cut.path, '.git/objects', side.slice(0, 2), side.slice(2)))
    await expectFailure(cut, 'is a partial or damaged clone')
    const shallow = createClone('shallow', 'https://forge.example/acme/shallow')
    writeFileSync(join(shallow.path, '.git/shallow'), `${shallow.git(0, 'rev-parse', 'HEAD')}\n`)
    await expectFailure(shallow, 'is a shallow clone')
    // What failed doesn't count as the last load. The next one does.
    const { version, loaded_at } = await readDataset(service.sql)
    expect([version > last.version, loaded_at]).toEqual([true, last.loaded_at])
    await load([one])
    expect((await readDataset(service.sql)).loaded_at).not.toEqual(last.loaded_at)
  })

  test('are loaded without any clone of a repository that has several', async () => {
    const clones = ['one', 'twin', 'two'].map((name) => {
      const repository = name === 'twin' ? 'one' : name
      return createClone(name, `https://forge.example/acme/${repository}`)
    })
    const [one, twin, two] = clones as [Clone, Clone, Clone]
    const reason = (of: Clone, other: Clone) =>
      `${of.path} is a clone of https://forge.example/acme/one, like ${other.path}; load only one of them`
    expect(await load(clones)).toMatchObject({
      clones: [{ path: two.path }],
      failed: [
        { path: one.path, reason: reason(one, twin) },
        { path: twin.path, reason: reason(twin, one) },
      ],
    })
    await expect(load(clones, { allOrNothing: true })).rejects.toThrow(reason(one, twin))
  })

  test('are loaded without empty ones, which is no failure, unless there is nothing else', async () => {
    const [one, empty] = [createClone('one', 'https://forge.example/acme/one'), new Clone(`${kind}-empty`)]
    const reason = `Nothing to read in ${empty.path}: it has no commits yet`
    expect(await load([empty, one])).toMatchObject({
      clones: [{ path: one.path }],
      failed: [],
      skipped: [{ path: empty.path, reason }],
    })
    expect((await readDataset(service.sql)).loaded_at).not.toBeNull()
    await expect(load([empty, one], { allOrNothing: true })).rejects.toThrow(reason)
    await expect(load([empty])).rejects.toThrow(reason)
    const lost = createClone('lost')
    await expect(load([empty, lost])).rejects.toThrow(
      /^None of the 2 clones can be loaded: .*lost has no origin/,
    )
  })
})
