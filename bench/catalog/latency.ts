/** Depth and growth: whether a request takes longer deep in a list, or on more data. */
import { alternate, median, type Point } from '../figures.ts'
import { secretOf } from '../fill.ts'
import type { ClosedLoop, Target } from '../load.ts'
import type { Bench } from '../parts.ts'
import { type Program, startOurs, uncached } from '../programs.ts'
import { createUser, nameRepository } from '../records.ts'
import type { LoadedDatabase } from '../stage.ts'
import {
  addressOf,
  ask,
  type CountedList,
  countLists,
  createLists,
  lastFullPage,
  onePage,
  pageSize,
  randomPages,
} from './requests.ts'

/** Shares of a list's length at which a page is measured, too. */
const depths = [0.25, 0.5, 0.75]
/** Filters whose lists are too short for that have no depth. */
const fewestPages = 4
/** With one request at a time a latency is what the request takes, and not time in a queue. */
const connections = 1

/** Data between the small and the large. */
const middleUsers = 100_000

/** Opens data of two or three sizes, the smallest first. */
export async function openSizes({
  stage,
  form: { smallUsers, largeUsers },
}: Bench): Promise<LoadedDatabase[]> {
  const databases: LoadedDatabase[] = []
  for (const users of [smallUsers, middleUsers].filter((size) => size < largeUsers))
    databases.push(await stage.open(users))
  return [...databases, await stage.open(largeUsers)]
}

/** For how many seconds latencies are measured: there are many kinds of requests. */
export function shortenRun({ seconds }: { seconds: number }): number {
  return seconds / 6
}

/** The last full page of each list against its first. */
export async function measureDepth({ report, stage, form, generator }: Bench): Promise<void> {
  const { rounds } = form
  const seconds = shortenRun(form)
  const database = await stage.open(form.largeUsers)
  await using service = await startOurs(database.url, uncached)
  const lists = await countLists(service, createLists(database.forge))
  report.say(`depth: ${lists.length} lists, ${rounds} rounds of ${seconds} s for each end of them`)
  for (const list of lists) {
    const last = lastFullPage(list)
    if (last < fewestPages) continue
    await assertPage(service, list, last)
    const latency = (page: number) => () => measureMedian(generator, service, onePage(list, page), seconds)
    const of = await alternate(report, rounds, [
      ['last', latency(last)],
      ['first', latency(1)],
    ])
    const points: Point[] = [[0, median(of('first'))]]
    for (const depth of depths) {
      points.push([depth, await latency(Math.max(1, Math.round(last * depth)))()])
    }
    points.push([1, median(of('last'))])
    report.compare(
      {
        bar: `${list.name}: last full page`,
        against: 'first page',
        goal: 1.5,
        better: 'lower',
        unit: 'ms, median',
        points,
      },
      of('last'),
      of('first'),
    )
  }
}

/** Every kind of request on databases of several sizes: random pages, and look-ups. */
export async function measureGrowth(bench: Bench): Promise<void> {
  const { report, form, generator } = bench
  const { rounds } = form
  const seconds = shortenRun(form)
  const databases = await openSizes(bench)
  await using stack = new AsyncDisposableStack()
  const contenders: { size: number; service: Program; requests: Map<string, Target[]> }[] = []
  for (const database of databases) {
    const service = stack.use(await startOurs(database.url, uncached))
    contenders.push({
      size: database.forge.users,
      service,
      requests: await createRequests(service, database),
    })
  }
  const smallest = contenders[0]
  const largest = contenders.at(-1)
  if (smallest === undefined || largest === undefined || smallest === largest) return
  report.say(`growth: ${largest.requests.size} kinds of requests on ${contenders.length} sizes`)
  for (const name of largest.requests.keys()) {
    const of = await alternate(
      report,
      rounds,
      contenders.map(({ size, service, requests }) => [
        String(size),
        () => measureMedian(generator, service, requests.get(name) ?? [], seconds),
      ]),
    )
    report.compare(
      {
        bar: name,
        against: 'a small database',
        goal: 1.5,
        better: 'lower',
        unit: 'ms, median',
        points: contenders.map(({ size }): Point => [size, median(of(String(size)))]),
      },
      of(String(largest.size)),
      of(String(smallest.size)),
    )
  }
}

async function createRequests(service: Program, { forge }: LoadedDatabase): Promise<Map<string, Target[]>> {
  const lists = await countLists(service, createLists(forge))
  const some = Array.from({ length: 1_000 }, (_, index) => 1 + ((index * 7_919) % forge.users))
  const lookUps = (paths: string[]) => paths.map((path) => ({ key: secretOf(1), path }))
  return new Map([
    ...lists.map((list) => [list.name, randomPages(list)] as const),
    ['GET /users/{login}', lookUps(some.map((number) => `/users/${createUser(forge, number).login}`))],
    ['GET /repos/{owner}/{name}', lookUps(some.map((number) => `/repos/${nameRepository(forge, number)}`))],
  ])
}

/** Measures the median latency of requests, one at a time, in milliseconds. */
export async function measureMedian(
  generator: ClosedLoop,
  { port }: Program,
  targets: Target[],
  seconds: number,
): Promise<number> {
  return (await generator.run({ port, targets, connections, seconds })).median
}

/** Throws unless the page is as full as its place in the list says. */
async function assertPage(service: Program, list: CountedList, page: number): Promise<void> {
  const { data }: { data: unknown[] } = await (await ask(service, addressOf(list, page))).json()
  if (data.length !== Math.min(pageSize, list.total)) {
    throw new Error(`${list.name}: page ${page} of ${list.total} items has ${data.length}`)
  }
}
