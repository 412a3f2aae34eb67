/**
 * Search for locations that contain a text. The trigrams of the locations' texts are terms: any three characters in a row. The
 * locations of a trigram are a set, so a search reads the set of the text's rarest trigram, and not the texts of all locations.
 */
import type { SqlOrTransaction } from '../database/connect.ts'
import { type FoundIds, uniteSmallest } from '../sets/set-unions.ts'

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
): Promise<FoundIds | undefined> {
  const trigrams = texts.map((text) => {
    const terms = listTrigramTerms(text)
    const step = Math.ceil(terms.length / maxTrigrams)
    return terms.filter((_, place) => place % step === 0)
  })
  if (trigrams.some((terms) => terms.length === 0)) return undefined
  return uniteSmallest(
    sql,
    'locations',
    trigrams,
    `least(${maxCandidates}, greatest(${fewCandidates}, ${maxShare} * (
      select reltuples from pg_class where oid = 'locations'::regclass
    )))`,
  )
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
