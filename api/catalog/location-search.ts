/**
 * Search for locations that contain a text. The trigrams of the locations' texts are terms: any three characters in a row. The
 * locations of a trigram are a set, so a search reads the sets of the text's trigrams, and not the texts of all locations.
 *
 * @module
 */
import { createHash } from 'node:crypto'
import type { SqlOrTransaction } from '../database/connect.ts'
import { copyRows, readInteger } from '../database/copy.ts'
import { Bitmap } from './id-set.ts'
import { partColumns, readPart } from './stored-sets.ts'

/** Locations that may contain a text. */
export interface LocationCandidates {
  ids: number[]
  /** Of the dataset that they were found in. */
  edition: string
}

/** More candidates than this share of all locations take longer to look up than all locations to read … */
const maxShare = 0.1
/** … unless they are few. */
const fewCandidates = 1_000
/** The ids are a parameter of a statement. */
const maxCandidates = 200_000

/**
 * Finds the locations that have all trigrams of one of the folded texts: those that contain it are among them. Undefined: any
 * location may contain one, because a text is shorter than a trigram or too many locations have its trigrams.
 */
export async function findCandidates(
  sql: SqlOrTransaction,
  texts: readonly string[],
): Promise<LocationCandidates | undefined> {
  const termsOf = texts.map(listTrigramTerms)
  if (termsOf.some((terms) => terms.length === 0)) return undefined
  const sets = new Map(termsOf.flat().map((term) => [term, new Bitmap()]))
  const rows = copyRows(
    sql,
    `select ${partColumns}, term_id, edition::text, (select reltuples::bigint from pg_class where oid = 'locations'::regclass)
    from dataset left join sets on list = 'locations' and term_id = any('{${[...sets.keys()].join()}}')`,
  )
  let edition = ''
  let locations = 0
  for await (const row of rows) {
    const [width, , , , term] = row
    edition = String(row[5])
    locations = readInteger(row[6])
    if (width !== undefined && width.length > 0) sets.get(readInteger(term))?.addPart(readPart(row))
  }
  const limit = Math.min(maxCandidates, Math.max(fewCandidates, locations * maxShare))
  const ids = new Set<number>()
  for (const terms of termsOf) {
    const common = new Bitmap()
    for (const [index, term] of terms.entries()) {
      const set = sets.get(term) ?? new Bitmap()
      if (index === 0) common.unite(set)
      else common.intersect(set)
    }
    const found = common.toIdSet()
    if (ids.size + found.total > limit) return undefined
    for (const id of found.select(0, found.total)) ids.add(id)
  }
  return { ids: [...ids], edition }
}

/** The terms of a text's trigrams, as the function `trigram_terms` of the database lists them. */
export function listTrigramTerms(text: string): number[] {
  const characters = [...text]
  const terms = new Set<number>()
  for (let place = 0; place + 3 <= characters.length; place++) {
    const hash = createHash('md5')
      .update(characters.slice(place, place + 3).join(''))
      .digest()
    terms.add((hash.readUInt32BE(0) % 2 ** 30) + 2 ** 30)
  }
  return [...terms]
}
