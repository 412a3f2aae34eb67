/** A usual refresh: how long it takes, and what readers notice of it. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { numbersUpTo, refreshedFollowing, writeRefresh } from '../dataset.ts'
import type { ClosedLoopResult } from '../load.ts'
import type { Bench } from '../parts.ts'
import { type Program, runImport, startOurs } from '../programs.ts'
import { type LoadedDatabase, readVersion, type Stage } from '../stage.ts'
import { mostMegabytes, readFirstLoad } from './loading.ts'
import { addressOf, ask, type CountedList, countLists, createLists, randomPages } from './requests.ts'

const connections = 32
/** One of a hundred users and repositories has changed. */
const step = 100
/** What it may take, with 1,000,000 users as with fewer. */
const mostSeconds = 5
/** Of the readers' p99. The load keeps one of two cores busy, and the readers would keep both busy. */
const mostP99 = 2
const listNames = [
  '/users, no filter',
  '/users, one dependency',
  '/users, location, broad',
  '/repos, no filter',
]

/** A refresh alone, and the next one beside readers. */
export async function measureRefresh({ report, stage, form, generator }: Bench): Promise<void> {
  const database = await stage.open(form.largeUsers)
  const { url, forge } = database
  const changed = Math.ceil(forge.users / step).toLocaleString('en')
  await using service = await startOurs(url)
  const lists = await countLists(
    service,
    createLists(forge).filter(({ name }) => listNames.includes(name)),
  )
  report.say(`a refresh of ${changed} users and repositories, alone`)
  const alone = await refresh(stage, database, runImport)
  report.compare(
    {
      bar: 'a refresh of 1 %',
      against: 'the first load',
      goal: null,
      better: 'lower',
      unit: 's',
    },
    [alone.seconds],
    [(await readFirstLoad(database)).seconds],
  )
  report.note(
    { bar: 'a refresh of 1 %', against: 'the whole command', goal: mostSeconds, unit: 's' },
    alone.seconds,
  )
  report.note(
    { bar: 'memory of a refresh, peak', against: 'the command', goal: mostMegabytes, unit: 'MiB' },
    alone.megabytes,
  )

  report.say('the next refresh, beside readers')
  const targets = lists.flatMap((list) => randomPages(list))
  // Runs follow each other until the load is over.
  const load = { port: service.port, targets, connections, seconds: form.seconds }
  const usual = await generator.run({ ...load, seconds: 2 * form.seconds })
  report.say(`before: ${describe(usual)}`)
  const beside: ClosedLoopResult[] = []
  let mixed = 0
  const { seconds } = await refresh(stage, database, async (url, folder, revision) => {
    let isLoading = true
    const loading = runImport(url, folder).finally(() => {
      isLoading = false
    })
    async function readOnce(): Promise<void> {
      const result = await generator.run({ ...load, warmUp: 0 })
      report.say(`readers: ${describe(result)}`)
      beside.push(result)
    }
    async function keepReading(): Promise<void> {
      while (isLoading) await readOnce()
      await readOnce() // what the new version makes necessary comes after the load
    }
    const [result, count] = await Promise.all([
      loading,
      countMixed(service, lists, revision, () => isLoading),
      keepReading(),
    ])
    mixed = count
    return result
  })

  const of = 'beside a refresh'
  report.note({ bar: 'a refresh of 1 %', against: 'beside readers', goal: null, unit: 's' }, seconds)
  const latency = { better: 'lower', unit: 'ms' } as const
  report.compare(
    { ...latency, bar: `readers' p99 ${of}`, against: 'their usual p99', goal: mostP99 },
    [Math.max(...beside.map(({ p99 }) => p99))],
    [usual.p99],
  )
  report.compare(
    { ...latency, bar: `longest wait ${of}`, against: 'the usual p99', goal: 3 },
    [Math.max(...beside.map(({ longest }) => longest))],
    [usual.p99],
  )
  report.compare(
    { bar: `pages a second ${of}`, against: 'before', goal: null, better: 'higher', unit: 'pages/s' },
    [beside.reduce((sum, { perSecond }) => sum + perSecond, 0) / beside.length],
    [usual.perSecond],
  )
  report.note({ bar: 'responses that mix two versions', against: of, goal: 0, unit: 'responses' }, mixed)
}

/** Writes a refresh and lets `load` load it. */
async function refresh<Result>(
  stage: Stage,
  { url, sql, forge }: LoadedDatabase,
  load: (url: string, folder: string, revision: number) => Promise<Result>,
): Promise<Result> {
  const revision = await readVersion(sql)
  const { folder } = await writeRefresh(join(stage.folder, 'refresh'), forge, {
    numbers: numbersUpTo(forge.users, step),
    revision,
  })
  try {
    return await load(url, folder, revision)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function describe({ perSecond, median, p99, longest }: ClosedLoopResult): string {
  const [rate, ...latencies] = [perSecond, median, p99, longest].map((figure) => figure.toFixed(0))
  return `${rate} pages/s; median, p99 and longest wait: ${latencies.join(', ')} ms`
}

/** Pages, one after the other, with a user of another version than the response says. */
async function countMixed(
  service: Program,
  lists: readonly CountedList[],
  revision: number,
  isLoading: () => boolean,
): Promise<number> {
  let mixed = 0
  while (isLoading()) {
    for (const list of lists.filter(({ path }) => path === '/users')) {
      // Of an unfiltered list, a page of `step` users begins with the one that is refreshed.
      const page = 1 + Math.floor((Math.random() * list.total) / step)
      const response = await ask(service, addressOf(list, page, step))
      const { data }: { data: { following: number }[] } = await response.json()
      const isRefreshed = data.map(({ following }) => following === refreshedFollowing(revision))
      const isNew = Number(response.headers.get('X-Dataset-Version')) > revision
      const lacksRefreshed = Object.keys(list.query).length === 0 && !isRefreshed[0]
      if (isNew ? lacksRefreshed : isRefreshed.includes(true)) mixed++
    }
  }
  return mixed
}
