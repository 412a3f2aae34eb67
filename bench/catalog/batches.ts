/** Batch look-ups a second, against pages of as many items. */
import { deepStrictEqual } from 'node:assert'
import { createRandom } from '../../sample/random.ts'
import { alternate } from '../figures.ts'
import { secretOf } from '../fill.ts'
import type { Target } from '../load.ts'
import type { Bench } from '../parts.ts'
import { startOurs, uncached } from '../programs.ts'
import { createUser, nameRepository } from '../records.ts'
import { keyCount } from '../stage.ts'
import { ask, countLists, type ListRequest, randomPages } from './requests.ts'

const connections = 32
/** Items of a batch and of a page. */
const size = 100
/** Different batches. */
const batchCount = 1_000

/** Random batches of names that all exist against random pages. */
export async function measureBatches({ report, stage, form, generator }: Bench): Promise<void> {
  const { users, rounds, seconds } = form
  const { url, forge } = await stage.open(users)
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
      const { data }: { data: { login?: string; full_name?: string }[] } = await (
        await ask(service, path)
      ).json()
      const found = data.map(({ login, full_name: fullName }) => login ?? fullName)
      const asked = path.slice(path.indexOf('=') + 1).split(',')
      deepStrictEqual(found.sort(), asked.sort(), `a batch of ${list.name} finds other items`)
    }
    const [counted] = await countLists(service, [list])
    if (counted === undefined) throw new Error('a list has a count')
    const load = (targets: Target[]) => async () =>
      (await generator.run({ port: service.port, targets, connections, seconds })).perSecond
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
