/** The orders of `/users` and `/repos` beside that of internal ids: highest value first, then by id. */
import type { AttributeName, ListName } from './filters.ts'

/** The declaration of an order. */
export interface SortRow {
  list: ListName
  /** The attribute whose terms are in this order. */
  attribute: AttributeName
  /** The attribute of all other items of the list: their value is 0 or null. 0.1.0 doesn't have it. */
  rest: string
}

/** The orders, by what `sort` calls them. */
export const sortOrders = {
  followers: { list: 'users', attribute: 'followers', rest: 'without_followers' },
  stars: { list: 'repositories', attribute: 'stars', rest: 'without_stars' },
  /** The terms are days. */
  pushed: { list: 'repositories', attribute: 'pushed_day', rest: 'without_push' },
} as const satisfies Record<string, SortRow>

export type Sort = keyof typeof sortOrders

/** Lists the orders of a list. */
export function listSorts(list: ListName): Sort[] {
  return (Object.keys(sortOrders) as Sort[]).filter((name) => sortOrders[name].list === list)
}

/** The value of what an order is by; null: unknown. */
export type SortValue = number | null

/** The place of an item in an order, whether or not the item is still there. */
export interface SortPlace {
  value: SortValue
  id: number
}

/** Compares values: the highest first, unknown ones last. */
export function compareValues(a: SortValue, b: SortValue): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  return b - a
}

export function comparePlaces(a: SortPlace, b: SortPlace): number {
  return compareValues(a.value, b.value) || a.id - b.id
}

/** Writes a place as `after` has it, such as `1500.123`. */
export function writePlace({ value, id }: SortPlace): string {
  return `${value ?? ''}.${id}`
}

/** Reads a place. Undefined: it isn't one. */
export function readPlace(text: string): SortPlace | undefined {
  const [, value, id] = /^(0|-?[1-9]\d*)?\.([1-9]\d*)$/.exec(text) ?? []
  const place = { value: value === undefined ? null : Number(value), id: Number(id) }
  return Number.isSafeInteger(place.value ?? 0) && place.id < 2 ** 31 ? place : undefined
}
