import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { afterAll, describe, expect, test } from 'vitest'
import type { ManifestFormat } from '../../api/manifests/manifest.ts'
import { isTaken } from '../support/drill.ts'

/** Properties that stand for each other ten times over, asked for by thousands of profiles. */
function createGrowingPom(): string {
  const properties = Array.from({ length: 5000 }, (_, n) => `<p${n}>${`\${p${n + 1}}`.repeat(10)}</p${n}>`)
  const dependency = `<dependency><groupId>\${p0}</groupId><artifactId>a</artifactId></dependency>`
  const profile = `<profile><dependencies>${dependency}</dependencies></profile>`
  return `<project><properties>${properties.join('')}</properties><profiles>${profile.repeat(5000)}</profiles></project>`
}

/** Values that stand for each other ten times over, nearly as deep as they may. */
function createGrowingSetupCfg(): string {
  const values = Array.from({ length: 8 }, (_, n) => `v${n} = ${`%(v${n + 1})s `.repeat(10)}`)
  return `[options.extras_require]\n${values.join('\n')}\nv8 = a`
}

/** Entities that stand for each other ten times over. */
function createGrowingEntities(): string {
  const entities = Array.from({ length: 5000 }, (_, n) => `<!ENTITY e${n} "${`&e${n + 1};`.repeat(10)}">`)
  const dependency = `<dependency><groupId>&e0;</groupId><artifactId>a</artifactId></dependency>`
  return `<!DOCTYPE project [${entities.join('')}]><project><dependencies>${dependency.repeat(5000)}</dependencies></project>`
}

/** Formats whose parser is that of another. */
const repeated = [
  'gems.rb',
  '*.gemfile',
  '*.fsproj',
  '*.vbproj',
  'Directory.Build.props',
  'Directory.Build.targets',
  'Directory.Packages.props',
  'action.yml',
  'import_map.json',
  'settings.gradle.kts',
  'Dependencies.scala',
] as const
type OwnParser = Exclude<ManifestFormat, (typeof repeated)[number]>

/** How a text of each format begins, and what its parser looks for. */
const fragments: Record<OwnParser, { beginnings: string[]; parts: string[] }> = {
  'package.json': {
    beginnings: ['', '{"dependencies":{"a":"npm:'],
    parts: ['{', '"a":', '@', 'a/', '"', ',', '[', '\\'],
  },
  'pnpm-workspace.yaml': { beginnings: ['', 'packages:\n- '], parts: ['- ', '*', '/', '{', '"', '\n', ' '] },
  'lerna.json': { beginnings: ['', '{"packages":["'], parts: ['{', '*', '"', ',', '[', '/'] },
  'deno.json': {
    beginnings: ['', '{"imports":{"a":"npm:'],
    parts: ['{', '"a":', '//', '/*', '*/', ',', '}', '"', '\\', '\n'],
  },
  'requirements.txt': {
    beginnings: ['', 'a', 'a=='],
    parts: ['a', '<=1', ',', '=', '[', ']', '#', ' ', '\\\n', ';', '(', '.', '-', '@'],
  },
  'pyproject.toml': {
    beginnings: ['', '[project]\ndependencies=["a'],
    parts: ['<=1', ',', '"', ' ', '[', ']', '"""', 'a.', '\\\n', '\n', '#', '='],
  },
  'setup.py': {
    beginnings: ['', 'import setuptools\nsetup(install_requires=['],
    parts: ['[', ')', '"a', "'''", '\\', 'x', '=', '+', ',', '\n', ' ', '#', 'if ', 'for '],
  },
  'setup.cfg': {
    beginnings: ['', '[options]\ninstall_requires=a'],
    parts: ['<=1', ',', ';', ' ', 'a', '\n', '[', ']', '=', '#'],
  },
  Pipfile: { beginnings: ['', '[packages]\na="'], parts: ['"', "'", '{', '=', '.', 'a', '\n', ',', '#'] },
  'go.mod': {
    beginnings: ['', 'require', 'require a v1 //'],
    parts: [' ', '\u2028', '(', ')', '\n', 'a', '//', 'indirect', '"'],
  },
  'Cargo.toml': {
    beginnings: ['', '[dependencies]\na='],
    parts: ['{', 'a.', '[', '"', '"""', "'''", '\n', ',', '1_', '#', '='],
  },
  'pom.xml': {
    beginnings: ['', '<project>', '<project><dependencies><dependency><groupId>'],
    parts: ['<a ', '<a>', '</a>', 'b="', '"', '/>', '<!--', '-->', '<![CDATA[', ']]>', '<?', '&', '$'],
  },
  Gemfile: {
    beginnings: ['', 'gem', 'gem("'],
    parts: ['gem', ' ', '(', "'", '"', '#', '{', '\\', '\n', '\n=begin', '<%', '%q<', 'a'],
  },
  '*.gemspec': {
    beginnings: ['', 's.add_dependency'],
    parts: ['.add_dependency', ' ', '(', "'", '"', '%q<', '>', '#', '\\', '\n', '\n=begin'],
  },
  'composer.json': { beginnings: ['', '{"require":{"'], parts: ['{', 'a/', '"', ':', ',', '[', '\\'] },
  '*.csproj': {
    beginnings: ['<Project><ItemGroup><PackageReference Include="'],
    parts: ['<a ', '<a>', '</a>', '"', ';', '$(', '/>', '<!--', ' '],
  },
  'packages.config': {
    beginnings: ['', '<packages><package id="'],
    parts: ['<a ', '<a>', '</a>', 'b="', '"', '/>', '<!--', '-->', '&', 'a.'],
  },
  'pubspec.yaml': {
    beginnings: ['dependencies:\n- '],
    parts: ['- ', 'a: ', '{', '"', '\n', ' ', '*a ', '? '],
  },
  'environment.yml': {
    beginnings: ['dependencies:\n- ', 'dependencies:\n- pip:\n  - '],
    parts: ['a', '::', '=', '<', '[', ',', '.', '/', '-', ';'],
  },
  '.github/workflows': { beginnings: ['jobs:\n  a: {uses: "'], parts: ['a', '/', '@', '.', '-', ' '] },
  'Chart.yaml': { beginnings: ['dependencies:\n- '], parts: ['name: a', ' ', '- ', '\n'] },
  DESCRIPTION: {
    beginnings: ['', 'Package: a\nImports: '],
    parts: ['a', ',', ' ', ':', '\n', '\n ', '(', '.'],
  },
  'vcpkg.json': { beginnings: ['', '{"dependencies":["'], parts: ['{', 'a', '"', ':', ',', '[', '\\'] },
  'conanfile.txt': { beginnings: ['', '[requires]\n'], parts: ['[', ']', 'a', '/', '#', '\n', ' ', '@'] },
  'build.gradle': {
    beginnings: ['', 'dependencies { a ', 'dependencies { a('],
    parts: ['a ', '"', '{', '}', '(', '[', ',', ':', '\n', 'libs.', '/*'],
  },
  'build.gradle.kts': {
    beginnings: ['', 'dependencies { a("'],
    parts: ['a', "'", '"', 'dependencies{', 'platform(', '${', '"""', '\\'],
  },
  'settings.gradle': { beginnings: [''], parts: ['library("a",', '"', ')', '\n'] },
  'libs.versions.toml': { beginnings: ['', '[libraries]\na="'], parts: ['a', ':', '"', '-', '{', '=', '\n'] },
  'build.sbt': {
    beginnings: ['', '"a" '],
    parts: ['%', ' "b" ', '\n', '.', '(', 'dependencyOverrides', 'val a = "b"'],
  },
  'Package.swift': {
    beginnings: ['', '.package(url: "', '.package(url: "https://a/b', '.package(url: """https://a'],
    parts: ['.package(', 'url:', '"', '\\(', '/', ':', '@', ','],
  },
  Podfile: { beginnings: ['', "pod 'a"], parts: ["pod '", '/', "'", '+', ':path =>'] },
  '*.podspec': { beginnings: ['', 's.name ='], parts: [".dependency '", '/', "'", ' ', '.name '] },
  'mix.exs': {
    beginnings: ['', 'defp deps do [{:a, '],
    parts: ['def deps ', '{:', '}', ',', '"', '#{', '\n', 'deps: ['],
  },
  'conanfile.py': { beginnings: ['', 'requires = "'], parts: ['requires', '=', '(', '"a/', ',', '.'] },
  Dockerfile: {
    beginnings: ['', 'FROM ', 'ARG a='],
    parts: ['FROM ', 'ARG ', 'a', '=', '$', '${', '}', ':', '/', '\\\n', '\n', ' ', '"', '@'],
  },
}

/** Some match what was begun, some don't, and some only on the way back. */
const endings = ['', '!', 'a\u2028a']

/** Enough for a parser whose time doubles with each repetition to hang. */
const shortSize = 200
/** Enough for a parser whose time grows with the square of the length to hang. */
const longSize = 100_000
/** A parse takes about ten milliseconds, so one that takes this long hangs. */
const hangTimeoutMs = 10_000

/**
 * Texts that repeat one part, or two in turn: short ones in every context, long ones of two parts in one of them. A short run
 * has a third of the long ones.
 */
function* listHostileTexts(format: OwnParser): Generator<string> {
  const { beginnings, parts } = fragments[format]
  const contexts = beginnings.flatMap((beginning) => endings.map((ending) => [beginning, ending] as const))
  const pairs = parts.flatMap((part) => parts.filter((other) => other !== part).map((other) => part + other))
  for (const [place, [beginning, ending]] of contexts.entries()) {
    for (const unit of [...parts, ...pairs]) yield beginning + unit.repeat(shortSize / unit.length) + ending
    for (const [index, unit] of parts.entries()) {
      if (isTaken(place + index)) yield beginning + unit.repeat(longSize / unit.length) + ending
    }
  }
  for (const [index, unit] of pairs.entries()) {
    if (!isTaken(index)) continue
    const [beginning, ending] = contexts[index % contexts.length] ?? ['', '']
    yield beginning + unit.repeat(longSize / unit.length) + ending
  }
}

/** Where texts are parsed: a thread that can be ended while it does. */
let worker: Worker | undefined

function startWorker(): Worker {
  return new Worker(
    `import { parentPort } from 'node:worker_threads'
    import { parseManifest } from ${JSON.stringify(new URL('../../api/manifests/manifest.ts', import.meta.url).href)}
    parentPort.on('message', ({ format, content }) => {
      try {
        parseManifest(format, content)
        parentPort.postMessage('')
      } catch (error) {
        parentPort.postMessage(error.message)
      }
    })`,
    { eval: true, execArgv: ['--input-type=module'] },
  )
}

/** Promises what was wrong with the text, and fails when the parser hangs. */
async function parse(format: ManifestFormat, content: string): Promise<unknown> {
  worker ??= startWorker()
  try {
    worker.postMessage({ format, content })
    const [message] = await once(worker, 'message', { signal: AbortSignal.timeout(hangTimeoutMs) })
    return message
  } catch (error) {
    await stopWorker()
    throw error
  }
}

async function stopWorker(): Promise<void> {
  await worker?.terminate()
  worker = undefined
}
afterAll(stopWorker)

describe('any text, however hostile, is read or refused in one line', () => {
  for (const format of Object.keys(fragments) as OwnParser[]) {
    test(`as ${format}`, async () => {
      for (const text of listHostileTexts(format)) {
        expect(await parse(format, text)).toMatch(/^[^\n]*$/)
      }
    })
  }

  const hostile: [format: ManifestFormat, content: string][] = [
    ['requirements.txt', `a${'<=1,'.repeat(500_000)}!`],
    ['requirements.txt', 'a\\\n'.repeat(500_000)],
    ['pyproject.toml', `[project]\ndependencies = ["a${'<=1,'.repeat(500_000)}!"]`],
    ['go.mod', `require${' '.repeat(500_000)}x\u2028y`],
    ['Gemfile', '"\\'.repeat(500_000)],
    ['Gemfile', '=begin\n'.repeat(500_000)],
    ['Gemfile', 'gem %q<'.repeat(500_000)],
    ['package.json', '['.repeat(1_000_000)],
    ['pom.xml', `<project>${'<dependencies>'.repeat(20_000)}`],
    ['pom.xml', createGrowingPom()],
    ['Cargo.toml', `a = ${'['.repeat(500_000)}`],
    ['setup.py', `import setuptools\nx = [${'x,'.repeat(500_000)}]\nsetup(install_requires=x)`],
    ['deno.json', '/*'.repeat(500_000)],
    ['requirements.txt', '#\\\n'.repeat(500_000)],
    ['requirements.txt', `a${'\\'.repeat(500_000)}x\\`],
    ['setup.cfg', createGrowingSetupCfg()],
    ['setup.cfg', `[options]\ninstall_requires = ${'%('.repeat(500_000)}`],
    ['setup.cfg', `[options]\ninstall_requires = ${'a #'.repeat(500_000)}`],
    ['setup.py', 'from x import setup as '.repeat(100_000)],
    ['setup.py', `from x import setup\n${'setup(name=a)\n'.repeat(100_000)}`],
    ['Cargo.toml', `package.workspace = "${'../'.repeat(500_000)}"\n[dependencies]\na.workspace = true`],
    ['go.mod', 'replace a => ./a\nrequire a v1\n'.repeat(50_000)],
    ['package.json', `{"dependencies":{"a":"${'.tgz'.repeat(500_000)}!"}}`],
    ['pom.xml', createGrowingEntities()],
    ['pom.xml', `<!DOCTYPE project [${'<!ENTITY a "'.repeat(200_000)}`],
    ['pom.xml', `<!DOCTYPE project [${'<!--'.repeat(200_000)}`],
    ['pom.xml', '<!--'.repeat(500_000)],
    ['Gemfile', '<<~A\n'.repeat(200_000)],
    ['Gemfile', '<<A '.repeat(200_000)],
    ['Gemfile', Array.from({ length: 100_000 }, (_, n) => `<<A${n}\n`).join('')],
    ['Gemfile', "path 'a' do do do\n".repeat(100_000)],
    ['Gemfile', `path ${'do '.repeat(500_000)}!`],
    ['Gemfile', `gem 'a',\n${'path\n,'.repeat(200_000)}`],
    ['*.csproj', '<Project>'.repeat(20_000)],
    ['*.csproj', `<Project>${'<PackageReference Include="a"/>'.repeat(50_000)}</Project>`],
    ['pubspec.yaml', '['.repeat(500_000)],
    ['pubspec.yaml', `${'- '.repeat(100_000)}a`],
    [
      'pubspec.yaml',
      `a0: &a0 [x]\n${Array.from({ length: 60 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n},*a${n},*a${n}]\n`).join('')}`,
    ],
    ['pubspec.yaml', `dependencies:\n${Array.from({ length: 50_000 }, (_, n) => `  a${n}: 1\n`).join('')}`],
    ['.github/workflows', `jobs:\n${'  a:\n    steps:\n    - uses: a/b@c\n'.repeat(20_000)}`],
    ['DESCRIPTION', `Package: a\nImports: ${'a,\n '.repeat(200_000)}`],
    ['build.gradle', 'dependencies { '.repeat(100_000)],
    ['build.gradle', `dependencies { ${'a b, '.repeat(200_000)}`],
    ['build.gradle', `dependencies { ${'a platform('.repeat(100_000)}`],
    ['build.gradle', `dependencies { a ${'['.repeat(200_000)}`],
    [
      'libs.versions.toml',
      `[libraries]\na="a:b:c"\n[bundles]\n${Array.from({ length: 3_000 }, (_, n) => `b${n} = [${'"a",'.repeat(300)}]\n`).join('')}`,
    ],
    ['build.sbt', '"a" % '.repeat(300_000)],
    ['build.gradle', `dependencies { a ${'platform('.repeat(1_000)}${'"a:b",'.repeat(50_000)}`],
    ['Package.swift', '.package('.repeat(200_000)],
    ['mix.exs', 'deps: a '.repeat(200_000)],
    ['build.sbt', '"a" %% '.repeat(300_000)],
    ['mix.exs', `def deps ${'{:a, '.repeat(200_000)}`],
    ['conanfile.py', 'requires = '.repeat(200_000)],
    ['Dockerfile', 'FROM a \\\n'.repeat(200_000)],
    ['Dockerfile', `ARG A=$A$A\n${'FROM $A$A$A$A\n'.repeat(50_000)}`],
  ]
  for (const [format, content] of hostile) {
    test(`${format}: ${JSON.stringify(content.slice(0, 12))}… over and over`, async () => {
      expect(await parse(format, content)).toMatch(/^[^\n]*$/)
    })
  }
})
