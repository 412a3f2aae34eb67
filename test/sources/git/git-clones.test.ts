import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openClone, readDates } from '../../../api/sources/git/clone.ts'
import { readCommits } from '../../../api/sources/git/commit-log.ts'
import { readDependencyHistory } from '../../../api/sources/git/history.ts'
import { Clone, collect, npm, root, setVariable, useClones } from '../../support/git-clone.ts'

useClones()

describe('opening a clone', () => {
  test('gives the default branch of the origin, its newest commit, and the dates of the mainline', async () => {
    const source = new Clone('described')
    source.commit(1000)
    source.commit(2000)
    source.git(0, 'clone', '--quiet', '.', join(root, 'work'))
    const first = source.git(0, 'rev-parse', 'HEAD~1')
    const head = source.git(0, 'rev-parse', 'HEAD')
    const described = { head, dates: { first: 1000, last: 2000 } }
    const open = async (path: string) => {
      const clone = await openClone(path)
      return { branch: clone.branch, head: clone.head, dates: await readDates(clone) }
    }
    // What is checked out in a clone may be anything: the origin's default branch is read.
    source.git(0, '-C', join(root, 'work'), 'switch', '--quiet', '-c', 'secret/x', first)
    expect(await open(join(root, 'work'))).toEqual({ branch: 'main', ...described })
    expect(await collect(readCommits(await openClone(join(root, 'work'))))).toHaveLength(2)
    // Without an origin it is HEAD.
    source.git(0, 'switch', '--quiet', '-c', 'topic/y')
    expect(await open(source.path)).toEqual({ branch: 'topic/y', ...described })
    source.git(0, 'switch', '--quiet', '--detach')
    expect(await open(source.path)).toEqual({ branch: null, ...described })
  })

  test('takes the branch that is named: of the origin, or else the clone’s own', async () => {
    const source = new Clone('branches')
    const first = source.commit(1000)
    source.git(0, 'switch', '--quiet', '-c', 'release/1')
    const release = source.commit(2000)
    source.git(0, 'switch', '--quiet', 'main')
    const work = join(root, 'branches-work')
    source.git(0, 'clone', '--quiet', '.', work)
    source.git(0, '-C', work, 'switch', '--quiet', '-c', 'release/1', 'main')
    source.git(0, '-C', work, 'branch', 'own', 'main')
    for (const kind of ['--bare', '--mirror']) {
      source.git(0, 'clone', '--quiet', kind, '.', join(root, `branches${kind}`))
    }
    for (const path of [work, join(root, 'branches--bare'), join(root, 'branches--mirror')]) {
      expect(await openClone(path)).toMatchObject({ branch: 'main', head: first })
      expect(await openClone(path, 'release/1')).toMatchObject({ branch: 'release/1', head: release })
    }
    expect(await openClone(work, 'own')).toMatchObject({ head: first })
    for (const branch of ['gone', 'main~0', '--all', '']) {
      await expect(openClone(work, branch)).rejects.toThrow(
        `${work} has no branch ${branch}; run "git branch --all" there to list its branches`,
      )
    }
    source.git(0, '-C', work, 'update-ref', '-d', 'refs/remotes/origin/main')
    await expect(openClone(work)).rejects.toThrow(
      /its origin\/HEAD names the branch main, which does not exist; run "git remote set-head origin --auto"/,
    )
  })

  test('is refused without a branch if it was fetched into an empty repository, which tells no default branch', async () => {
    const source = new Clone('fetched-from')
    const first = source.commit(1000)
    const checkout = new Clone('fetched')
    checkout.git(0, 'remote', 'add', 'origin', source.path)
    checkout.commit(2000)
    // Nothing is known of the origin yet.
    expect(await openClone(checkout.path)).toMatchObject({ branch: 'main' })
    checkout.git(0, 'fetch', '--quiet', 'origin')
    checkout.git(0, 'switch', '--quiet', '-c', 'topic')
    // Newer versions of git note the default branch when they fetch.
    checkout.git(0, 'remote', 'set-head', 'origin', '--delete')
    await expect(openClone(checkout.path)).rejects.toThrow(
      `${checkout.path} doesn't know its origin's default branch; run "git remote set-head origin --auto" in it, or add --branch`,
    )
    expect(await openClone(checkout.path, 'main')).toMatchObject({ branch: 'main', head: first })
    // A mirror of it has the same branches. Its HEAD says which one it shows.
    const mirror = join(root, 'fetched-mirror')
    checkout.git(0, 'clone', '--quiet', '--mirror', '.', mirror)
    expect(await openClone(mirror)).toMatchObject({ branch: 'topic' })
    checkout.git(0, 'remote', 'set-head', 'origin', '--auto')
    expect(await openClone(checkout.path)).toMatchObject({ branch: 'main', head: first })
  })
})

describe('a path is refused in one clear error', () => {
  async function expectError(path: string, message: RegExp) {
    await expect(openClone(path)).rejects.toThrow(message)
    await expect(openClone(path)).rejects.toMatchObject({ name: 'GitError' })
  }
  async function readDependencies(path: string) {
    return readDependencyHistory(await openClone(path))
  }

  test('that says that there is nothing, a file, a plain folder, or nothing called like an option', async () => {
    writeFileSync(join(root, 'file'), '')
    mkdirSync(join(root, 'plain'))
    await expectError(join(root, 'missing'), /missing does not exist$/)
    await expectError(join(root, 'file'), /file is not a folder$/)
    await expectError(join(root, 'plain'), /plain is not a git repository$/)
    await expectError('--upload-pack=touch x', /--upload-pack=touch x does not exist$/)
  })

  test('that names the repository which the folder is part of', async () => {
    const clone = new Clone('outer')
    clone.commit(1000, { 'inner/package.json': npm('a') })
    await expectError(
      join(clone.path, 'inner'),
      /inner is a folder inside the repository .*outer; use the folder/,
    )
  })

  test('that says that the repository has no commits yet', async () => {
    const empty = new Clone('empty')
    await expectError(empty.path, /^Nothing to read in .*empty: it has no commits yet$/)
    // git notes the default branch of an empty origin, too.
    empty.git(0, 'clone', '--quiet', '.', join(root, 'empty-copy'))
    await expectError(join(root, 'empty-copy'), /^Nothing to read in .*empty-copy: it has no commits yet$/)
    empty.commit(1000)
    empty.git(0, 'symbolic-ref', 'HEAD', 'refs/heads/gone')
    await expectError(empty.path, /its HEAD names the branch gone, which does not exist; add --branch$/)
  })

  test('that says how to complete a shallow clone', async () => {
    const source = new Clone('deep')
    source.commit(1000)
    source.commit(2000)
    source.git(0, 'clone', '--quiet', '--depth=1', `file://${source.path}`, join(root, 'shallow'))
    await expectError(join(root, 'shallow'), /shallow is a shallow clone, .*git fetch --unshallow/)
  })

  test('that says how to replace a partial clone, without fetching what it lacks', async () => {
    const source = new Clone('whole')
    source.git(0, 'config', 'uploadpack.allowFilter', 'true')
    source.git(0, 'config', 'uploadpack.allowAnySHA1InWant', 'true')
    source.commit(1000, { 'package.json': npm('a') })
    const partial = join(root, 'partial')
    source.git(0, 'clone', '--quiet', '--filter=blob:none', '--no-checkout', `file://${source.path}`, partial)
    await expect(readDependencies(partial)).rejects.toThrow(
      /partial is a partial or damaged clone \([^\n]+\); clone the repository again, without --filter$/,
    )
    expect(await collect(readCommits(await openClone(partial)))).toHaveLength(1)
    const treeless = join(root, 'treeless')
    source.git(0, 'clone', '--quiet', '--filter=tree:0', '--no-checkout', `file://${source.path}`, treeless)
    await expect(readDependencies(treeless)).rejects.toThrow(
      /^[^\n]*treeless is a partial or damaged clone \([^\n]+\); clone the repository again, without --filter$/,
    )
  })

  test('that says what to do about an object that is corrupt or missing, whichever it is', async () => {
    const objects = { blob: 'HEAD~1:package.json', tree: 'HEAD~1^{tree}', commit: 'HEAD~1', head: 'HEAD' }
    for (const [kind, revision] of Object.entries(objects)) {
      for (const damage of ['corrupt', 'missing']) {
        const clone = new Clone(`${damage}-${kind}`)
        clone.commit(1000, { 'package.json': npm('a') })
        clone.commit(2000, { 'package.json': npm('b') })
        const id = clone.git(0, 'rev-parse', revision)
        const file = join(clone.path, '.git/objects', id.slice(0, 2), id.slice(2))
        chmodSync(file, 0o600)
        if (damage === 'corrupt') writeFileSync(file, 'garbage')
        else rmSync(file)
        await expect(readDependencies(clone.path), clone.path).rejects.toThrow(
          /^[^\n]* is a partial or damaged clone \([^\n]+\); clone the repository again, without --filter$/,
        )
      }
    }
  })

  test("that says what to do about another user's clone", async () => {
    const clone = new Clone('foreign')
    clone.commit(1000)
    // git's own way to be tested for this.
    setVariable('GIT_TEST_ASSUME_DIFFERENT_OWNER', '1')
    await expectError(
      clone.path,
      /foreign belongs to another user, .*; run the command as that user, or if you trust the clone: git config --global --add safe\.directory \S+foreign$/,
    )
  })

  test('that says that git is not installed', async () => {
    const clone = new Clone('gitless')
    setVariable('PATH', join(root, 'plain-path'))
    await expectError(clone.path, /^git is not installed, or not on the PATH$/)
  })
})
