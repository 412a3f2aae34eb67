/** `devdata ledger verify|export|prune` */
import process from 'node:process'
import type { Command } from 'commander'
import { countPrunable, pruneLedger } from '../ledger/prune.ts'
import { readUsage, type UsageFilter } from '../ledger/usage.ts'
import { verifyLedger } from '../ledger/verify.ts'
import { readDay, readKeyId, readPastTime } from './arguments.ts'
import { writeCsv } from './csv.ts'
import { countOf, formatCount } from './output.ts'
import { startProgress } from './progress.ts'
import { withDatabase } from './session.ts'

const maxProblems = 20

/** Adds `ledger` and its commands. */
export function addLedgerCommands(program: Command): void {
  const ledger = program
    .command('ledger')
    .description('Verify the ledger of grants and charges, export what keys spent, or fold old entries')
    .addHelpText('after', '\nExamples:\n  devdata ledger verify\n  devdata ledger prune --before 2026-01-01')
  ledger
    .command('verify')
    .summary('Check that the ledger adds up')
    .description(
      "Check that each key's balance is the credits granted minus the credits charged, and that no entry is missing. " +
        'Reads the whole ledger; the service can keep running. Exits with 1 if something is wrong.',
    )
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  devdata ledger verify\n  devdata ledger verify --json')
    .action(verify)
  ledger
    .command('export')
    .summary('Print what keys spent, for invoices')
    .description(
      'Print CSV with a line for each key, day (UTC) and endpoint: requests, items and credits. The lines ' +
        'of all days add up to what the ledger charged. Deleted keys are included; folding old entries ' +
        'changes nothing. The service can keep running.',
    )
    .option('--from <date>', 'the first day, such as 2026-01-01 (default: the first in the ledger)', readDay)
    .option('--to <date>', 'the last day (default: today)', readDay)
    .option('--key <id>', 'only this key', readKeyId)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  devdata ledger export --from 2026-01-01 --to 2026-01-31 > january.csv\n  devdata ledger ' +
        'export --key 3',
    )
    .action(exportUsage)
  ledger
    .command('prune')
    .summary('Fold old entries into one for each key')
    .description(
      "Fold each key's entries from before a date into one entry, so that the ledger doesn't grow forever. " +
        'Balances and daily sums stay as they are; the details of folded entries are lost. The service can keep ' +
        'running.',
    )
    .requiredOption('--before <date>', 'a date (0:00 UTC) or a timestamp, in the past', readPastTime)
    .option('--dry-run', 'count the entries that would be folded, and change nothing')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  devdata ledger prune --before 2026-01-01 --dry-run\n  devdata ledger prune --before 2026-01-01',
    )
    .action(prune)
}

function verify({ json }: { json?: true }): Promise<void> {
  return withDatabase({ longStatements: true }, async ({ sql }) => {
    const { keys, entries, granted, cost, balance, problems } = await verifyLedger(sql)
    if (problems.length > 0) process.exitCode = 1
    if (json) {
      const sums = { granted: `${granted}`, cost: `${cost}`, balance: `${balance}` }
      return console.log(JSON.stringify({ keys, entries, ...sums, problems }))
    }
    for (const { keyId, problem } of problems.slice(0, maxProblems)) console.log(`Key ${keyId}: ${problem}`)
    console.log(
      `${countOf(keys, 'key')}, ${countOf(entries, 'entry', 'entries')}: granted ${formatCount(granted)} - ` +
        `spent ${formatCount(cost)}, balances ${formatCount(balance)}. ` +
        (problems.length === 0 ? 'It adds up.' : `${countOf(problems.length, 'problem')}.`),
    )
  })
}

function exportUsage({ json, ...filter }: UsageFilter & { json?: true }): Promise<void> {
  return withDatabase({ longStatements: true }, async ({ sql }) => {
    const write = (text: string) => process.stdout.write(text)
    write(json ? '[' : 'key,name,day,endpoint,requests,items,credits\r\n')
    let separator = ''
    await readUsage(sql, filter, (rows) => {
      for (const row of rows) {
        write(json ? `${separator}${JSON.stringify(row)}` : writeCsv([Object.values(row)]))
        separator = ','
      }
    })
    if (json) write(']\n')
  })
}

interface PruneOptions {
  before: Date
  dryRun?: true
  json?: true
}

function prune({ before, dryRun, json }: PruneOptions): Promise<void> {
  return withDatabase({ longStatements: true }, async ({ sql }) => {
    const progress = startProgress(process.stderr)
    const onProgress = (count: number) =>
      progress.update({ step: 'folding', count, unit: 'entries', fraction: undefined })
    const folding = dryRun ? countPrunable(sql, before) : pruneLedger(sql, before, onProgress)
    const folded = await folding.finally(progress.end)
    if (json) return console.log(JSON.stringify(folded))
    console.log(
      `${dryRun ? 'Would fold' : 'Folded'} ${countOf(folded.entries, 'entry', 'entries')} of ` +
        `${countOf(folded.keys, 'key')} into one each`,
    )
  })
}
