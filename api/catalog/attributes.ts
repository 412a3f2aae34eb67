/**
 * Attributes of users and repositories: what a filter can ask for, beside dependencies, locations and owners. The items with
 * a value of an attribute are the set of a term.
 *
 * @module
 */

/** Attributes with numbers above 0. */
export type NumberedAttribute = 'followers' | 'stars'
/** Attributes with days, as `dayOf` numbers them: of the last commit of a user, and of the last push to a repository. */
export type DatedAttribute = 'active_day' | 'pushed_day'
/**
 * `type`, `language` and `license` have folded texts as values, `country` the code of the country that the user's location
 * names, `has` the name of a field that isn't empty, `fork` and `archived` true or false.
 */
export type AttributeName =
  | 'type'
  | 'country'
  | 'has'
  | 'language'
  | 'license'
  | 'fork'
  | 'archived'
  | NumberedAttribute
  | DatedAttribute

/** The fields of users that `has` can ask for. */
export const fieldsToHave = ['email', 'name', 'company', 'location', 'bio'] as const
/** All fields of users that may be null. There is a set of the users who have each. */
export const nullableUserFields = ['name', 'email', 'avatar_url', 'company', 'location', 'bio'] as const

/** Maximum characters of a text that a filter can ask for. A longer value isn't an attribute. */
export const maxFilterTextLength = 255

/** Counts code points, so a letter beyond the first 65,536 is one character too. */
export function isLonger(text: string, maxLength: number): boolean {
  return text.length > maxLength && (text.length > 2 * maxLength || [...text].length > maxLength)
}

export const secondsPerDay = 86_400

/** The day of a time in Unix seconds, in UTC: 0 is January 1, 1970. */
export function dayOf(seconds: number): number {
  return Math.floor(seconds / secondsPerDay)
}
