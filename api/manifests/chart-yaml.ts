import { isTable, readList } from './json-and-toml.ts'
import { parseYaml } from './yaml.ts'

/**
 * The charts that a `Chart.yaml` of Helm depends on, by name. One whose repository is a folder (`file://…`) is of the same
 * repository.
 *
 * @throws {Error} when it is not YAML
 */
export function* parseChartYaml(content: string): Generator<string> {
  for (const { name, repository } of readList(parseYaml(content).dependencies).filter(isTable)) {
    const isLocal = typeof repository === 'string' && repository.startsWith('file:')
    if (typeof name === 'string' && !isLocal) yield name
  }
}
