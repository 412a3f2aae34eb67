/**
 * The list of all formats of manifests. Each is declared beside its parser. Where `paths` of several match,
 * the first one counts: `requirements/Dockerfile.txt` is a `Dockerfile`.
 */
import { cargoToml } from './cargo-toml.ts'
import { chartYaml } from './chart-yaml.ts'
import { composerJson } from './composer-json.ts'
import { condaEnvironment } from './conda.ts'
import { conanfilePy, conanfileTxt, vcpkgJson } from './cpp.ts'
import { dockerfile } from './dockerfile.ts'
import { githubActions } from './github-actions.ts'
import { goMod } from './go-mod.ts'
import { gradleGroovy, gradleKotlin } from './gradle.ts'
import { gradleCatalog, gradleKotlinSettings, gradleSettings } from './gradle-catalog.ts'
import { denoJson, importMap, lernaJson, packageJson } from './javascript.ts'
import type { ManifestFormat } from './manifest-format.ts'
import { mixExs } from './mix-exs.ts'
import { dotnetProject, packagesConfig } from './nuget.ts'
import { packageSwift } from './package-swift.ts'
import { pnpmWorkspace } from './pnpm-workspace.ts'
import { pomXml } from './pom-xml.ts'
import { pubspecYaml } from './pubspec-yaml.ts'
import { pipfile, pyprojectToml, requirementsTxt } from './python.ts'
import { rDescription } from './r-description.ts'
import { gemfile, gemspec, podfile, podspec } from './ruby.ts'
import { sbtBuild } from './sbt.ts'
import { setupCfg } from './setup-cfg.ts'
import { setupPy } from './setup-py.ts'

export const formats: readonly ManifestFormat[] = [
  sbtBuild,
  gradleCatalog,
  packageSwift,
  dockerfile,
  githubActions,
  condaEnvironment,
  packageJson,
  lernaJson,
  denoJson,
  importMap,
  requirementsTxt,
  pyprojectToml,
  pipfile,
  setupPy,
  setupCfg,
  goMod,
  cargoToml,
  pomXml,
  gemfile,
  gemspec,
  podfile,
  podspec,
  composerJson,
  dotnetProject,
  packagesConfig,
  pubspecYaml,
  rDescription,
  vcpkgJson,
  conanfileTxt,
  conanfilePy,
  chartYaml,
  gradleGroovy,
  gradleKotlin,
  gradleSettings,
  gradleKotlinSettings,
  mixExs,
  pnpmWorkspace,
]

/** The format of each file that dependencies may have. */
export const formatsByFile: ReadonlyMap<string, ManifestFormat> = new Map(
  formats.flatMap((format) => format.files.map((file) => [file, format] as const)),
)
