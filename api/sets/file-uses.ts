/**
 * When items used what some files declare. These may be all names of the dataset, of which most are rare, so the chunks are read in
 * their order, each of them once for all its terms.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { SqlOrTransaction } from '../database/connect.ts'
import { copyRows, readInteger } from '../database/copy.ts'
import { type DatedTerm, type ItemUse, joinUses, readDatedItems, statusBits } from './dated-items.ts'
import { decodeChunk, Uses } from './use-chunks.ts'

/** How the uses of names with several terms are read. */
interface ReadLimits {
  /** Uses that the terms of a rare name have together, at most. */
  maxRareUses: number
  /** Uses of rare names that are in memory at a time. If there are more, the chunks are read again for each part of them. */
  maxPendingUses: number
}

const defaultLimits: ReadLimits = { maxRareUses: 1_000, maxPendingUses: 1_000_000 } // about 40 MB
/** Rows or uses between two turns of the event loop. */
const usesPerTurn = 10_000
/** Frequent names that one statement reads. */
const namesPerStatement = 1_000

type List = 'users' | 'repositories'

/** The terms of files, ascending by id, in columns. */
interface FileTerms {
  ids: number[]
  statuses: number[]
  /** The place of the first term of the same name. */
  names: number[]
  /** When to read the uses of the name: in one of the passes, from 0 on, or one of those below. */
  passes: number[]
  passCount: number
  /** The terms of each frequent name that has several. */
  frequent: DatedTerm[][]
}

/** The name has no other term: its uses need not be in memory. */
const alone = -1
/** The name is one of `frequent`. */
const apart = -2

/**
 * Calls `onUse` for each item of each name that files declare, if the dataset has the edition. Returns false if it doesn't. A name is
 * spelled by the rules of the file's ecosystem.
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
  { maxRareUses, maxPendingUses }: ReadLimits,
): Promise<FileTerms | 'outdated'> {
  const terms: FileTerms = { ids: [], statuses: [], names: [], passes: [], passCount: 1, frequent: [] }
  const places = new Map<number, number>() // of the first term of each name that has several
  const frequent = new Map<number, DatedTerm[]>()
  let isCurrent = true
  let pending = 0
  const rows = copyRows(
    sql,
    `select d.edition = '${edition}', id, status, first, terms, uses
    from dataset d left join lateral (
      select id, status, min(id) over names as first, count(*) over names as terms, sum(${list}_count) over names as uses
      from dependencies where ${where} window names as (partition by name_key) order by id offset 0
    ) t on d.edition = '${edition}'`,
  )
  for await (const [current, id, status, first, count, sum] of rows) {
    if (readInteger(current) === 0) isCurrent = false
    if (id === undefined || id.length === 0) continue // no term
    const place = terms.ids.push(readInteger(id)) - 1
    if (place % usesPerTurn === 0) await nextTurn()
    const term: DatedTerm = { termId: readInteger(id), status: readStatus(String(status)) }
    terms.statuses.push(statusBits[term.status ?? 'unknown'])
    const name = readInteger(first)
    const uses = readInteger(sum)
    const isAlone = readInteger(count) === 1
    if (!isAlone && uses > maxRareUses) {
      const group = frequent.get(name) ?? []
      group.push(term)
      frequent.set(name, group)
    } else if (!isAlone && !places.has(name)) {
      places.set(name, place)
      pending += uses
    }
    terms.names.push(places.get(name) ?? place)
    // The terms of a name are of the same pass.
    const ownPass = terms.passes[places.get(name) ?? -1] ?? Math.floor(pending / maxPendingUses)
    terms.passes.push(isAlone ? alone : uses > maxRareUses ? apart : ownPass)
  }
  return isCurrent
    ? { ...terms, passCount: Math.floor(pending / maxPendingUses) + 1, frequent: [...frequent.values()] }
    : 'outdated'
}

function readStatus(status: string): DatedTerm['status'] {
  return status === 'active' || status === 'removed' ? status : null
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
