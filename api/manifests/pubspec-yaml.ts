import { isTable, readTable } from './json-and-toml.ts'
import { parseYaml } from './yaml.ts'

/**
 * The packages in a `pubspec.yaml` of Dart: `dependencies` and `dev_dependencies`. Packages of an SDK (`sdk: flutter`) come with
 * the language, and those with a `path` are of the same repository. `dependency_overrides` only replace others.
 *
 * @throws {Error} when it is not YAML, or a section is not a table
 */
export function* parsePubspecYaml(content: string): Generator<string> {
  const document = parseYaml(content)
  for (const section of ['dependencies', 'dev_dependencies']) {
    for (const [name, source] of Object.entries(readTable(document, section))) {
      if (!isTable(source) || (source.sdk === undefined && source.path === undefined)) yield name
    }
  }
}
