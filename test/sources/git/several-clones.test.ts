/**
 * `import git` of several clones, and of folders of them: one load. Their URLs are those of their origins.
 *
 * @module
 */
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findClones } from '../../../api/sources/git/clone.ts'
import { importGit } from '../../../api/sources/git/import.ts'
import { Clone, npm, root, useClones } from '../../support/git-clone.ts'
import { readListResponse } from '../../support/list-response.ts'
import { createAdmin, readDatasetVersion } from '../../support/ndjson.ts'
import { describeOnOneDatabase, startTestService, type TestService } from '../../support/service.ts'

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
  let service: TestService
  let key: string
  let loads = 0
  beforeEach(async () => {
    service = await startTestService(kind, { data: 'empty' })
    key = await createAdmin(service)
    loads++
  })
  afterEach(() => service.close())

  function createClone(name: string, origin?: string): Clone {
    const clone = new Clone(`${kind}-${loads}-${name}`)
    clone.commit(1_600_000_000, { 'package.json': npm(name) })
    clone.commit(1_600_000_100, { 'package.json': npm(name, 'shared') })
    if (origin !== undefined) clone.git(0, 'remote', 'add', 'origin', origin)
    return clone
  }
  const load = (clones: readonly Clone[], onStep?: (step: string) => void) =>
    importGit(service.sql, {
      clones: clones.map(({ path }) => ({ path })),
      onProgress: ({ step }) => onStep?.(step),
    })
  const list = async (path: string) => readListResponse(await service.request(path, { key })).data

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
    const result = await load(clones, (step) => steps.add(step))
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

  test('are loaded all or none: one that can’t be read is named', async () => {
    const one = createClone('one', 'https://forge.example/acme/one')
    const expectNothing = async (other: Clone, reason: string) => {
      await expect(load([one, other])).rejects.toThrow(`${other.path} ${reason}`)
      expect(await list('/repos')).toEqual([])
    }
    const hint = 'so its URL is unknown; load it alone, with --url https://HOST/OWNER/NAME'
    await expectNothing(createClone('lost'), `has no origin, ${hint}`)
    const copy = createClone('copy', '/srv/git/acme/copy.git')
    await expectNothing(copy, `has the origin /srv/git/acme/copy.git, which is not on a server, ${hint}`)
    const tokens = ['https://ada:hunter2@forge.example:acme/one.git', 'ftp://ada:hunter2@forge.example/one']
    for (const [index, origin] of tokens.entries()) {
      const shown = origin.replace('ada:hunter2@', '')
      await expectNothing(createClone(`token-${index}`, origin), `has the origin ${shown}, which is not`)
    }
    const nested = createClone('nested', 'git@forge.example:group/sub/nested.git')
    await expectNothing(
      nested,
      'has the origin https://forge.example/group/sub/nested.git: names a group within a group',
    )
    const odd = createClone('odd', 'https://forge.example/~ada/odd')
    await expectNothing(
      odd,
      'has the origin https://forge.example/~ada/odd: owner_login: must be 1 to 100 letters',
    )
    const twin = createClone('twin', 'git@forge.example:acme/one.git')
    await expect(load([one, twin])).rejects.toThrow(
      `${one.path} and ${twin.path} are clones of the same repository, https://forge.example/acme/one; load only one`,
    )
    const damaged = createClone('damaged', 'https://forge.example/acme/damaged')
    const blob = damaged.git(0, 'rev-parse', 'HEAD~1:package.json')
    rmSync(join(damaged.path, '.git/objects', blob.slice(0, 2), blob.slice(2)))
    await expectNothing(damaged, 'is a partial or damaged clone')
  })
})
