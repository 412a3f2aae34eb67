/** `npm run bench -- overload`: ten times what the service can do, and what is left of it afterwards. */
import { formatNumber, printTable } from './figures.ts'
import { countMismatches, secretOf, sumCharged } from './fill.ts'
import { type OpenLoopSecond, startOpenLoop } from './load.ts'
import type { Bench } from './parts.ts'
import { startOurs, watchMemory } from './programs.ts'
import { keyCount } from './stage.ts'

/** Heavy, so that the generator can offer ten times as many on the same machine. */
const pageSize = 100
const path = `/users?per_page=${pageSize}&page={n}`
const factor = 10
/** More than the service takes in at a time, unless the run is too short to open them. */
const countConnections = (seconds: number) => Math.min(6_000, 600 * seconds)

/** The memory of an instance that the portal says to plan. */
const plannedMegabytes = 768

export async function measureOverload({ report, stage, form, generator: closed }: Bench): Promise<void> {
  const { users, overloadSeconds: seconds } = form
  const { sql, url } = await stage.open(users)
  const chargedBefore = await sumCharged(sql)
  await using service = await startOurs(url)
  await using open = startOpenLoop()
  const targets = Array.from({ length: keyCount }, (_, index) => ({ key: secretOf(index + 1), path }))
  const load = { port: service.port, targets, most: Math.floor(users / pageSize) }

  const closedLoop = { connections: 64, seconds: Math.min(8, seconds) }
  await report.lookAround()
  const before = await closed.run({ ...load, ...closedLoop })
  const perSecond = Math.round(before.perSecond * factor)
  report.say(`closed loop: ${formatNumber(before.perSecond)} requests/s; offering ${formatNumber(perSecond)}`)
  const memory = watchMemory(service)
  const overloaded = await open.run({ ...load, perSecond, seconds, connections: countConnections(seconds) })
  const megabytes = await memory.stop()
  const health = await fetch(`http://127.0.0.1:${service.port}/health`)
  const after = await closed.run({ ...load, ...closedLoop })

  printSeconds(overloaded, megabytes)
  const sum = (name: keyof OpenLoopSecond) => overloaded.reduce((all, second) => all + (second[name] ?? 0), 0)
  const worst = (name: keyof OpenLoopSecond) => Math.max(...overloaded.map((second) => second[name] ?? 0))
  const refused = sum('unavailable') + sum('throttled')
  const served = before.served + after.served + sum('admitted')
  const during = 'under overload'
  const rate = { better: 'higher', unit: 'requests/s' } as const
  report.compare(
    { ...rate, bar: 'offered by the generator', against: `${factor} times the closed loop`, goal: null },
    [sum('offered') / seconds],
    [perSecond],
  )
  if (sum('offered') < 0.95 * sum('planned')) {
    report.say('the generator could not offer all that was planned: it shares the machine with the service')
  }
  report.compare(
    { ...rate, bar: 'admitted under overload', against: 'closed loop before', goal: null },
    [sum('admitted') / seconds],
    [before.perSecond],
  )
  report.note({ bar: 'refused with 503 or 429', against: during, goal: null, unit: 'requests' }, refused)
  report.note({ bar: 'other responses', against: during, goal: 0, unit: 'requests' }, sum('other'))
  report.note({ bar: 'connections lost', against: during, goal: 0, unit: 'requests' }, sum('lost'))
  report.note(
    { bar: 'p99 of the admitted', against: 'worst second', goal: null, unit: 'ms' },
    worst('admittedP99'),
  )
  report.note(
    { bar: 'p99 of the refused', against: 'worst second', goal: null, unit: 'ms' },
    worst('refusedP99'),
  )
  report.note(
    { bar: 'resident memory, peak', against: during, goal: plannedMegabytes, unit: 'MiB' },
    Math.max(...megabytes),
  )
  report.compare(
    { ...rate, bar: 'closed loop afterwards', against: 'before', goal: 0.9 },
    [after.perSecond],
    [before.perSecond],
  )
  if (health.status !== 200) throw new Error(`/health is ${health.status} afterwards`)
  report.note(
    {
      bar: 'credits charged without a response, or the reverse',
      against: 'all runs',
      goal: 0,
      unit: 'credits',
    },
    Math.abs((await sumCharged(sql)) - chargedBefore - served * pageSize),
  )
  report.note(
    { bar: 'keys whose ledger does not add up', against: 'afterwards', goal: 0, unit: 'keys' },
    await countMismatches(sql),
  )
}

function printSeconds(seconds: readonly OpenLoopSecond[], megabytes: readonly number[]): void {
  const milliseconds = (value: number | null) => (value === null ? '' : value.toFixed(0))
  const head = ['s', 'planned', 'offered', '200', '503', '429', 'other', 'lost']
  printTable([
    [...head, 'admitted p50', 'p99', 'refused p50', 'p99 (ms)', 'MiB'],
    ...seconds.map((second, index) => [
      ...[index + 1, second.planned, second.offered, second.admitted].map(String),
      ...[second.unavailable, second.throttled, second.other, second.lost].map(String),
      milliseconds(second.admittedMedian),
      milliseconds(second.admittedP99),
      milliseconds(second.refusedMedian),
      milliseconds(second.refusedP99),
      megabytes[index]?.toFixed(0) ?? '',
    ]),
  ])
}
