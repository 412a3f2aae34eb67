import { isTable, readList, readTable } from './json-and-toml.ts'
import { type OwnPackage, readWorkspace, type Workspace } from './own-packages.ts'
import { parseYaml } from './yaml.ts'

/**
 * The packages in a `pubspec.yaml` of Dart: `dependencies` and `dev_dependencies`. Packages of an SDK (`sdk: flutter`) come with
 * the language, and those with a `path` are of the same repository. `dependency_overrides` only replace others. `workspace`
 * lists the members of a workspace.
 *
 * @throws {Error} when it is not YAML, or a section is not a table
 */
export function* parsePubspecYaml(content: string): Generator<string | OwnPackage | Workspace> {
  const document = parseYaml(content)
  if (typeof document.name === 'string') yield { own: document.name, isUnique: false }
  yield* readWorkspace(readList(document.workspace))
  for (const section of ['dependencies', 'dev_dependencies']) {
    for (const [name, source] of Object.entries(readTable(document, section))) {
      if (!isTable(source) || (source.sdk === undefined && source.path === undefined)) yield name
    }
  }
}
