/** `npm run bench -- ledger`: what exact metering costs. */
import { deepStrictEqual } from 'node:assert'
import type { Sql } from '../api/database/connect.ts'
import { ask } from './catalog/requests.ts'
import { assertAlike, createHttpContender, createSqlContender } from './comparison.ts'
import { alternate, type Report } from './figures.ts'
import { countEntries, countMismatches, fillLedger, secretOf } from './fill.ts'
import { type ClosedLoop, type ClosedLoopJob, startClosedLoop, type Target } from './load.ts'
import type { Bench } from './parts.ts'
import { pickKey, runPgbench, writeRequest } from './pgbench.ts'
import { type Program, readMemory, startFastify, startOurs, watchMemory } from './programs.ts'
import { nameUser } from './records.ts'
import { type BenchDatabase, keyCount } from './stage.ts'

/**
 * Numbers of connections, and what is to be reached of pgbench's look-ups with them. The service has one thread: with
 * 32 connections, it and the database wait for each other. With 64, they need not.
 */
const lookUpGoals: readonly [connections: number, goal: number][] = [
  [32, 0.65],
  [64, 0.8],
]
/**
 * Of the look-ups of the plain service. Processors limit both: JavaScript takes as long in the one as in the other, and
 * the database half as long for ours. Where a flush to the disk takes 0.1 ms, settling in groups saves little besides.
 */
const plainGoal = 1.4
/** Latencies are compared with fewer, so that they are not mostly time in a queue. */
const fewConnections = 8
/** Requests that a key keeps waiting beside another's one. */
const crowd = 1_000

/** One of all users, for any of the first `count` keys. */
function lookUps(count = keyCount, first = 1): Target[] {
  return Array.from({ length: count }, (_, index) => ({
    key: secretOf(first + index),
    path: `/users/${nameUser('{n}')}`,
  }))
}

/** The statement that pgbench runs for a look-up of the user with the number `user`. */
const lookUpStatement = writeRequest({
  found: `select 1 as count, document as items from users
  where login_key = 'USER' || :user::text and id <= (select users_count from dataset limit 1)
  order by id desc limit 1`,
  path: "'/users/user' || :user::text",
})

/** Look-ups against others. */
export async function measureLookUps(bench: Bench): Promise<void> {
  const { report, stage, form, generator } = bench
  const { users, seconds, rounds } = form
  const { url, sql } = await stage.open(users)
  await using ours = await startOurs(url)
  await using fastify = await startFastify(url)
  for (const user of [1, Math.ceil(users / 2), users]) {
    const path = `/users/${nameUser(user)}`
    await assertAlike(path, [
      createHttpContender('ours', ours, path, { sql }),
      createHttpContender('Fastify + pg', fastify, path, { sql, ledger: 'peers.ledger' }),
      createSqlContender('pgbench', lookUpStatement, { user, key: 1 }, { sql, ledger: 'peers.ledger' }),
    ])
  }
  const atRest = await readMemory(ours)
  const memory = watchMemory(ours)

  let mismatches = 0
  /** Holds what a contender counted to what the ledger has. */
  async function hold(run: Promise<{ served: number; perSecond: number }>): Promise<number> {
    const { served, perSecond } = await run
    const entries = await countEntries(sql)
    mismatches += Math.abs(entries - before - served)
    before = entries
    return perSecond
  }
  let before = await countEntries(sql)
  const load =
    (program: Program, connections: number, job: Partial<ClosedLoopJob> = {}) =>
    () =>
      hold(
        generator.run({
          port: program.port,
          targets: lookUps(),
          most: users,
          connections,
          seconds,
          ...job,
        }),
      )
  const pgbench = (connections: number) => () =>
    hold(
      runPgbench(url, {
        scripts: [`\\set user random(1, :users)\n${pickKey}${lookUpStatement};\n`],
        connections,
        seconds,
        variables: { keys: keyCount, users },
      }).then(({ transactions, perSecond }) => ({
        served: transactions,
        perSecond,
      })),
    )

  report.say(`look-ups: ${rounds} rounds of ${seconds} s for each contender`)
  for (const program of [ours, fastify]) await load(program, 64)()
  for (const [connections, goal] of lookUpGoals) {
    const of = await alternate(report, rounds, [
      ['ours', load(ours, connections)],
      ['one key', load(ours, connections, { targets: lookUps(1) })],
      ['idempotent', load(ours, connections, { idempotent: true })],
      ['pgbench', pgbench(connections)],
      ['fastify', load(fastify, connections)],
    ])
    const at = `${connections} connections`
    const rate = { better: 'higher', unit: 'requests/s' } as const
    report.compare(
      { ...rate, bar: `one key, ${at}`, against: '1,000 keys', goal: 0.9 },
      of('one key'),
      of('ours'),
    )
    report.compare({ ...rate, bar: `look-ups, ${at}`, against: 'pgbench', goal }, of('ours'), of('pgbench'))
    report.compare(
      { ...rate, bar: `look-ups, ${at}`, against: 'Fastify + pg', goal: plainGoal },
      of('ours'),
      of('fastify'),
    )
    report.compare(
      { ...rate, bar: `with Idempotency-Key, ${at}`, against: 'without', goal: null },
      of('idempotent'),
      of('ours'),
    )
  }

  await measureFairness(bench, ours, hold)
  report.note(
    {
      bar: 'responses without their entry, or the reverse',
      against: 'all runs above',
      goal: 0,
      unit: 'requests',
    },
    mismatches,
  )
  await checkLedger(report, 'that of the look-ups', { url, sql })
  const peak = Math.max(...(await memory.stop()))
  report.compare(
    { bar: 'resident memory, peak', against: 'at rest', goal: null, better: 'lower', unit: 'MiB' },
    [peak],
    [atRest],
  )
}

/** A key that asks one thing after the other, alone and beside one that keeps a crowd waiting. */
async function measureFairness(
  { report, form, generator }: Bench,
  { port }: Program,
  hold: (run: Promise<{ served: number; perSecond: number }>) => Promise<number>,
): Promise<void> {
  const { users, seconds, rounds } = form
  await using crowded = startClosedLoop()
  const one = { port, targets: lookUps(1), most: users, connections: 1, seconds }
  const many = {
    ...one,
    targets: lookUps(1, 2),
    connections: crowd,
    seconds,
    mayRefuse: true,
  }
  const crowdMedians: number[] = []
  let refused = 0
  const of = await alternate(report, rounds, [
    [
      'alone',
      async () => {
        const result = await generator.run(one)
        await hold(Promise.resolve(result))
        return result.median
      },
    ],
    [
      'crowded',
      async () => {
        const [result, other] = await Promise.all([generator.run(one), crowded.run(many)])
        await hold(Promise.resolve({ served: result.served + other.served, perSecond: 0 }))
        crowdMedians.push(other.median)
        refused += other.refused
        return result.median
      },
    ],
  ])
  const latency = { goal: null, better: 'lower', unit: 'ms' } as const
  report.compare(
    { ...latency, bar: `one request at a time, ${crowd} of another key waiting`, against: 'alone' },
    of('crowded'),
    of('alone'),
  )
  report.compare(
    { ...latency, bar: 'one request at a time', against: 'the crowd beside it' },
    of('crowded'),
    crowdMedians,
  )
  report.note({ bar: 'refused with 503', against: 'the crowd', goal: null, unit: 'requests' }, refused)
}

/** Two instances on one database against one, with as many connections in all. */
export async function measureInstances({ report, stage, form, generator }: Bench): Promise<void> {
  const { users, seconds, rounds } = form
  const { url, sql } = await stage.open(users)
  await using first = await startOurs(url)
  await using second = await startOurs(url)
  await using other = startClosedLoop()
  const load = (from: ClosedLoop, { port }: Program, connections: number) =>
    from.run({ port, targets: lookUps(), most: users, connections, seconds })

  const path = `/users/${nameUser(1)}`
  await assertAlike(
    path,
    [first, second].map(({ port }) => createHttpContender(String(port), { port }, path, { sql })),
  )
  report.say(`instances: ${rounds} rounds of ${seconds} s for one and for two`)
  await Promise.all([load(generator, first, 32), load(other, second, 32)])
  const of = await alternate(report, rounds, [
    ['one', async () => (await load(generator, first, 64)).perSecond],
    [
      'two',
      async () => {
        const both = await Promise.all([load(generator, first, 32), load(other, second, 32)])
        return both.reduce((sum, { perSecond }) => sum + perSecond, 0)
      },
    ],
  ])
  report.compare(
    {
      bar: 'look-ups, two instances, 32 connections each',
      against: 'one instance, 64 connections',
      goal: null,
      better: 'higher',
      unit: 'requests/s',
    },
    of('two'),
    of('one'),
  )
  await checkLedger(report, 'that of the instances', { url, sql })
}

/** The same requests on a small ledger and on a large one. */
export async function measureLedgerSize({ report, stage, form, generator }: Bench): Promise<void> {
  const { users, rounds, ledgerRows, entriesPerDay } = form
  const dayRows = keyCount * entriesPerDay
  const database = await stage.open(users)
  report.say('copying the database, and filling two ledgers')
  const small = await stage.copy(database, 'small')
  await fillLedger(small.sql, 1, entriesPerDay)
  const large = await stage.copy(database, 'large')
  await fillLedger(large.sql, Math.max(1, Math.round(ledgerRows / dayRows)), entriesPerDay)
  const seconds = form.seconds / 2
  await using onSmall = await startOurs(small.url)
  await using onLarge = await startOurs(large.url)
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
  const firstPage = lookUps().map(({ key }) => ({ key, path: '/api-key/usage' }))
  const ofDay = lookUps().map(({ key }) => ({ key, path: `/api-key/usage?day=${yesterday}` }))

  report.say(`ledgers of ${dayRows.toLocaleString('en')} and ${ledgerRows.toLocaleString('en')} rows`)
  for (const [program, { sql }] of [
    [onSmall, small],
    [onLarge, large],
  ] as const) {
    await checkUsage(program, sql)
    const { port } = program
    await generator.run({ port, targets: lookUps(), most: users, connections: 32, seconds })
  }
  const bars: [string, (database: BenchDatabase) => Target[] | Promise<Target[]>][] = [
    ['look-ups', () => lookUps()],
    ['GET /api-key/usage, first page', () => firstPage],
    ['GET /api-key/usage, last page', findLastPages],
    ['GET /api-key/usage, a day', () => ofDay],
  ]
  for (const [bar, findTargets] of bars) {
    const latency = (program: Program, database: BenchDatabase) => async () => {
      const job = { port: program.port, most: users, connections: fewConnections, seconds }
      return (await generator.run({ ...job, targets: await findTargets(database) })).median
    }
    const of = await alternate(report, rounds, [
      ['large', latency(onLarge, large)],
      ['small', latency(onSmall, small)],
    ])
    report.compare(
      {
        bar: `${bar}, on a large ledger`,
        against: 'on that of a day',
        goal: 1.5,
        better: 'lower',
        unit: 'ms, median',
      },
      of('large'),
      of('small'),
    )
  }
  const [size] = await large.sql<{ bytes: number; entries: number }[]>`
    select pg_total_relation_size('ledger') as bytes, count(*) as entries from ledger`
  report.note(
    { bar: 'ledger, with its indexes', against: 'each entry', goal: null, unit: 'bytes' },
    (size?.bytes ?? 0) / (size?.entries ?? 0),
  )
  await checkLedger(report, 'the small one', small)
  await checkLedger(report, 'the large one', large)
  for (const copy of [small, large]) await stage.drop(copy)
}

/** Throws unless the service says of a key what was written into its ledger. */
async function checkUsage(program: Program, sql: Sql): Promise<void> {
  const [written] = await sql<{ entries: number; credits: number }[]>`
    select last_position as entries, credits from balances where api_key_id = 1`
  const usage = await ask(program, '/api-key/usage')
  const { remaining_credits: credits }: { remaining_credits: number } = await (
    await ask(program, '/api-key/credits')
  ).json()
  const found = { entries: Number(usage.headers.get('X-Total-Count')), credits }
  deepStrictEqual(found, { ...written }, 'the ledger is not the one that was written')
}

async function checkLedger(report: Report, name: string, { sql }: BenchDatabase): Promise<void> {
  const bar = { bar: 'keys whose ledger does not add up', against: name, goal: 0, unit: 'keys' }
  report.note(bar, await countMismatches(sql))
}

async function findLastPages({ sql }: BenchDatabase): Promise<Target[]> {
  const rows = await sql<{ id: number; page: number }[]>`
    select api_key_id as id, ceil(last_position / 30.0)::integer as page from balances`
  return rows.map(({ id, page }) => ({ key: secretOf(id), path: `/api-key/usage?page=${page}` }))
}
