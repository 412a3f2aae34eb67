/**
 * Batch look-ups a second, against pages of as many items.
 *
 * @module
 */
import { createRandom } from '../../sample/random.ts'
import { alternate, type Report } from '../figures.ts'
import { secretOf } from '../fill.ts'
import type { ClosedLoopJob, ClosedLoopResult, Generator, Target } from '../load.ts'
import { startOurs, uncached } from '../programs.ts'
import { createUser, nameRepository } from './records.ts'
import { ask, countLists, type ListRequest, randomPages } from './requests.ts'
import { type CatalogDatabase, keyCount } from './stage.ts'

/** How much is measured. */
export interface BatchOptions {
  rounds: number
  /** Of each run. */
  seconds: number
}

const connections = 32
const warmUp = 1 // seconds
/** Items of a batch and of a page. */
const size = 100
/** Different batches. */
const batchCount = 1_000

/** Random batches of names that all exist against random pages. */
export async function measureBatches(
  report: Report,
  generator: Generator<ClosedLoopJob, ClosedLoopResult>,
  { url, forge }: CatalogDatabase,
  { rounds, seconds }: BatchOptions,
): Promise<void> {
  await using service = await startOurs(url, uncached)
  const random = createRandom('batches')
  const drawBatches = (path: string, nameOf: (number: number) => string): Target[] =>
    Array.from({ length: batchCount }, (_, index) => {
      const numbers = new Set<number>()
      while (numbers.size < size) numbers.add(random.integer(1, forge.users))
      return { key: secretOf(1 + (index % keyCount)), path: path + [...numbers].map(nameOf).join() }
    })
  const contenders: [ListRequest, Target[]][] = [
    [
      { name: 'logins', path: '/users', query: {} },
      drawBatches('/users?logins=', (number) => createUser(forge, number).login),
    ],
    [
      { name: 'full names', path: '/repos', query: {} },
      drawBatches('/repos?full_names=', (number) => nameRepository(forge, number)),
    ],
  ]
  report.say(`batch look-ups: ${rounds} rounds of ${seconds} s, ${connections} connections`)
  for (const [list, batches] of contenders) {
    for (const { path } of batches.slice(0, 10)) {
      const found = (await ask(service, path, 'HEAD')).headers.get('X-Total-Count')
      if (found !== String(size)) throw new Error(`a batch of ${list.name} finds ${found} of ${size}`)
    }
    const [counted] = await countLists(service, [list])
    if (counted === undefined) throw new Error('a list has a count')
    const load = (targets: Target[]) => async () =>
      (await generator.run({ port: service.port, targets, connections, seconds, warmUp })).perSecond
    const of = await alternate(report, rounds, [
      ['batches', load(batches)],
      ['pages', load(randomPages(counted, size))],
    ])
    report.compare(
      {
        bar: `batch look-ups of ${size} ${list.name}`,
        against: `pages of ${size} of ${list.path}`,
        goal: null,
        better: 'higher',
        unit: 'requests/s',
      },
      of('batches'),
      of('pages'),
    )
  }
}
