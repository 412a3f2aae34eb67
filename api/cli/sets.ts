/** `devdata sets verify|rebuild` */
import process from 'node:process'
import type { Command } from 'commander'
import { rebuildSets, verifySets } from '../dataset/set-verification.ts'
import { devdataCommand } from '../devdata-command.ts'
import { countOf, formatCount } from './output.ts'
import { withDatabase } from './session.ts'

/** Adds `sets` and its commands. */
export function addSetsCommands(program: Command): void {
  const sets = program
    .command('sets')
    .description('Verify the sets of users and repositories that filters read, or derive them again')
    .addHelpText('after', '\nExamples:\n  devdata sets verify\n  devdata sets rebuild')
  sets
    .command('verify')
    .summary('Check that the sets agree with the rows')
    .description(
      'Compare all sets with the rows of users and repositories that they are derived from. The service can keep ' +
        'running. Exits with 1 if something is wrong.',
    )
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  devdata sets verify\n  devdata sets verify --json')
    .action(verify)
  sets
    .command('rebuild')
    .summary('Derive the sets from the rows again')
    .description(
      'Derive all sets from the rows of users and repositories again. The dataset gets a new version, in ' +
        'which nothing else has changed. Also derives what filters need that an upgrade has added. Waits for loads in ' +
        'progress; the service can keep running.',
    )
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  devdata sets rebuild\n  devdata sets rebuild --json')
    .action(rebuild)
}

function verify({ json }: { json?: true }): Promise<void> {
  return withDatabase({ longStatements: true }, async ({ sql }) => {
    const { sets, faults } = await verifySets(sql, 'all')
    if (faults.length > 0) process.exitCode = 1
    if (json) return console.log(JSON.stringify({ sets, faults: faults.length }))
    console.log(
      faults.length === 0
        ? `${countOf(sets, 'set')} agree with the rows.`
        : describeFaults(sets, faults.length),
    )
  })
}

/** Says how many of the verified sets are wrong, and what to do. */
export function describeFaults(verified: number, wrong: number): string {
  return `${formatCount(wrong)} of ${countOf(verified, 'set')} differ from the rows; run: ${devdataCommand('sets rebuild')}`
}

function rebuild({ json }: { json?: true }): Promise<void> {
  return withDatabase({ longStatements: true }, async ({ sql, config }) => {
    const { version } = await rebuildSets(sql, { settings: config.dataset })
    console.log(
      json
        ? JSON.stringify({ dataset_version: version })
        : `All sets are derived again. The dataset has version ${version}.`,
    )
  })
}
