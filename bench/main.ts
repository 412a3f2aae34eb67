/**
 * `npm run bench -- SUBJECT`: measures, and prints one table. A figure that misses its goal isn't a failure.
 *
 * @module
 */
import { Command, InvalidArgumentError, Option } from 'commander'
import { exitOnSignals } from '../test/support/program.ts'
import { type CatalogOptions, catalogParts, measureCatalog } from './catalog/catalog.ts'
import { measureEmbedded } from './embedded.ts'
import { createReport, type Report } from './figures.ts'
import { type ForgeOptions, measureForge } from './forge.ts'
import { type LedgerPart, ledgerParts, measureLedger } from './ledger.ts'
import { measureOverload } from './overload.ts'
import { measureRuntimes } from './runtimes.ts'

/** Users in the quick form. */
const few = 100_000

/** Options that all subjects have. */
interface CommonOptions {
  json?: string
  seconds: number
  idleTimeout: number
}

interface UsersOption {
  users: number
}

function readCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number of at least 1.')
  return Number(text)
}

function createSubject(name: string, description: string, seconds: number): Command {
  return new Command(name)
    .description(description)
    .option('--seconds <count>', 'length of a run', readCount, seconds)
    .option('--idle-timeout <seconds>', 'how long each round waits for others on the machine', readCount, 0)
    .option('--json <file>', 'write the figures to a file too')
}

function createUsersOption(): Option {
  return new Option('--users <count>', 'users in the database').argParser(readCount).default(1_000_000)
}

/** Prints what was measured, also when it ends early. */
async function run(
  { json, idleTimeout }: Pick<CommonOptions, 'json' | 'idleTimeout'>,
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

const program = new Command('bench')
  .description('Measures the service against peers and against itself.')
  .option('--quick', 'all subjects in their quick form, one after the other: less than 20 minutes')
  .option('--json <file>', 'where --quick writes its figures', 'bench/figures.json')
  .action(({ quick, json }: { quick?: true; json: string }, command: Command) => {
    if (!quick) return command.help()
    const options = { users: few, seconds: 2, rounds: 1 }
    return run({ json, idleTimeout: 0 }, async (report) => {
      report.subject = 'ledger'
      await measureLedger(report, { ...options, ledgerRows: 1_000_000 })
      report.subject = 'overload'
      await measureOverload(report, { ...options, seconds: 10 })
      report.subject = 'runtimes'
      await measureRuntimes(report, options)
      report.subject = 'embedded'
      await measureEmbedded(report, options)
      report.subject = 'catalog'
      await measureCatalog(report, { ...options, smallUsers: 10_000 })
    })
  })

program.addCommand(
  createSubject('ledger', 'look-ups that are charged, and the ledger as it grows', 6)
    .addOption(createUsersOption())
    .option('--rounds <count>', 'runs of each contender', readCount, 5)
    .option('--ledger-rows <count>', 'rows of the large ledger', readCount, 10_000_000)
    .addOption(new Option('--part <name>', 'only one of its three').choices(ledgerParts))
    .action(
      (options: CommonOptions & UsersOption & { rounds: number; ledgerRows: number; part?: LedgerPart }) =>
        run(options, (report) => measureLedger(report, options)),
    ),
)
program.addCommand(
  createSubject('overload', 'ten times more requests than the service can serve', 30)
    .addOption(createUsersOption())
    .action((options: CommonOptions & UsersOption) =>
      run(options, (report) => measureOverload(report, options)),
    ),
)
program.addCommand(
  createSubject('runtimes', 'Node and Deno, traced and not', 5)
    .addOption(createUsersOption())
    .option('--rounds <count>', 'runs of each contender', readCount, 5)
    .action((options: CommonOptions & UsersOption & { rounds: number }) =>
      run(options, (report) => measureRuntimes(report, options)),
    ),
)
program.addCommand(
  createSubject('embedded', 'the embedded database with the sample data', 5)
    .option('--rounds <count>', 'runs of each contender', readCount, 5)
    .action((options: CommonOptions & { rounds: number }) =>
      run(options, (report) => measureEmbedded(report, options)),
    ),
)
program.addCommand(
  createSubject('catalog', 'pages of lists, loads, and what they take', 6)
    .addOption(createUsersOption())
    .option('--rounds <count>', 'runs of each contender', readCount, 5)
    .option('--small-users <count>', 'users in the small database', readCount, 10_000)
    .option('--keep <folder>', 'keep files and databases there, and use what is kept')
    .option('--picture <file>', 'draw latencies by depth and by size, as SVG')
    .addOption(new Option('--part <name...>', 'only some of its parts').choices(catalogParts))
    .action((options: CommonOptions & CatalogOptions) =>
      run(options, (report) => measureCatalog(report, options)),
    ),
)
program.addCommand(
  createSubject('forge', 'the sets of a whole forge, written directly', 6)
    .option('--users <count>', 'users', readCount, 150_000_000)
    .option('--repositories <count>', 'repositories', readCount, 400_000_000)
    .option('--terms <count>', 'different dependencies', readCount, 10_000_000)
    .option('--changed <percent>', 'items that a load changes', Number, 1)
    .option('--rows', 'change a row for each dependency of each user, too')
    .option('--rounds <count>', 'repetitions', readCount, 3)
    .option('--keep <folder>', 'keep the cluster there')
    .action((options: CommonOptions & ForgeOptions) =>
      run(options, (report) => measureForge(report, options)),
    ),
)

exitOnSignals()
await program.parseAsync()
