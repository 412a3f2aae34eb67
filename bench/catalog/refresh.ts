/**
 * A large load while readers are at it.
 *
 * @module
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Report } from '../figures.ts'
import type { ClosedLoopJob, ClosedLoopResult, Generator } from '../load.ts'
import { type Program, runImport, startOurs } from '../programs.ts'
import { numbersUpTo, writeChange } from './dataset.ts'
import {
  addressOf,
  ask,
  type CountedList,
  countLists,
  createLists,
  lastFullPage,
  randomPages,
} from './requests.ts'
import { type CatalogDatabase, type CatalogStage, readVersion } from './stage.ts'

type ClosedLoop = Generator<ClosedLoopJob, ClosedLoopResult>

const connections = 32
const warmUp = 2 // seconds
const usualSeconds = 10
/** One of ten users and repositories has changed. */
const step = 10
/** Runs of readers beside the load, one after the other, until it is over. */
const runSeconds = 5
const read = ['/users, no filter', '/users, one dependency', '/users, location, broad', '/repos, no filter']

export async function measureRefresh(
  report: Report,
  generator: ClosedLoop,
  stage: CatalogStage,
  { url, sql, forge }: CatalogDatabase,
): Promise<void> {
  await using service = await startOurs(url)
  const lists = (await countLists(service, createLists(forge))).filter(({ name }) => read.includes(name))
  const targets = lists.flatMap(
    (list) => randomPages({ ...list, total: Math.floor(list.total * 0.9) }), // a list may become shorter
  )
  const load = { port: service.port, targets, most: 1, connections, warmUp }
  const changed = Math.ceil(forge.users / step)
  report.say(`refresh: ${changed.toLocaleString('en')} changed users and repositories beside readers`)
  const { folder } = await writeChange(join(stage.folder, 'refreshed'), forge, {
    numbers: numbersUpTo(forge.users, step),
    revision: await readVersion(sql),
  })
  const usual = await generator.run({ ...load, seconds: usualSeconds })
  report.say(`before: ${describe(usual)}`)

  let isLoading = true
  const loading = runImport(url, folder).finally(() => {
    isLoading = false
  })
  const beside: ClosedLoopResult[] = []
  async function readOnce(): Promise<void> {
    const result = await generator.run({ ...load, warmUp: 0.1, seconds: runSeconds })
    report.say(`readers: ${describe(result)}`)
    beside.push(result)
  }
  async function keepReading(): Promise<void> {
    while (isLoading) await readOnce()
    await readOnce() // what the new version makes necessary comes after the load
  }
  const [mixed] = await Promise.all([countMixed(service, lists, () => isLoading), keepReading()])
  const { seconds } = await loading
  await rm(folder, { recursive: true, force: true })

  const of = `in the ${seconds.toFixed(0)} s of the load`
  const latency = { better: 'lower', unit: 'ms' } as const
  report.compare(
    { ...latency, bar: `readers' p99 ${of}`, against: 'their usual p99', goal: 2 },
    [Math.max(...beside.map(({ p99 }) => p99))],
    [usual.p99],
  )
  report.compare(
    { ...latency, bar: `longest wait ${of}`, against: 'the usual p99', goal: 2 },
    [Math.max(...beside.map(({ longest }) => longest))],
    [usual.p99],
  )
  report.compare(
    {
      bar: `pages a second ${of}`,
      against: 'before',
      goal: null,
      better: 'higher',
      unit: 'pages/s',
    },
    [beside.reduce((sum, { perSecond }) => sum + perSecond, 0) / beside.length],
    [usual.perSecond],
  )
  report.note({ bar: 'responses that are not 200', against: of, goal: 0, unit: 'responses' }, 0)
  report.note({ bar: 'responses that mix two versions', against: of, goal: 0, unit: 'responses' }, mixed)
}

function describe({ perSecond, median, p99, longest }: ClosedLoopResult): string {
  const [rate, ...latencies] = [perSecond, median, p99, longest].map((figure) => figure.toFixed(0))
  return `${rate} pages/s; median, p99 and longest wait: ${latencies.join(', ')} ms`
}

/** Pages, one after the other, with an item that does not match the filter: its list is of another version. */
async function countMixed(
  service: Program,
  lists: readonly CountedList[],
  isLoading: () => boolean,
): Promise<number> {
  const filtered = lists.filter(({ query }) => query.location !== undefined)
  let mixed = 0
  while (isLoading()) {
    for (const list of filtered) {
      const page = 1 + Math.floor(Math.random() * 0.9 * lastFullPage(list))
      const response = await ask(service, addressOf(list, page))
      const { data }: { data: { location: string | null }[] } = await response.json()
      const wanted = [list.query.location ?? []].flat()
      if (!data.every(({ location }) => wanted.some((place) => location?.toLowerCase().includes(place))))
        mixed++
    }
  }
  return mixed
}
