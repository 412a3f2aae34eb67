/** What the first request for a filter costs. */
import { listDependencyKeys, writeDependencyKey } from '../../api/names/dependency-names.ts'
import { alternate } from '../figures.ts'
import type { Bench } from '../parts.ts'
import { startOurs, uncached } from '../programs.ts'
import { addressOf, ask, createBroadest, createLists, type ListRequest, pageSize } from './requests.ts'

/**
 * Sorted lists, and milliseconds for their first and last page. All values of a sort are read once: 84,000 numbers of
 * stars of 1,000,000 repositories here, and a third as many numbers of followers.
 */
const sortedLists = [
  { path: '/users', sort: 'followers', goal: 100 },
  { path: '/repos', sort: 'stars', goal: 300 },
  { path: '/repos', sort: 'pushed', goal: 100 },
]

/** Lists by the time of uses: each use of a dependency is read, or each in a file. */
function createDatedLists(name: string): ListRequest[] {
  const since = { first_use_since: '2024-01-01' }
  return [
    {
      name: '/users, began to use one dependency',
      path: '/users',
      query: { dependency_names: name, ...since },
    },
    {
      name: '/repos, began to use one dependency',
      path: '/repos',
      query: { dependency_names: name, ...since },
    },
    {
      name: '/users, began to use anything of a file',
      path: '/users',
      query: { dependency_files: 'go.mod', ...since },
    },
  ]
}

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

  /** Notes how long a page takes that nobody has asked for. */
  async function noteFirstSight(of: string, address: string, goal: number | null): Promise<void> {
    const times: number[] = []
    for (let round = 0; round < rounds; round++) {
      await forget()
      times.push(await time(() => ask(service, address, 'HEAD')))
    }
    report.note(
      { bar: `first sight of ${of}`, against: 'slowest of the rounds', goal, unit: 'ms' },
      Math.max(...times),
    )
  }

  for (const list of [...createLists(forge), ...createDatedLists(name)]) {
    await noteFirstSight(list.name, addressOf(list, 1), null)
  }
  await noteFirstSight('the history of one dependency', `/dependencies/history?dependency_name=${name}`, null)
  for (const { path, sort, goal } of sortedLists) {
    const list = { name: `${path}, sorted by ${sort}`, path, query: { sort } }
    const { headers } = await ask(service, addressOf(list, 1), 'HEAD')
    const last = Math.ceil(Number(headers.get('X-Total-Count')) / pageSize)
    await noteFirstSight(`${list.name}, first page`, addressOf(list, 1), goal)
    await noteFirstSight(`${list.name}, middle page`, addressOf(list, Math.ceil(last / 2)), 300)
    await noteFirstSight(`${list.name}, last page`, addressOf(list, last), goal)
  }
}
