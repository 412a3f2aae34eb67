import { isTable, readList } from './json-and-toml.ts'
import type { ManifestFormat } from './manifest-format.ts'
import { parseYaml } from './yaml.ts'

export const chartYaml: ManifestFormat = { files: ['Chart.yaml'], parse: parseChartYaml }

/**
 * The charts that a `Chart.yaml` of Helm depends on, by name. One without a repository, which Helm reads from the
 * folder `charts` and nowhere else, or with a folder for it (`file://…`), is of the same repository.
 *
 * @throws {Error} when it is not YAML
 */
function* parseChartYaml(content: string): Generator<string> {
  for (const { name, repository } of readList(parseYaml(content).dependencies).filter(isTable)) {
    const isLocal = typeof repository !== 'string' || repository === '' || repository.startsWith('file:')
    if (typeof name === 'string' && !isLocal) yield name
  }
}
