/**
 * Filters by what users and repositories are like, decided by plain comparisons straight from decisions/0003-lists.md.
 * It shares no code with the service, so that the two can be held against each other, but for the country of a
 * location, which `test/names/places.test.ts` holds against labels.
 */
import { findCountry } from '../../api/names/places/country.ts'
import type { SampleRepository, SampleUser } from '../../sample/records.ts'
import type { ListQuery } from './catalog.ts'
import { fold } from './fold.ts'
import { isBot } from './uses.ts'

/** The parameters, as a request has them. Those that are missing do not filter. */
export interface AttributeFilter {
  country?: readonly string[]
  type?: readonly string[]
  has?: readonly ('email' | 'name' | 'company' | 'location' | 'bio')[]
  email_domain?: readonly string[]
  min_followers?: number
  /** Unix seconds or a date. */
  active_since?: string
  language?: readonly string[]
  license?: readonly string[]
  min_stars?: number
  min_forks?: number
  fork?: 'true' | 'false'
  archived?: 'true' | 'false'
  pushed_since?: string
}

const names = [
  'country',
  'type',
  'has',
  'email_domain',
  'min_followers',
  'active_since',
  'language',
  'license',
  'min_stars',
  'min_forks',
  'fork',
  'archived',
  'pushed_since',
] as const

/** Writes the parameters of a filter. */
export function writeAttributes(filter: AttributeFilter): ListQuery {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = filter[name]
      return value === undefined ? [] : [[name, String(value)]]
    }),
  )
}

/** Whether a user is like that. `lastCommit` is the last that they authored, in Unix seconds. */
export function isLikeUser(
  user: SampleUser,
  lastCommit: number | undefined,
  { country, type, has = [], email_domain, min_followers, active_since }: AttributeFilter,
): boolean {
  return (
    (country === undefined || isOneOf(countryOf(user), country)) && // places take their time
    isOneOf(isBot(user) ? 'bot' : user.type, type) &&
    has.every((field) => user[field] !== null && user[field] !== '') &&
    isOneOf(domainOf(user), email_domain) &&
    (min_followers === undefined || user.followers >= min_followers) &&
    isSince(lastCommit, active_since)
  )
}

/** The domain of a user's address. */
export function domainOf({ email }: Pick<SampleUser, 'email'>): string | null {
  return email?.includes('@') ? (email.split('@').at(-1) ?? null) : null
}

/** The country that a user's location names. */
export function countryOf({ location }: Pick<SampleUser, 'location'>): string | null {
  return location === null ? null : (findCountry(location) ?? null)
}

/** Whether a repository is like that. */
export function isLikeRepository(
  repository: Omit<SampleRepository, 'dependencies'>,
  { language, license, min_stars, min_forks, fork, archived, pushed_since }: AttributeFilter,
): boolean {
  return (
    isOneOf(repository.language, language) &&
    isOneOf(repository.license, license) &&
    (min_stars === undefined || (repository.stargazers_count ?? 0) >= min_stars) &&
    (min_forks === undefined || (repository.forks_count ?? 0) >= min_forks) &&
    (fork === undefined || String(repository.fork) === fork) &&
    (archived === undefined || String(repository.archived) === archived) &&
    isSince(repository.pushed_at, pushed_since)
  )
}

function isOneOf(text: string | null, wanted: readonly string[] | undefined): boolean {
  return wanted === undefined || (text !== null && wanted.map(fold).includes(fold(text)))
}

function isSince(seconds: number | null | undefined, since: string | undefined): boolean {
  return since === undefined || (typeof seconds === 'number' && seconds >= readMoment(since))
}

/** Unix seconds of a moment as parameters have it: Unix seconds, or a date. */
export function readMoment(text: string): number {
  return text.includes('-') ? Date.parse(`${text}T00:00:00Z`) / 1_000 : Number(text)
}
