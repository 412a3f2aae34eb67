import { rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openClone } from '../../../api/sources/git/clone.ts'
import { readCommits } from '../../../api/sources/git/commit-log.ts'
import { readDependencyHistory } from '../../../api/sources/git/history.ts'
import { Clone, collect, npm, readLines, readWarnings, root, useClones } from '../../support/git-clone.ts'

useClones()

describe('the dependency history of a clone', () => {
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

  test('dates no end before its beginning, whatever the clocks of committers say', async () => {
    const clone = new Clone('clocks')
    clone.commit(1000, { 'package.json': npm('a') })
    clone.commit(5000, { 'package.json': npm('a', 'b') })
    clone.commit(3000, { 'package.json': npm('a') })
    expect(await readLines(clone)).toEqual([
      'a package.json 1000  1000 active',
      'b package.json 5000 5000 3000 removed',
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

  test('counts the manifests of the newest commit that aren’t read, but not those of others or of tests', async () => {
    const clone = new Clone('unread')
    clone.commit(1000, {
      ...{
        'a.nimble': '',
        'b/c.nimble': '',
        'gone.nimble': '',
        'vendor/x/d.nimble': '',
        'test/e.nimble': '',
      },
      ...{
        Cartfile: '',
        WORKSPACE: '',
        '.github/ci.yml': '',
        'package.json': npm('a'),
      },
    })
    clone.commit(2000, { 'a.nimble': 'changed', 'gone.nimble': null })
    const read = async (allManifests: boolean) => {
      const { manifests } = await readDependencyHistory(await openClone(clone.path), { allManifests })
      return Object.fromEntries(manifests.unread)
    }
    expect(await read(false)).toEqual({ '*.nimble': 2, Cartfile: 1, WORKSPACE: 1 })
    expect(await read(true)).toEqual({ '*.nimble': 3, Cartfile: 1, WORKSPACE: 1 })
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

  test('takes spellings of a name, as its ecosystem compares them, for one dependency, which has the newest', async () => {
    const clone = new Clone('spellings')
    const project = (name: string) =>
      `<Project><ItemGroup><PackageReference Include="${name}"/></ItemGroup></Project>`
    const workflow = (action: string) => `jobs: { a: { steps: [{ uses: '${action}@v1' }] } }`
    const crate = (name: string) => `[dependencies]\n${name} = "1"\n`
    clone.commit(1000, {
      'a/a.csproj': project('newtonsoft.json'),
      'Cargo.toml': crate('serde_json'),
      'package.json': npm('a_b'),
      '.github/workflows/a.yml': workflow('Actions/Checkout'),
    })
    clone.commit(2000, { 'a/a.csproj': project('Newtonsoft.Json'), 'b/b.csproj': project('xunit') })
    clone.commit(3000, { 'Cargo.toml': crate('serde-json'), 'c/c.csproj': project('xUnit') })
    clone.commit(4000, {
      '.github/workflows/a.yml': workflow('actions/checkout'),
      'package.json': npm('a-b'),
    })
    clone.commit(5000, { 'a/a.csproj': null, 'c/c.csproj': null })
    clone.commit(6000, { 'd/d.csproj': project('NEWTONSOFT.JSON') })
    expect(await readLines(clone)).toEqual([
      'NEWTONSOFT.JSON *.csproj 1000  6000 active',
      'a-b package.json 4000  4000 active',
      'a_b package.json 1000 4000 4000 removed',
      'actions/checkout .github/workflows 1000  1000 active',
      'serde-json Cargo.toml 1000  1000 active',
      'xUnit *.csproj 2000  2000 active',
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

  test('leaves manifests of tests and fixtures out, counts them, and reads them on demand', async () => {
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
    const { dependencies, manifests } = await readDependencyHistory(await openClone(clone.path))
    expect(dependencies.map((d) => d.dependency.dependency_name)).toEqual(['ours', 'ours-too'])
    expect(manifests.leftOut).toBe(folders.length)
    const all = await readDependencyHistory(await openClone(clone.path), { allManifests: true })
    expect(all.dependencies).toHaveLength(folders.length + 3)
    expect(all.manifests.leftOut).toBe(0)
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
      'rack *.gemspec 1000  1000 active',
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
    const { dependencies, manifests } = await readDependencyHistory(await openClone(clone.path))
    expect(dependencies.map((d) => [d.dependency.dependency_name, d.status])).toEqual([
      ['c', 'active'],
      ['a', 'removed'],
      ['b', 'active'],
    ])
    expect(manifests.computed).toBe(2)
    expect(manifests.read).toEqual(
      new Map([
        ['setup.py', 2],
        ['Gemfile', 1],
      ]),
    )
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
      {
        commit: broken,
        path: 'package.json',
        isRead: false,
        reason: expect.stringMatching(/^not valid JSON: [^\n]+$/),
      },
      {
        commit: gone,
        path: 'sub/package.json',
        isRead: false,
        reason: expect.stringMatching(/^not valid JSON: [^\n]+$/),
      },
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

  test('names a manifest by its text, and leaves out names that no filter may have', async () => {
    const clone = new Clone('names')
    clone.commit(1000, { 'requirements/größe.txt': 'flask\n', 'requirements/a\nb.txt': 'django\n' })
    expect(await readLines(clone)).toEqual(['flask größe.txt 1000  1000 active'])
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
      manifests: { read: new Map(), computed: 0, leftOut: 0, unread: new Map() },
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
