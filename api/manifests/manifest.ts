/**
 * Reads the names of the direct dependencies that manifests declare, as their registry spells them. Each format has a parser
 * in `manifests/`.
 *
 * @module
 */
import { parseCargoToml } from './cargo-toml.ts'
import { parseChartYaml } from './chart-yaml.ts'
import { parseComposerJson } from './composer-json.ts'
import { parseCondaEnvironment } from './conda.ts'
import { parseConanfilePy, parseConanfileTxt, parseVcpkgJson } from './cpp.ts'
import type { Declared, Definitions, Reference, SharedFile } from './declared.ts'
import { parseDockerfile } from './dockerfile.ts'
import { parseGithubActions } from './github-actions.ts'
import { parseGoMod } from './go-mod.ts'
import { parseGradleGroovy, parseGradleKotlin } from './gradle.ts'
import { parseGradleCatalog, parseGradleSettings } from './gradle-catalog.ts'
import { parseDenoJson, parseLernaJson, parsePackageJson } from './javascript.ts'
import { parseMixExs } from './mix-exs.ts'
import { parseDotnetProject, parsePackagesConfig } from './nuget.ts'
import { createOwnTest, findEcosystem, type OwnPackage, type Workspace } from './own-packages.ts'
import { parsePackageSwift } from './package-swift.ts'
import { parsePnpmWorkspace } from './pnpm-workspace.ts'
import { parsePomXml } from './pom-xml.ts'
import { parsePubspecYaml } from './pubspec-yaml.ts'
import { parsePipfile, parsePyprojectToml, parseRequirementsTxt } from './python.ts'
import { parseRDescription } from './r-description.ts'
import { parseGemfile, parseGemspec, parsePodfile, parsePodspec } from './ruby.ts'
import { parseSbtBuild } from './sbt.ts'
import { parseSetupCfg } from './setup-cfg.ts'
import { parseSetupPy } from './setup-py.ts'

/** Yields what a manifest declares. Takes linear time, because clones are untrusted. */
type Parser = (content: string) => Iterable<Declared | OwnPackage | Workspace>

const parsers = {
  'package.json': parsePackageJson,
  'deno.json': parseDenoJson,
  'requirements.txt': parseRequirementsTxt,
  'pyproject.toml': parsePyprojectToml,
  'setup.py': parseSetupPy,
  'setup.cfg': parseSetupCfg,
  Pipfile: parsePipfile,
  'go.mod': parseGoMod,
  'Cargo.toml': parseCargoToml,
  'pom.xml': parsePomXml,
  Gemfile: parseGemfile,
  'gems.rb': parseGemfile,
  '*.gemfile': parseGemfile,
  '*.gemspec': parseGemspec,
  'composer.json': parseComposerJson,
  '*.csproj': parseDotnetProject,
  '*.fsproj': parseDotnetProject,
  '*.vbproj': parseDotnetProject,
  'Directory.Build.props': parseDotnetProject,
  'Directory.Build.targets': parseDotnetProject,
  'Directory.Packages.props': parseDotnetProject,
  'packages.config': parsePackagesConfig,
  'pubspec.yaml': parsePubspecYaml,
  'environment.yml': parseCondaEnvironment,
  DESCRIPTION: parseRDescription,
  'vcpkg.json': parseVcpkgJson,
  'conanfile.txt': parseConanfileTxt,
  '.github/workflows': parseGithubActions,
  'action.yml': parseGithubActions,
  'Chart.yaml': parseChartYaml,
  Dockerfile: parseDockerfile,
  'build.gradle': parseGradleGroovy,
  'build.gradle.kts': parseGradleKotlin,
  'settings.gradle': parseGradleSettings,
  'settings.gradle.kts': parseGradleSettings,
  'libs.versions.toml': parseGradleCatalog,
  'build.sbt': parseSbtBuild,
  'Dependencies.scala': parseSbtBuild,
  'Package.swift': parsePackageSwift,
  Podfile: parsePodfile,
  '*.podspec': parsePodspec,
  'mix.exs': parseMixExs,
  'conanfile.py': parseConanfilePy,
  'import_map.json': parseDenoJson,
  'pnpm-workspace.yaml': parsePnpmWorkspace,
  'lerna.json': parseLernaJson,
} satisfies Record<string, Parser>

/** A format of manifests, named by the base name of its files. Where that says nothing, it is their pattern, or their folder. */
export type ManifestFormat = keyof typeof parsers

/** All formats. */
export const manifestFormats = Object.keys(parsers) as ManifestFormat[]

/** Formats whose parsers would skip conflict markers of an unfinished merge. Others refuse them. */
const programs = new Set<ManifestFormat>([
  'setup.py',
  'Gemfile',
  'gems.rb',
  '*.gemfile',
  '*.gemspec',
  'DESCRIPTION',
  'conanfile.txt',
  'Dockerfile',
  'build.gradle',
  'build.gradle.kts',
  'settings.gradle',
  'settings.gradle.kts',
  'build.sbt',
  'Dependencies.scala',
  'Package.swift',
  'Podfile',
  '*.podspec',
  'mix.exs',
  'conanfile.py',
])

const maxNameLength = 255

/** No manifest that people write declares nearly as many. */
const maxNames = 10_000

/** What a manifest declares. */
export interface ManifestContent {
  names: ReadonlySet<string>
  /** Whether it declares more, which only running it would show. */
  isComputed: boolean
  /** Names that other files of the same commit may replace. */
  references: readonly Reference[]
  /** What other manifests of the same commit may refer to. Null: nothing refers to it. */
  definitions: Definitions['definitions'] | null
  /** The file that defines further keys, if there is one. */
  parent: SharedFile | null
  /** What is one package in all manifests with the same text here. */
  ecosystem: string
  /** Packages of the same repository. */
  own: readonly OwnPackage[]
  workspace: Workspace | null
}

/**
 * Reads the names of the direct dependencies that a manifest declares. Skips names that no registry accepts: empty ones,
 * and those with control characters or more than 255 characters, and those of the repository itself.
 *
 * @param url that of the repository; without it, no name is taken for it
 * @throws {Error} with one line when the content does not parse, or declares more than 10,000 names
 */
export function parseManifest(format: ManifestFormat, content: string, url?: string): ManifestContent {
  const parse: Parser = parsers[format]
  const isOwn = url === undefined ? () => false : createOwnTest(format, url)
  try {
    if (programs.has(format)) assertNoConflict(content)
    const declared = collectDeclared(parse(content.replace(/^\uFEFF/, '')), isOwn)
    return { ...declared, ecosystem: findEcosystem(format) }
  } catch (error) {
    // A parser's message may quote lines of the file.
    const message = error instanceof Error ? error.message : String(error)
    const line = message.replace(/[\s\p{Cc}]+/gu, ' ').trim()
    throw new Error(line.slice(0, 200), { cause: error })
  }
}

function collectDeclared(
  all: ReturnType<Parser>,
  isOwn: (name: string) => boolean,
): Omit<ManifestContent, 'ecosystem'> {
  const names = new Set<string>()
  const references = new Map<string, Reference>()
  const definitions = new Map<string, readonly string[]>()
  let isComputed = false
  let isShared = false
  let parent: SharedFile | null = null
  const own: OwnPackage[] = []
  let workspace: Workspace | null = null
  let definedNames = 0
  for (const declared of all) {
    if (declared === null) isComputed = true
    else if (typeof declared === 'string') {
      if (isName(declared) && !isOwn(declared)) names.add(declared)
    } else if ('own' in declared) {
      if (isName(declared.own)) own.push(declared)
    } else if ('members' in declared) {
      workspace = { ...declared, members: declared.members.filter(isName) }
    } else if ('key' in declared) {
      const { key, file } = declared
      if (isName(key)) references.set(`${file.fileNames}\0${file.folder}\0${key}`, declared)
    } else {
      isShared = true
      parent = declared.parent ?? null
      for (const [key, defined] of declared.definitions) {
        if (isName(key)) definitions.set(key, defined.filter(isName))
        definedNames += defined.length
      }
    }
    const others = references.size + own.length + (workspace?.members.length ?? 0)
    if (names.size + others + Math.max(definitions.size, definedNames) > maxNames) {
      throw new Error(`too many names for a manifest: at most ${maxNames} are read`)
    }
  }
  return {
    names,
    isComputed,
    references: [...references.values()],
    definitions: isShared ? definitions : null,
    parent,
    own,
    workspace,
  }
}

function assertNoConflict(content: string): void {
  const conflict = content.split('\n').findIndex((line) => /^(?:<{7}|>{7})(?:\s|$)/.test(line))
  if (conflict !== -1) throw new Error(`line ${conflict + 1} is a conflict marker of an unfinished merge`)
}

/** Whether a name is one that the dataset accepts. */
export function isName(name: string): boolean {
  return name.length > 0 && name.length <= maxNameLength && name.isWellFormed() && !/\p{Cc}/u.test(name)
}

/** Decodes UTF-8, or UTF-16 with a byte order mark, which `pip freeze > requirements.txt` writes in PowerShell. */
export function decodeManifest(content: Uint8Array): string {
  const encoding =
    content[0] === 0xff && content[1] === 0xfe
      ? 'utf-16le'
      : content[0] === 0xfe && content[1] === 0xff
        ? 'utf-16be'
        : 'utf-8'
  return new TextDecoder(encoding).decode(content)
}
