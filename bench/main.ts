/** `npm run bench`: measures, and prints one table. A figure that misses its goal isn't a failure. */
import { loadavg } from 'node:os'
import { Argument, Command, InvalidArgumentError, Option } from 'commander'
import { readBuildInfo } from '../api/build-info.ts'
import { exitOnSignals } from '../test/support/program.ts'
import { writeClaims } from './claims.ts'
import { createReport, type FinishedReport, findWrong, isMeasured, nameFigure } from './figures.ts'
import { type Form, forms } from './forms.ts'
import { startClosedLoop } from './load.ts'
import { type Bench, type Part, parts } from './parts.ts'
import { recordFile, recordPart, toRecorded } from './record.ts'
import { openStage } from './stage.ts'

interface Options extends Partial<Form> {
  quick?: true
  tiny?: true
  record?: true
  claims?: true
  keep?: string
  json?: string
  idleTimeout: number
}

function readCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number of at least 1.')
  return Number(text)
}

/**
 * Measures a part, and writes its figures into a file. Returns whether something is wrong or missing, and not only
 * slow.
 */
async function measurePart(
  part: Part,
  bench: Bench & { report: FinishedReport },
  file: string | undefined,
): Promise<boolean> {
  const { report, form } = bench
  report.part = part.name
  report.say(`part ${part.name}`)
  const before = loadavg()[0] ?? 0
  await report.lookAround()
  await part.measure(bench)
  const all = report.figures.filter((figure) => figure.part === part.name)
  const figures = all.filter(isMeasured)
  for (const figure of all) if (!isMeasured(figure)) console.error(`Not measured: ${nameFigure(figure)}`)
  const wrong = findWrong(figures)
  for (const figure of wrong) console.error(`Wrong: ${nameFigure(figure)}: ${figure.ours} ${figure.unit}`)
  if (file !== undefined && wrong.length === 0) {
    const { version, commit } = readBuildInfo('')
    await recordPart(file, part.name, {
      date: new Date().toISOString().slice(0, 10),
      version,
      commit: commit?.slice(0, 8) ?? null,
      machine: report.machine,
      data: part.sizeData(form),
      load: {
        before: Number(before.toFixed(1)),
        after: Number((loadavg()[0] ?? 0).toFixed(1)),
        others: Number(Math.max(0, ...figures.map(({ taken }) => taken)).toFixed(2)),
      },
      figures: toRecorded(figures),
    })
  }
  return wrong.length + all.length - figures.length > 0
}

async function run(names: readonly string[], options: Options, command: Command): Promise<void> {
  const { quick, tiny, record, claims, keep, idleTimeout, json = record && recordFile } = options
  if (claims) return writeClaims()
  if (names.length === 0 && !quick && !tiny && !record) return command.help()
  const report = createReport({ idleTimeoutSeconds: idleTimeout, looksAround: !tiny })
  try {
    await using stage = await openStage(keep, report)
    await using generator = startClosedLoop()
    const chosen = await forms[tiny ? 'tiny' : quick ? 'quick' : record ? 'record' : 'usual'](stage.folder)
    // Data of a size that is asked for is the only one.
    const form = { ...chosen, ...(options.users && { largeUsers: options.users }), ...options }
    for (const part of parts) {
      const isChosen = [part.name, part.subject].some((name) => name && names.includes(name))
      if (names.length > 0 && !isChosen) continue
      if (await measurePart(part, { report, stage, form, generator }, json)) process.exitCode = 1
    }
  } finally {
    report.print()
  }
  if (json === recordFile) await writeClaims()
}

const names = [...new Set(parts.flatMap(({ name, subject }) => [subject ?? name, name]))]
const program = new Command('bench')
  .description('Measures the service against peers and against itself.')
  .addArgument(new Argument('[part...]', 'what is measured; default: all').choices(names))
  .option('--quick', 'each part once, on 100,000 users: less than 20 minutes')
  .option('--tiny', 'each part on little data, which only shows whether it runs and agrees: 2 minutes')
  .addOption(
    new Option(
      '--record',
      'write the figures into bench/figures.json, and the pages that claim them',
    ).conflicts(['quick', 'tiny']),
  )
  .option('--claims', 'only write what pages claim of bench/figures.json')
  .option('--users <count>', 'users in the database', readCount)
  .option('--small-users <count>', 'users in the database that it is compared with', readCount)
  .option('--forge-users <count>', 'users of the simulated forge', readCount)
  .option('--ledger-rows <count>', 'entries of the large ledger', readCount)
  .option('--rounds <count>', 'runs of each contender', readCount)
  .option('--seconds <count>', 'length of a run', readCount)
  .option('--keep <folder>', 'keep files and databases there, and use what is kept')
  .option('--json <file>', 'write the figures into a file')
  .option('--idle-timeout <seconds>', 'how long each round waits for others on the machine', readCount, 0)
  .action(run)

exitOnSignals()
await program.parseAsync()
