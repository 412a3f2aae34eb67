/**
 * A question of the query builder: its form fields, its URL and its price.
 *
 * @module
 */

import { findCountryCode } from './country-code.ts'
import { writeCredits } from './key-state.ts'
import { splitList, writeUrl } from './url.ts'

/** A list that the builder can ask for. */
export type ListName = 'users' | 'repos'

/** The fields of the form, as typed. Packages and files are comma-separated lists. */
export interface QueryFields {
  list: ListName
  /** Separated by semicolons, because a place has commas: `Berlin, Germany`. */
  places: string
  /** Names or ISO 3166-1 codes of countries, separated by commas. */
  countries: string
  packages: string
  files: string
  status: string
  perPage: string
}

/** Readers may write a name in place of the code. */
const writeCountry = (text: string): string => findCountryCode(text) ?? text

/** The path and query of the request in the fields. Only users have places and countries. A status needs a package or a manifest. */
export function writePath({
  list,
  places,
  countries,
  packages,
  files,
  status,
  perPage,
}: QueryFields): string {
  const names = splitList(packages).join(',')
  const manifests = splitList(files).join(',')
  const parameters: [name: string, value: string][] = [
    ...(list === 'users' ? splitList(places, ';').map((place): [string, string] => ['location', place]) : []),
    ['country', list === 'users' ? splitList(countries).map(writeCountry).join(',') : ''],
    ['dependency_names', names],
    ['dependency_files', manifests],
    ['dependency_status', names || manifests ? status : ''],
    ['per_page', perPage.trim()],
  ]
  return writeUrl(
    `/${list}`,
    parameters.filter(([, value]) => value !== ''),
  )
}

/** The fields of a path that {@link writePath} wrote. */
export function readFields(path: string): QueryFields {
  const [list, query] = path.slice(1).split('?')
  const parameters = new URLSearchParams(query)
  const join = (name: string) => parameters.getAll(name).join(',').replaceAll(',', ', ')
  return {
    list: list === 'repos' ? 'repos' : 'users',
    places: parameters.getAll('location').join('; '),
    countries: join('country'),
    packages: join('dependency_names'),
    files: join('dependency_files'),
    status: join('dependency_status'),
    perPage: join('per_page'),
  }
}

/** The headers `X-Total-Count` and `X-Credits-Cost` of a response. */
export interface Price {
  total: number
  cost: number
}

/** What to try if no user is in a place. */
export const placeHint = 'Places are as users typed them: try münchen for munich.'

/** Says how many items match, and what a page and the whole list cost. */
export function describePrice(
  path: string,
  { total, cost }: Price,
  /** Writes what credits cost in money, if the service has a price. */
  writePrice: (credits: number) => string = () => '',
): string {
  const { list } = readFields(path)
  const [one, many] = list === 'users' ? ['user', 'users'] : ['repository', 'repositories']
  const found = `${total.toLocaleString('en')} ${total === 1 ? `${one} matches` : `${many} match`}.`
  if (total === 0) {
    const hint = /[?&]location=/.test(path) ? ` ${placeHint}` : ''
    return `${found} An empty page is free.${hint}`
  }
  if (cost === 0) return `${found} An admin key pays nothing.`
  return `${found} All of them: ${`${writeCredits(total)} ${writePrice(total)}`.trim()}. This page: ${writeCredits(cost)}.`
}
