/** How the filters of lists are written in a query. */
import { flags, repeated } from './filter-types.ts'

/** Returns a member's name as the service has it. */
export const toSnakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/**
 * Writes the path of a list with a filter. Throws a `TypeError` if a value is empty, because the service would refuse
 * it. It also throws for values that are neither texts nor numbers: "null" would be searched for.
 */
export function writeListUrl(path: string, filter: object): string {
  const query = new URLSearchParams()
  if (typeof filter !== 'object' || filter === null) throw new TypeError('a filter must be an object')
  for (const [member, given] of Object.entries(filter as Record<string, unknown>)) {
    if (given === undefined) continue
    const name = toSnakeCase(member)
    const isRepeated = repeated.includes(name)
    const values = (Array.isArray(given) ? [...given] : [given]).map((value) =>
      writeValue(member, value, flags.includes(name)),
    )
    if (values.length === 0 || values.some((value) => value.trim() === '')) {
      throw new TypeError(`${member} is empty; leave it out to list everything`)
    }
    if (!isRepeated && values.some((value) => value.includes(','))) {
      throw new TypeError(`${member} must not contain commas; several values are an array`)
    }
    // A space at the end would be a plus sign, which the service refuses in what it compares whole.
    for (const value of isRepeated ? values : [values.map((each) => each.trim()).join(',')]) {
      query.append(name, value)
    }
  }
  return query.size === 0 ? path : `${path}?${query}`
}

function writeValue(member: string, value: unknown, isFlag: boolean): string {
  if (typeof value === 'string') return value
  if ((typeof value === 'boolean' && isFlag) || Number.isSafeInteger(value)) return String(value)
  const type = isFlag ? 'true or false' : 'a text or a whole number, or an array of them'
  throw new TypeError(`${member} must be ${type}, but has ${value}`)
}

/** Items that a look-up may name. */
const maxBatchSize = 100
/** A small budget needs pages, which the service lacks if the whole URL has more than 4,000 characters. */
const maxUrlLength = 3_500

/** Writes the paths of batch look-ups, each of a hundred names or ids at most, and each name once. */
export function writeBatchUrls(
  path: string,
  nameParameter: string,
  keys: readonly string[] | readonly number[],
): string[] {
  if (!Array.isArray(keys)) throw new TypeError('names or ids to look up must be an array')
  const names = [...new Map(keys.map((key) => [String(key).toLowerCase(), key])).values()]
  if (new Set(names.map((name) => typeof name)).size > 1) {
    throw new TypeError('names and ids must be looked up separately')
  }
  const parameter = typeof names[0] === 'number' ? 'forgeRestIds' : nameParameter
  const urls: string[] = []
  const add = (batch: typeof names) => {
    const url = writeListUrl(path, { [parameter]: batch })
    const middle = batch.length >> 1
    if (url.length <= maxUrlLength || middle === 0) urls.push(url)
    else for (const half of [batch.slice(0, middle), batch.slice(middle)]) add(half)
  }
  for (let start = 0; start < names.length; start += maxBatchSize) {
    add(names.slice(start, start + maxBatchSize))
  }
  return urls
}
