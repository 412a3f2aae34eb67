/** `devdata restored` */
import type { Command } from 'commander'
import { markRestored } from '../dataset/restored-dataset.ts'
import { confirm } from './confirm.ts'
import { formatTime } from './output.ts'
import { withDatabase } from './session.ts'

interface RestoredOptions {
  yes?: true
  json?: true
}

/** Adds `restored`. */
export function addRestoredCommand(program: Command): void {
  program
    .command('restored')
    .summary('After a restore of a backup, make copies of the data start again')
    .description(
      "After a restore of a backup, give the dataset a version that no client has seen, so that clients' " +
        "copies don't miss changes: they have to fetch everything again. Ends all connections of assistants, also those " +
        'that were ended after the backup and came back with it. Prints until when the database ' +
        'knows what happened. On a terminal, the command asks for confirmation. Run it before you start the ' +
        'service.',
    )
    .option('--yes', "don't ask")
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  devdata restored\n  devdata restored --yes --json')
    .action(restored)
}

function restored({ yes, json }: RestoredOptions): Promise<void> {
  return withDatabase({ longStatements: true }, async ({ sql }) => {
    const question =
      'Was a backup restored? All clients that keep a copy have to fetch, and pay for, everything again, and all assistants have to be connected again.'
    await confirm(question, { yes })
    const { version, previousVersion, knownUntil, endedConnections } = await markRestored(sql)
    if (json) {
      return console.log(
        JSON.stringify({
          dataset_version: version,
          previous_dataset_version: previousVersion,
          known_until: knownUntil,
          ended_connections: endedConnections,
        }),
      )
    }
    console.log(
      `The dataset has version ${version} now, and had ${previousVersion} in the backup. Copies with an earlier version are ` +
        'fetched again.\n' +
        `${endedConnections} connections of assistants were ended, because some may have been ended after the backup. People ` +
        'connect theirs again.\n' +
        `The database knows what happened until ${formatTime(knownUntil)}. Repeat what was done later: credits that were ` +
        'granted, keys that were created, rotated, revoked or deleted, people who were forgotten, and loads.',
    )
  })
}
