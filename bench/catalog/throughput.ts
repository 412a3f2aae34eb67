/** Pages a second: against PostgreSQL alone, and against the plain way; and the memory that it takes. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sql } from '../../api/database/connect.ts'
import { assertAlike, createHttpContender, createSqlContender, type LedgerTable } from '../comparison.ts'
import { alternate, median, type Report } from '../figures.ts'
import { countMismatches } from '../fill.ts'
import type { Target } from '../load.ts'
import type { Bench } from '../parts.ts'
import { runPgbench } from '../pgbench.ts'
import {
  type Program,
  readProcessorTime,
  readTimeOfEnded,
  startFastify,
  startFloor,
  startOnDeno,
  startOurs,
  uncached,
  watchMemory,
} from '../programs.ts'
import { keyCount, readVersion } from '../stage.ts'
import { storeMatches, writePageScripts, writePageStatement } from './pgbench.ts'
import {
  addressOf,
  ask,
  type CountedList,
  countLists,
  createLists,
  createWorkingSet,
  pagesToCompare,
  randomPages,
} from './requests.ts'

const connections = 32
/** The plain way keeps as many cores busy; more only wait for each other. */
const plainConnections = 2
/**
 * What is timed: lists that are requested in turn, with a name for all of them. The plain way has only the first four.
 */
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
  ['commits of a repository', ['commits of a repository']],
  ['dependencies of a repository', ['dependencies of a repository']],
]
/**
 * Goals, relative to pgbench with settlement: the least pages a second, and the most processor time for a page. With 32
 * connections and two cores, the service, which has one thread, and the database wait for each other a third of the
 * time. pgbench doesn't wait, but takes more processor time for a page. Deno takes more time for HTTP than Node.
 */
const goals = {
  node: { pages: 0.7, cached: 1, processors: 1 },
  deno: { pages: 0.6, cached: 0.8, processors: 1.5 },
}
/**
 * For a page of dependencies, the database reads all 500 of the repository, for the service and for pgbench alike. That
 * takes most of the time, so what the service saves when it settles many requests together makes up for less of the
 * time that HTTP takes.
 */
const processorGoal = (name: string, goal: number) =>
  name === 'dependencies of a repository' ? Math.max(goal, 1.1) : goal
/**
 * Of the pages of the plain way: it counts and skips all rows, so it takes longer with more data. With a filter, it
 * also joins.
 */
const plainGoal = (name: string) => (name.endsWith('no filter') ? 40 : 200)
const hasPlainWay = (name: string) => name.startsWith('/')
const mostMegabytes = 256

export async function measureThroughput({ report, stage, form, generator }: Bench): Promise<void> {
  const { users, rounds, seconds } = form
  const { url, sql, forge } = await stage.open(users)
  await makePlainTables(report, sql)
  await using ours = await startOurs(url, uncached)
  await using caching = await startOurs(url)
  await using deno = await startOnDeno(url, uncached)
  await using cachingDeno = await startOnDeno(url)
  await using plain = await startFastify(url)

  const mixes = new Map<string, CountedList[]>()
  for (const [name, names] of timed) {
    const lists = createLists(forge).filter((list) => names.includes(list.name))
    mixes.set(name, await countLists(ours, lists))
  }
  const lists = [...mixes.values()].flat()
  await storeMatches(sql, lists)
  for (const list of lists) {
    for (const page of pagesToCompare(list))
      await comparePage(sql, list, page, { ours, deno, caching, cachingDeno, plain })
  }
  report.say(`first, middle and last pages of ${lists.length} lists: the same from all contenders`)
  const memory = new Map([
    ['Node', watchMemory(ours)],
    ['Node, with cached responses', watchMemory(caching)],
    ['Deno', watchMemory(deno)],
    ['Deno, with cached responses', watchMemory(cachingDeno)],
  ])

  const load = (program: Program, targets: Target[]) => () =>
    generator.run({ port: program.port, targets, connections, seconds })
  /** The same, and microseconds of processor time for each page, of the service and of the database. */
  const loadAndTime = (program: Program, targets: Target[]) => async () => {
    const before = await readProcessorTime(program)
    const measured = await timeDatabase(load(program, targets))
    const service = ((await readProcessorTime(program)) - before) / measured.served
    return { ...measured, processors: service + measured.database, service }
  }
  /** Also microseconds of processor time of the database for each page. */
  async function timeDatabase(run: () => Promise<{ perSecond: number; served: number }>) {
    const before = await readDatabaseTime(sql)
    const { perSecond, served } = await run()
    const database = ((await readDatabaseTime(sql)) - before) / served
    return { perSecond, served, database, processors: database }
  }
  /** With few connections: a response may take many seconds, and each that is begun is waited for. */
  const loadPlain = (targets: Target[]) => async () => {
    const job = { port: plain.port, targets, connections: plainConnections, seconds }
    const { served, elapsed } = await generator.run(job)
    return { perSecond: served / elapsed }
  }
  const loadPostgres = (mix: readonly CountedList[], isCharged: boolean) => () =>
    timeDatabase(async () => {
      const { perSecond, transactions } = await runPgbench(url, {
        scripts: writePageScripts(mix, { isCharged }),
        connections,
        seconds,
        variables: { keys: keyCount },
      })
      return { perSecond, served: transactions }
    })
  // Node compiles what runs often while it runs: in the first seconds it is a third slower.
  const allTargets = [...mixes.values()].flat().flatMap((list) => randomPages(list))
  for (const program of [ours, deno, caching, cachingDeno]) {
    await generator.run({
      port: program.port,
      targets: allTargets,
      connections,
      seconds: Math.min(10, 5 * seconds),
    })
  }
  report.say(`throughput: ${rounds} rounds of ${seconds} s for each contender, ${connections} connections`)
  for (const [name, mix] of mixes) {
    await using floor = await startFloor(await saveResponse(stage.folder, ours, mix))
    const targets = mix.flatMap((list) => randomPages(list))
    const again = mix.flatMap((list) => createWorkingSet(list))
    for (const program of [ours, deno]) await load(program, targets)()
    for (const program of [caching, cachingDeno]) await load(program, again)()
    const results = await alternate<string, Measured>(report, rounds, [
      ['ours', loadAndTime(ours, targets)],
      ['deno', loadAndTime(deno, targets)],
      ['cached', load(caching, again)],
      ['cached, deno', load(cachingDeno, again)],
      ['pgbench, settling', loadPostgres(mix, true)],
      ['pgbench', loadPostgres(mix, false)],
      ...(hasPlainWay(name) ? [['plain', loadPlain(targets)] as const] : []),
      ['floor', load(floor, targets)],
    ])
    const of = (contender: string) => results(contender).map(({ perSecond }) => perSecond)
    const processorsOf = (contender: string) =>
      results(contender).map(({ processors }) => processors ?? Number.NaN)
    const rate = { better: 'higher', unit: 'pages/s' } as const
    const settling = 'pgbench, which settles the request and reads the page'
    const reading = 'pgbench, which reads the page'
    for (const [contender, runtime, goal] of [
      ['ours', '', goals.node],
      ['deno', ' (Deno)', goals.deno],
    ] as const) {
      const bar = { ...rate, bar: `${name}${runtime}` }
      report.compare({ ...bar, against: settling, goal: goal.pages }, of(contender), of('pgbench, settling'))
      report.compare(
        {
          bar: `${bar.bar}: processor time of service and database`,
          against: settling,
          goal: processorGoal(name, goal.processors),
          better: 'lower',
          unit: 'µs a page',
        },
        processorsOf(contender),
        processorsOf('pgbench, settling'),
      )
      for (const part of ['service', 'database'] as const) {
        const times = results(contender).map((result) => result[part] ?? Number.NaN)
        report.note(
          { bar: bar.bar, against: part, goal: null, unit: 'µs of processors a page' },
          median(times),
        )
      }
      report.compare({ ...bar, against: reading, goal: null }, of(contender), of('pgbench'))
      if (hasPlainWay(name)) {
        report.compare(
          { ...bar, against: 'Fastify + pg, the plain way', goal: plainGoal(name) },
          of(contender),
          of('plain'),
        )
      }
    }
    for (const [contender, runtime, goal] of [
      ['cached', '', goals.node.cached],
      ['cached, deno', ' (Deno)', goals.deno.cached],
    ] as const) {
      const bar = { ...rate, bar: `${name}, cached${runtime}` }
      report.compare({ ...bar, against: settling, goal }, of(contender), of('pgbench, settling'))
    }
    report.compare(
      { ...rate, bar: `${name}, a page from memory by node:http alone`, against: settling, goal: null },
      of('floor'),
      of('pgbench, settling'),
    )
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

/** The programs that respond to requests for pages. */
interface Programs {
  ours: Program
  deno: Program
  caching: Program
  cachingDeno: Program
  plain: Program
}

/** Throws unless all contenders return the same page, and record the same charge. */
async function comparePage(
  sql: Sql,
  list: CountedList,
  page: number,
  { ours, deno, caching, cachingDeno, plain }: Programs,
): Promise<void> {
  const overHttp = (name: string, program: Program, ledger?: LedgerTable) =>
    createHttpContender(name, program, addressOf(list, page), { sql, ...(ledger && { ledger }) })
  const bySql = (name: string, isCharged: boolean) =>
    createSqlContender(
      name,
      writePageStatement(list, { isCharged }),
      { page, key: 1 },
      { sql, ledger: isCharged ? 'peers.ledger' : undefined },
    )
  await assertAlike(`page ${page} of ${list.name}`, [
    overHttp('Node', ours),
    overHttp('Deno', deno),
    // Twice: what is read, and what is cached.
    ...[1, 2].map(() => overHttp('Node, with cached responses', caching)),
    ...[1, 2].map(() => overHttp('Deno, with cached responses', cachingDeno)),
    bySql('pgbench, settling', true),
    bySql('pgbench', false),
    ...(hasPlainWay(list.name) ? [overHttp('Fastify + pg', plain, 'peers.ledger')] : []),
  ])
}

/** What a contender did, and microseconds of processors for a page: together, and those of its parts. */
interface Measured {
  perSecond: number
  processors?: number
  service?: number
  database?: number
}

/** What the server's processes have used of the processors, in microseconds. */
async function readDatabaseTime(sql: Sql): Promise<number> {
  const rows = await sql<{ pid: number; server: number }[]>`
    select pid, split_part(pg_read_file('postmaster.pid'), e'\n', 1)::integer as server from pg_stat_activity`
  const times = await Promise.all(rows.map((row) => readProcessorTime(row).catch(() => 0))) // it may have ended
  const ended = await readTimeOfEnded({ pid: rows[0]?.server ?? 0 })
  return times.reduce((sum, time) => sum + time, ended)
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
  await sql`checkpoint` // otherwise the disk is still busy with them while pages are charged for
}
