/** @module-tag longest */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { parseWithinBounds } from '../../api/manifests/bounded-parser.ts'
import { createRandom } from '../../sample/random.ts'
import { deno } from '../support/deno.ts'
import { isDrill, seed } from '../support/drill.ts'
import { createTexts, type HostileText, writeText } from '../support/hostile-manifests.ts'
import { listGrammars } from '../support/manifest-grammar.ts'

/** A program that imports nothing but the parser, and ends by itself. It reads a manifest of 40 MB and another one. */
const program = `(async () => {
  const { parseWithinBounds } = await import(process.env.PARSER)
  const refused = await parseWithinBounds('pubspec.yaml', '- a\\n'.repeat(10_000_000)).catch((error) => error.message)
  const { names } = await parseWithinBounds('package.json', '{"dependencies":{"a":"1"}}')
  console.log(JSON.stringify({ refused, names: [...names] }))
})()`

describe('a manifest that takes too much time or memory is refused, and the next one is read', () => {
  test.concurrent.for([
    ['Node', process.execPath, ['--eval', program]],
    ['Deno', deno, ['eval', '--ext=js', program]],
  ] as const)('on %s', async ([, command, args]) => {
    const env = {
      ...process.env,
      PARSER: new URL('../../api/manifests/bounded-parser.ts', import.meta.url).href,
    }
    const { stdout } = await promisify(execFile)(command, args, { env })
    expect(JSON.parse(stdout)).toEqual({
      refused: 'takes too much time or memory to parse: at most 10 seconds and 512 MB',
      names: ['a'],
    })
  })
})

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

/** So many names that begin with a text. */
function listNumbers(text: string, count: number, separator = ';'): string {
  return Array.from({ length: count }, (_, n) => `${text}${n}${separator}`).join('')
}

/** The length of texts, in characters: enough for a parser whose time doubles with each repetition to take too much. */
const length = 20_000
/** Enough for one whose time grows with the square of the length, if it was slow before. */
const confirmedLength = 1_000_000
/** The library for YAML is slow where a text has errors, so that less has to do. */
const confirmedYamlLength = 100_000
/** A text that takes so many times what others of its format take is looked at again. */
const slowFactor = 20
const textsPerFormat = isDrill ? 20_000 : 30
const textsPerYamlFormat = isDrill ? 2_000 : 8

/** Promises what was wrong with a text, in one line, or nothing. */
async function parse(format: string, content: string): Promise<string> {
  return parseWithinBounds(format, content).then(
    () => '',
    (error: Error) => error.message,
  )
}

const oneLineButNoBound = /^(?!takes too much)[^\n]*$/

describe('any text, however hostile, is read or refused in one line, and in linear time', () => {
  console.info(`seed ${seed}`)
  for (const grammar of listGrammars()) {
    test(`as ${grammar.format}`, async () => {
      const { format, isYaml } = grammar
      const count = isYaml ? textsPerYamlFormat : textsPerFormat
      const texts: { text: HostileText; ms: number }[] = []
      for (const text of createTexts(grammar, createRandom(`${seed} ${format}`), count)) {
        const start = performance.now()
        expect(await parse(format, writeText(text, length)), JSON.stringify(text)).toMatch(oneLineButNoBound)
        texts.push({ text, ms: performance.now() - start })
      }
      const [median = 0] = texts
        .map(({ ms }) => ms)
        .sort((a, b) => a - b)
        .slice(texts.length / 2)
      const slow = texts.filter(({ ms }) => ms > slowFactor * Math.max(1, median)).sort((a, b) => b.ms - a.ms)
      for (const { text } of slow.slice(0, 3)) {
        const longer = writeText(text, isYaml ? confirmedYamlLength : confirmedLength)
        expect(await parse(format, longer), JSON.stringify(text)).toMatch(oneLineButNoBound)
      }
    })
  }

  const hostile: [format: string, content: string][] = [
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
    [
      '*.csproj',
      `<Project><PackageReference Include="${listNumbers('a', 100_000)}" Exclude="${listNumbers('b', 100_000)}"/></Project>`,
    ],
    [
      '*.csproj',
      `<Project><PackageReference Include="${listNumbers('a', 9_000)}" Exclude="${listNumbers('*b*', 9_000)}"/></Project>`,
    ],
    ['go.mod', `tool ${'a/'.repeat(500_000)}\nrequire b v1\n`],
    ['go.mod', `tool ${'a/'.repeat(100)}\n`.repeat(5_000)],
    ['Gemfile', 'path\r'.repeat(200_000)],
    ['Gemfile', `path ${'{ } '.repeat(500_000)}!`],
    ['Gemfile', `path ${'do |'.repeat(500_000)}!`],
    ['Dockerfile', listNumbers('FROM a AS b', 90, '\n') + 'FROM b$X!\n'.repeat(50_000)],
    ['pubspec.yaml', '['.repeat(100_000)],
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
    ['build.gradle', 'a = [,'.repeat(200_000)],
    ['build.gradle', 'a = platform(b.c), '.repeat(100_000)],
    ['build.gradle', `a = ${'b.'.repeat(100_000)}c\ndependencies { ${'d a\n'.repeat(100_000)}`],
    ['build.gradle', `dependencies { ${'[a,\n'.repeat(100_000)}`],
    ['build.sbt', `Seq(${'Seq(a % b) map (_ % '.repeat(100_000)}`],
    ['build.sbt', 'dependencyOverrides in a.'.repeat(100_000)],
    ['build.gradle.kts', '/*'.repeat(500_000)],
    ['build.gradle.kts', '/**/'.repeat(300_000)],
    ['build.sbt', `${'/*'.repeat(200_000)}${'*/'.repeat(199_999)}`],
    ['build.sbt', `"a" % "${'b_2.1.1-_sjs1-'.repeat(70_000)}" % "1"`],
    ['Package.swift', '.package('.repeat(200_000)],
    ['mix.exs', 'deps: a '.repeat(200_000)],
    ['build.sbt', '"a" %% '.repeat(300_000)],
    ['mix.exs', `def deps ${'{:a, '.repeat(200_000)}`],
    ['conanfile.py', 'requires = '.repeat(200_000)],
    ['Dockerfile', 'FROM a \\\n'.repeat(200_000)],
    ['Dockerfile', `ARG A=$A$A\n${'FROM $A$A$A$A\n'.repeat(50_000)}`],
    ['Dockerfile', `ARG a=${'x'.repeat(500_000)}\nFROM ${'$a'.repeat(500_000)}`],
    [
      'Dockerfile',
      `ARG a0=xx\n${Array.from({ length: 50_000 }, (_, n) => `ARG a${n + 1}=$a${n}$a${n}\n`).join('')}`,
    ],
    ['Dockerfile', `FROM ${'${a-'.repeat(500_000)}`],
    ['Dockerfile', `FROM a\n${Array.from({ length: 100_000 }, (_, n) => `RUN <<A${n}\nA${n}\n`).join('')}`],
    ['Dockerfile', `FROM ${'--a '.repeat(500_000)}`],
    ['Dockerfile', 'FROM {{'.repeat(500_000)],
    ['build.sbt', 'a.'.repeat(500_000)],
    ['build.sbt', `{${'('.repeat(500_000)}}${'%'.repeat(500_000)}`],
    ['build.sbt', `{${'('.repeat(500_000)}}${';'.repeat(500_000)}`],
    ['build.sbt', `libraryDependencies ++= ${'Seq('.repeat(300_000)}`],
    ['build.sbt', 'libraryDependencies += a '.repeat(50_000)],
    ['settings.gradle', `versionCatalogs { libs { ${'a('.repeat(500_000)}`],
    ['settings.gradle', `versionCatalogs { ${'libs { library('.repeat(100_000)}`],
    [
      'libs.versions.toml',
      `[libraries]\n${Array.from({ length: 13_000 }, (_, n) => `a${n}="a:${n}"\n`).join('')}[bundles]\nb=[${Array.from({ length: 13_000 }, (_, n) => `"a${n}",`).join('')}]\n${Array.from({ length: 13_000 }, (_, n) => `c${n}=["bundles-b"]\n`).join('')}`,
    ],
    ['Podfile', '\u2028'.repeat(500_000)],
    ['Podfile', '\r'.repeat(500_000)],
  ]
  for (const [format, content] of hostile) {
    test(`${format}: ${JSON.stringify(content.slice(0, 12))}… over and over`, async () => {
      expect(await parse(format, content)).toMatch(oneLineButNoBound)
    })
  }
})
