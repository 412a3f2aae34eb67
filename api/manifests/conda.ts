import { isTable, readList } from './json-and-toml.ts'
import type { ManifestFormat } from './manifest-format.ts'
import { parseRequirementsTxt } from './python.ts'
import { parseYaml } from './yaml.ts'

/** Environments of Conda. Projects test with several, which `ci/envs` has by their versions: `ci/envs/312-dev.yaml`. */
export const condaEnvironment: ManifestFormat = {
  files: ['environment.yml'],
  paths: [
    [/(?:^|\/)environment(?:[-_.][^/]*)?\.ya?ml$/, 'environment.yml'],
    [/[-_.]environment\.ya?ml$/, 'environment.yml'],
    [/(?:^|\/)ci\/envs\/[^/]*\.ya?ml$/, 'environment.yml'],
  ],
  parse: parseCondaEnvironment,
}

/** Languages and an installer: they come with the environment. */
const ofLanguage = new Set(['python', 'pip', 'r-base'])

/**
 * The packages in an `environment.yml` of Conda, without channel and version, and those of its `pip` list, which Conda
 * writes into a requirements file. The languages themselves (`python`, `r-base`) don't count.
 *
 * @throws {Error} when it is not YAML, or its `pip` list has something that pip would refuse
 */
function* parseCondaEnvironment(content: string): Generator<string> {
  for (const entry of readList(parseYaml(content).dependencies)) {
    if (typeof entry === 'string') {
      const name = findPackage(entry)?.toLowerCase()
      if (name !== undefined && !ofLanguage.has(name)) yield name
    }
    if (!isTable(entry)) continue
    const lines = readList(entry.pip).filter((line) => typeof line === 'string')
    yield* parseRequirementsTxt(lines.join('\n'), '"pip": ')
  }
}

/** Finds the name in a specification: of a package, `channel::name=version`, or of the URL or path of its file. */
function findPackage(specification: string): string | undefined {
  const [, start = '', rest = ''] = /^\s*(?:[^\s=<>!~[]+::)?([^\s=<>!~[]*)(.*)/s.exec(specification) ?? []
  if (/[\\/]/.test(start)) return findPackageOfFile(start + rest)
  const [name] = /^[\w.-]+/.exec(start) ?? []
  return name
}

/** Finds the name in `…/name-version-build.conda`. The build may be missing. */
function findPackageOfFile(location: string): string | undefined {
  const fileName = location.trim().split('#', 1)[0]?.split(/[\\/]/).at(-1) ?? ''
  const [, stem] = /^([\w.!+-]+)\.(?:conda|tar\.bz2)$/.exec(fileName) ?? []
  const parts = stem?.split('-') ?? []
  const version = [parts.length - 2, parts.length - 1].find((at) => at > 0 && /^\d/.test(parts[at] ?? ''))
  return version === undefined ? undefined : parts.slice(0, version).join('-')
}
