/**
 * The names of all dependencies that are used, in memory, the most used ones first. A search by a letter or two finds
 * its names at the beginning, where the database would read, group and sort a good part of all of them.
 *
 * A name takes its bytes and 16 more: 1,000,000 names of 20 bytes take 36 MB.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Sql, SqlOrTransaction } from '../database/connect.ts'
import { copyRows, readInteger } from '../database/copy.ts'
import { countStatement } from '../database/statement-count.ts'
import type { DependencyKey } from '../names/dependency-names.ts'

/** A larger list isn't kept: the database is searched instead. */
const maxBytes = 64 * 2 ** 20
/** Names that are looked through together: if a text isn't in their bytes, it is in none of them. */
const namesPerPiece = 256
/** Names between two turns of the event loop: less than a millisecond. */
const namesPerTurn = 32 * namesPerPiece

/** Which names to find. */
export interface NameSearch {
  keys: readonly DependencyKey[]
  /** Whether names begin with a key, or contain it. */
  match: 'prefix' | 'contains'
  /** Only those that are declared in any of these files. Empty: any file. */
  files: readonly string[]
  /** Number of the most used names that are wanted. */
  limit: number
  /** Maximum number of names to return that may be among these. */
  maxCandidates: number
}

/** A name that may be among the most used ones. */
export interface NameCandidate {
  name_key: string
  file: string
}

/** The names of one edition of the dataset. */
export interface NameList {
  edition: string
  /** Finds the candidates, in the way of `selectMostUsed`. It lets others run in between. */
  search(search: NameSearch): Promise<NameCandidate[]>
}

/** A list that isn't kept. */
export interface NoNameList {
  edition: string
  search: 'too_large'
}

/** Reads the list, in one statement that sees one state. */
async function readNameList(sql: SqlOrTransaction): Promise<NameList | NoNameList> {
  const names: Names = { bytes: Buffer.alloc(4_096), size: 0, count: 0, numbers: new Uint32Array(4_096) }
  const files = new Map<string, number>()
  let edition = ''
  let isTooLarge = false
  // The first row has the edition. A dependency has at most as many users as its sets together, and at least as many as
  // the largest of them.
  for await (const [key = Buffer.of(), file, most, fewest] of copyRows(
    sql,
    `select '' as name_key, edition::text as file, ${Number.MAX_SAFE_INTEGER} as most_users, 0 as fewest_users,
        0 as most_repositories
      from dataset
    union all
    select name_key, file, sum(users_count), max(users_count), sum(repositories_count) from dependencies
      where name <> '' and users_count + repositories_count > 0
      group by name_key, file
    order by most_users desc, most_repositories desc, name_key, file`,
  )) {
    if (edition === '') {
      edition = String(file)
      continue
    }
    isTooLarge ||= names.size + key.length + (names.count + 1) * numbersPerName * 4 > maxBytes
    if (isTooLarge) continue
    const fileName = String(file)
    if (!files.has(fileName)) files.set(fileName, files.size)
    if (names.count % namesPerTurn === 0) await nextTurn()
    addName(names, key, [files.get(fileName) ?? 0, readInteger(most), readInteger(fewest)])
  }
  if (isTooLarge) return { edition, search: 'too_large' }
  const kept = {
    ...names,
    bytes: Buffer.from(names.bytes.subarray(0, names.size)),
    numbers: names.numbers.slice(0, names.count * numbersPerName),
  }
  return { edition, search: (search) => searchNames(kept, files, search) }
}

/** All names, one after the other, and the numbers of each: the end of its bytes, file, most users, fewest users. */
interface Names {
  bytes: Buffer
  size: number
  count: number
  numbers: Uint32Array<ArrayBuffer>
}

const numbersPerName = 4

function addName(names: Names, key: Buffer, numbers: readonly number[]): void {
  while (names.size + key.length > names.bytes.length) {
    names.bytes = Buffer.concat([names.bytes], 2 * names.bytes.length)
  }
  const start = names.count * numbersPerName
  if (start === names.numbers.length) {
    const larger = new Uint32Array(2 * start)
    larger.set(names.numbers)
    names.numbers = larger
  }
  key.copy(names.bytes, names.size)
  names.size += key.length
  names.numbers.set([names.size, ...numbers], start)
  names.count++
}

/** A key as bytes, and how to tell which names it is for. */
interface SearchKey {
  prefix: Buffer
  name: Buffer
}

/**
 * Finds candidates as the statement of `discovery.ts` does: those that may have as many users as the last one that is
 * wanted, by fewest users, then in the order of the list. As soon as no later name can be one, the search ends.
 */
async function searchNames(
  { bytes, count, numbers }: Names,
  files: ReadonlyMap<string, number>,
  { keys, match, files: wanted, limit, maxCandidates }: NameSearch,
): Promise<NameCandidate[]> {
  const searchKeys = keys.map(({ prefix, name }) => ({
    prefix: Buffer.from(prefix),
    name: Buffer.from(name),
  }))
  const wantedFiles = new Set(wanted.map((file) => files.get(file)))
  const found: { start: number; end: number; file: number; most: number; fewest: number }[] = []
  const readFewest = (place: number) => found[place - 1]?.fewest ?? -1
  const readNumber = (index: number, place: number) => numbers[index * numbersPerName + place] ?? 0
  const readEnd = (index: number) => (index < 0 ? 0 : readNumber(index, 0))

  function note(index: number): void {
    const [start, end, file] = [readEnd(index - 1), readEnd(index), readNumber(index, 1)]
    const [most, fewest] = [readNumber(index, 2), readNumber(index, 3)]
    if (fewest <= readFewest(maxCandidates)) return
    if (wantedFiles.size > 0 && !wantedFiles.has(file)) return
    if (!hasKey(bytes, start, end, searchKeys, match)) return
    const place = found.findIndex((other) => other.fewest < fewest)
    found.splice(place < 0 ? found.length : place, 0, { start, end, file, most, fewest })
    found.length = Math.min(found.length, maxCandidates)
  }

  for (let first = 0; first < count; first += namesPerPiece) {
    if (first % namesPerTurn === 0) await nextTurn()
    const most = readNumber(first, 2)
    if (most < readFewest(limit) || most <= readFewest(maxCandidates)) break
    const after = Math.min(first + namesPerPiece, count)
    const piece = bytes.subarray(readEnd(first - 1), readEnd(after - 1))
    if (!searchKeys.some(({ name }) => piece.includes(name))) continue
    for (let index = first; index < after; index++) note(index)
  }
  const fileNames = [...files.keys()]
  return found
    .filter(({ most }) => most >= readFewest(limit))
    .map(({ start, end, file }) => ({
      name_key: bytes.toString('utf8', start, end),
      file: fileNames[file] ?? '',
    }))
}

/** Whether the name between two places is of a key's ecosystem, and begins with the key's name or contains it. */
function hasKey(
  bytes: Buffer,
  start: number,
  end: number,
  keys: readonly SearchKey[],
  match: NameSearch['match'],
): boolean {
  const first = bytes[start] ?? 0
  const hasPrefix = first >= 0x61 && first <= 0x7a // no folded name begins with a lowercase letter, as prefixes do
  for (const { prefix, name } of keys) {
    const isOfEcosystem = prefix.length === 0 ? !hasPrefix : hasPrefix && isAt(bytes, start, end, prefix)
    if (!isOfEcosystem) continue
    const from = start + prefix.length
    const last = match === 'prefix' ? from : end - name.length
    for (let place = from; place <= last; place++) if (isAt(bytes, place, end, name)) return true
  }
  return false
}

function isAt(bytes: Buffer, place: number, end: number, text: Buffer): boolean {
  if (place + text.length > end) return false
  for (let index = 0; index < text.length; index++) if (bytes[place + index] !== text[index]) return false
  return true
}

/** The names of an instance. */
export interface NameFinder {
  /** Finds candidates in the list of an edition, which may be outdated. Undefined: there is no list. */
  find(search: NameSearch): Promise<{ edition: string; candidates: NameCandidate[] } | undefined>
  /**
   * Says which edition the dataset has. If the list is of another one, it is read again. Searches ask the database
   * until then, because reading takes longer than a search.
   */
  noteEdition(edition: string): void
}

/** The database may take longer than a statement may take. */
const retryIntervalMs = 60_000

/** Creates the finder of an instance. It reads nothing before the first edition is noted. */
export function createNameFinder(sql: Sql): NameFinder {
  let list: NameList | NoNameList | undefined
  let isReading = false
  let retryAtMs = 0
  async function read(): Promise<void> {
    isReading = true
    try {
      list = await countStatement(sql, () => readNameList(sql))
    } catch {
      retryAtMs = performance.now() + retryIntervalMs
    } finally {
      isReading = false
    }
  }
  return {
    async find(search) {
      if (list === undefined || list.search === 'too_large') return undefined
      return { edition: list.edition, candidates: await list.search(search) }
    },
    noteEdition(edition) {
      if (list?.edition === edition || isReading) return
      list = undefined
      if (performance.now() >= retryAtMs) void read()
    },
  }
}
