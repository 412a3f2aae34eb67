/**
 * What `GET /counts` must return of items, counted by plain loops straight from decisions/0003-lists.md. It shares no
 * code with the service, so that the two can be held against each other.
 */
import * as v from 'valibot'
import { expect } from 'vitest'
import type { SampleRepository, SampleUser } from '../../sample/records.ts'
import { countryOf } from './attribute-oracle.ts'
import { fold } from './fold.ts'
import type { Oracle } from './sample-oracle.ts'
import { isBot } from './uses.ts'

/** What the items of each list can be counted by. */
export const divisions = {
  users: ['country', 'type', 'dependency'],
  repos: ['language', 'license', 'fork', 'archived', 'dependency'],
} as const
export type By = (typeof divisions)[keyof typeof divisions][number]

export type Item = SampleUser | SampleRepository

const countsSchema = v.strictObject({
  data: v.array(v.strictObject({ value: v.string(), count: v.number() })),
  total: v.number(),
  others: v.nullable(v.number()),
  none: v.number(),
  meta: v.strictObject({ request_id: v.string(), timestamp: v.number(), execution_time: v.number() }),
})

/** Reads the body of a response. */
export function readCounts(body: unknown) {
  return v.parse(countsSchema, body)
}

/** The value that an item is counted by. */
function findValue(item: Item, by: Exclude<By, 'dependency'>): string | null {
  if ('login' in item) {
    if (by === 'type') return isBot(item) ? 'Bot' : item.type
    return by === 'country' ? countryOf(item) : null
  }
  if (by === 'fork' || by === 'archived') return item[by] === null ? null : String(item[by])
  return by === 'language' || by === 'license' ? item[by] : null
}

function countEach(texts: Iterable<string | null>): Map<string, number> {
  const counts = new Map<string, number>()
  for (const text of texts) {
    const key = fold((text ?? '').trim())
    if (key !== '') counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return counts
}

/** Expects the counts of these items, which are all that a filter matches. `asked` are the names of dependencies that it has. */
export function expectCounts(
  body: unknown,
  {
    items,
    by,
    oracle,
    asked = [],
  }: { items: readonly Item[]; by: By; oracle: Oracle; asked?: readonly string[] },
): void {
  const { data, total, others, none } = readCounts(body)
  expect(total).toBe(items.length)
  const ranks = data.toSorted((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
  expect(data).toEqual(ranks)
  const values = data.map(({ value }) => fold(value))
  expect(new Set(values).size).toBe(values.length)

  const namesOf = (item: Item) => oracle.usedNames.get(item) ?? new Set<string>()
  const valuesOf = (item: Item) => (by === 'dependency' ? namesOf(item) : [findValue(item, by)])
  const counts = countEach(items.flatMap((item) => [...valuesOf(item)]))
  for (const { value, count } of data) expect([value, count]).toEqual([value, counts.get(fold(value))])
  if (by === 'dependency') {
    expect(none).toBe(items.filter((item) => namesOf(item).size === 0).length)
    expect(others).toBeNull()
    const isUser = items[0] !== undefined && 'login' in items[0]
    const eligible = isUser ? oracle.commonNames.users : oracle.commonNames.repositories
    for (const name of values)
      expect([name, eligible.all.has(name), asked.map(fold).includes(name)]).toEqual([name, true, false])
    const expected = [...counts].filter(
      ([name]) => eligible.surely.has(name) && !asked.map(fold).includes(name),
    )
    const least = data.length < 20 ? 0 : (data.at(-1)?.count ?? 0)
    expect(expected.filter(([name, count]) => count > least && !values.includes(name))).toEqual([])
    return
  }
  const frequent = [...counts.values()].sort((a, b) => b - a)
  const sum = (numbers: readonly number[]) => numbers.reduce((all, number) => all + number, 0)
  expect(data.map(({ count }) => count)).toEqual(frequent.slice(0, 20))
  expect([others, none]).toEqual([sum(frequent.slice(20)), items.length - sum(frequent)])
}
