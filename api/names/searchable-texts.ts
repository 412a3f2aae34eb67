/**
 * The texts of users that filters look for parts of. Each has a table with all different texts, whose rows are terms.
 * The texts with a trigram are a set, so a search reads few of them (`catalog/text-search.ts`).
 */
import { foldCompany, foldLocation } from './case-folding.ts'

/** The declaration of a searchable text. */
interface TextRow {
  /** The table of the texts, and the list of the sets that have ids of its rows. */
  table: string
  /**
   * The columns of a text, besides its id and what its set has: as its first user has it, as it is compared, and its
   * country.
   */
  columns: readonly [text: string, key: string, country?: 'country']
  /** How texts are compared. Stored and requested ones both get this form. A text whose form is empty is none. */
  fold(text: string): string
}

const rows = {
  location: { table: 'locations', columns: ['location', 'location_key', 'country'], fold: foldLocation },
  company: { table: 'companies', columns: ['company', 'company_key'], fold: foldCompany },
} as const satisfies Record<string, TextRow>

/** The field of a user's record that has the text, and the filter that looks for it. */
export type TextName = keyof typeof rows
export type TextTable = (typeof rows)[TextName]['table']

export const searchableTexts: { readonly [Name in TextName]: (typeof rows)[Name] & TextRow } = rows
export const textNames = Object.keys(rows).filter(isTextName)
export const textTables = textNames.map((name) => searchableTexts[name].table)

export function isTextName(name: string): name is TextName {
  return Object.hasOwn(rows, name)
}

/** The column by which the texts of a table are compared. */
export function keyColumnOf(table: TextTable): string {
  const name = textNames.find((each) => searchableTexts[each].table === table)
  if (name === undefined) throw new Error(`${table} has no searchable text`)
  return searchableTexts[name].columns[1]
}
