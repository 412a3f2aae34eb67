/** `devdata show …` */
import type { Command } from 'commander'
import { readOrigins } from '../dataset/loads.ts'
import { getRepository } from '../dataset/repository-removal.ts'
import { countOf, formatTime } from './output.ts'
import {
  addRepositoryOptions,
  type RepositoryName,
  type RepositoryOptions,
  readReference,
} from './repository-options.ts'
import { withDatabase } from './session.ts'

/** Adds `show` and its command. */
export function addShowCommands(program: Command): void {
  const show = program
    .command('show')
    .description('Show what the data has')
    .addHelpText('after', '\nExamples:\n  devdata show repo honojs/hono')
  addRepositoryOptions(
    show
      .command('repo')
      .summary('Show a repository, and which load last changed it')
      .description(
        'Show the ids of a repository, how much the data has of it, and which load last changed its record.',
      ),
  )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  devdata show repo honojs/hono\n  devdata show repo --id 458210379 --json',
    )
    .action(showRepository)
}

async function showRepository(
  name: RepositoryName | undefined,
  options: RepositoryOptions & { json?: true },
  command: Command,
): Promise<void> {
  const reference = readReference(name, options, command)
  await withDatabase({}, async ({ sql }) => {
    const { id, forgeRestId, fullName, version, commits, dependencies } = await getRepository(sql, reference)
    const [origin] = (await readOrigins(sql, [version])).values()
    const load = origin?.load
    if (options.json) {
      return console.log(
        JSON.stringify({
          full_name: fullName,
          forge_rest_id: forgeRestId,
          internal_id: id,
          commits,
          dependencies,
          origin: { dataset_version: version, load: load ?? null },
        }),
      )
    }
    const from =
      load === undefined
        ? 'changed by another command than a load, such as "forget"'
        : `${load.command} (${load.source}), begun ${formatTime(load.started_at)}, applied ${formatTime(load.applied_at)}`
    console.log(
      [
        `repository    ${fullName}`,
        `ids           forge_rest_id ${forgeRestId}, internal_id ${id}`,
        `has           ${countOf(commits, 'commit')}, ${countOf(dependencies, 'dependency', 'dependencies')}`,
        `last changed  in version ${version} of the dataset: ${from}`,
      ].join('\n'),
    )
  })
}
