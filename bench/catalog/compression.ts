/** Pages that are compressed against pages that are not: requests a second, processor time and bytes. */
import { assertAlike, createHttpContender } from '../comparison.ts'
import { alternate } from '../figures.ts'
import type { Target } from '../load.ts'
import type { Bench } from '../parts.ts'
import { type Program, readProcessorTime, startOurs, uncached } from '../programs.ts'
import {
  addressOf,
  countLists,
  createLists,
  createWorkingSet,
  pagesToCompare,
  randomPages,
} from './requests.ts'

const codings = ['identity', 'gzip', 'br'] as const
type Coding = (typeof codings)[number]

const lists = ['/users, no filter', '/repos, no filter']
const size = 100
const connections = 32

/** Measures pages of 100 items, from the response cache and without it. */
export async function measureCompression({ report, stage, form, generator }: Bench): Promise<void> {
  const { users, rounds, seconds } = form
  const { url, sql, forge } = await stage.open(users)
  await using service = await startOurs(url, uncached)
  await using caching = await startOurs(url, { RESPONSE_CACHE_MB: '256' })
  const counted = await countLists(
    service,
    createLists(forge).filter(({ name }) => lists.includes(name)),
  )
  report.say(`compression: ${rounds} rounds of ${seconds} s for each coding, pages of ${size}`)
  for (const list of counted) {
    for (const page of pagesToCompare(list, size)) {
      const path = addressOf(list, page, size)
      await assertAlike(
        path,
        [service, caching].flatMap((program) =>
          codings.map((acceptEncoding) =>
            createHttpContender(acceptEncoding, program, path, { sql, acceptEncoding }),
          ),
        ),
      )
    }
    for (const [name, program, targets] of [
      [list.name, service, randomPages(list, size)],
      [`${list.name}, cached`, caching, createWorkingSet(list, size)],
    ] as const) {
      /** Pages a second, and microseconds of the service's threads for each. */
      const measure = async (acceptEncoding: Coding) => {
        const before = await readProcessorTime(program)
        const job = { port: program.port, targets, connections, seconds, acceptEncoding }
        const { perSecond, served } = await generator.run(job)
        return { perSecond, time: ((await readProcessorTime(program)) - before) / served }
      }
      for (const coding of codings) await measure(coding)
      const of = await alternate(
        report,
        rounds,
        codings.map((coding) => [coding, () => measure(coding)] as const),
      )
      for (const coding of ['gzip', 'br'] as const) {
        const bar = (what: string) => ({
          bar: `${name}, ${coding}: ${what}`,
          against: 'not compressed',
          goal: null,
        })
        const rates = (coding: Coding) => of(coding).map(({ perSecond }) => perSecond)
        const times = (coding: Coding) => of(coding).map(({ time }) => time)
        report.compare(
          { ...bar('pages a second'), better: 'higher', unit: 'pages/s' },
          rates(coding),
          rates('identity'),
        )
        report.compare(
          { ...bar('processor time of a page'), better: 'lower', unit: 'µs' },
          times(coding),
          times('identity'),
        )
        report.compare(
          { ...bar('size of a page'), better: 'lower', unit: 'bytes' },
          [await countBytes(program, targets, coding)],
          [await countBytes(program, targets, 'identity')],
        )
      }
    }
  }
}

/** Bytes of the body of a page as it is sent. */
async function countBytes(program: Program, [target]: readonly Target[], coding: Coding): Promise<number> {
  if (target === undefined) throw new Error('there is no page')
  const headers = { Authorization: `Bearer ${target.key}`, 'Accept-Encoding': coding }
  const response = await fetch(`http://127.0.0.1:${program.port}${target.path.replace('{n}', '1')}`, {
    headers,
  })
  await response.bytes()
  return Number(response.headers.get('Content-Length'))
}
