import { readList } from './json-and-toml.ts'
import { readWorkspace, type Workspace } from './own-packages.ts'
import { parseYaml } from './yaml.ts'

/**
 * The members of a workspace of pnpm, in `pnpm-workspace.yaml`. It declares no packages itself.
 *
 * @throws {Error} when it is not YAML
 */
export function* parsePnpmWorkspace(content: string): Generator<Workspace> {
  yield* readWorkspace(readList(parseYaml(content).packages))
}
