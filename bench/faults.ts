/**
 * Faults for as long as one likes: `node bench/faults.ts --minutes 5`. One drill after the other, each with a fault
 * drawn by lot, and all that was delivered is held against the ledger after each. Exits with 1 when anything does not
 * agree. `--seed` repeats the draw of another run, `--clients` says how many requests are under way at a time.
 *
 * @module
 */
import { parseArgs } from 'node:util'
import { createRandom } from '../sample/random.ts'
import { type Fault, type Report, startDrill } from '../test/support/fault-drill.ts'
import {
  crashServer,
  cutConnection,
  cutNetwork,
  endBeforeCommit,
  fullDevice,
  fullDisk,
  killBackend,
  killInstance,
  readOnlyPrimary,
} from '../test/support/faults.ts'
import { exitOnSignals } from '../test/support/program.ts'

exitOnSignals()
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    clients: { type: 'string', default: '2000' },
    seed: { type: 'string', default: String(Date.now()) },
  },
})

const faults: Record<string, Fault> = {
  'kill -9 of an instance': killInstance,
  'kill -9 of a server process': killBackend,
  'crash of the server': crashServer,
  'connection cut: debit not sent': cutConnection('unsent'),
  'connection cut: debit half sent': cutConnection('half sent'),
  'connection cut: debit under way': cutConnection('sent'),
  'connection cut: debit committed': cutConnection('answered'),
  'connection cut: debit half answered': cutConnection('half answered'),
  'server process ended before commit': endBeforeCommit,
  'network cut': cutNetwork,
  'read-only primary': readOnlyPrimary,
  ...(fullDevice !== undefined && { 'full disk': fullDisk }),
}

/** What all drills with a fault add up to. */
interface Sum {
  drills: number
  attempts: number
  delivered: number
  replayed: number
  refused: number
  broken: number
  inFlight: number
  lost: number
  mismatches: number
  /** In milliseconds, of each drill. */
  recoveries: number[]
}

const none: Sum = {
  drills: 0,
  attempts: 0,
  delivered: 0,
  replayed: 0,
  refused: 0,
  broken: 0,
  inFlight: 0,
  lost: 0,
  mismatches: 0,
  recoveries: [],
}

function add(sum: Sum, report: Report): Sum {
  return {
    drills: sum.drills + 1,
    attempts: sum.attempts + report.attempts,
    delivered: sum.delivered + report.delivered,
    replayed: sum.replayed + report.replayed,
    refused: sum.refused + Object.values(report.refused).reduce((total, count) => total + count, 0),
    broken: sum.broken + report.broken,
    inFlight: sum.inFlight + report.inFlight,
    lost: sum.lost + report.lost,
    mismatches: sum.mismatches + report.mismatches.length,
    recoveries: [...sum.recoveries, report.recovery],
  }
}

function describeSum({ recoveries, ...counts }: Sum): string {
  const sorted = recoveries.toSorted((a, b) => a - b)
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0
  const counted = Object.entries(counts).map(([name, count]) => `${name} ${count}`)
  return `${counted.join(', ')}; recovery: median ${median} ms, longest ${sorted.at(-1) ?? 0} ms`
}

/** Mismatches in the same words, with one of them. */
function groupMismatches(mismatches: readonly string[]): Map<string, { count: number; example: string }> {
  const kinds = new Map<string, { count: number; example: string }>()
  for (const mismatch of mismatches) {
    const kind = mismatch.replace(/^\/.*?: /, '')
    const { count = 0, example = mismatch } = kinds.get(kind) ?? {}
    kinds.set(kind, { count: count + 1, example })
  }
  return kinds
}

console.log(`seed ${values.seed}, ${values.clients} clients, ${values.minutes} minutes`)
const random = createRandom(values.seed)
const sums = new Map<string, Sum>()
let total = none
const drill = await startDrill(values.seed)
try {
  let rest: string[] = []
  for (const end = Date.now() + Number(values.minutes) * 60_000; Date.now() < end; ) {
    if (rest.length === 0) rest = random.shuffle(Object.keys(faults)) // each comes up as often as the others
    const name = rest.pop() ?? ''
    const fault = faults[name]
    if (fault === undefined) throw new Error(`there is no fault ${name}`)
    const report = await drill.storm(fault, { clients: Number(values.clients) })
    sums.set(name, add(sums.get(name) ?? none, report))
    total = add(total, report)
    const { mismatches, ...figures } = report
    console.log(`${name}: ${JSON.stringify(figures)}`)
    for (const [kind, { count, example }] of groupMismatches(mismatches)) {
      console.log(`  MISMATCH ${kind}: ${count}, such as ${example}`)
    }
  }
} finally {
  await drill[Symbol.asyncDispose]()
}
console.log()
for (const [name, sum] of sums) console.log(`${name}: ${describeSum(sum)}`)
console.log(`all: ${describeSum(total)}`)
process.exitCode = total.mismatches === 0 ? 0 : 1
