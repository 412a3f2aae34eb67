/** @module-tag later */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { type Run, startServiceForCommands } from '../support/command-line.ts'
import { describeOnOneDatabase } from '../support/service.ts'
import { useStarted } from '../support/suite.ts'

describeOnOneDatabase('devdata import git', (kind) => {
  const started = useStarted(() => startServiceForCommands(kind))
  const run: Run = (args, options) => started.run(args, options)
  beforeAll(async () => {
    mkdirSync(join(started.directory, 'empty', 'deeper'), { recursive: true })
  })

  test('loads a clone, reports what it skips, and adds what is new the second time', async () => {
    const clone = join(started.directory, 'clone')
    mkdirSync(clone)
    const git = (...args: string[]) => {
      const identity = ['-c', 'user.name=A', '-c', 'user.email=a@example.org', '-c', 'commit.gpgsign=false']
      execFileSync('git', ['-C', clone, ...identity, ...args], { stdio: 'pipe' })
    }
    const commit = (manifest: string) => {
      writeFileSync(join(clone, 'package.json'), manifest)
      git('add', '--all')
      git('commit', '--quiet', '-m', 'a change')
    }
    git('init', '--quiet', '--initial-branch=main')
    commit('{"dependencies":{"left-pad":"1","hono":"4"}}')
    commit('{"dependencies":')
    commit('{"dependencies":{"hono":"4"}}')
    const args = ['import', 'git', 'clone', '--url', 'https://forge.example/ada/engine', '--rest-id', '4711']
    const first = await run(args)
    expect(first.code).toBe(0)
    expect(first.stderr).toMatch(/^Skipped package\.json at commit [\da-f]{12}: .*\n$/)
    expect(first.stdout).toMatch(/^Read 3 commits of main in [\d.]+ s\n/)
    expect(first.stdout).toContain('repositories  1 added, 0 updated\ncommits       3 added, 0 updated\n')
    expect(first.stdout).toContain(
      'dependencies  1 active, 1 removed\nwarnings      1 manifest version skipped or incomplete, see above\n',
    )

    commit('{"dependencies":{"hono":"4","vite":"7"}}')
    const second = await run([...args, '--json'])
    expect(JSON.parse(second.stdout)).toEqual({
      users: { added: 0, updated: 0, removed: 0 },
      addresses: { added: 0, updated: 0, removed: 0 },
      repositories: { added: 0, updated: 1, removed: 0 },
      commits: { added: 1, updated: 0, removed: 0 },
      dataset_version: expect.any(Number),
      clones: [{ path: clone, url: 'https://forge.example/ada/engine', branch: 'main', commits_read: 1 }],
      unchanged: [],
      failed: [],
      skipped: [],
      forgotten: 0,
      dependencies: { active: 2, removed: 1 },
      manifests_read: { 'package.json': 1 },
      manifests_left_out: 0,
      manifests_computed: 0,
      manifests_not_read: {},
      warnings: 0,
      seconds: expect.any(Number),
    })
    const { secret } = await started.service.createKey()
    const listed = await started.service.request('/repos/ada/engine/dependencies', { key: secret })
    expect(listed.headers.get('X-Total-Count')).toBe('3')

    // The same problem again is counted, and what is left out or unknown is said.
    for (const [file, content] of [
      ['package.json', '{"dependencies":['],
      ['package.json', '{"dependencies":'],
      ['setup.py', 'from setuptools import setup\nsetup(install_requires=read())\n'],
      ['test/package.json', '{"dependencies":{"tried":"1"}}'],
      ['build.gradle', 'dependencies { implementation libs.a }'],
      ['Cartfile', ''],
      ['a.nimble', ''],
      ['test/b.nimble', ''],
    ] as const) {
      mkdirSync(join(clone, 'test'), { recursive: true })
      writeFileSync(join(clone, file), content)
      commit(readFileSync(join(clone, 'package.json'), 'utf8'))
    }
    const third = await run(args)
    expect(third.stderr).toMatch(
      /^Skipped package\.json at commit [\da-f]{12}, and 1 more version with this problem: not valid JSON: .*\n$/,
    )
    expect(third.stdout).toContain(`dependencies  2 active, 1 removed
warnings      2 manifest versions skipped or incomplete, see above
manifests     1 build.gradle, 1 package.json, 1 setup.py
incomplete    2 manifests: some of their dependencies are computed, or defined elsewhere
left out      1 manifest of tests and fixtures; --all-manifests includes them
not read      1 *.nimble, 1 Cartfile
`)
    const all = await run([...args, '--all-manifests', '--branch', 'main', '--json'])
    expect(JSON.parse(all.stdout)).toMatchObject({
      clones: [{ branch: 'main' }],
      dependencies: { active: 3, removed: 1 },
      manifests_left_out: 0,
      manifests_computed: 2,
      manifests_not_read: { '*.nimble': 2, Cartfile: 1 },
      warnings: 3,
    })

    git('commit', '--quiet', '--amend', '-m', 'a rewritten change')
    const kept = await run([...args, '--keep-unreachable'])
    expect(kept.stdout).toContain('commits       1 added, 0 updated\ndataset')
    const rewritten = await run(args)
    expect(rewritten.stdout).toContain('commits       0 added, 0 updated, 1 removed\n')
    expect(rewritten.stdout).toContain(
      'unreachable   1 commit that main does not reach, removed; --keep-unreachable keeps such commits\n',
    )
    const unchanged = await run(args)
    expect(unchanged.stdout).toMatch(/^Read 0 of 1 clone in [\d.]+ s\n/)
    expect(unchanged.stdout).toMatch(/\nunchanged {5}1 clone, not read again; --read-all reads them\n$/)
    expect((await run([...args, '--read-all'])).stdout).toMatch(/^Read 12 commits of main in /)
  })

  test('loads a folder of clones with their authors, and refuses it what is for one clone', async () => {
    const address = 'ada@users.noreply.forge.example'
    for (const name of ['first', 'second']) {
      const clone = join(started.directory, 'clones', name)
      const author = ['-c', `user.name=A`, '-c', `user.email=${name === 'first' ? '11+' : ''}${address}`]
      mkdirSync(clone, { recursive: true })
      const git = (...args: string[]) =>
        execFileSync('git', ['-C', clone, ...author, ...args], { stdio: 'pipe' })
      git('init', '--quiet', '--initial-branch=main')
      git('remote', 'add', 'origin', `git@forge.example:acme/${name}.git`)
      git('commit', '--quiet', '--allow-empty', '-m', 'a change')
      git('commit', '--quiet', '--allow-empty', '--author', 'B <b@example.org>', '-m', 'a change')
    }
    const args = ['import', 'git', 'clones', '--authors']
    for (const option of [
      ['--url', 'https://forge.example/a/b'],
      ['--rest-id', '7'],
      ['--branch', 'main'],
    ]) {
      const { code, stderr } = await run([...args, ...option])
      expect(code).toBe(2)
      expect(stderr).toContain(
        `error: ${option[0]} applies to one clone, but 2 were found; load that clone alone\n`,
      )
    }
    const { code, stdout } = await run(args)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Read 4 commits of 2 clones in [\d.]+ s\nusers {9}1 added, 0 updated\n/)
    expect(stdout).toContain('authors       1 user created; 1 of 3 addresses without a user\n')
    const again = await run([...args, '--json'])
    expect(JSON.parse(again.stdout)).toMatchObject({
      users: { added: 0, updated: 0, removed: 0 },
      authors: 3,
      authors_without_user: 1,
      clones: [],
      unchanged: [
        { url: 'https://forge.example/acme/first', branch: 'main' },
        { path: join(started.directory, 'clones', 'second'), url: 'https://forge.example/acme/second' },
      ],
    })
  })

  test('loads a folder without the clones that it can’t load, and fails unless these are empty', async () => {
    const folder = join(started.directory, 'nightly')
    const [whole, empty, lost] = ['whole', 'empty', 'lost'].map((name) => join(folder, name)) as string[]
    const git = (clone = '', ...args: string[]) =>
      execFileSync('git', ['-C', clone, '-c', 'user.name=A', '-c', 'user.email=a@example.org', ...args], {
        stdio: 'pipe',
      })
    for (const clone of [whole, empty]) {
      mkdirSync(clone ?? '', { recursive: true })
      git(clone, 'init', '--quiet', '--initial-branch=main')
    }
    git(whole, 'remote', 'add', 'origin', 'https://forge.example/acme/whole')
    git(whole, 'commit', '--quiet', '--allow-empty', '-m', 'a change')
    const args = ['import', 'git', 'nightly']
    const skipped = `Nothing to read in ${empty}: it has no commits yet`
    const first = await run(args)
    expect([first.code, first.stderr]).toEqual([0, ''])
    expect(first.stdout).toContain(`\nskipped       ${skipped}\n`)
    execFileSync('cp', ['-r', whole ?? '', lost ?? ''])
    git(lost, 'remote', 'remove', 'origin')
    git(whole, 'commit', '--quiet', '--allow-empty', '-m', 'another change')
    const second = await run(args)
    const failed = `${lost} has no origin, so its URL is unknown; load it alone, with --url https://HOST/OWNER/NAME`
    expect([second.code, second.stderr]).toEqual([
      1,
      "The import failed at 1 clone, and loaded the rest. It doesn't count as a success. Fix what the summary names, then run the import again\n",
    ])
    expect(second.stdout).toMatch(/^commits +1 added/m)
    expect(second.stdout).toContain(`\nfailed        ${failed}\nskipped       ${skipped}\n`)
    expect(JSON.parse((await run([...args, '--json'])).stdout)).toMatchObject({
      failed: [{ path: lost, reason: failed }],
      skipped: [{ path: empty, reason: skipped }],
    })
    expect(await run([...args, '--all-or-nothing'])).toEqual({ code: 1, stdout: '', stderr: `${skipped}\n` })
  })

  test.each([
    [['no-such-folder', '--url', 'https://forge.example/a/b'], /^\S+no-such-folder does not exist\n$/],
    [['empty', '--url', 'https://forge.example/a/b'], /^\S+empty is not a git repository\n$/],
    [
      ['clone', '--url', 'forge.example'],
      /^--url forge\.example: must be the repository's http or https URL.*\n$/,
    ],
  ])('says what failed in one clear line, and exits with 1: %j', async (args, line) => {
    const { code, stdout, stderr } = await run(['import', 'git', ...args])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(line)
  })
})
