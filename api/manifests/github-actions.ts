import { isTable, readList, readTable } from './json-and-toml.ts'
import type { ManifestFormat } from './manifest-format.ts'
import { parseYaml } from './yaml.ts'

export const githubActions: ManifestFormat = {
  files: ['action.yml', '.github/workflows'],
  paths: [
    [/(?:^|\/)action\.yaml$/, 'action.yml'],
    [/^\.github\/workflows\/[^/]*\.ya?ml$/, '.github/workflows'],
  ],
  // An action's forge is the one that runs it.
  nameRepository: (url) => url.slice(url.indexOf('/') + 1),
  parse: parseGithubActions,
}

/**
 * The actions and reusable workflows in a workflow of GitHub, or in an action's `action.yml`: the repository in every
 * `uses`, without path and version. `./…` is of the same repository, and `docker://…` is an image.
 *
 * @throws {Error} when it is not YAML, or `jobs` is not a table
 */
function* parseGithubActions(content: string): Generator<string> {
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
