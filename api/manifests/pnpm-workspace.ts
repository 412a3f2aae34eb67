import { readCatalogs } from './javascript.ts'
import { readList } from './json-and-toml.ts'
import { type Definitions, type ManifestFormat, readWorkspace, type Workspace } from './manifest-format.ts'
import { parseYaml } from './yaml.ts'

export const pnpmWorkspace: ManifestFormat = {
  files: ['pnpm-workspace.yaml'],
  ecosystem: 'npm',
  parse: parsePnpmWorkspace,
}

/**
 * The members of a workspace of pnpm, in `pnpm-workspace.yaml`, and the aliases in its catalogs. It declares no
 * packages itself.
 *
 * @throws {Error} when it is not YAML
 */
function* parsePnpmWorkspace(content: string): Generator<Definitions | Workspace> {
  const document = parseYaml(content)
  yield* readWorkspace(readList(document.packages))
  yield* readCatalogs(document)
}
