/** Arguments that name a repository: `[OWNER/NAME] --id …` */
import type { Command } from 'commander'
import type { RepositoryReference } from '../dataset/repository-removal.ts'
import { readRepositoryId, readRepositoryName } from './arguments.ts'

export type RepositoryName = ReturnType<typeof readRepositoryName>

/** The options. */
export interface RepositoryOptions {
  id?: number
}

/** Adds the arguments to a command. */
export function addRepositoryOptions(command: Command): Command {
  return command
    .argument(
      '[name]',
      'OWNER/NAME; if two repositories have the name, the one that was added last',
      readRepositoryName,
    )
    .option(
      '--id <n>',
      "the repository's forge_rest_id, instead of its name; negative for some repositories that were loaded from " +
        'clones',
      readRepositoryId,
    )
}

/** Returns the repository that the arguments name. Ends the command with a usage error if they name none, or two. */
export function readReference(
  name: RepositoryName | undefined,
  { id }: RepositoryOptions,
  command: Command,
): RepositoryReference {
  if (name !== undefined && id !== undefined) command.error('error: specify OWNER/NAME or --id, not both')
  return (id === undefined ? name : { forgeRestId: id }) ?? command.error('error: specify OWNER/NAME or --id')
}
