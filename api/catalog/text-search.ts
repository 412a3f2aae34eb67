/**
 * Search for texts of users, such as locations, that contain a text. Their trigrams are terms: any three characters in
 * a row. The texts with a trigram are a set, so a search reads the set of the rarest trigram that it looks for, and not
 * all texts.
 */
import type { Fragment, SqlOrTransaction } from '../database/connect.ts'
import { searchableTexts, type TextName, textNames } from '../names/searchable-texts.ts'
import { type FoundIds, uniteSmallest } from '../sets/set-unions.ts'
import { selectKey } from '../sets/stored-sets.ts'
import type { Filter } from './canonical-filter.ts'

/**
 * If there are more candidates than this share of all texts, and more than `fewCandidates`, it is faster to read all
 * texts than to look the candidates up.
 */
const maxShare = 0.1
const fewCandidates = 1_000
/** The ids are a parameter of a statement. */
const maxCandidates = 200_000
/** Trigrams of a text whose sets are counted to find the rarest one. */
const maxTrigrams = 16

/** For each searchable text that a filter looks for, the only texts that may match. Absent: any may. */
export type TextCandidates = { [Name in TextName]?: FoundIds | undefined }

/** Finds the texts that may match a filter. */
export async function findTextCandidates(sql: SqlOrTransaction, filter: Filter): Promise<TextCandidates> {
  const found: TextCandidates = {}
  for (const name of textNames) {
    const texts = filter[name]
    if (texts !== undefined) found[name] = await findCandidates(sql, name, texts)
  }
  return found
}

/**
 * Finds those that have a rare trigram of one of the folded texts: those that contain a text are among them. Undefined:
 * any may contain one, because a text is shorter than a trigram, or too many have these trigrams.
 */
export async function findCandidates(
  sql: SqlOrTransaction,
  name: TextName,
  texts: readonly string[],
): Promise<FoundIds | undefined> {
  const { table } = searchableTexts[name]
  const trigrams = texts.map((text) => {
    const terms = listTrigramTerms(text)
    const step = Math.ceil(terms.length / maxTrigrams)
    return terms.filter((_, place) => place % step === 0)
  })
  if (trigrams.some((terms) => terms.length === 0)) return undefined
  return uniteSmallest(
    sql,
    table,
    trigrams,
    `least(${maxCandidates}, greatest(${fewCandidates}, ${maxShare} * (
      select reltuples from pg_class where oid = '${table}'::regclass
    )))`,
  )
}

/** SQL: the keys of the sets of users whose text contains any of the folded texts. */
export function selectTexts(
  sql: SqlOrTransaction,
  name: TextName,
  texts: readonly string[],
  candidates: FoundIds | undefined,
): Fragment {
  const {
    table,
    columns: [, key],
  } = searchableTexts[name]
  // A generic plan expects few rows of `like`, so it has parallel workers read a large table. Of `strpos`, it expects a
  // third of all rows, and has none.
  const patterns = texts.map((text) => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`)
  return sql`
    select ${selectKey(sql, table, 'users')} from ${sql(table)}
    where ${sql(key)} like any (${sql.typed.texts(patterns)})
      ${candidates === undefined ? sql`` : sql`and id = any(${sql.typed.bigints(candidates.ids)}::integer[])`}`
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
