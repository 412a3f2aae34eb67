/**
 * What the first request for a filter costs.
 *
 * @module
 */

import { createFilter, hashFilter } from '../../api/catalog/filter.ts'
import { listDependencyKeys } from '../../api/names/dependency-names.ts'
import { alternate, type Report } from '../figures.ts'
import { startOurs, uncached } from '../programs.ts'
import { addressOf, ask, createBroadest, createLists } from './requests.ts'
import type { CatalogDatabase } from './stage.ts'

const clients = 10

/** The broadest filter against a bare count of its postings, and ten concurrent clients. */
export async function measureFirstSight(
  report: Report,
  { url, sql, forge }: CatalogDatabase,
  { rounds }: { rounds: number },
): Promise<void> {
  await using service = await startOurs(url, uncached)
  await using other = await startOurs(url, uncached)
  const broadest = createBroadest()
  const name = String(broadest.query.dependency_names)
  const hash = hashFilter('users', createFilter({ dependencyNames: [name] }))

  const forget = () => sql`delete from stored_lists where filter_hash = ${hash}`
  const time = async (run: () => Promise<unknown>) => {
    const began = performance.now()
    await run()
    return performance.now() - began
  }
  async function see(): Promise<number> {
    await forget()
    return time(() => ask(service, addressOf(broadest, 1), 'HEAD'))
  }
  const count = () =>
    time(
      () => sql`
        select count(*) from dependency_users
        where dependency_id in (select id from dependencies where name_key = any(${sql.typed.texts(listDependencyKeys(name))}))`,
    )

  report.say('first sight: stored lists that are not there yet')
  await ask(service, addressOf({ ...broadest, query: {} }, 1), 'HEAD') // the key is known, connections are open
  await see()
  await count()
  const of = await alternate(report, rounds, [
    ['stored list', see],
    ['count', count],
  ])
  report.compare(
    {
      bar: `first sight of ${broadest.name}`,
      against: 'count(*) over its postings',
      goal: 4,
      better: 'lower',
      unit: 'ms',
    },
    of('stored list'),
    of('count'),
  )

  for (const list of createLists(forge)) {
    if (Object.keys(list.query).length === 0) continue
    const times: number[] = []
    for (let round = 0; round < rounds; round++) {
      await sql`truncate stored_lists cascade`
      times.push(await time(() => ask(service, addressOf(list, 1), 'HEAD')))
    }
    report.note(
      { bar: `first sight of ${list.name}`, against: 'slowest of the rounds', goal: null, unit: 'ms' },
      Math.max(...times),
    )
  }

  const before = await countInserted()
  await forget()
  const services = [service, other]
  await Promise.all(
    Array.from({ length: clients }, (_, index) =>
      ask(services[index % services.length] ?? service, addressOf(broadest, index + 1), 'HEAD'),
    ),
  )
  report.note(
    {
      bar: `computations for ${clients} concurrent clients`,
      against: 'on two instances',
      goal: 1,
      unit: 'stored lists',
    },
    (await countInserted()) - before,
  )

  async function countInserted(): Promise<number> {
    const [row] = await sql<{ made: number }[]>`
      select coalesce(pg_sequence_last_value(pg_get_serial_sequence('stored_lists', 'id')::regclass), 0) as made`
    return row?.made ?? 0
  }
}
