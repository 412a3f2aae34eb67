/**
 * `devdata remove …`
 *
 * @module
 */
import process from 'node:process'
import type { Command } from 'commander'
import { findRepository, type RepositoryReference, removeRepository } from '../dataset/repository-removal.ts'
import { OperatorError } from '../errors.ts'
import { readRepositoryId, readRepositoryName } from './arguments.ts'
import { confirm } from './confirm.ts'
import { countOf } from './output.ts'
import { startProgress } from './progress.ts'
import { withDatabase } from './session.ts'

/** Adds `remove` and its command. */
export function addRemoveCommands(program: Command): void {
  program
    .command('remove')
    .description('Remove data')
    .addHelpText('after', '\nExamples:\n  devdata remove repo honojs/hono')
    .command('repo')
    .summary('Remove a repository with its commits')
    .description(
      'Remove a repository with its commits and dependencies. Users who used a dependency only through this repository no longer use it. On a ' +
        'terminal, the command asks for confirmation. A later load that contains the repository adds it again.',
    )
    .argument(
      '[name]',
      'OWNER/NAME; if two repositories have the name, the one that was added last',
      readRepositoryName,
    )
    .option(
      '--id <n>',
      "the repository's forge_rest_id, instead of its name; negative for some repositories that were loaded from clones",
      readRepositoryId,
    )
    .option('--yes', "don't ask")
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  devdata remove repo honojs/hono\n  devdata remove repo --id 458210379 --yes --json',
    )
    .action(remove)
}

interface RemoveOptions {
  id?: number
  yes?: true
  json?: true
}

async function remove(
  name: { owner: string; name: string } | undefined,
  { id, yes, json }: RemoveOptions,
  command: Command,
): Promise<void> {
  if (name !== undefined && id !== undefined) command.error('error: specify OWNER/NAME or --id, not both')
  const reference: RepositoryReference | undefined = id === undefined ? name : { forgeRestId: id }
  if (reference === undefined) return command.error('error: specify OWNER/NAME or --id')
  await withDatabase({ longStatements: true }, async ({ config, sql }) => {
    const repository = await findRepository(sql, reference)
    if (repository === undefined) {
      throw new OperatorError(
        'owner' in reference
          ? `No repository is named ${reference.owner}/${reference.name}`
          : `No repository has the forge_rest_id ${reference.forgeRestId}`,
      )
    }
    const { fullName, forgeRestId, dependencies } = repository
    const declared = countOf(dependencies, 'dependency', 'dependencies')
    await confirm(
      `Remove ${fullName} (forge_rest_id ${forgeRestId}) with ${countOf(repository.commits, 'commit')} and ${declared}?`,
      { yes },
    )
    const progress = startProgress(process.stderr)
    const { commits, version } = await removeRepository(sql, repository, {
      settings: config.dataset,
      onStep: (step) => progress.update({ step, count: 0, unit: 'done', fraction: undefined }),
    }).finally(progress.end)
    if (json) {
      const output = {
        forge_rest_id: forgeRestId,
        full_name: fullName,
        commits: commits.removed,
        dependencies,
        dataset_version: version,
      }
      return console.log(JSON.stringify(output))
    }
    console.log(
      `Removed ${fullName} (forge_rest_id ${forgeRestId}) with ${countOf(commits.removed, 'commit')} and ` +
        `${declared}. The dataset has version ${version}.`,
    )
  })
}
