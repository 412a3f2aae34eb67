/** `npm run bench -- webhook`: what a receiver of webhooks that is dead costs the requests beside it. */
import { createServer } from 'node:http'
import type { Sql } from '../api/database/connect.ts'
import { alternate } from './figures.ts'
import { countMismatches, secretOf } from './fill.ts'
import type { ClosedLoopResult, Target } from './load.ts'
import type { Bench } from './parts.ts'
import { readProcessorTime, startOurs } from './programs.ts'
import { nameUser } from './records.ts'
import { keyCount } from './stage.ts'

const connections = 16
/** At most this much of the usual. */
const most = 1.05
/**
 * Rounds for each of those of other parts, and lengths of a run for each of theirs: the 99th percentiles of two equal
 * runs differ by a third if they last for 3 s, and begin 3 s after the service was started.
 */
const more = { rounds: 2, warming: 4, run: 3 }

/** What a run measures. */
interface Run extends ClosedLoopResult {
  /** Microseconds of the processor for a request, on all threads of the service. */
  processorTime: number
}

/**
 * In each round, an instance without a webhook, one whose receiver accepts connections and never responds, and one
 * whose receiver refuses connections. In the database, a notice of each key waits, and is due.
 */
export async function measureWebhook({ report, stage, form, generator }: Bench): Promise<void> {
  const { users, seconds } = form
  const rounds = form.rounds > 1 ? form.rounds * more.rounds : 1
  const { url, sql } = await stage.open(users)
  await using hanging = await startHangingReceiver()
  const targets = Array.from(
    { length: keyCount },
    (_, index): Target => ({ key: secretOf(index + 1), path: `/users/${nameUser('{n}')}` }),
  )
  const webhookTo = (port: number) => ({
    WEBHOOK_URL: `http://127.0.0.1:${port}/`,
    WEBHOOK_SECRET: `whsec_${Buffer.alloc(32).toString('base64')}`,
  })
  const measure = (settings: Record<string, string>) => async (): Promise<Run> => {
    await letNoticesWait(sql)
    await using service = await startOurs(url, settings)
    const load = { port: service.port, targets, most: users, connections }
    await generator.run({ ...load, seconds: seconds * more.warming }) // the first message also loads what sends it
    const before = await readProcessorTime(service)
    const result = await generator.run({ ...load, seconds: seconds * more.run })
    const used = (await readProcessorTime(service)) - before
    return { ...result, processorTime: used / result.served }
  }
  report.say(`look-ups, ${connections} connections: ${rounds} rounds of ${seconds * more.run} s for each`)
  const of = await alternate(report, rounds, [
    ['without', measure({})],
    ['hanging', measure(webhookTo(hanging.port))],
    ['refusing', measure(webhookTo(1))],
  ])
  const without = of('without')
  for (const [name, runs] of [
    ['hangs', of('hanging')],
    ['refuses connections', of('refusing')],
  ] as const) {
    const beside = { against: 'without a webhook', goal: most, better: 'lower' } as const
    for (const [bar, unit, read] of [
      ['p99', 'ms', ({ p99 }: Run) => p99],
      ['median', 'ms', ({ median }: Run) => median],
      ['processor time', 'µs of the processor for a request', ({ processorTime }: Run) => processorTime],
    ] as const) {
      report.compare(
        { ...beside, bar: `${bar}, beside a receiver that ${name}`, unit },
        runs.map(read),
        without.map(read),
      )
    }
  }
  if (hanging.count() === 0) throw new Error('the receiver got nothing')
  await sql`truncate notices`
  report.note(
    { bar: 'keys whose ledger does not add up', against: 'afterwards', goal: 0, unit: 'keys' },
    await countMismatches(sql),
  )
}

/** Lets a notice of each key wait, which is due. */
async function letNoticesWait(sql: Sql): Promise<void> {
  await sql`truncate notices`
  await sql`insert into notices (kind, api_key_id, data) select 'key.low', id, '{}' from api_keys`
}

/** A receiver that takes messages, and never responds. */
async function startHangingReceiver() {
  let count = 0
  const server = createServer(() => {
    count++
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the receiver has no address')
  return {
    port: address.port,
    count: () => count,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}
