/**
 * Search for locations that contain a text. The trigrams of the locations' texts are terms: any three characters in a row. The
 * locations of a trigram are a set, so a search reads the set of the text's rarest trigram, and not the texts of all locations.
 *
 * @module
 */
import type { SqlOrTransaction } from '../database/connect.ts'
import { copyRows, readInteger } from '../database/copy.ts'
import { decodePart } from '../sets/set-encoding.ts'
import { hasPart, partColumns, readPart } from '../sets/stored-sets.ts'

/** Locations that may contain a text. */
export interface LocationCandidates {
  ids: number[]
  /** Of the dataset that they were found in. */
  edition: string
}

/**
 * If there are more candidates than this share of all locations, and more than `fewCandidates`, it is faster to read all
 * locations than to look the candidates up.
 */
const maxShare = 0.1
const fewCandidates = 1_000
/** The ids are a parameter of a statement. */
const maxCandidates = 200_000
/** Trigrams of a text whose sets are counted to find the rarest one. */
const maxTrigrams = 16

/**
 * Finds the locations that have a rare trigram of one of the folded texts: those that contain a text are among them. Undefined:
 * any location may contain one, because a text is shorter than a trigram, or too many locations have these trigrams.
 */
export async function findCandidates(
  sql: SqlOrTransaction,
  texts: readonly string[],
): Promise<LocationCandidates | undefined> {
  const asked = texts.flatMap((text, index) => {
    const terms = listTrigramTerms(text)
    const step = Math.ceil(terms.length / maxTrigrams)
    return terms.filter((_, place) => place % step === 0).map((term) => ({ text: index, term }))
  })
  if (new Set(asked.map(({ text }) => text)).size < texts.length) return undefined
  const rows = copyRows(
    sql,
    `with sized as (
      select text, term, coalesce(sum(cardinality), 0) as size
      from unnest('{${asked.map(({ text }) => text).join()}}'::integer[], '{${asked.map(({ term }) => term).join()}}'::integer[])
        as asked(text, term) left join sets on list = 'locations' and term_id = term
      group by 1, 2
    ), rarest as materialized (
      select distinct on (text) term, size from sized order by text, size
    ), few as (
      select sum(size) <= least(${maxCandidates}, greatest(${fewCandidates}, ${maxShare} * (
        select reltuples from pg_class where oid = 'locations'::regclass
      ))) as are_few from rarest
    )
    select ${partColumns}, edition::text, are_few
    from dataset cross join few
      left join sets on are_few and list = 'locations' and term_id in (select term from rarest)`,
  )
  const ids = new Set<number>()
  let found: Pick<LocationCandidates, 'edition'> | undefined
  for await (const row of rows) {
    const [, , , , edition, areFew] = row
    if (readInteger(areFew) === 0) continue
    found = { edition: String(edition) }
    if (hasPart(row)) for (const id of decodePart(readPart(row))) ids.add(id)
  }
  return found && { ...found, ids: [...ids] }
}

/** The terms of a text's trigrams, as the function `trigram_terms` of the database lists them. */
export function listTrigramTerms(text: string): number[] {
  const codes = Array.from(text, (character) => character.codePointAt(0) ?? 0)
  const terms = new Set<number>()
  for (let place = 0; place + 3 <= codes.length; place++) {
    const trigram = codes.slice(place, place + 3).reduce((sum, code) => sum * 1021 + code, 0)
    terms.add((trigram % 2 ** 30) + 2 ** 30)
  }
  return [...terms]
}
