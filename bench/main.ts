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
import { openStage, type Stage } from './stage.ts'

/** Options that all subjects have. */
interface CommonOptions {
  json?: string
  keep?: string
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
    .option('--keep <folder>', 'keep files and databases there, and use what is kept')
    .option('--json <file>', 'write the figures to a file too')
}

function createUsersOption(): Option {
  return new Option('--users <count>', 'users in the database').argParser(readCount).default(100_000)
}

/** Prints what was measured, also when it ends early. The exit code is 1 if something is wrong, not if it is slow. */
async function run(
  {
    json,
    keep,
    idleTimeout,
    looksAround = true,
  }: Pick<CommonOptions, 'json' | 'keep' | 'idleTimeout'> & { looksAround?: boolean },
  measure: (report: Report, stage: Stage) => Promise<void>,
): Promise<void> {
  const report = createReport({ idleTimeoutSeconds: idleTimeout, looksAround })
  try {
    await using stage = await openStage(keep, report)
    await measure(report, stage)
  } finally {
    report.print()
    if (json !== undefined) await report.save(json)
  }
  const wrong = report.findWrong()
  for (const { bar, against, ours, unit } of wrong)
    console.error(`Wrong: ${bar} (${against}): ${ours} ${unit}`)
  if (wrong.length > 0) process.exitCode = 1
}

/** How much all subjects measure, one after the other. */
interface Form {
  users: number
  smallUsers: number
  seconds: number
  rounds: number
  ledgerRows: number
  overloadSeconds: number
  forge: Omit<ForgeOptions, 'rounds'>
}

const forms = {
  /** Whether everything still runs, and agrees. Its figures mean nothing. */
  tiny: {
    users: 2_000,
    smallUsers: 1_000,
    seconds: 0.2,
    rounds: 1,
    ledgerRows: 200_000,
    overloadSeconds: 1,
    forge: { users: 20_000, repositories: 20_000, terms: 2_000, changed: 1, rows: true },
  },
  quick: {
    users: 100_000,
    smallUsers: 10_000,
    seconds: 2,
    rounds: 1,
    ledgerRows: 1_000_000,
    overloadSeconds: 10,
    forge: { users: 1_000_000, repositories: 1_000_000, terms: 100_000, changed: 1, rows: true },
  },
} satisfies Record<string, Form>

/** Measures all subjects on one database. Those that change its data come last. */
async function measureAll(report: Report, stage: Stage, form: Form): Promise<void> {
  const subjects: Record<string, () => Promise<void>> = {
    ledger: () => measureLedger(report, stage, form),
    overload: () => measureOverload(report, stage, { ...form, seconds: form.overloadSeconds }),
    runtimes: () => measureRuntimes(report, stage, form),
    embedded: () => measureEmbedded(report, stage, form),
    forge: () => measureForge(report, stage, { ...form, ...form.forge }),
    catalog: () => measureCatalog(report, stage, form),
  }
  for (const [name, measure] of Object.entries(subjects)) {
    report.subject = name
    await measure()
  }
}

const program = new Command('bench')
  .description('Measures the service against peers and against itself.')
  .option('--quick', 'all subjects in their quick form, one after the other: less than 20 minutes')
  .option('--tiny', 'all subjects in a tiny form, which only shows whether they run and agree: 3 minutes')
  .option('--json <file>', 'where these write their figures', 'bench/figures.json')
  .action(({ quick, tiny, json }: { quick?: true; tiny?: true; json: string }, command: Command) => {
    const form = tiny ? forms.tiny : quick ? forms.quick : undefined
    if (form === undefined) return command.help()
    return run({ json, idleTimeout: 0, looksAround: !tiny }, (report, stage) =>
      measureAll(report, stage, form),
    )
  })

program.addCommand(
  createSubject('ledger', 'look-ups that are charged, and the ledger as it grows', 6)
    .addOption(createUsersOption())
    .option('--rounds <count>', 'runs of each contender', readCount, 5)
    .option('--ledger-rows <count>', 'rows of the large ledger', readCount, 10_000_000)
    .addOption(new Option('--part <name>', 'only one of its three').choices(ledgerParts))
    .action(
      (options: CommonOptions & UsersOption & { rounds: number; ledgerRows: number; part?: LedgerPart }) =>
        run(options, (report, stage) => measureLedger(report, stage, options)),
    ),
)
program.addCommand(
  createSubject('overload', 'ten times more requests than the service can serve', 30)
    .addOption(createUsersOption())
    .action((options: CommonOptions & UsersOption) =>
      run(options, (report, stage) => measureOverload(report, stage, options)),
    ),
)
program.addCommand(
  createSubject('runtimes', 'Node and Deno, traced and not', 5)
    .addOption(createUsersOption())
    .option('--rounds <count>', 'runs of each contender', readCount, 5)
    .action((options: CommonOptions & UsersOption & { rounds: number }) =>
      run(options, (report, stage) => measureRuntimes(report, stage, options)),
    ),
)
program.addCommand(
  createSubject('embedded', 'the embedded database with the sample data', 5)
    .option('--rounds <count>', 'runs of each contender', readCount, 5)
    .action((options: CommonOptions & { rounds: number }) =>
      run(options, (report, stage) => measureEmbedded(report, stage, options)),
    ),
)
program.addCommand(
  createSubject('catalog', 'pages of lists, loads, and what they take', 6)
    .addOption(createUsersOption())
    .option('--rounds <count>', 'runs of each contender', readCount, 5)
    .option('--small-users <count>', 'users in the small database', readCount, 10_000)
    .option('--picture <file>', 'draw latencies by depth and by size, as SVG')
    .addOption(new Option('--part <name...>', 'only some of its parts').choices(catalogParts))
    .action((options: CommonOptions & CatalogOptions) =>
      run(options, (report, stage) => measureCatalog(report, stage, options)),
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
    .action((options: CommonOptions & ForgeOptions) =>
      run(options, (report, stage) => measureForge(report, stage, options)),
    ),
)

exitOnSignals()
await program.parseAsync()
