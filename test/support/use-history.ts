/** The history of a dependency: as the service has it, and as the records alone say. */
import * as v from 'valibot'
import { expect } from 'vitest'
import type { TestService } from './service.ts'
import { type DatedUse, dateOwnUse, findDatedUses, findFirstUse, findLastUse, type Loaded } from './uses.ts'

const numbers = v.strictObject({ started: v.number(), stopped: v.number(), active: v.number() })
const historySchema = v.strictObject({
  data: v.array(v.strictObject({ month: v.string(), repositories: numbers, users: numbers })),
  unknown: v.strictObject({ repositories: v.number(), users: v.number() }),
  meta: v.looseObject({}),
})
type History = v.InferOutput<typeof historySchema>

export async function readHistory(service: TestService, search: Record<string, string>): Promise<History> {
  const { secret: key } = await service.createKey({ credits: 0 })
  const response = await service.request(`/dependencies/history?${new URLSearchParams(search)}`, { key })
  expect(response.status).toBe(200)
  expect(response.headers.get('X-Credits-Cost')).toBe('0')
  return v.parse(historySchema, response.json())
}

/** The history of a dependency is what the records say, in each month. Returns its months. */
export async function expectHistory(
  service: TestService,
  loaded: Loaded,
  name: string,
  file?: string,
): Promise<History['data']> {
  const search = { dependency_name: name, ...(file !== undefined && { dependency_file: file }) }
  const { data, unknown } = await readHistory(service, search)
  const expected = computeHistory(loaded, name, file)
  const [first] = expected.months
  expect([search, data[0]?.month]).toEqual([search, first])
  if (first !== undefined) expect(data.at(-1)?.month).toBe(new Date().toISOString().slice(0, 7))
  expect([search, data]).toEqual([search, data.map(({ month }) => expected.of(month))])
  expect([search, unknown]).toEqual([search, expected.unknown])
  const months = new Set(data.map(({ month }) => month))
  expect(expected.months.filter((month) => !months.has(month))).toEqual([])
  return data
}

/** What the filters find in the month at a place of a history is what the history has. */
export async function expectTotals(
  service: TestService,
  key: string,
  { query, data, place }: { query: Record<string, string>; data: History['data']; place: number },
): Promise<void> {
  const [item, next] = [data[place], data[place + 1]]
  if (item === undefined || next === undefined) throw new Error('the history has no month after this one')
  const [since, until] = [`${item.month}-01`, `${next.month}-01`]
  for (const [path, list] of [
    ['/users', 'users'],
    ['/repos', 'repositories'],
  ] as const) {
    const total = async (times: Record<string, string>) => {
      const asked = `${path}?${new URLSearchParams({ ...query, ...times })}`
      const { headers } = await service.request(asked, { key, method: 'HEAD' })
      return Number(headers.get('X-Total-Count'))
    }
    const started = await total({ first_use_until: until })
    const stopped = await total({ first_use_until: until, last_use_until: until })
    expect([query, item.month, item[list]]).toEqual([
      query,
      item.month,
      {
        started: await total({ first_use_since: since, first_use_until: until }),
        stopped: await total({ last_use_since: since, last_use_until: until }),
        active: started - stopped,
      },
    ])
  }
}

/** The month of a moment, such as `2026-03`. */
const monthOf = (seconds: number) => new Date(seconds * 1_000).toISOString().slice(0, 7)

/** What the history must be, from the records alone. */
function computeHistory({ users, repositories, commits }: Loaded, name: string, file?: string) {
  const isWanted = ({ dependency: { dependency } }: DatedUse) =>
    dependency.dependency_name.toLowerCase() === name &&
    (file === undefined || dependency.dependency_file === file)
  const items = {
    repositories: repositories.map(({ dependencies }) => dependencies.map(dateOwnUse).filter(isWanted)),
    users: Array.from(findDatedUses({ users, repositories, commits }).values(), (uses) =>
      uses.filter(isWanted),
    ),
  }
  const dates = (list: keyof typeof items) =>
    items[list]
      .filter((uses) => uses.length > 0)
      .map((uses) => ({
        first: findFirstUse(uses),
        last: findLastUse(uses),
        isActive: uses.some(({ dependency }) => dependency.status === 'active'),
      }))
  const all = { repositories: dates('repositories'), users: dates('users') }
  const months = new Set(
    Object.values(all).flatMap((list) =>
      list.flatMap(({ first, last }) => [first, last].filter((date) => date !== null).map(monthOf)),
    ),
  )
  const count = (list: typeof all.users, month: string) => ({
    started: list.filter(({ first }) => first !== null && monthOf(first) === month).length,
    stopped: list.filter(({ last }) => last !== null && monthOf(last) === month).length,
    active: list.filter(
      ({ first, last }) =>
        first !== null && monthOf(first) <= month && !(last !== null && monthOf(last) <= month),
    ).length,
  })
  const countUnknown = (list: typeof all.users) =>
    list.filter(({ first, last, isActive }) => first === null || (last === null && !isActive)).length
  return {
    months: [...months].sort(),
    of: (month: string) => ({
      ...{ month, repositories: count(all.repositories, month), users: count(all.users, month) },
    }),
    unknown: { repositories: countUnknown(all.repositories), users: countUnknown(all.users) },
  }
}
