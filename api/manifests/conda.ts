import { isTable, readList } from './json-and-toml.ts'
import { readRequirementLines } from './python.ts'
import { parseYaml } from './yaml.ts'

/** Python and its installer come with the environment. */
const ofLanguage = new Set(['python', 'pip'])

/**
 * The packages in an `environment.yml` of Conda, without channel and version, and those of its `pip` list. The languages
 * themselves (`python`, `r-base`) don't count.
 *
 * @throws {Error} when it is not YAML, or its `pip` list has something that is not a requirement
 */
export function* parseCondaEnvironment(content: string): Generator<string> {
  for (const entry of readList(parseYaml(content).dependencies)) {
    if (typeof entry === 'string') {
      const [, name] = /^\s*(?:[^\s=<>!~[]+::)?([\w.-]+)/.exec(entry) ?? []
      if (name !== undefined && !ofLanguage.has(name.toLowerCase()) && name !== 'r-base')
        yield name.toLowerCase()
    }
    if (!isTable(entry)) continue
    for (const requirement of readList(entry.pip)) {
      // Options, paths and URLs name no package.
      if (typeof requirement !== 'string' || /^\s*(?:-|\.|[a-z][a-z+]*:|[^\s;@[]*[\\/])/i.test(requirement))
        continue
      yield* readRequirementLines(requirement, '"pip"')
    }
  }
}
