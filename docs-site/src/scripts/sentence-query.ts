/**
 * The question of the home page: who in a place uses a package. The tests that record its responses read this file,
 * too.
 */
import type { User } from '../../../client/src/types.ts'
import { findCountryCode } from './country-code.ts'
import { writePath } from './query.ts'

/** What somebody does with a package, and the fields of a question that say so. */
export const verbs = [
  { text: 'uses or used', asks: {} },
  { text: 'still uses', asks: { status: 'active' } },
  // A user can remove a package from one repository and use it in another, so a status doesn't say that a use has ended.
  { text: 'stopped using', asks: { ended: '1970-01-01' } },
] as const

/** A sentence with its gaps filled, as typed. An empty place is everywhere. */
export interface Sentence {
  place: string
  /** The text of a verb. */
  verb: string
  /** Names of packages, separated by commas. */
  packages: string
}

/** Sentences whose responses are recorded with the sample data: all of these places, verbs and packages. */
export const recordedPlaces = ['', 'Berlin', 'Germany', 'Japan', 'London', 'United States']
export const recordedPackages = ['zod', 'react', 'typescript', 'requests', 'hono', 'express']

/** People who are shown, out of all that match. */
export const shownPeople = 3

/** The request that answers a sentence. A country is found by its code, any other place by its name. */
export function writeSentencePath({ place, verb, packages }: Sentence): string {
  const code = findCountryCode(place.trim())
  const where = code === undefined ? { places: place } : { countries: code }
  const asks = verbs.find(({ text }) => text === verb)?.asks
  return writePath({ list: 'users', ...where, ...asks, packages, perPage: String(shownPeople) })
}

/** A user object, as far as a row needs it. */
export type Person = Pick<User, 'login' | 'name' | 'location' | 'created_at'>

/** Responses that were recorded with the sample data. */
export interface RecordedSentences {
  /** The complete user objects, by login. */
  people: Record<string, Person>
  /** By path. */
  answers: Record<string, { total: number; logins: string[] }>
}

/** What a row says about a person. */
export function describePerson({ login, name, location, created_at }: Person) {
  const shown = name ?? login
  return {
    name: shown,
    /** In place of a picture, which would come from another host. */
    initials: [...shown.replace(/[^\p{L}\p{N} ]/gu, '')]
      .filter((_, index, all) => index === 0 || all[index - 1] === ' ')
      .slice(0, 2)
      .join('')
      .toUpperCase(),
    /** One of six colors, always the same for a login. */
    tint: [...login].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0) % 6,
    about: [name === null ? '' : login, location ?? ''].filter((text) => text !== '').join(' · '),
    since: `joined ${created_at.slice(0, 4)}`,
  }
}

/** The command that sends the request of a sentence. */
export const writeCurl = (url: string): string =>
  `curl -H "Authorization: Bearer $DEVDATA_API_KEY" \\\n  "${url}"`
