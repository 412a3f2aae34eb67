/** `devdata remove …` */
import process from 'node:process'
import type { Command } from 'commander'
import { getRepository, removeRepository } from '../dataset/repository-removal.ts'
import { confirm } from './confirm.ts'
import { countOf } from './output.ts'
import { startProgress } from './progress.ts'
import {
  addRepositoryOptions,
  type RepositoryName,
  type RepositoryOptions,
  readReference,
} from './repository-options.ts'
import { withDatabase } from './session.ts'

/** Adds `remove` and its command. */
export function addRemoveCommands(program: Command): void {
  const remove = program
    .command('remove')
    .description('Remove data')
    .addHelpText('after', '\nExamples:\n  devdata remove repo honojs/hono')
  addRepositoryOptions(
    remove
      .command('repo')
      .summary('Remove a repository with its commits')
      .description(
        'Remove a repository with its commits and dependencies. Users who used a dependency only through ' +
          'this repository no longer use it. On a terminal, the command asks for confirmation. A later load ' +
          'that contains the repository adds it again.',
      ),
  )
    .option('--yes', "don't ask")
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  devdata remove repo honojs/hono\n  devdata remove repo --id 458210379 --yes --json',
    )
    .action(removeOne)
}

interface RemoveOptions extends RepositoryOptions {
  yes?: true
  json?: true
}

async function removeOne(
  name: RepositoryName | undefined,
  { yes, json, ...options }: RemoveOptions,
  command: Command,
): Promise<void> {
  const reference = readReference(name, options, command)
  await withDatabase({ longStatements: true }, async ({ config, sql }) => {
    const repository = await getRepository(sql, reference)
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
