/** What the first request for a filter costs. */
import { listDependencyKeys, writeDependencyKey } from '../../api/names/dependency-names.ts'
import { alternate } from '../figures.ts'
import type { Bench } from '../parts.ts'
import { startOurs, uncached } from '../programs.ts'
import { addressOf, ask, createBroadest, createLists } from './requests.ts'

/** The broadest filter against a search in the rows of users, and the first request for each list. */
export async function measureFirstSight({ report, stage, form }: Bench): Promise<void> {
  const { largeUsers, rounds } = form
  const { url, sql, forge } = await stage.open(largeUsers)
  await using service = await startOurs(url, uncached)
  const broadest = createBroadest()
  const name = String(broadest.query.dependency_names)

  /** What the service and the other way found last. */
  let [seen, counted]: (number | undefined)[] = []
  /** Makes what instances have computed outdated. */
  const forget = () => sql`update dataset set edition = gen_random_uuid()`
  const time = async (run: () => Promise<unknown>) => {
    const began = performance.now()
    await run()
    return performance.now() - began
  }
  async function see(): Promise<number> {
    await forget()
    return time(async () => {
      seen = Number((await ask(service, addressOf(broadest, 1), 'HEAD')).headers.get('X-Total-Count'))
    })
  }
  const count = () =>
    time(async () => {
      const [row] = await sql<{ count: number }[]>`
        select count(*) from user_dependencies where dependency_ids && array(
          select id from dependencies where name_key = any(${sql.typed.texts(listDependencyKeys(name).map(writeDependencyKey))})
        )`
      counted = row?.count
    })

  report.say('first sight: matches that are not computed yet')
  await ask(service, addressOf({ ...broadest, query: {} }, 1), 'HEAD') // the key is known, connections are open
  await see()
  await count()
  if (counted !== seen) throw new Error(`count(*) finds ${counted} users, and the service ${seen}`)
  const of = await alternate(report, rounds, [
    ['sets', see],
    ['count', count],
  ])
  report.compare(
    {
      bar: `first sight of ${broadest.name}`,
      against: 'count(*) of the users who have it',
      goal: 1,
      better: 'lower',
      unit: 'ms',
    },
    of('sets'),
    of('count'),
  )

  for (const list of createLists(forge)) {
    const times: number[] = []
    for (let round = 0; round < rounds; round++) {
      await forget()
      times.push(await time(() => ask(service, addressOf(list, 1), 'HEAD')))
    }
    report.note(
      { bar: `first sight of ${list.name}`, against: 'slowest of the rounds', goal: null, unit: 'ms' },
      Math.max(...times),
    )
  }
}
