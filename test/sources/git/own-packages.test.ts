import { describe, expect, test } from 'vitest'
import { parseManifest } from '../../../api/manifests/manifest.ts'
import { createVersion, ManifestTree } from '../../../api/sources/git/manifest-tree.ts'
import { NameTable } from '../../../api/sources/git/name-table.ts'
import { Clone, npm, readLines, useClones } from '../../support/git-clone.ts'

useClones()

const url = 'https://forge.example/acme/mono'

/** The names of the active dependencies, with their files. */
async function readActive(clone: Clone): Promise<string[]> {
  const lines = await readLines(clone, url)
  return lines.filter((line) => line.endsWith(' active')).map((line) => line.split(' ', 2).join(' '))
}

/** A `package.json` of a package with a name. */
function pkg(name: string, dependencies: string[] = [], more: object = {}): string {
  return JSON.stringify({ name, version: '1.0.0', ...JSON.parse(npm(...dependencies)), ...more })
}

/** A `pom.xml` whose parent is the folder's above. */
function pom(artifact: string, dependencies: string[] = [], more = ''): string {
  const uses = dependencies.map((each) => {
    const [group, name] = each.split(':')
    return `<dependency><groupId>${group}</groupId><artifactId>${name}</artifactId></dependency>`
  })
  const parent = '<parent><groupId>org.acme</groupId><artifactId>parent</artifactId></parent>'
  return `<project>${parent}<artifactId>${artifact}</artifactId>${more}<dependencies>${uses.join('')}</dependencies></project>`
}

describe('a package of the same repository is no dependency', () => {
  test('in Maven and Gradle, by group and artifact, also with properties of parents', async () => {
    const clone = new Clone('maven')
    clone.commit(1000, {
      'pom.xml':
        '<project><groupId>org.acme</groupId><artifactId>parent</artifactId><properties><scala>2.13</scala></properties></project>',
      'core/pom.xml': pom('core_${scala}'),
      'web/pom.xml': pom('web', [
        '${project.groupId}:core_${scala}',
        'org.acme:core_2.12',
        'org.other:core_2.13',
        'junit:junit',
      ]),
      'tool/build.gradle':
        "dependencies { implementation 'org.acme:web:1'; implementation 'org.acme:none:1' }",
      'archetype/pom.xml':
        '<project><groupId>${groupId}</groupId><artifactId>${artifactId}</artifactId></project>',
    })
    expect(await readActive(clone)).toEqual([
      'junit:junit pom.xml',
      'org.acme:core_2.12 pom.xml',
      'org.acme:none build.gradle',
      'org.other:core_2.13 pom.xml',
    ])
  })

  test('in Go, by the path of the module', async () => {
    const clone = new Clone('go')
    clone.commit(1000, {
      'go.mod': 'module acme.example/mono // the root\nrequire golang.org/x/net v1\n',
      'api/go.mod':
        'module "acme.example/mono/api"\nrequire (\nacme.example/mono v1.0.0\nacme.example/mono/none v1\n)\n',
    })
    expect(await readActive(clone)).toEqual(['acme.example/mono/none go.mod', 'golang.org/x/net go.mod'])
  })

  test('in npm, if it and the dependent are members of one workspace', async () => {
    const clone = new Clone('npm')
    clone.commit(1000, {
      'package.json': pkg('root', ['a'], {
        workspaces: { packages: ['./packages/*', 'sites/{x,y}/', '!packages/old'] },
      }),
      'packages/a/package.json': pkg('a', ['b', 'x', 'y', 'z', 'old', 'root', 'deep', 'tracing', 'lodash']),
      'packages/b/package.json': pkg('b'),
      'packages/old/package.json': pkg('old', ['a']),
      'packages/a/deep/package.json': pkg('deep'),
      'sites/x/package.json': pkg('x'),
      'sites/y/package.json': pkg('y', ['x']),
      'sites/z/package.json': pkg('z'),
      'examples/tracing/package.json': pkg('tracing', ['b']),
      // Another workspace of the repository, with packages of the same names.
      'other/package.json': pkg('other', [], { workspaces: ['**'] }),
      'other/m/package.json': pkg('lodash', ['n', 'y']),
      'other/m/n/package.json': pkg('n'),
    })
    expect(await readActive(clone)).toEqual(
      ['a', 'b', 'deep', 'lodash', 'old', 'tracing', 'y', 'z'].map((name) => `${name} package.json`),
    )
  })

  test('in pnpm and Lerna, if it is a member', async () => {
    const clone = new Clone('pnpm')
    clone.commit(1000, {
      'p/pnpm-workspace.yaml': "packages:\n  - 'libs/**'\n  - '!**/old'\n",
      'p/package.json': pkg('p', ['p-a', 'p-old']),
      'p/libs/one/a/package.json': pkg('p-a', ['p']),
      'p/libs/old/package.json': pkg('p-old'),
      'l/lerna.json': '{"version":"1.0.0"}',
      'l/packages/a/package.json': pkg('l-a', ['l-b']),
      'l/packages/b/package.json': pkg('l-b', ['p-a']),
      'w/lerna.json': '{"useWorkspaces":true}',
      'w/packages/a/package.json': pkg('w-a', ['w-b']),
      'w/packages/b/package.json': pkg('w-b'),
    })
    expect(await readActive(clone)).toEqual(['p-a package.json', 'p-old package.json', 'w-b package.json'])
  })

  test('in Deno, if it and the dependent are members of one workspace', async () => {
    const clone = new Clone('deno')
    clone.commit(1000, {
      'deno.json':
        '{"workspace":["./a","./b"],"imports":{"@acme/a":"jsr:@acme/a@1","@acme/c":"jsr:@acme/c@1"}}',
      'a/deno.jsonc': '{"name":"@acme/a","imports":{"b":"jsr:@acme/b@1"}} // a',
      'b/deno.json': '{"name":"@acme/b"}',
      'c/deno.json': '{"name":"@acme/c"}',
    })
    expect(await readActive(clone)).toEqual(['@acme/c deno.json'])
  })

  test('in pub, if it and the dependent are members of one workspace', async () => {
    const clone = new Clone('pub')
    clone.commit(1000, {
      'pubspec.yaml': 'name: _\nworkspace: [pk/a, pk/b]\n',
      'pk/a/pubspec.yaml':
        'name: pub_a\nresolution: workspace\ndependencies: {pub_b: ^1.0.0, http: ^1.0.0}\n',
      'pk/b/pubspec.yaml': 'name: pub_b\nresolution: workspace\ndev_dependencies: {pub_c: any}\n',
      'pk/c/pubspec.yaml': 'name: pub_c\ndependencies: {pub_a: any}\n',
    })
    expect(await readActive(clone)).toEqual(['http pubspec.yaml', 'pub_a pubspec.yaml', 'pub_c pubspec.yaml'])
  })

  test('in Composer, in path repositories of the manifest itself, and if the repository replaces it at its own version', async () => {
    const clone = new Clone('composer')
    const composer = (name: string, uses: string[], more: object = {}) =>
      JSON.stringify({ name, require: Object.fromEntries(uses.map((each) => [each, '*'])), ...more })
    clone.commit(1000, {
      'php/composer.json': composer('acme/site', ['Acme/Lib', 'acme/far', 'monolog/monolog'], {
        repositories: { local: { type: 'path', url: '../libs/*/' }, other: { type: 'vcs', url: '../far' } },
      }),
      'libs/lib/composer.json': composer('acme/LIB', ['acme/second']),
      'libs/second/composer.json': composer('acme/second', []),
      'far/composer.json': composer('acme/far', []),
      'frame/composer.json': composer('frame/work', [], {
        replace: { 'frame/http': 'self.version', 'frame/old': '*' },
      }),
      'frame/src/mail/composer.json': composer('frame/mail', ['frame/http', 'frame/old']),
    })
    expect(await readActive(clone)).toEqual(
      ['acme/far', 'acme/second', 'frame/old', 'monolog/monolog'].map((name) => `${name} composer.json`),
    )
  })

  test('in workflows and Swift packages, if it is the repository itself', async () => {
    const clone = new Clone('urls')
    clone.commit(1000, {
      '.github/workflows/a.yml':
        'jobs: {a: {uses: ACME/mono/.github/workflows/b.yml@main}, b: {steps: [{uses: acme/mono/setup@v1}, {uses: acme/monorepo@v1}]}}',
      'setup/action.yml': 'runs: {steps: [{uses: Acme/Mono@v1}, {uses: mono/acme@v1}]}',
      'Package.swift':
        'let p = Package(dependencies: [.package(url: "git@forge.example:acme/Mono.git", from: "1"), .package(url: "https://other.example/acme/mono", from: "1")])',
    })
    expect(await readActive(clone)).toEqual([
      'acme/monorepo .github/workflows',
      'mono/acme action.yml',
      'other.example/acme/mono Package.swift',
    ])
  })

  test('but a bare name alone is no proof', async () => {
    const clone = new Clone('bare')
    clone.commit(1000, {
      'package.json': npm('tracing', '@acme/tracing'),
      'examples/a/package.json': pkg('tracing'),
      'examples/b/package.json': pkg('@acme/tracing'),
      'Cargo.toml': '[workspace]\nmembers = ["*"]\n[dependencies]\ntracing = "1"\n',
      'examples/tracing/Cargo.toml': '[package]\nname = "tracing"\n',
      'composer.json': '{"require":{"acme/x":"*"}}',
      'examples/x/composer.json': '{"name":"acme/x"}',
    })
    expect(await readActive(clone)).toEqual([
      '@acme/tracing package.json',
      'acme/x composer.json',
      'tracing Cargo.toml',
      'tracing package.json',
    ])
  })
})

describe('a dependency', () => {
  test('ends when the repository gets the package, and returns when it loses it, whatever manifest changed', async () => {
    const clone = new Clone('moved')
    clone.commit(1000, {
      'pom.xml': pom('parent'),
      'web/pom.xml': pom('web', ['org.acme:core', 'org.acme:util']),
      'util/pom.xml': pom('util'),
    })
    clone.commit(2000, { 'core/pom.xml': pom('core') })
    clone.commit(3000, { 'util/pom.xml': null })
    clone.commit(4000, { 'core/pom.xml': pom('renamed') })
    expect(await readLines(clone)).toEqual([
      'org.acme:core pom.xml 1000  4000 active',
      'org.acme:util pom.xml 3000  3000 active',
    ])
  })

  test('ends when the package becomes a member of its workspace, and returns when it isn’t any more', async () => {
    const clone = new Clone('members')
    const root = (...workspaces: string[]) => pkg('root', [], { workspaces })
    clone.commit(1000, {
      'package.json': root('a'),
      'a/package.json': pkg('a', ['b', 'c']),
      'b/package.json': pkg('b'),
      'c/package.json': pkg('c'),
    })
    clone.commit(2000, { 'package.json': root('a', 'b') })
    clone.commit(3000, { 'package.json': root('?') })
    clone.commit(4000, { 'b/package.json': null, 'old/b/package.json': pkg('b') })
    clone.commit(5000, { 'package.json': pkg('root') })
    expect(await readLines(clone)).toEqual([
      'b package.json 1000  4000 active',
      'c package.json 1000  5000 active',
    ])
  })

  test('counts, with a warning, when a history would compare too many', () => {
    const table = new NameTable()
    const tree = new ManifestTree(table, 1)
    const apply = (path: string, content: string) => {
      const version = createVersion(table, parseManifest('package.json', content))
      const { declarations, isIncomplete, uncompared } = tree.apply([
        { path, fileName: 'package.json', version },
      ])
      const names = declarations.map((each) => Array.from(each.names, (name) => table.read(name)))
      return { names, isIncomplete, uncompared }
    }
    expect(apply('a/package.json', pkg('a', ['b']))).toEqual({
      names: [['b']],
      isIncomplete: false,
      uncompared: [],
    })
    expect(apply('package.json', pkg('root', [], { workspaces: ['*'] }))).toEqual({
      names: [[], ['b']],
      isIncomplete: false,
      uncompared: [],
    })
    // No comparison is left: it counts as a dependency, and that is said.
    expect(apply('b/package.json', pkg('b', ['a']))).toEqual({
      names: [['a']],
      isIncomplete: true,
      uncompared: ['b/package.json'],
    })
  })

  test('counts, with a warning, when the members of a workspace are too many for the memory', () => {
    const table = new NameTable()
    const tree = new ManifestTree(table)
    const apply = (path: string, content: string) => {
      const version = createVersion(table, parseManifest('package.json', content))
      const { isIncomplete, uncompared } = tree.apply([{ path, fileName: 'package.json', version }])
      return { isIncomplete, uncompared }
    }
    const ten = '{0,1,2,3,4,5,6,7,8,9}'
    const workspaces = Array.from({ length: 3000 }, (_, n) => `${ten}${ten}/${n}`)
    const folder = 'a/'.repeat(500)
    const before = process.memoryUsage().heapUsed
    expect(apply(`${folder}package.json`, pkg('root', ['b'], { workspaces }))).toMatchObject({
      isIncomplete: true,
    })
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(200_000_000)
    const b = `${folder}b/package.json`
    expect(apply(b, pkg('b', ['root']))).toEqual({ isIncomplete: true, uncompared: [b] })
  })
})
