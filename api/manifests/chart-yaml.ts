import { isTable, readList } from './json-and-toml.ts'
import { parseYaml } from './yaml.ts'

/**
 * The charts that a `Chart.yaml` of Helm depends on, by name. One without a repository, which Helm reads from the folder `charts`
 * and nowhere else, or with a folder for it (`file://…`), is of the same repository.
 *
 * @throws {Error} when it is not YAML
 */
export function* parseChartYaml(content: string): Generator<string> {
  for (const { name, repository } of readList(parseYaml(content).dependencies).filter(isTable)) {
    const isLocal = typeof repository !== 'string' || repository === '' || repository.startsWith('file:')
    if (typeof name === 'string' && !isLocal) yield name
  }
}
