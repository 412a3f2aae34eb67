import { isTable, readList, readTable } from './json-and-toml.ts'
import { type ManifestFormat, type OwnPackage, readWorkspace, type Workspace } from './manifest-format.ts'
import { parseYaml } from './yaml.ts'

export const pubspecYaml: ManifestFormat = { files: ['pubspec.yaml'], parse: parsePubspecYaml }

/**
 * The packages in a `pubspec.yaml` of Dart: `dependencies` and `dev_dependencies`. Packages of an SDK (`sdk: flutter`)
 * come with the language, and those with a `path` are of the same repository. `dependency_overrides` only replace
 * others. `workspace` lists the members of a workspace.
 *
 * @throws {Error} when it is not YAML, or a section is not a table
 */
function* parsePubspecYaml(content: string): Generator<string | OwnPackage | Workspace> {
  const document = parseYaml(content)
  if (typeof document.name === 'string') yield { own: document.name, isUnique: false }
  yield* readWorkspace(readList(document.workspace))
  for (const section of ['dependencies', 'dev_dependencies']) {
    for (const [name, source] of Object.entries(readTable(document, section))) {
      if (!isTable(source) || (source.sdk === undefined && source.path === undefined)) yield name
    }
  }
}
