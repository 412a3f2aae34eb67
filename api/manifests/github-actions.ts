import { isTable, readList, readTable } from './json-and-toml.ts'
import { parseYaml } from './yaml.ts'

/**
 * The actions and reusable workflows in a workflow of GitHub, or in an action's `action.yml`: the repository in every `uses`, without
 * path and version. `./…` is of the same repository, and `docker://…` is an image.
 *
 * @throws {Error} when it is not YAML, or `jobs` is not a table
 */
export function* parseGithubActions(content: string): Generator<string> {
  const document = parseYaml(content)
  const jobs = Object.values(readTable(document, 'jobs'))
  // An action of JavaScript or Docker has no steps.
  const parts = [...jobs, document.runs].filter(isTable)
  for (const part of parts) {
    for (const { uses } of [part, ...readList(part.steps).filter(isTable)]) {
      const [, repository] =
        typeof uses === 'string' ? (/^([\w.-]+\/[\w.-]+)(?:\/[^@]*)?@/.exec(uses.trim()) ?? []) : []
      if (repository !== undefined && !repository.startsWith('.')) yield repository
    }
  }
}
