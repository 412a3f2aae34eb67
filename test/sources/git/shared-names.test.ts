import { describe, expect, test } from 'vitest'
import { parseManifest } from '../../../api/manifests/manifest.ts'
import { openClone } from '../../../api/sources/git/clone.ts'
import { readDependencyHistory } from '../../../api/sources/git/history.ts'
import { createVersion, ManifestTree } from '../../../api/sources/git/manifest-tree.ts'
import { NameTable } from '../../../api/sources/git/name-table.ts'
import { Clone, npm, readLines, readWarnings, useClones } from '../../support/git-clone.ts'

useClones()

/** A member of a workspace that takes these dependencies from it. */
function createMember(...keys: string[]): string {
  return `[package]\nname = "member"\n[dependencies]\n${keys.map((key) => `${key}.workspace = true\n`).join('')}`
}

/** A workspace that defines dependencies. */
function createWorkspace(definitions: Record<string, string>): string {
  const lines = Object.entries(definitions).map(([key, value]) => `${key} = ${value}\n`)
  return `[workspace]\nmembers = ["*"]\n[workspace.dependencies]\n${lines.join('')}`
}

describe('names that a manifest takes from another file', () => {
  test('are those of that file at the same commit, and change with it', async () => {
    const clone = new Clone('renamed')
    clone.commit(1000, {
      'Cargo.toml': createWorkspace({ db: '{ package = "internal-storage", version = "1" }', serde: '"1"' }),
      'app/Cargo.toml': createMember('db', 'serde'),
    })
    clone.commit(2000, {
      'Cargo.toml': createWorkspace({ db: '{ package = "other-storage" }', serde: '"2"' }),
    })
    clone.commit(3000, { 'Cargo.toml': createWorkspace({ db: '"1"', serde: '"2"' }) })
    clone.commit(4000, { 'Cargo.toml': createWorkspace({ db: '{ path = "db" }', serde: '"2"' }) })
    expect(await readLines(clone)).toEqual([
      'db Cargo.toml 3000 4000 4000 removed',
      'internal-storage Cargo.toml 1000 2000 2000 removed',
      'other-storage Cargo.toml 2000 3000 3000 removed',
      'serde Cargo.toml 1000  1000 active',
    ])
  })

  test('are those of the nearest workspace, or of the one that the manifest names', async () => {
    const clone = new Clone('nearest')
    const rename = (name: string) => createWorkspace({ db: `{ package = "${name}" }` })
    clone.commit(1000, {
      'Cargo.toml': rename('outer'),
      'a/Cargo.toml': '[package]\nname = "a"\n',
      'a/b/Cargo.toml': createMember('db'),
    })
    // The root declares the names that it defines. What members add to them shows when the root is gone.
    clone.commit(2000, { 'a/Cargo.toml': rename('inner') })
    clone.commit(3000, { 'Cargo.toml': null })
    clone.commit(4000, { 'größe/Cargo.toml': rename('pointed') })
    clone.commit(5000, {
      'a/b/Cargo.toml': `${createMember('db')}[package.metadata]\n`.replace(
        '"member"',
        '"member"\nworkspace = "../../größe/"',
      ),
    })
    clone.commit(6000, { 'a/Cargo.toml': null })
    clone.commit(7000, { 'größe/Cargo.toml': null })
    expect(await readLines(clone)).toEqual([
      'db Cargo.toml 7000  7000 active',
      'inner Cargo.toml 2000 6000 6000 removed',
      'outer Cargo.toml 1000 3000 3000 removed',
      'pointed Cargo.toml 4000 7000 7000 removed',
    ])
  })

  test('are all those of a bundle in a catalog of Gradle, and none as long as nothing defines them', async () => {
    const clone = new Clone('catalog')
    const catalog = (bundle: string) =>
      `[libraries]\na = "g:a:1"\nb-c = { module = "g:b" }\n[bundles]\nall = [${bundle}]\n`
    clone.commit(1000, {
      'gradle/libs.versions.toml': catalog('"a"'),
      'app/build.gradle': 'dependencies { implementation libs.bundles.all }',
      'lib/build.gradle.kts': 'dependencies { api(libs.b.c); api(libs.none) }',
    })
    clone.commit(2000, { 'gradle/libs.versions.toml': catalog('"a", "b-c"') })
    clone.commit(3000, { 'gradle/libs.versions.toml': null })
    clone.commit(4000, {
      'settings.gradle':
        "dependencyResolutionManagement { versionCatalogs { libs { library('b-c', 'g:d:1') } } }",
    })
    expect(await readLines(clone)).toEqual([
      'g:a build.gradle 1000 3000 3000 removed',
      'g:b build.gradle 2000 3000 3000 removed',
      'g:b build.gradle.kts 1000 3000 3000 removed',
      'g:d build.gradle.kts 4000  4000 active',
    ])
    const { manifests } = await readDependencyHistory(await openClone(clone.path))
    expect(manifests).toMatchObject({ computed: 2 })
  })

  test('are those of the plugin of Compose Multiplatform until a catalog has its name', async () => {
    const clone = new Clone('compose')
    const content = 'dependencies { api(compose.runtime); api(compose.desktop.currentOs) }'
    clone.commit(1000, { 'app/build.gradle.kts': content })
    expect((await readDependencyHistory(await openClone(clone.path))).manifests).toMatchObject({
      computed: 1,
    })
    const catalog = '[libraries]\nruntime = "g:runtime:1"\ndesktop-currentOs = "g:desktop:1"\n'
    clone.commit(2000, { 'gradle/compose.versions.toml': catalog })
    expect(await readLines(clone)).toEqual([
      'g:desktop build.gradle.kts 2000  2000 active',
      'g:runtime build.gradle.kts 2000  2000 active',
      'org.jetbrains.compose.runtime:runtime build.gradle.kts 1000 2000 2000 removed',
    ])
  })

  test('are those of each catalog of Gradle, in a file of its own or in the settings', async () => {
    const clone = new Clone('catalogs')
    const settings = (...catalogs: string[]) =>
      `dependencyResolutionManagement { versionCatalogs { ${catalogs.map((name) => `${name} { library('a', 'g:${name}:1') }`).join('\n')} } }`
    clone.commit(1000, {
      'settings.gradle': settings('libs', 'testLibs'),
      'gradle/kotlinx.versions.toml': '[libraries]\na = "g:kotlinx:1"\n',
      'app/build.gradle': 'dependencies { api libs.a, kotlinx.a, testLibs.a, others.a }',
    })
    clone.commit(2000, { 'gradle/test-libs.versions.toml': '[libraries]\na = "g:moved:1"\n' })
    expect(await readLines(clone)).toEqual([
      'g:kotlinx build.gradle 1000  1000 active',
      'g:libs build.gradle 1000  1000 active',
      'g:moved build.gradle 2000  2000 active',
      'g:testLibs build.gradle 1000 2000 2000 removed',
    ])
    const { manifests } = await readDependencyHistory(await openClone(clone.path))
    expect(manifests).toMatchObject({ computed: 1 })
  })

  test('are what an alias in a catalog of pnpm or Bun stands for, the nearest first', async () => {
    const clone = new Clone('aliases')
    const uses = JSON.stringify({ dependencies: { vite: 'catalog:', react: 'catalog:', tap: 'catalog:old' } })
    const catalogs = 'catalog:\n  vite: npm:rolldown-vite@latest\n  react: ^19\n  tap: npm:not-this@1\n'
    clone.commit(1000, { 'packages/a/package.json': uses })
    clone.commit(2000, { 'pnpm-workspace.yaml': catalogs })
    clone.commit(3000, { 'pnpm-workspace.yaml': `${catalogs}catalogs:\n  old:\n    tap: npm:tap-old@1\n` })
    clone.commit(4000, { 'packages/package.json': '{"workspaces":{"catalog":{"vite":"npm:vite-of-bun@1"}}}' })
    expect(await readLines(clone)).toEqual([
      'react package.json 1000  1000 active',
      'rolldown-vite package.json 2000 4000 4000 removed',
      'tap package.json 1000  4000 active',
      'tap-old package.json 3000 4000 4000 removed',
      'vite package.json 1000 2000 2000 removed',
      'vite-of-bun package.json 4000  4000 active',
    ])
  })

  test('are those with the properties of parents in Maven, the nearest first', async () => {
    const clone = new Clone('parents')
    const project = (properties: string, parent = '<parent><artifactId>p</artifactId></parent>', uses = '') =>
      `<project>${parent}<properties>${properties}</properties><dependencies>${uses}</dependencies></project>`
    const use = (artifact: string) =>
      `<dependency><groupId>g</groupId><artifactId>${artifact}</artifactId></dependency>`
    const ofFile = '<parent><relativePath>../build/parent.pom.xml</relativePath></parent>'
    const outside = '<parent><relativePath/></parent>'
    clone.commit(1000, {
      'pom.xml': project('<scala>2.12</scala><kind>core</kind>'),
      'sql/pom.xml': project('<kind>sql</kind>'),
      'sql/api/pom.xml': project('', undefined, use('spark-${kind}_${scala}')),
      'own/pom.xml': project('', outside, use('x-${kind}')),
      'file/pom.xml': project('', ofFile, use('y-${kind}')),
    })
    clone.commit(2000, { 'pom.xml': project('<scala>2.13</scala><kind>core</kind>', '') })
    expect(await readLines(clone)).toEqual([
      'g:spark-sql_2.12 pom.xml 1000 2000 2000 removed',
      'g:spark-sql_2.13 pom.xml 2000  2000 active',
    ])
    const { manifests } = await readDependencyHistory(await openClone(clone.path))
    expect(manifests).toMatchObject({ computed: 2 })
  })

  test('are not those of another project than the declared parent in Maven', async () => {
    const clone = new Clone('aggregated')
    const coordinates = (group: string, artifact: string) =>
      `<groupId>${group}</groupId><artifactId>${artifact}</artifactId>`
    const aggregator = (project: string) =>
      `<project>${project}<properties><lib.group>lib</lib.group></properties></project>`
    const child = (parent: string, artifact: string) =>
      `<project><parent>${parent}</parent><dependencies><dependency>${coordinates('${lib.group}', artifact)}</dependency></dependencies></project>`
    const backslashes = '<relativePath>..\\old\\pom.xml</relativePath>'
    clone.commit(1000, {
      'pom.xml': aggregator(coordinates('g', 'agg')),
      'a/pom.xml': child(coordinates('g', 'agg'), 'same'),
      'b/pom.xml': child(coordinates('external', 'parent'), 'other'),
      'c/pom.xml': child(coordinates('g', '${unknown}'), 'unknown'),
      'old/pom.xml': aggregator(`<parent>${coordinates('h', 'x')}</parent><artifactId>old</artifactId>`),
      'd/pom.xml': child(coordinates('h', 'old') + backslashes, 'inherited'),
      'e/pom.xml': child(coordinates('g', 'old') + backslashes, 'other'),
    })
    clone.commit(2000, { 'pom.xml': aggregator(coordinates('external', 'parent')) })
    expect(await readLines(clone)).toEqual([
      'lib:inherited pom.xml 1000  1000 active',
      'lib:other pom.xml 2000  2000 active',
      'lib:same pom.xml 1000 2000 2000 removed',
      'lib:unknown pom.xml 1000  1000 active',
    ])
    const { manifests } = await readDependencyHistory(await openClone(clone.path))
    expect(manifests).toMatchObject({ computed: 2 })
  })

  test('are the names as they are written, as long as no file defines others', async () => {
    const clone = new Clone('undefined')
    clone.commit(1000, { 'app/Cargo.toml': createMember('db') })
    clone.commit(2000, { 'Cargo.toml': createWorkspace({ db: '{ path = "db" }' }) })
    clone.commit(3000, { 'Cargo.toml': 'nonsense' })
    clone.commit(4000, { 'Cargo.toml': null })
    expect(await readLines(clone)).toEqual(['db Cargo.toml 1000  4000 active'])
    expect(await readWarnings(clone)).toMatchObject([{ path: 'Cargo.toml', reason: /^not valid TOML/ }])
  })

  test('stay as they are when a history would look up too many', () => {
    const table = new NameTable()
    const tree = new ManifestTree(table, 2)
    const apply = (path: string, content: string) => {
      const version = createVersion(table, parseManifest('Cargo.toml', content))
      const { declarations, isIncomplete } = tree.apply([{ path, fileName: 'Cargo.toml', version }])
      const names = declarations.map(({ names }) => Array.from(names, (name) => table.read(name)).sort())
      return { names, isIncomplete }
    }
    apply('app/Cargo.toml', createMember('x', 'y'))
    const x = '{ package = "real-x" }'
    expect(apply('Cargo.toml', createWorkspace({ x }))).toEqual({
      names: [['real-x'], ['real-x', 'y']],
      isIncomplete: false,
    })
    // Nothing of it changes what members declare.
    expect(apply('Cargo.toml', createWorkspace({ x, z: '"1"' })).names).toEqual([['real-x', 'z']])
    const y = '{ package = "real-y" }'
    expect(apply('Cargo.toml', createWorkspace({ x, y }))).toEqual({
      names: [['real-x', 'real-y']],
      isIncomplete: true,
    })
  })

  test('are found however deep a build is, and left out once a history has had too many of them looked for', () => {
    const letters = (n: number) =>
      n.toString(26).replace(/\d/g, (digit) => 'qrstuvwxyz'.charAt(Number(digit)))
    const catalogs = Array.from({ length: 200 }, (_, n) => `implementation c${letters(n)}.x`)
    const build = `dependencies {\n${['api libs.x', ...catalogs].join('\n')}\n}`
    const path = `${'a/'.repeat(1000)}build.gradle`
    const table = new NameTable()
    const tree = new ManifestTree(table)
    const apply = (tree: ManifestTree, path: string, format: string, content: string) => {
      const version = createVersion(table, parseManifest(format, content))
      const { declarations, unresolved } = tree.apply([{ path, fileName: format, version }])
      return [declarations.flatMap(({ names }) => Array.from(names, (name) => table.read(name))), unresolved]
    }
    apply(tree, 'gradle/libs.versions.toml', 'libs.versions.toml', '[libraries]\nx = "g:x:1"')
    expect(apply(tree, path, 'build.gradle', build)).toEqual([['g:x'], []])

    const limited = new ManifestTree(table, 1000)
    apply(limited, 'gradle/libs.versions.toml', 'libs.versions.toml', '[libraries]\nx = "g:x:1"')
    expect(apply(limited, 'build.gradle', 'build.gradle', build)).toEqual([['g:x'], []])
    expect(apply(limited, path, 'build.gradle', build)).toEqual([['g:x'], [path]])
    expect(apply(limited, path, 'build.gradle', build)).toEqual([[], [path]])
  })
})

describe('a history with many names', () => {
  test('skips a version with more than 10,000 names, reports it, and keeps what was declared before', async () => {
    const clone = new Clone('many')
    const names = Array.from({ length: 10_001 }, (_, n) => `p${n}`)
    clone.commit(1000, { 'package.json': npm('a') })
    const skipped = clone.commit(2000, { 'package.json': npm(...names) })
    clone.commit(3000, { 'package.json': npm('b') })
    expect(await readLines(clone)).toEqual([
      'a package.json 1000 3000 3000 removed',
      'b package.json 3000  3000 active',
    ])
    expect(await readWarnings(clone)).toEqual([
      {
        commit: skipped,
        path: 'package.json',
        isRead: false,
        reason: 'too many names for a manifest: at most 10000 are read',
      },
    ])
  })

  test('keeps the names of a version once, whatever else its versions differ in', () => {
    const table = new NameTable()
    const read = (content: string) => createVersion(table, parseManifest('Cargo.toml', content))
    const before = read(
      '[dependencies]\nb = "1"\na = "1"\nc.workspace = true\n[workspace.dependencies]\nx = { path = "x" }',
    )
    const after = read(
      '[workspace.dependencies]\nx = { path = "y" }\n[dependencies]\na = "2"\nb = "1"\nc.workspace = true',
    )
    expect(after.names).toBe(before.names)
    expect(after.definitions).toBe(before.definitions)
    expect(after.references[0]?.keys).toBe(before.references[0]?.keys)
    expect(read('[dependencies]\na = "1"\n').names).not.toBe(before.names)
  })
})
