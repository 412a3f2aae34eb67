/**
 * Data that is corrected: pages of lists with gaps, removals, forgetting, a usual refresh, and what has changed since.
 * It works on copies of the databases.
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { changeDataset } from '../../api/dataset/dataset-change.ts'
import { removeUsers } from '../../api/dataset/removal.ts'
import { numbersUpTo, writeRefresh } from '../dataset.ts'
import { alternate } from '../figures.ts'
import type { Target } from '../load.ts'
import type { Bench } from '../parts.ts'
import { type Program, runCommand, startOurs, uncached } from '../programs.ts'
import { createUser, nameRepository } from '../records.ts'
import { type LoadedDatabase, readVersion, type Stage } from '../stage.ts'
import { measureMedian, openSizes, shortenRun } from './latency.ts'
import { ask, type CountedList, countLists, lastFullPage, onePage, randomPages } from './requests.ts'

/** One of ten users is removed. */
const gapShare = 10
/** One of a hundred users and repositories is refreshed. */
const refreshShare = 100
const allUsers = { name: '/users, no filter', path: '/users', query: {} }

/** The large data, and that of a tenth, if there is one. */
export async function measureCorrections(bench: Bench): Promise<void> {
  const { report, stage, form } = bench
  const large = await stage.open(form.largeUsers)
  const small = (await openSizes(bench)).at(-2)
  const withGaps = await stage.copy(large, 'corrected')
  await measureGaps(bench, large, withGaps)
  const fewer = small && (await stage.copy(small, 'corrected_small'))
  for (const [name, correct] of Object.entries(corrections)) {
    report.say(name)
    const ours: number[] = []
    const theirs: number[] = []
    for (let round = 1; round <= form.rounds; round++) {
      ours.push(await correct(stage, withGaps, round))
      if (fewer !== undefined) theirs.push(await correct(stage, fewer, round))
    }
    if (fewer === undefined) continue
    report.compare(
      {
        bar: name,
        against: 'in smaller data',
        goal: null,
        better: 'lower',
        unit: 's',
      },
      ours,
      theirs,
    )
  }
  await measureChangedSince(bench, withGaps)
  await stage.drop(withGaps)
  if (fewer !== undefined) await stage.drop(fewer)
}

/** Each corrects a database, and promises the seconds. */
const corrections: Record<
  string,
  (stage: Stage, database: LoadedDatabase, round: number) => Promise<number>
> = {
  'devdata remove repo': async (_, { url, forge }, round) => {
    const fullName = nameRepository(forge, round * 109)
    return (await runCommand(url, ['remove', 'repo', fullName, '--yes'])).seconds
  },
  'devdata forget user': async (_, { url, forge }, round) => {
    // One of those who are still there, see measureGaps.
    const { login } = createUser(forge, round * 100 + 1)
    return (await runCommand(url, ['forget', 'user', login, '--yes'])).seconds
  },
  'a refresh of 1 %': async (stage, { url, sql, forge }) => {
    const { folder } = await writeRefresh(join(stage.folder, 'refresh'), forge, {
      numbers: numbersUpTo(forge.users, refreshShare),
      revision: await readVersion(sql),
    })
    const { seconds } = await runCommand(url, ['import', 'ndjson', folder])
    await rm(folder, { recursive: true, force: true })
    return seconds
  },
}

/** The last page of all users with many of them removed, against the same page without gaps. */
async function measureGaps(
  { report, form, generator }: Bench,
  without: LoadedDatabase,
  withGaps: LoadedDatabase,
): Promise<void> {
  const seconds = shortenRun(form)
  const { users } = withGaps.forge
  report.say(`removing each ${gapShare}th of ${users.toLocaleString('en')} users`)
  const began = performance.now()
  await changeDataset(withGaps.sql, {}, async (change) => {
    // A multiplication spreads them, so that each page lacks others.
    await removeUsers(
      change,
      change.tx`select id from users where (id::bigint * 7919) % ${users} < ${users / gapShare} and id % 100 <> 1`,
    )
  })
  report.note(
    { bar: 'removing a tenth of all users', against: 'one transaction', goal: null, unit: 's' },
    (performance.now() - began) / 1000,
  )
  await using plainService = await startOurs(without.url, uncached)
  await using gapService = await startOurs(withGaps.url, uncached)
  const [plainList] = await countLists(plainService, [allUsers])
  const [gapList] = await countLists(gapService, [allUsers])
  if (plainList === undefined || gapList === undefined) return
  const goal = { goal: 1.2, better: 'lower', unit: 'ms, median' } as const
  for (const { name, targets } of [
    { name: 'last full page', targets: lastPage },
    { name: 'random pages', targets: randomPages },
  ]) {
    const latency = (service: Program, list: CountedList) => () =>
      measureMedian(generator, service, targets(list), seconds)
    const of = await alternate(report, form.rounds, [
      ['gaps', latency(gapService, gapList)],
      ['plain', latency(plainService, plainList)],
    ])
    report.compare(
      { ...goal, bar: `${name} of all users, a tenth of them removed`, against: 'none removed' },
      of('gaps'),
      of('plain'),
    )
  }
}

function lastPage(list: CountedList): Target[] {
  return onePage(list, lastFullPage(list))
}

/** Pages of what the last refresh has changed, against pages of a filter. */
async function measureChangedSince(
  { report, form, generator }: Bench,
  { url, sql }: LoadedDatabase,
): Promise<void> {
  const seconds = shortenRun(form)
  await using service = await startOurs(url, uncached)
  const since = (await readVersion(sql)) - 1
  for (const path of ['/users', '/repos']) {
    const began = performance.now()
    const changed = { name: 'changed', path, query: { changed_since: String(since) } }
    await ask(service, `${path}?changed_since=${since}`, 'HEAD')
    report.note(
      { bar: `the first ${path}?changed_since`, against: 'one request', goal: null, unit: 'ms' },
      performance.now() - began,
    )
    const lists = await countLists(service, [
      changed,
      { name: 'filtered', path, query: { dependency_names: 'gained-1' } },
    ])
    const of = await alternate(
      report,
      form.rounds,
      lists.map((list) => [list.name, () => measureMedian(generator, service, randomPages(list), seconds)]),
    )
    report.compare(
      {
        bar: `random pages of ${path}?changed_since`,
        against: `pages of ${path} with a filter`,
        goal: 1.2,
        better: 'lower',
        unit: 'ms, median',
      },
      of('changed'),
      of('filtered'),
    )
  }
}
