/**
 * Attributes of users and repositories: what filters ask for, beside dependencies, searchable texts and owners. The
 * items with a value of an attribute are the set of a term.
 */

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
