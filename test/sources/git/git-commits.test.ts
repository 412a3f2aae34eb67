import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openClone, readDates } from '../../../api/sources/git/clone.ts'
import { countCommits, type GitCommit, readCommits } from '../../../api/sources/git/commit-log.ts'
import { Clone, collect, npm, readLines, root, setVariable, useClones } from '../../support/git-clone.ts'

useClones()

describe('reading the commits of a clone', () => {
  test('gives every commit that HEAD reaches, merged ones included, newest first, as recorded', async () => {
    const clone = new Clone('commits')
    const first = clone.commit(1000, {}, 'first')
    clone.git(0, 'switch', '--quiet', '-c', 'side')
    const side = clone.commit(2000, {}, 'on the side')
    clone.git(0, 'switch', '--quiet', 'main')
    const second = clone.commit(3000, {}, 'subject\n\nbody — ünïcode\n\n- a\n- b')
    clone.git(4000, 'merge', '--quiet', '--no-ff', '-m', 'merge', 'side')
    const merge = clone.git(0, 'rev-parse', 'HEAD')
    clone.git(0, 'switch', '--quiet', '--orphan', 'elsewhere')
    clone.commit(5000, {}, 'not reachable')
    clone.git(0, 'switch', '--quiet', 'main')

    const commits = await collect(readCommits(await openClone(clone.path)))
    const people = { author_email: 'a@example.org', committer_email: 'c@example.org' }
    const expected: GitCommit[] = [
      { commit_hash: merge, ...people, author_date: 3995, committer_date: 4000, message: 'merge' },
      {
        commit_hash: second,
        ...people,
        author_date: 2995,
        committer_date: 3000,
        message: 'subject\n\nbody — ünïcode\n\n- a\n- b',
      },
      { commit_hash: side, ...people, author_date: 1995, committer_date: 2000, message: 'on the side' },
      { commit_hash: first, ...people, author_date: 995, committer_date: 1000, message: 'first' },
    ]
    expect(commits).toEqual(expected)
    expect(await countCommits(await openClone(clone.path))).toBe(4)
    expect(
      (await collect(readCommits({ ...(await openClone(clone.path)), head: second }))).map(
        (c) => c.commit_hash,
      ),
    ).toEqual([second, first])
  })

  test('takes what is odd in commit objects: no message, other encodings, broken bytes, NUL, dates, people', async () => {
    const clone = new Clone('odd-commits')
    const tree = clone.gitWith({ input: '' }, 0, 'mktree')
    const write = (headers: string, message: Buffer | string) => {
      const input = Buffer.concat([Buffer.from(`tree ${tree}\n${headers}\n`), Buffer.from(message)])
      return clone.gitWith({ input }, 0, 'hash-object', '-t', 'commit', '-w', '--literally', '--stdin')
    }
    const people = 'author A <a@example.org> 10 +0000\ncommitter C <c@example.org> 20 +0000\n'
    const read = async (commit: string) => {
      clone.git(0, 'update-ref', 'refs/heads/main', commit)
      const [found] = await collect(readCommits(await openClone(clone.path)))
      return found
    }
    expect((await read(write(people, '')))?.message).toBe('')
    expect((await read(write(people, 'two\n\n')))?.message).toBe('two\n')
    expect(
      (await read(write(`${people}encoding ISO-8859-1\n`, Buffer.from('h\xe9\n', 'latin1'))))?.message,
    ).toBe('hé')
    expect((await read(write(people, Buffer.from('h\xe9!\n', 'latin1'))))?.message).toBe('h\uFFFD!')
    expect((await read(write(people, 'before\0after\n')))?.message).toBe('before')
    const broken = await read(write('author nobody\ncommitter C <> 99999999999999999999 +0000\n', 'm\n'))
    expect(broken).toMatchObject({ author_email: '', author_date: null, committer_email: '', message: 'm' })
  })

  test('is not changed by mailmaps, replacements, grafts or the settings of whoever runs it', async () => {
    const clone = new Clone('settings')
    const commit = clone.commit(1000, {
      '.mailmap': 'X <x@example.org> <a@example.org>\n',
      'package.json': npm('a'),
    })
    const other = clone.commit(2000, {}, 'other')
    clone.git(0, 'replace', other, commit)
    mkdirSync(join(clone.path, '.git/info'), { recursive: true })
    writeFileSync(join(clone.path, '.git/info/grafts'), `${other}\n`)
    // A program that would be run for every signature, if the clone's own settings were obeyed.
    const program = join(root, 'gpg')
    const trace = join(root, 'gpg-ran')
    writeFileSync(program, `#!/bin/sh\ntouch '${trace}'\n`)
    chmodSync(program, 0o755)
    const settings = {
      'log.showSignature': 'true',
      'gpg.program': program,
      'log.mailmap': 'true',
      'log.showRoot': 'false',
      'log.diffMerges': 'combined',
      'log.decorate': 'full',
      'log.date': 'relative',
      'color.ui': 'always',
      'color.diff': 'always',
      'core.quotePath': 'true',
      'core.abbrev': '4',
      'format.pretty': 'fuller',
      'diff.renames': 'copies',
      'diff.orderFile': join(root, 'missing'),
      'diff.noprefix': 'true',
      'i18n.logOutputEncoding': 'UTF-16',
    }
    for (const [name, value] of Object.entries(settings)) clone.git(0, 'config', name, value)
    setVariable('GIT_DIR', join(root, 'elsewhere'))
    setVariable('GIT_EXTERNAL_DIFF', program)

    const commits = await collect(readCommits(await openClone(clone.path)))
    expect(commits.map((c) => [c.commit_hash, c.author_email, c.message])).toEqual([
      [other, 'a@example.org', 'other'],
      [commit, 'a@example.org', 'at 1000'],
    ])
    expect(await readLines(clone)).toEqual(['a package.json 1000  1000 active'])
    expect(() => execFileSync('ls', [trace], { stdio: 'pipe' })).toThrow()
  })

  test('yields the first commits of a long history at once, and ends git when the reader stops', async () => {
    const clone = new Clone('long')
    const lines: string[] = []
    for (let n = 1; n <= 3000; n++) {
      const message = `commit ${n} ${'x'.repeat(500)}`
      lines.push('commit refs/heads/main', `committer C <c@example.org> ${n} +0000`)
      lines.push(`data ${message.length}`, message)
    }
    clone.gitWith({ input: `${lines.join('\n')}\n` }, 0, 'fast-import', '--quiet')
    let dates: (number | null)[] = []
    for await (const commit of readCommits(await openClone(clone.path))) {
      dates.push(commit.committer_date)
      if (dates.length === 3) break
    }
    expect(dates).toEqual([3000, 2999, 2998])
    dates = (await collect(readCommits(await openClone(clone.path)))).map((commit) => commit.committer_date)
    expect(dates).toEqual(Array.from({ length: 3000 }, (_, index) => 3000 - index))
  })
})

test('a date that is unreadable, negative or after the year 9999 is null, of a commit, the repository and a dependency', async () => {
  for (const [index, date] of ['nonsense', '-86400 +0000', '253402300800 +0000', ''].entries()) {
    const clone = new Clone(`unreadable-${index}`)
    clone.commit(1000, { 'package.json': npm('a') })
    const tree = clone.git(0, 'rev-parse', 'HEAD^{tree}')
    const people = `author A <a@example.org> ${date}\ncommitter C <c@example.org> ${date}\n`
    const input = `tree ${tree}\n${people}\nfirst\n`
    const first = clone.gitWith({ input }, 0, 'hash-object', '-t', 'commit', '-w', '--literally', '--stdin')
    clone.git(0, 'reset', '--quiet', '--hard', first)
    clone.commit(2000, { 'package.json': npm('a', 'b') })
    const opened = await openClone(clone.path)
    expect((await collect(readCommits(opened))).at(-1)).toMatchObject({
      author_date: null,
      committer_date: null,
    })
    expect(await readDates(opened)).toEqual({ first: null, last: 2000 })
    expect(await readLines(clone)).toEqual(['a package.json    active', 'b package.json 2000  2000 active'])
    clone.commit(3000, { 'package.json': npm('b') })
    expect(await readLines(clone)).toContain('a package.json  3000 3000 removed')
  }
})

test('a dependency that a commit with an unknown date removes was last used at an unknown date', async () => {
  const clone = new Clone('removed-at-unknown')
  clone.commit(1000, { 'package.json': npm('a') })
  clone.commit(253_402_300_800, { 'package.json': npm() })
  expect(await readLines(clone)).toEqual(['a package.json 1000   removed'])
})

test('a date after the year 9999 is read as null, because clients could not hold it', async () => {
  const clone = new Clone('far')
  clone.commit(1000, { 'package.json': npm('a') })
  clone.commit(253_402_300_800, { 'package.json': npm('a', 'b') })
  const [commit] = await collect(readCommits(await openClone(clone.path)))
  expect(commit).toMatchObject({ author_date: 253_402_300_795, committer_date: null })
  expect(await readLines(clone)).toEqual(['a package.json 1000  1000 active', 'b package.json    active'])
})
