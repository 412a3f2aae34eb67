/** A question of the query builder or of the home page's sentence: what readers type, its URL and its price. */

import { repeated } from '../../../client/src/filter-types.ts'
import { findCountryCode } from './country-code.ts'
import { writeCredits } from './credits.ts'
import { countItems } from './quote.ts'
import { splitList, writeUrl } from './url.ts'

/** The fields of a question and their parameters, in the order of the URL. */
const parameters = {
  places: 'location',
  companies: 'company',
  countries: 'country',
  packages: 'dependency_names',
  files: 'dependency_files',
  status: 'dependency_status',
  since: 'first_use_since',
  ended: 'last_use_since',
  perPage: 'per_page',
} as const

type Field = keyof typeof parameters
const fields = Object.keys(parameters) as Field[]

/** What readers type: fields of lists have several entries. An absent field is an empty one. */
export type Question = { readonly list: string } & Readonly<Partial<Record<Field, string>>>

/** What separates the entries of a field. A place has commas: `Berlin, Germany`. */
const findSeparator = (field: Field) => (repeated.includes(parameters[field]) ? ';' : ',')

/**
 * The fields that say nothing: only users have places, companies and countries, and a status or the time of a use needs
 * a package or a manifest.
 */
export function listUnused({ list, packages = '', files = '' }: Question): string[] {
  const hasDependency = splitList(`${packages},${files}`).length > 0
  return [
    ...(list === 'repos' ? ['places', 'companies', 'countries'] : []),
    ...(hasDependency ? [] : ['status', 'since', 'ended']),
  ]
}

/** The path and query of the request that answers a question. Countries may have names in place of codes. */
export function writePath(question: Question): string {
  const unused = listUnused(question)
  const query = fields.flatMap((field): [name: string, value: string][] => {
    const name = parameters[field]
    const typed = unused.includes(field) ? [] : splitList(question[field] ?? '', findSeparator(field))
    const entries = field === 'countries' ? typed.map((text) => findCountryCode(text) ?? text) : typed
    const values = repeated.includes(name) ? entries : [entries.join(',')]
    return values.map((value) => [name, value])
  })
  return writeUrl(
    `/${question.list}`,
    query.filter(([, value]) => value !== ''),
  )
}

/** The question of a path that {@link writePath} wrote. */
export function readFields(path: string): Required<Question> {
  const [list = '', query] = path.slice(1).split('?')
  const values = new URLSearchParams(query)
  const read = (field: Field) => {
    const entries = values.getAll(parameters[field])
    return findSeparator(field) === ';' ? entries.join('; ') : entries.join(',').replaceAll(',', ', ')
  }
  const all = Object.fromEntries(fields.map((field) => [field, read(field)])) as Record<Field, string>
  return { list, ...all }
}

/** The headers `X-Total-Count` and `X-Credits-Cost` of a response. */
export interface Price {
  total: number
  cost: number
}

/** What to try if no user is in a place. */
export const placeHint = 'Places are as users typed them: try münchen for munich.'

/** Says how many items match, and what all of them cost. */
export function describePrice(
  path: string,
  { total, cost }: Price,
  /** Writes what credits cost in money, if the service has a price. */
  writePrice: (credits: number) => string = () => '',
): string {
  const found = `${countItems(path, total)} ${total === 1 ? 'matches' : 'match'}.`
  if (total === 0) {
    const hint = /[?&]location=/.test(path) ? ` ${placeHint}` : ''
    return `${found} An empty page is free.${hint}`
  }
  if (cost === 0) return `${found} An admin key pays nothing.`
  return `${found} All of them: ${`${writeCredits(total)} ${writePrice(total)}`.trim()}.`
}
