/**
 * Pages a second: against PostgreSQL alone, and against the plain way; and the memory that it takes.
 *
 * @module
 */
import { deepStrictEqual } from 'node:assert'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sql } from '../../api/database/connect.ts'
import { alternate, type Report } from '../figures.ts'
import { countMismatches, fillPeers } from '../fill.ts'
import type { ClosedLoopJob, ClosedLoopResult, Generator, Target } from '../load.ts'
import {
  type Program,
  runScripts,
  startFastify,
  startFloor,
  startOnDeno,
  startOurs,
  uncached,
  watchMemory,
} from '../programs.ts'
import { writeScripts } from './pgbench.ts'
import {
  addressOf,
  ask,
  type CountedList,
  countLists,
  createLists,
  createWorkingSet,
  lastFullPage,
  randomPages,
} from './requests.ts'
import { type CatalogDatabase, type CatalogStage, readVersion } from './stage.ts'

/** How much is measured. */
export interface ThroughputOptions {
  rounds: number
  /** Of each run. */
  seconds: number
}

type ClosedLoop = Generator<ClosedLoopJob, ClosedLoopResult>

const connections = 32
/** The plain way keeps as many cores busy; more only wait for each other. */
const plainConnections = 2
const warmUp = 1 // seconds
/** What is timed: lists that are requested in turn, with a name for all of them. */
const timed: [string, string[]][] = [
  ['/users, no filter', ['/users, no filter']],
  [
    '/users, filtered',
    [
      '/users, one dependency',
      '/users, three dependencies',
      '/users, location, broad',
      '/users, location and dependency',
    ],
  ],
  ['/repos, no filter', ['/repos, no filter']],
  ['/repos, filtered', ['/repos, one dependency']],
]
const mostMegabytes = 256

export async function measureThroughput(
  report: Report,
  generator: ClosedLoop,
  stage: CatalogStage,
  database: CatalogDatabase,
  { rounds, seconds }: ThroughputOptions,
): Promise<void> {
  const { url, sql, forge } = database
  await makePlainTables(report, sql)
  await using ours = await startOurs(url, uncached)
  await using caching = await startOurs(url)
  await using deno = await startOnDeno(url, uncached)
  await using cachingDeno = await startOnDeno(url)
  await fillPeers(sql) // databases that were kept may be from before them
  await using plain = await startFastify(url)

  const mixes = new Map<string, CountedList[]>()
  for (const [name, names] of timed) {
    const lists = createLists(forge).filter((list) => names.includes(list.name))
    mixes.set(name, await countLists(ours, lists))
  }
  await assertAlike(ours, plain, [...mixes.values()].flat())
  report.say(
    `pages of users and repositories: the same from ${ours.port} (ours) and ${plain.port} (Fastify + pg)`,
  )
  const memory = new Map([
    ['Node', watchMemory(ours)],
    ['Node, with cached responses', watchMemory(caching)],
    ['Deno', watchMemory(deno)],
    ['Deno, with cached responses', watchMemory(cachingDeno)],
  ])

  const load = (program: Program, targets: Target[]) => async () =>
    (await generator.run({ port: program.port, targets, most: 1, connections, seconds, warmUp })).perSecond
  /** With few connections: a response may take many seconds, and each that is begun is waited for. */
  const loadPlain = (targets: Target[]) => async () => {
    const job = { port: plain.port, targets, most: 1, connections: plainConnections, seconds, warmUp }
    const { served, elapsed } = await generator.run(job)
    return served / elapsed
  }
  report.say(`throughput: ${rounds} rounds of ${seconds} s for each contender, ${connections} connections`)
  for (const [name, mix] of mixes) {
    const scripts = await writeScripts(stage.folder, mix)
    await using floor = await startFloor(await saveResponse(stage.folder, ours, mix))
    const targets = mix.flatMap((list) => randomPages(list))
    const again = mix.flatMap((list) => createWorkingSet(list))
    for (const program of [ours, deno]) await load(program, targets)()
    for (const program of [caching, cachingDeno]) await load(program, again)()
    const of = await alternate(report, rounds, [
      ['ours', load(ours, targets)],
      ['deno', load(deno, targets)],
      ['cached', load(caching, again)],
      ['cached, deno', load(cachingDeno, again)],
      [
        'pgbench',
        async () => (await runScripts(url, { scripts, connections, seconds, variables: {} })).perSecond,
      ],
      ['plain', loadPlain(targets)],
      ['floor', load(floor, targets)],
    ])
    const rate = { better: 'higher', unit: 'pages/s' } as const
    report.compare(
      { ...rate, bar: `${name}, a page from memory by node:http alone`, against: 'pgbench', goal: null },
      of('floor'),
      of('pgbench'),
    )
    for (const [contender, runtime] of [['ours', ''] as const, ['deno', ' (Deno)'] as const]) {
      report.compare(
        { ...rate, bar: `${name}${runtime}`, against: 'pgbench', goal: 0.6 },
        of(contender),
        of('pgbench'),
      )
      report.compare(
        { ...rate, bar: `${name}${runtime}`, against: 'Fastify + pg, the plain way', goal: 200 },
        of(contender),
        of('plain'),
      )
    }
    for (const [contender, runtime] of [['cached', ''] as const, ['cached, deno', ' (Deno)'] as const]) {
      report.compare(
        { ...rate, bar: `${name}, cached${runtime}`, against: 'pgbench', goal: 1.5 },
        of(contender),
        of('pgbench'),
      )
    }
  }
  for (const [name, watch] of memory) {
    report.note(
      { bar: 'resident memory, peak', against: name, goal: mostMegabytes, unit: 'MiB' },
      Math.max(...(await watch.stop())),
    )
  }
  report.note(
    { bar: 'keys whose ledger does not add up', against: 'afterwards', goal: 0, unit: 'keys' },
    await countMismatches(sql),
  )
}

/** Writes the response of the first list of a mix to a file, and returns its path. */
async function saveResponse(
  folder: string,
  program: Program,
  [list]: readonly CountedList[],
): Promise<string> {
  if (list === undefined) throw new Error('a mix without a list')
  const path = join(folder, 'response.json')
  await writeFile(path, await (await ask(program, addressOf(list, 1))).bytes())
  return path
}

/** Fills the tables of the plain way, unless they are those of the dataset's version. */
async function makePlainTables(report: Report, sql: Sql): Promise<void> {
  const [made] = await sql<{ name: string | null }[]>`select to_regclass('plain.version')::text as name`
  if (made?.name != null) {
    const [row] = await sql<{ version: number }[]>`select version from plain.version`
    if (row?.version === (await readVersion(sql))) return
  }
  report.say('filling the tables of the plain way')
  await sql.unsafe(await readFile(join(import.meta.dirname, '../peers/plain.sql'), 'utf8'))
  await sql`reset all`
}

/** Throws unless both return the same first and last pages, but for what names the request and the moment. */
async function assertAlike(ours: Program, plain: Program, lists: readonly CountedList[]): Promise<void> {
  for (const list of lists) {
    for (const page of [1, lastFullPage(list)]) {
      const [mine, theirs] = await Promise.all(
        [ours, plain].map(async (program) => {
          const response = await ask(program, addressOf(list, page))
          const { data, pagination } = await response.json()
          return { data, pagination, total: response.headers.get('X-Total-Count') }
        }),
      )
      deepStrictEqual(theirs, mine, `page ${page} of ${list.name} differs`)
    }
  }
}
