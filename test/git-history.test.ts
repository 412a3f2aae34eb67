import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { openClone, readDates } from '../api/import/git/clone.ts'
import { countCommits, type GitCommit, readCommits } from '../api/import/git/commits.ts'
import { readDependencyHistory } from '../api/import/git/history.ts'

const root = mkdtempSync(join(tmpdir(), 'git-history-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const setBefore = new Map<string, string | undefined>()
function setVariable(name: string, value: string) {
  setBefore.set(name, process.env[name])
  process.env[name] = value
}
afterEach(() => {
  for (const [name, value] of setBefore) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
  setBefore.clear()
})

/** A real repository in a temporary folder. Commits are at the second that they say, by nobody's settings. */
class Clone {
  readonly path: string

  constructor(name: string, ...initOptions: string[]) {
    this.path = join(root, name)
    mkdirSync(this.path)
    this.git(0, 'init', '--quiet', '--initial-branch=main', ...initOptions)
  }

  git(date: number, ...args: string[]): string {
    return this.gitWith({}, date, ...args)
  }

  gitWith(options: { input?: string | Buffer }, date: number, ...args: string[]): string {
    const env = {
      PATH: process.env.PATH,
      HOME: root,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_AUTHOR_NAME: 'A',
      GIT_AUTHOR_EMAIL: 'a@example.org',
      GIT_AUTHOR_DATE: `@${date - 5} +0200`,
      GIT_COMMITTER_NAME: 'C',
      GIT_COMMITTER_EMAIL: 'c@example.org',
      GIT_COMMITTER_DATE: `@${date} -0300`,
    }
    const output = execFileSync('git', ['-C', this.path, ...args], { env, ...options, stdio: 'pipe' })
    return output.toString().trim()
  }

  /** Writes files (null removes one) and commits everything there is. Returns the hash. */
  commit(date: number, files: Record<string, string | Buffer | null> = {}, message = `at ${date}`): string {
    for (const [name, content] of Object.entries(files)) {
      const file = join(this.path, name)
      if (content === null) rmSync(file)
      else {
        mkdirSync(dirname(file), { recursive: true })
        writeFileSync(file, content)
      }
    }
    this.git(date, 'add', '--all', '--force')
    this.git(date, 'commit', '--quiet', '--allow-empty', '-m', message)
    return this.git(date, 'rev-parse', 'HEAD')
  }
}

function npm(...names: string[]): string {
  return JSON.stringify({ dependencies: Object.fromEntries(names.map((name) => [name, '1'])) })
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}

/** One line per dependency: name, file, first use, last use, update, status. */
async function readLines(clone: Clone): Promise<string[]> {
  const { dependencies } = await readDependencyHistory(await openClone(clone.path))
  return dependencies
    .map(({ dependency, ...d }) =>
      [...Object.values(dependency), d.first_use_date, d.last_use_date, d.updated_at, d.status].join(' '),
    )
    .sort()
}

async function readWarnings(clone: Clone) {
  const { warnings } = await readDependencyHistory(await openClone(clone.path))
  return warnings
}

describe('readCommits()', () => {
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

  test('is not changed by mailmaps, replacements or the settings of whoever runs it', async () => {
    const clone = new Clone('settings')
    const commit = clone.commit(1000, {
      '.mailmap': 'X <x@example.org> <a@example.org>\n',
      'package.json': npm('a'),
    })
    const other = clone.commit(2000, {}, 'other')
    clone.git(0, 'replace', other, commit)
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

describe('readDependencyHistory()', () => {
  test('dates the first use, the removal and the return by the committer', async () => {
    const clone = new Clone('return')
    clone.commit(1000, { 'package.json': npm('stays', 'goes', 'returns') })
    clone.commit(2000, { README: 'nothing to see' })
    clone.commit(3000, { 'package.json': npm('stays') })
    clone.commit(4000, { 'package.json': npm('stays', 'returns', 'late') })
    expect(await readLines(clone)).toEqual([
      'goes package.json 1000 3000 3000 removed',
      'late package.json 4000  4000 active',
      'returns package.json 1000  4000 active',
      'stays package.json 1000  1000 active',
    ])
  })

  test('ends all of a manifest when it is deleted, or becomes a link', async () => {
    const clone = new Clone('deleted')
    clone.commit(1000, { 'package.json': npm('a'), 'sub/package.json': npm('b'), Gemfile: "gem 'c'\n" })
    clone.commit(2000, { 'package.json': null })
    rmSync(join(clone.path, 'sub/package.json'))
    symlinkSync('../Gemfile', join(clone.path, 'sub/package.json'))
    clone.commit(3000)
    expect(await readLines(clone)).toEqual([
      'a package.json 1000 2000 2000 removed',
      'b package.json 1000 3000 3000 removed',
      'c Gemfile 1000  1000 active',
    ])
  })

  test('takes no submodule for a manifest', async () => {
    const clone = new Clone('submodule')
    const commit = clone.commit(1000, { 'package.json': npm('a') })
    clone.git(0, 'rm', '--quiet', '--cached', 'package.json')
    clone.git(0, 'update-index', '--add', '--cacheinfo', `160000,${commit},package.json`)
    clone.git(2000, 'commit', '--quiet', '-m', 'submodule')
    expect(await readLines(clone)).toEqual(['a package.json 1000 2000 2000 removed'])
  })

  test('takes a manifest that is renamed or copied for the same declarations', async () => {
    const clone = new Clone('renamed')
    clone.commit(1000, { 'old/package.json': npm('a', 'b') })
    clone.commit(2000, { 'old/package.json': null, 'new/package.json': npm('a', 'b') })
    clone.commit(3000, { 'new/package.json': npm('a'), 'copy/package.json': npm('a') })
    clone.commit(4000, { 'new/package.json': null })
    expect(await readLines(clone)).toEqual([
      'a package.json 1000  1000 active',
      'b package.json 1000 3000 3000 removed',
    ])
  })

  test('unites the manifests of one base name, and keeps base names apart', async () => {
    const clone = new Clone('monorepo')
    clone.commit(1000, { 'a/package.json': npm('x', 'y'), 'b/package.json': npm('x') })
    clone.commit(2000, { 'a/package.json': npm(), 'composer.json': '{"require":{"v/x":"*"}}' })
    clone.commit(3000, { 'b/package.json': npm() })
    // The same bytes under two names are read by two parsers.
    clone.commit(4000, {
      'pyproject.toml': '[dependencies]\ntokio = "1"\n',
      'Cargo.toml': '[dependencies]\ntokio = "1"\n',
    })
    expect(await readLines(clone)).toEqual([
      'tokio Cargo.toml 4000  4000 active',
      'v/x composer.json 2000  2000 active',
      'x package.json 1000 3000 3000 removed',
      'y package.json 1000 2000 2000 removed',
    ])
  })

  test('leaves third-party folders out', async () => {
    const clone = new Clone('third-party')
    clone.commit(1000, {
      'package.json': npm('ours'),
      'node_modules/x/package.json': npm('theirs'),
      'app/vendor/y/composer.json': '{"require":{"their/s":"*"}}',
    })
    expect(await readLines(clone)).toEqual(['ours package.json 1000  1000 active'])
  })

  test('leaves manifests of tests and fixtures out, counts them, and takes them when it is told to', async () => {
    const clone = new Clone('tests')
    const folders = [
      'test',
      'b/Tests',
      '__tests__',
      'testdata',
      'src/test/resources',
      'test-data',
      'a/__fixtures__',
    ]
    clone.commit(1000, {
      'package.json': npm('ours'),
      'testing/package.json': npm('ours-too'),
      ...Object.fromEntries(folders.map((folder, n) => [`${folder}/package.json`, npm(`tried-${n}`)])),
    })
    clone.commit(2000, { 'test/package.json': npm('tried-again') })
    const { dependencies, leftOut } = await readDependencyHistory(await openClone(clone.path))
    expect(dependencies.map((d) => d.dependency.dependency_name)).toEqual(['ours', 'ours-too'])
    expect(leftOut).toBe(folders.length)
    const all = await readDependencyHistory(await openClone(clone.path), { allManifests: true })
    expect(all.dependencies).toHaveLength(folders.length + 3)
    expect(all.leftOut).toBe(0)
  })

  test('names a dependency by the base name of its manifest, whatever the format', async () => {
    const clone = new Clone('formats')
    clone.commit(1000, {
      'requirements/dev.txt': 'Pytest_Cov\n',
      'requirements/constraints.txt': 'never==1\n',
      'requirements-docs.txt': 'sphinx\n',
      'dev-requirements.txt': 'tox\n',
      'notes.txt': 'not a requirement at all\n',
      'lib/engine.gemspec': "Gem::Specification.new { |s| s.add_dependency 'rack' }\n",
      'deno.jsonc': '{"imports":{"hono":"npm:hono@4",},}',
      Pipfile: '[packages]\nflask = "*"\n',
    })
    clone.commit(2000, { 'requirements/dev.txt': null })
    expect(await readLines(clone)).toEqual([
      'flask Pipfile 1000  1000 active',
      'hono deno.jsonc 1000  1000 active',
      'pytest-cov dev.txt 1000 2000 2000 removed',
      'rack engine.gemspec 1000  1000 active',
      'sphinx requirements-docs.txt 1000  1000 active',
      'tox dev-requirements.txt 1000  1000 active',
    ])
  })

  test('counts the manifests that only running them would tell in full', async () => {
    const clone = new Clone('computed')
    clone.commit(1000, {
      'setup.py': 'from setuptools import setup\nsetup(install_requires=["a"] + read())\n',
      'sub/setup.py': 'from setuptools import setup\nsetup(install_requires=["b"])\n',
      Gemfile: 'gem "c"\ngem name\n',
    })
    clone.commit(2000, { 'setup.py': 'from setuptools import setup\nsetup(install_requires=read())\n' })
    const { dependencies, computed } = await readDependencyHistory(await openClone(clone.path))
    expect(dependencies.map((d) => [d.dependency.dependency_name, d.status])).toEqual([
      ['c', 'active'],
      ['a', 'removed'],
      ['b', 'active'],
    ])
    expect(computed).toBe(2)
  })

  test('counts what a branch did from the merge on, compared with the first parent', async () => {
    const clone = new Clone('merges')
    clone.commit(1000, { 'package.json': npm('base', 'dropped') })
    clone.git(0, 'switch', '--quiet', '-c', 'side')
    clone.commit(2000, { 'package.json': npm('base', 'dropped', 'tried') })
    clone.commit(3000, { 'package.json': npm('base', 'brought') })
    clone.git(0, 'switch', '--quiet', 'main')
    clone.commit(4000, { 'go.mod': 'module m\nrequire example.org/x v1.0.0\n' })
    clone.git(5000, 'merge', '--quiet', '--no-ff', '-m', 'merge', 'side')
    expect(await readLines(clone)).toEqual([
      'base package.json 1000  1000 active',
      'brought package.json 5000  5000 active',
      'dropped package.json 1000 5000 5000 removed',
      'example.org/x go.mod 4000  4000 active',
    ])
  })

  test('skips a version that does not parse, reports it, and keeps what was declared before', async () => {
    const clone = new Clone('unparseable')
    clone.commit(1000, { 'package.json': npm('a', 'b') })
    const broken = clone.commit(2000, {
      'package.json': `{\n<<<<<<< HEAD\n${npm('c')}`,
      'sub/package.json': npm('d'),
    })
    clone.commit(3000, { 'package.json': npm('a', 'e') })
    const gone = clone.commit(4000, { 'sub/package.json': 'nonsense' })
    clone.commit(5000, { 'sub/package.json': null })
    const warnings = await readWarnings(clone)
    expect(await readLines(clone)).toEqual([
      'a package.json 1000  1000 active',
      'b package.json 1000 3000 3000 removed',
      'd package.json 2000 5000 5000 removed',
      'e package.json 3000  3000 active',
    ])
    expect(warnings).toEqual([
      { commit: broken, path: 'package.json', reason: expect.stringMatching(/^not valid JSON: [^\n]+$/) },
      { commit: gone, path: 'sub/package.json', reason: expect.stringMatching(/^not valid JSON: [^\n]+$/) },
    ])
  })

  test('does not read a file that is too large to be a manifest', async () => {
    const clone = new Clone('large')
    clone.commit(1000, { 'package.json': npm('a') })
    clone.commit(2000, { 'package.json': npm('b').padEnd(5_000_000), Gemfile: "gem 'after'\n" })
    const warnings = await readWarnings(clone)
    expect(await readLines(clone)).toEqual([
      'a package.json 1000  1000 active',
      'after Gemfile 2000  2000 active',
    ])
    expect(warnings.map((warning) => warning.reason)).toEqual([
      'too large for a manifest: 5000000 bytes, and at most 4194304 are read',
    ])
  })

  test('takes paths with spaces, quotes, newlines, dashes, colons and bytes that are no text', async () => {
    const clone = new Clone('-odd "paths"\n\'here\'')
    const folders = ['a b', '"quoted"', "it's", 'new\nline', '-dash', ':colon', 'tab\t', 'ünï', '*?[', '\\']
    const files = Object.fromEntries(folders.map((folder, n) => [`${folder}/package.json`, npm(`p${n}`)]))
    clone.commit(1000, { ...files, ':100644 100644 a b M': 'not an entry' })
    const blob = clone.gitWith({ input: 'broken' }, 0, 'hash-object', '-w', '--stdin')
    for (const byte of [0xfe, 0xff]) {
      const entry = [Buffer.from(`100644 ${blob}\t`), Buffer.of(byte), Buffer.from('/package.json\0')]
      clone.gitWith({ input: Buffer.concat(entry) }, 0, 'update-index', '-z', '--index-info')
    }
    clone.git(2000, 'commit', '--quiet', '-m', 'bytes')
    const warnings = await readWarnings(clone)
    expect(await readLines(clone)).toEqual(folders.map((_, n) => `p${n} package.json 1000  1000 active`))
    expect(warnings.map((warning) => warning.path)).toEqual(['\uFFFD/package.json', '\uFFFD/package.json'])
  })

  test('reports progress up to all versions, and reads from the given commit', async () => {
    const clone = new Clone('progress')
    clone.commit(1000, { 'package.json': npm('a') })
    const head = clone.commit(2000, { 'package.json': npm('a', 'b'), 'copy/package.json': npm('a') })
    clone.commit(3000, { 'package.json': npm('c') })
    const steps: [parsed: number, total: number][] = []
    const { dependencies } = await readDependencyHistory(
      { ...(await openClone(clone.path)), head },
      { onProgress: (...step) => steps.push(step) },
    )
    expect(dependencies.map((d) => d.dependency.dependency_name)).toEqual(['a', 'b'])
    expect(steps).toEqual([
      [1, 2],
      [2, 2],
    ])
  })

  test('finds nothing in a history without manifests', async () => {
    const clone = new Clone('no-manifests')
    clone.commit(1000, { README: 'x' })
    expect(await readDependencyHistory(await openClone(clone.path))).toEqual({
      dependencies: [],
      warnings: [],
      leftOut: 0,
      computed: 0,
    })
  })

  test('reads a bare clone, a clone with SHA-256 names, and a linked work tree like any other', async () => {
    const source = new Clone('source', '--object-format=sha256')
    const head = source.commit(1000, { 'package.json': npm('a') })
    expect(head).toHaveLength(64)
    source.git(0, 'clone', '--quiet', '--bare', '.', join(root, 'bare.git'))
    source.git(0, 'worktree', 'add', '--quiet', '--detach', join(root, 'linked'))
    for (const path of [
      source.path,
      join(source.path, '.git'),
      join(root, 'bare.git'),
      join(root, 'linked'),
    ]) {
      const { dependencies } = await readDependencyHistory(await openClone(path))
      expect(dependencies[0]).toMatchObject({ dependency: { dependency_name: 'a' }, first_use_date: 1000 })
      expect((await collect(readCommits(await openClone(path)))).map((c) => c.commit_hash)).toEqual([head])
    }
  })
})

test('a date after the year 9999 is none: no client could hold it', async () => {
  const clone = new Clone('far')
  clone.commit(1000, { 'package.json': npm('a') })
  clone.commit(253_402_300_800, { 'package.json': npm('a', 'b') })
  const [commit] = await collect(readCommits(await openClone(clone.path)))
  expect(commit).toMatchObject({ author_date: 253_402_300_795, committer_date: null })
  expect(await readLines(clone)).toEqual([
    'a package.json 1000  1000 active',
    'b package.json 1000  1000 active',
  ])
})

describe('openClone()', () => {
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
})

describe('what is wrong with a path is said in one clear error', () => {
  async function expectError(path: string, message: RegExp) {
    await expect(openClone(path)).rejects.toThrow(message)
    await expect(openClone(path)).rejects.toMatchObject({ name: 'GitError' })
  }
  async function readDependencies(path: string) {
    return readDependencyHistory(await openClone(path))
  }

  test('nothing there, a file, a plain folder, a path like an option', async () => {
    writeFileSync(join(root, 'file'), '')
    mkdirSync(join(root, 'plain'))
    await expectError(join(root, 'missing'), /missing does not exist$/)
    await expectError(join(root, 'file'), /file is not a folder$/)
    await expectError(join(root, 'plain'), /plain is not a git repository$/)
    await expectError('--upload-pack=touch x', /--upload-pack=touch x does not exist$/)
  })

  test('a folder inside a repository', async () => {
    const clone = new Clone('outer')
    clone.commit(1000, { 'inner/package.json': npm('a') })
    await expectError(join(clone.path, 'inner'), /inner is a folder inside the repository .*outer; name the/)
  })

  test('a repository without commits', async () => {
    await expectError(new Clone('empty').path, /^Nothing to read in .*empty: it has no commits yet/)
  })

  test('a shallow clone', async () => {
    const source = new Clone('deep')
    source.commit(1000)
    source.commit(2000)
    source.git(0, 'clone', '--quiet', '--depth=1', `file://${source.path}`, join(root, 'shallow'))
    await expectError(join(root, 'shallow'), /shallow is a shallow clone, .*git fetch --unshallow/)
  })

  test('a partial clone, without fetching what it lacks', async () => {
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

  test('an object that is corrupt or missing, whichever it is, in one line that says what to do', async () => {
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

  test("another owner's clone, in git's words", async () => {
    const clone = new Clone('foreign')
    clone.commit(1000)
    // git's own way to be tested for this.
    setVariable('GIT_TEST_ASSUME_DIFFERENT_OWNER', '1')
    await expectError(clone.path, /^git refuses to read .*foreign: .*dubious ownership.*safe\.directory/)
  })

  test('a machine without git', async () => {
    const clone = new Clone('gitless')
    setVariable('PATH', join(root, 'plain-path'))
    await expectError(clone.path, /^git is not installed, or not on the PATH$/)
  })
})
