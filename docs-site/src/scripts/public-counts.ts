/**
 * What everybody may know without a key: the figures of the coverage say how many users are in a country, and how many
 * use a package in a manifest.
 */
import { docsPath } from '../docs-path.ts'
import { findCountryCode } from './country-code.ts'

/** The part of `coverage.json` that is read here. */
interface PublicFigures {
  countries: { country: string; users: number }[]
  packages: { dependency_name: string; dependency_file: string; users: number }[]
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

type Package = PublicFigures['packages'][number]

/** Finds a package, in the manifest that most declare it in. */
const findPackage = ({ packages }: PublicFigures, name: string): Package | undefined =>
  packages.find(({ dependency_name }) => dependency_name.toLowerCase() === name.toLowerCase())

/** Some users have a package in several manifests, so the figures of these can't be added. */
const describePackage = ({ dependency_name, dependency_file, users }: Package) =>
  `${countUsers(users)} of ${dependency_name} in ${dependency_file}.`

/** Says what is public about a place and packages, a sentence each. */
export async function describePublicly(place: string, packages: readonly string[]): Promise<string[]> {
  const figures = await loadFigures()
  if (figures === undefined) return []
  return [
    ...(place === '' ? [] : describeCountry(figures, place)),
    ...packages.map((name) => {
      const found = findPackage(figures, name)
      return found ? describePackage(found) : `${name} isn’t in the public figures.`
    }),
  ]
}

/** Says whether a text is a country or a package of the public figures. */
export async function findPublicly(text: string): Promise<string> {
  const figures = await loadFigures()
  if (figures === undefined) return 'The figures can’t be read at the moment.'
  const [country] = describeCountry(figures, text)
  if (country !== undefined) return country
  const found = findPackage(figures, text)
  return found
    ? describePackage(found)
    : `${text} isn’t in the public figures. With a key, you can count it, free.`
}
