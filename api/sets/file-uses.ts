/**
 * When items used what some files declare. These may be all names of the dataset, of which most are rare, so the chunks
 * are read in their order, each of them once for all its terms.
 */
import { randomInt } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { SqlOrTransaction } from '../database/connect.ts'
import { copyRows, readInteger } from '../database/copy.ts'
import { type DatedTerm, type ItemUse, joinUses, readDatedItems, statusBits } from './dated-items.ts'
import { decodeChunk, Uses } from './use-chunks.ts'

/** How the uses of names with several terms are read. */
interface ReadLimits {
  /** Uses that the terms of a rare name have together, at most. */
  maxRareUses: number
  /**
   * Uses of rare names that are in memory at a time. If there are more, the chunks are read again for each part of
   * them.
   */
  maxPendingUses: number
}

const defaultLimits: ReadLimits = { maxRareUses: 1_000, maxPendingUses: 1_000_000 } // about 40 MB
/** Rows or uses between two turns of the event loop. */
const usesPerTurn = 10_000
/** Frequent names that one statement reads. */
const namesPerStatement = 1_000
/** Ids of terms that one row has, at most. */
const idsPerRow = 2 ** 16

type List = 'users' | 'repositories'

/** The terms of files, ascending by id, in columns. */
interface FileTerms {
  ids: Uint32Array
  /** A bit of `statusBits`. */
  statuses: Uint32Array
  /** The place of the first term of the same name. */
  names: Uint32Array
  /** When to read the uses of the name: in one of the passes, from 0 on, or one of those below. */
  passes: Int32Array
  passCount: number
  /** The terms of each frequent name that has several. */
  frequent: DatedTerm[][]
}

/** The name has no other term: its uses need not be in memory. */
const alone = -1
/** The name is one of `frequent`. */
const apart = -2

/**
 * Calls `onUse` for each item of each name that files declare, if the dataset has the edition. Returns false if it
 * doesn't. A name is spelled by the rules of the file's ecosystem.
 */
export async function readFileUses(
  sql: SqlOrTransaction,
  list: List,
  files: readonly string[],
  edition: string,
  onUse: (use: ItemUse) => void,
  limits = defaultLimits,
): Promise<boolean> {
  const where = `name <> '' and ${list}_count > 0 and file in (${files.map(writeText).join()})`
  const terms = await readTerms(sql, list, where, edition, limits)
  if (terms === 'outdated') return false
  if (terms.ids.length === 0) return true
  for (let pass = 0; pass < terms.passCount; pass++) {
    if (!(await readPass(sql, list, where, edition, { terms, pass, onUse }))) return false
  }
  for (let first = 0; first < terms.frequent.length; first += namesPerStatement) {
    const groups = terms.frequent.slice(first, first + namesPerStatement)
    if (!(await readDatedItems(sql, list, groups, edition, onUse))) return false
  }
  return true
}

/** SQL without parameters: a text. */
function writeText(text: string): string {
  return `convert_from(decode('${Buffer.from(text).toString('hex')}', 'hex'), 'UTF8')`
}

async function readTerms(
  sql: SqlOrTransaction,
  list: List,
  where: string,
  edition: string,
  limits: ReadLimits,
): Promise<FileTerms | 'outdated'> {
  const columns: Uint32Array[][] = [[], [], [], []]
  let isCurrent = true
  for await (const [current, ...arrays] of copyTerms(sql, list, where, edition)) {
    if (readInteger(current) === 0) isCurrent = false
    for (const [column, array] of arrays.entries()) columns[column]?.push(readWords(array))
    await nextTurn()
  }
  if (!isCurrent) return 'outdated'
  const [ids = none, statuses = none, uses = none, hashes = none] = columns.map(join)
  const names = await findNames(hashes)
  return { ids, statuses, names, ...planPasses({ ids, statuses, uses, names }, limits) }
}

const none = new Uint32Array()

/**
 * Copies the terms, many in a row, by id: whether the dataset has the edition, and arrays of ids, of bits of statuses,
 * of numbers of uses, and of hashes of names. Names are told apart by their hashes alone, which have 64 bits and are
 * others each time.
 */
function copyTerms(
  sql: SqlOrTransaction,
  list: List,
  where: string,
  edition: string,
): AsyncGenerator<Buffer[], void> {
  const { active, removed, unknown } = statusBits
  return copyRows(
    sql,
    `select d.edition = '${edition}', ids, statuses, uses, hashes
    from dataset d left join lateral (
      select ids, statuses, uses, hashes
      from generate_series(0, (select max(id) from dependencies) / ${idsPerRow}) as part, lateral (
        select array_agg(id) as ids, array_agg(${list}_count) as uses,
          array_agg(case status when 'active' then ${active} when 'removed' then ${removed} else ${unknown} end) as statuses,
          array_agg(hashtextextended(name_key, ${randomInt(2 ** 47)})) as hashes
        from (
          select id, status, ${list}_count, name_key from dependencies
          where id between part * ${idsPerRow} and part * ${idsPerRow} + ${idsPerRow - 1} and ${where} order by id
        ) t
      ) p
      where ids is not null order by part offset 0
    ) t on d.edition = '${edition}'`,
  )
}

/** Reads an array of integers without nulls in PostgreSQL's binary format: one of 64 bits has two words. */
function readWords(array: Buffer): Uint32Array {
  if (array.length === 0) return none
  const headerBytes = 20 // of an array with one dimension
  const size = array.readInt32BE(headerBytes) // before each element
  const words = new Uint32Array(((array.length - headerBytes) / (size + 4)) * (size / 4))
  let at = headerBytes
  for (let word = 0; word < words.length; ) {
    at += 4
    for (const end = at + size; at < end; at += 4) words[word++] = array.readUInt32BE(at)
  }
  return words
}

function join(parts: readonly Uint32Array[]): Uint32Array {
  const all = new Uint32Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

/** Finds the place of the first term with the same hash, for each of them. */
async function findNames(hashes: Uint32Array): Promise<Uint32Array> {
  const names = new Uint32Array(hashes.length / 2)
  // The places of first terms, from 1 on, each at its hash or behind it. At most half of the slots are taken.
  const slots = new Uint32Array(2 ** Math.ceil(Math.log2(hashes.length + 1)))
  for (let place = 0; place < names.length; place++) {
    if (place % usesPerTurn === 0) await nextTurn()
    const isOther = (first: number) =>
      hashes[2 * first] !== hashes[2 * place] || hashes[2 * first + 1] !== hashes[2 * place + 1]
    let slot = (hashes[2 * place] ?? 0) % slots.length
    while (slots[slot] !== 0 && isOther((slots[slot] ?? 0) - 1)) slot = (slot + 1) % slots.length
    if (slots[slot] === 0) slots[slot] = place + 1
    names[place] = (slots[slot] ?? 0) - 1
  }
  return names
}

/** Decides when to read the uses of each term. The terms of a name are of the same pass. */
function planPasses(
  { ids, statuses, uses, names }: Pick<FileTerms, 'ids' | 'statuses' | 'names'> & { uses: Uint32Array },
  { maxRareUses, maxPendingUses }: ReadLimits,
): Pick<FileTerms, 'passes' | 'passCount' | 'frequent'> {
  const counts = new Uint32Array(names.length)
  const sums = new Float64Array(names.length)
  for (const [place, name] of names.entries()) {
    counts[name] = (counts[name] ?? 0) + 1
    sums[name] = (sums[name] ?? 0) + (uses[place] ?? 0)
  }
  const passes = new Int32Array(names.length)
  const frequent = new Map<number, DatedTerm[]>()
  let pending = 0
  for (const [place, name] of names.entries()) {
    const sum = sums[name] ?? 0
    if (counts[name] === 1) passes[place] = alone
    else if (sum > maxRareUses) {
      passes[place] = apart
      const group = frequent.get(name) ?? []
      group.push({ termId: ids[place] ?? 0, status: readStatus(statuses[place]) })
      frequent.set(name, group)
    } else if (name < place) passes[place] = passes[name] ?? 0
    else {
      pending += sum
      passes[place] = Math.floor(pending / maxPendingUses)
    }
  }
  return { passes, passCount: Math.floor(pending / maxPendingUses) + 1, frequent: [...frequent.values()] }
}

function readStatus(bit: number | undefined): DatedTerm['status'] {
  return bit === statusBits.active ? 'active' : bit === statusBits.removed ? 'removed' : null
}

/** Reads the chunks, and passes on the uses of one pass. The first one has those of names with one term, too. */
async function readPass(
  sql: SqlOrTransaction,
  list: List,
  where: string,
  edition: string,
  { terms, pass, onUse }: { terms: FileTerms; pass: number; onUse: (use: ItemUse) => void },
): Promise<boolean> {
  const pending = new PendingNames(terms)
  let isCurrent = true
  let at = 0
  let unturned = 0
  for await (const [current, bytes] of copyChunks(sql, list, where, edition)) {
    if (readInteger(current) === 0) isCurrent = false
    if (bytes === undefined || bytes.length === 0) continue // no chunk
    const uses = new Uses(256)
    decodeChunk(bytes, uses)
    for (let place = 0; place < uses.length; place++) {
      const termId = uses.termAt(place)
      while ((terms.ids[at] ?? Number.POSITIVE_INFINITY) < termId) at++
      if (terms.ids[at] !== termId) continue
      if (terms.passes[at] === pass) pending.add(at, uses, place)
      else if (pass === 0 && terms.passes[at] === alone) onUse(readUse(uses, place, terms.statuses[at]))
    }
    unturned += uses.length
    if (unturned < usesPerTurn) continue
    await nextTurn()
    unturned = 0
  }
  await pending.flush(onUse)
  return isCurrent
}

/** Copies the chunks that have any of the terms, in their order: whether the dataset has the edition, and the chunk. */
function copyChunks(
  sql: SqlOrTransaction,
  list: List,
  where: string,
  edition: string,
): AsyncGenerator<Buffer[], void> {
  return copyRows(
    sql,
    `select d.edition = '${edition}', (
        select bytes from use_dates u where u.list = '${list}' and u.term_id = c.term_id and u.item_id = c.item_id
      )
    from dataset d left join lateral (
      select term_id, item_id
      from (
        select term_id, item_id, lead(term_id) over (order by term_id, item_id) as next from use_dates where list = '${list}'
      ) keys
      where exists (
        select from dependencies where id >= term_id and id <= coalesce(next, ${2 ** 31 - 1}) and ${where} offset 0
      )
      order by term_id, item_id offset 0
    ) c on d.edition = '${edition}'`,
  )
}

function readUse(uses: Uses, place: number, statuses = 0): ItemUse {
  return {
    id: uses.itemAt(place),
    begin: uses.beginAt(place) ?? Number.NaN,
    end: uses.endAt(place),
    statuses,
  }
}

/** The uses of rare names, until all terms were read. */
class PendingNames {
  #terms: FileTerms
  /** Each with the place of its term. */
  #uses = new Uses()
  /** The use of the same name that was added before it, from 1 on. */
  #previous: number[] = []
  /** The last use of each name, from 1 on. */
  #last: Uint32Array

  constructor(terms: FileTerms) {
    this.#terms = terms
    this.#last = new Uint32Array(terms.ids.length)
  }

  add(at: number, uses: Uses, place: number): void {
    const name = this.#terms.names[at] ?? 0
    this.#uses.add(at, uses.itemAt(place), uses.beginAt(place), uses.endAt(place))
    this.#previous.push(this.#last[name] ?? 0)
    this.#last[name] = this.#uses.length
  }

  async flush(onUse: (use: ItemUse) => void): Promise<void> {
    let unturned = 0
    for (const last of this.#last) {
      if (last === 0) continue
      const uses: ItemUse[] = []
      for (let number = last; number > 0; number = this.#previous[number - 1] ?? 0) {
        uses.push(readUse(this.#uses, number - 1, this.#terms.statuses[this.#uses.termAt(number - 1)]))
      }
      uses.sort((one, other) => one.id - other.id)
      for (const [place, use] of uses.entries()) {
        const next = uses[place + 1]
        if (next?.id === use.id) uses[place + 1] = joinUses(use, next)
        else onUse(use)
      }
      unturned += uses.length + 1
      if (unturned < usesPerTurn) continue
      await nextTurn()
      unturned = 0
    }
  }
}
