/**
 * `npm run bench -- SUBJECT`: measures, and prints one table. Figures that miss their goal are no failure.
 *
 * @module
 */
import { Command, InvalidArgumentError, Option } from 'commander'
import { exitOnSignals } from '../test/support/program.ts'
import { type CatalogPart, catalogParts, measureCatalog } from './catalog/catalog.ts'
import { createReport, type Report } from './figures.ts'
import { type LedgerPart, ledgerParts, measureLedger } from './ledger.ts'
import { measureOverload } from './overload.ts'
import { measureRuntimes } from './runtimes.ts'

const few = 100_000

/** Options that all subjects have. */
interface CommonOptions {
  json?: string
  quick?: true
  users: number
  seconds: number
  idleTimeout: number
}

function readCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number of at least 1.')
  return Number(text)
}

function createSubject(name: string, description: string, seconds: number): Command {
  return new Command(name)
    .description(description)
    .option('--users <count>', 'users in the database', readCount, 1_000_000)
    .option('--seconds <count>', 'length of a run', readCount, seconds)
    .option('--idle-timeout <seconds>', 'how long each round waits for others on the machine', readCount, 0)
    .option(
      '--quick',
      `${few.toLocaleString('en')} users, and other data a tenth too: to see whether it works`,
    )
    .option('--json <file>', 'write the figures to a file too')
}

/** Prints what was measured, also when it ends early. */
async function run(
  { json, idleTimeout }: CommonOptions,
  measure: (report: Report) => Promise<void>,
): Promise<void> {
  const report = createReport({ idleTimeoutSeconds: idleTimeout })
  try {
    await measure(report)
  } finally {
    report.print()
    if (json !== undefined) await report.save(json)
  }
}

const program = new Command('bench').description('Measures the service against peers and against itself.')

program.addCommand(
  createSubject('ledger', 'look-ups that are charged, and the ledger as it grows', 6)
    .option('--rounds <count>', 'runs of each contender', readCount, 5)
    .option('--ledger-rows <count>', 'rows of the large ledger', readCount, 10_000_000)
    .addOption(new Option('--part <name>', 'only one of its three').choices(ledgerParts))
    .action((options: CommonOptions & { rounds: number; ledgerRows: number; part?: LedgerPart }) =>
      run(options, (report) =>
        measureLedger(report, {
          ...options,
          ...(options.quick && { users: few, ledgerRows: options.ledgerRows / 10 }),
        }),
      ),
    ),
)
program.addCommand(
  createSubject('overload', 'ten times more requests than the service can serve', 30).action(
    (options: CommonOptions) =>
      run(options, (report) => measureOverload(report, { ...options, ...(options.quick && { users: few }) })),
  ),
)
program.addCommand(
  createSubject('runtimes', 'Node and Deno, traced and not', 5)
    .option('--rounds <count>', 'runs of each contender', readCount, 5)
    .action((options: CommonOptions & { rounds: number }) =>
      run(options, (report) => measureRuntimes(report, { ...options, ...(options.quick && { users: few }) })),
    ),
)
program.addCommand(
  createSubject('catalog', 'pages of lists, loads, and what they take', 6)
    .option('--rounds <count>', 'runs of each contender', readCount, 5)
    .option('--small-users <count>', 'users in the small database', readCount, 10_000)
    .option('--keep <folder>', 'keep files and databases there, and use what is kept')
    .option('--picture <file>', 'draw latencies by depth and by size, as SVG')
    .addOption(new Option('--part <name...>', 'only some of its parts').choices(catalogParts))
    .action(
      (
        options: CommonOptions & {
          rounds: number
          smallUsers: number
          keep?: string
          picture?: string
          part?: CatalogPart[]
        },
      ) =>
        run(options, (report) =>
          measureCatalog(report, {
            ...options,
            ...(options.quick && { users: few, rounds: 1, seconds: 3 }),
          }),
        ),
    ),
)

exitOnSignals()
await program.parseAsync()
