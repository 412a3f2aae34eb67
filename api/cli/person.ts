/** `devdata person …` */
import process from 'node:process'
import type { Command } from 'commander'
import { createPrivateFile } from '../database/private-file.ts'
import { exportPerson } from '../people/person-export.ts'
import { countOf } from './output.ts'
import { addPersonOptions, listIdentities, type PersonOptions } from './person-options.ts'
import { startProgress } from './progress.ts'
import { withDatabase } from './session.ts'

/** Adds `person` and its command. */
export function addPersonCommands(program: Command): void {
  const person = program
    .command('person')
    .description('Read what the data has about a person')
    .addHelpText('after', '\nExamples:\n  devdata person export ada --output ada.json')
  addPersonOptions(
    person
      .command('export')
      .summary('Write what the data has about a person to a file, for the person')
      .description(
        'Write what the data has about a person to a file that explains itself. It has accounts with ' +
          'further addresses, what they use and since when, repositories, and commits that name the person. ' +
          'Each has the load that last changed it. If an account has one of the given names, its others ' +
          'count, too. The command reads all commits.',
      ),
  )
    .requiredOption('--output <file>', 'the file, which only its owner can read; an earlier one is replaced')
    .option('--json', 'print what it has as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  devdata person export ada --output ada.json\n  devdata person export --email ' +
        'ada@example.com --output ada.json',
    )
    .action(exportOne)
}

interface ExportOptions extends PersonOptions {
  output: string
  json?: true
}

async function exportOne(
  login: string | undefined,
  { output, json, ...options }: ExportOptions,
  command: Command,
): Promise<void> {
  const identities = listIdentities(login, options)
  if (identities.length === 0) command.error('error: specify the person: a login, --email or --id')
  await using file = await createPrivateFile(output, '{\n  "about": [')
  const exported = await withDatabase({ longStatements: true }, async ({ sql }) => {
    const progress = startProgress(process.stderr)
    progress.update({ step: 'reading commits', count: 0, unit: '', fraction: undefined })
    return await exportPerson(sql, identities).finally(progress.end)
  })
  await file.write(`${JSON.stringify(exported, undefined, 2)}\n`)
  await file.complete()
  const { users, repositories, commits, requests, is_forgotten, is_on_deletion_list } = exported
  if (json) {
    const counts = {
      users: users.length,
      repositories: repositories.length,
      commits: commits.length,
      requests: requests.count,
      is_forgotten,
      is_on_deletion_list,
    }
    return console.log(JSON.stringify(counts))
  }
  const parts = [
    countOf(users.length, 'user'),
    countOf(repositories.length, 'repository', 'repositories'),
    countOf(commits.length, 'commit'),
    `${countOf(requests.count, 'request')} for them`,
  ]
  console.log(
    [
      `Wrote ${output}: ${parts.join(', ')}`,
      ...(is_forgotten ? ['The person is forgotten'] : []),
      ...(is_on_deletion_list ? ['The address is on a deletion list, and nothing in the data has it'] : []),
    ].join('\n'),
  )
}
