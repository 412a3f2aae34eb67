/**
 * `devdata ledger verify|prune`
 *
 * @module
 */
import process from 'node:process'
import type { Command } from 'commander'
import { countPrunable, pruneLedger } from '../ledger/prune.ts'
import { verifyLedger } from '../ledger/verify.ts'
import { readPast } from './arguments.ts'
import { countOf, formatCount, print, printJson } from './output.ts'
import { startProgress } from './progress.ts'
import { withDatabase } from './session.ts'

const maxProblems = 20

/** Adds `ledger` and its commands. */
export function addLedgerCommands(program: Command): void {
  const ledger = program
    .command('ledger')
    .summary('verify the ledger, or fold its old entries')
    .description('Maintains the ledger, which has every grant and every charge of every key.')
    .addHelpText('after', '\nExamples:\n  devdata ledger verify\n  devdata ledger prune --before 2026-01-01')
  addVerify(ledger)
  addPrune(ledger)
}

function addVerify(ledger: Command): void {
  ledger
    .command('verify')
    .summary('check that the ledger adds up')
    .description(
      `Checks that the ledger adds up, for every key: what was granted minus what was spent is the balance, each entry
states the balance after it, none is missing, and the sums by day are those of the entries. Reads the whole ledger;
the service can keep running. Exits with 1 if something is wrong.`,
    )
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  devdata ledger verify\n  devdata ledger verify --json')
    .action(async ({ json }: { json?: true }) => {
      await withDatabase({ longStatements: true }, async ({ sql }) => {
        const found = await verifyLedger(sql)
        const { keys, entries, granted, cost, balance, problems } = found
        if (problems.length > 0) process.exitCode = 1
        if (json) {
          const [first, second, third] = [granted, cost, balance].map(String)
          return printJson({ keys, entries, granted: first, cost: second, balance: third, problems })
        }
        for (const { keyId, problem } of problems.slice(0, maxProblems)) print(`Key ${keyId}: ${problem}`)
        print(
          `${countOf(keys, 'key')}, ${formatCount(entries)} entries: granted ${formatCount(granted)} - ` +
            `spent ${formatCount(cost)}, balances ${formatCount(balance)}. ` +
            (problems.length === 0 ? 'It adds up.' : `${countOf(problems.length, 'problem')}.`),
        )
      })
    })
}

function addPrune(ledger: Command): void {
  ledger
    .command('prune')
    .summary('fold old entries into one for each key')
    .description(
      `Folds each key's entries from before a date into one entry of kind "balance", so that the ledger does
not grow forever. Balances and the sums by day stay as they are; the folded entries are lost. The service can
keep running.`,
    )
    .requiredOption('--before <date>', 'a date (0:00 UTC) or a timestamp, in the past', readPast)
    .option('--dry-run', 'count the entries that would be folded, and change nothing')
    .option('--json', 'print {"keys", "entries"}')
    .addHelpText(
      'after',
      '\nExamples:\n  devdata ledger prune --before 2026-01-01 --dry-run\n  devdata ledger prune --before 2026-01-01',
    )
    .action(async ({ before, dryRun, json }: { before: Date; dryRun?: true; json?: true }) => {
      await withDatabase({ longStatements: true }, async ({ sql }) => {
        const progress = startProgress(process.stderr)
        const pruned = dryRun
          ? await countPrunable(sql, before)
          : await pruneLedger(sql, before, (count) =>
              progress.update({ step: 'Folding', count, unit: 'entries', fraction: undefined }),
            ).finally(() => progress.end())
        if (dryRun) progress.end()
        if (json) return printJson(pruned)
        const done = dryRun ? 'Would fold' : 'Folded'
        print(
          `${done} ${formatCount(pruned.entries)} entries of ${countOf(pruned.keys, 'key')} into one each`,
        )
      })
    })
}
