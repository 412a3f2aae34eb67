/**
 * What everybody may know without a key: the figures of the coverage say how many users are in a country, and how many use
 * a package.
 */
import { docsPath } from '../docs-path.ts'
import { findCountryCode } from './country-code.ts'

/** The part of `coverage.json` that is read here. */
interface PublicFigures {
  countries: { country: string; users: number }[]
  packages: { dependency_name: string; users: number }[]
}

let loading: Promise<PublicFigures | undefined> | undefined

/** Loads the figures once; undefined if the operator publishes none. */
function loadFigures(): Promise<PublicFigures | undefined> {
  loading ??= fetch(`${docsPath}/coverage.json`)
    .then((response) => (response.ok ? response.json() : undefined))
    .catch(() => {
      loading = undefined // Another attempt follows a failed one.
      return undefined
    })
  return loading
}

const countUsers = (users: number) => `${users.toLocaleString('en')} ${users === 1 ? 'user' : 'users'}`

/** Says how many users are in a country; nothing for other places, which the figures don't have. */
function describeCountry({ countries }: PublicFigures, place: string): string[] {
  const code = findCountryCode(place)
  if (code === undefined) return []
  const users = countries.find(({ country }) => country === code)?.users ?? 0
  return [`${countUsers(users)} in ${place}.`]
}

/** Says how many use a package, with the manifest that most declare it in. */
function describePackage({ packages }: PublicFigures, name: string): string[] {
  const found = packages.find(({ dependency_name }) => dependency_name.toLowerCase() === name.toLowerCase())
  return [
    found === undefined
      ? `${name} isn’t one of the ${packages.length} most used packages.`
      : `${countUsers(found.users)} of ${found.dependency_name}.`,
  ]
}

/** Says what is public about a place and packages, a sentence each. */
export async function describePublicly(place: string, packages: readonly string[]): Promise<string[]> {
  const figures = await loadFigures()
  if (figures === undefined) return []
  return [
    ...(place === '' ? [] : describeCountry(figures, place)),
    ...packages.flatMap((name) => describePackage(figures, name)),
  ]
}

/** Says whether a text is a country or a package that the data has. */
export async function findPublicly(text: string): Promise<string> {
  const figures = await loadFigures()
  if (figures === undefined) return 'The figures can’t be read at the moment.'
  const [country] = describeCountry(figures, text)
  return country ?? describePackage(figures, text).join(' ')
}
