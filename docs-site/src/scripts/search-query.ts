/**
 * What a reader types, made into a query that finds something. Pagefind wants every word of a query on one page, and
 * knows no typos.
 */

import { findCountryCode } from './country-code.ts'

/** Words that say nothing about a topic. Pagefind would look for pages that have them all. */
export const fillers = new Set(
  'a an the how what which who when where why do does did is are was can could should i you your we it its to of for in on with and or get there these those this that from come comes by at as be been have has us need want please'.split(
    ' ',
  ),
)

/** Without its filler, `log in` would be about logs. */
const logIn = /\blog[ -]in(?:to)?\b/g

/** The most words of a country's name: `united arab emirates`. */
const maxCountryWords = 3

/** Puts `country` in place of the names of countries: pages are about countries in general, and name few. */
function generalizeCountries(words: readonly string[]): string[] {
  const general: string[] = []
  for (let start = 0; start < words.length; ) {
    const count = Array.from({ length: maxCountryWords }, (_, index) => maxCountryWords - index).find(
      (length) => findCountryCode(words.slice(start, start + length).join(' ')) !== undefined,
    )
    general.push(count === undefined ? (words[start] ?? '') : 'country')
    start += count ?? 1
  }
  return general
}

const packageName = String.raw`([\p{L}\p{N}@/._-]+)`

/** Two packages of a question: `migration from moment to dayjs`, `moment vs dayjs`. `vs code` is an editor. */
const pairOfPackages = new RegExp(
  String.raw`\bfrom ${packageName} to ${packageName}|${packageName} (?:vs\.?|versus) (?!code\b)${packageName}`,
  'gu',
)

/** Puts libraries in place of two packages, unless pages name both. */
const generalizePairs = (text: string, words: readonly string[]): string =>
  text.replace(pairOfPackages, (pair: string, ...[from, to, one, other]: (string | undefined)[]) => {
    const isKnownPair = [from, to, one, other].every(
      (name = '') => isKnown(name, words) || findCountryCode(name) !== undefined,
    )
    if (!isKnownPair) return 'one library to another'
    return one === undefined ? pair : `${one} ${other}`
  })

const usersOfPackages =
  'who|anyone|people|developers?|engineers?|teams?|users?|compan(?:y|ies)|startups?|apps?|projects?|repos?|repositor(?:y|ies)'
const usesOfPackages = [
  'us(?:e|es|ed|ing)',
  String.raw`(?<=\busers )of`,
  'adopt(?:s|ed|ing)?',
  'depend(?:s|ing|ents)? (?:on|of)',
  'built (?:with|on)',
  '(?:switched|migrated|moved) from',
].join('|')

/** The use of a package, in the words of a question: `companies using kafka`, `who still uses redis`, `depends on lodash`. */
const useOfPackage = new RegExp(
  String.raw`(?:\b(${usersOfPackages}) ((?:\S+ ){0,3}?))?\b(?:${usesOfPackages}) ${packageName}`,
  'gu',
)

/**
 * Puts `dependents` in place of the use of a package: pages are about packages in general, and name few. If the question
 * names no user, a word that pages have isn't taken for a package: `using docker` is about containers.
 */
const generalizePackages = (text: string, words: readonly string[]): string =>
  text.replace(
    useOfPackage,
    (use: string, user: string | undefined, between: string | undefined, name: string) => {
      const isPackage = user !== undefined || !isKnown(name, words)
      return isPackage && !fillers.has(name) && !findCountryCode(name) ? `${between ?? ''}dependents` : use
    },
  )

/** Shorter words have too many neighbors to be corrected. */
const minCorrectedLength = 4

/**
 * The fewest characters to insert, remove, replace or swap with a neighbor that make `a` into `b`; `limit` + 1 if that
 * takes more than `limit`.
 */
function countEdits(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1
  let before: number[] = []
  let above = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      const isSwap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row[j] = Math.min(
        (row[j - 1] ?? 0) + 1,
        (above[j] ?? 0) + 1,
        (above[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    before = above
    above = row
  }
  return above[b.length] ?? 0
}

/** Endings of English words; the first is empty. */
const endings = new Set(
  ' s es d ed e ee ing er ers or ors al ally ly y ies ied able ment ments ness ion ions ation ations ive'.split(
    ' ',
  ),
)

/** Whether two words are likely forms of one: `deleting` and `delete`. A word that isn't complete yet is one, too. */
function isFormOf(word: string, known: string): boolean {
  if (known.startsWith(word)) return true
  for (let stem = minCorrectedLength; stem <= word.length && known.startsWith(word.slice(0, stem)); stem++) {
    if (endings.has(word.slice(stem)) && endings.has(known.slice(stem))) return true
  }
  return false
}

/** Whether a word stays as it is: pages have it or another form of it, or it is short or has a digit. */
const isKnown = (word: string, words: readonly string[]): boolean =>
  word.length < minCorrectedLength || /\d/.test(word) || words.some((known) => isFormOf(word, known))

/**
 * The word itself if it or another form of it is known. Otherwise the most frequent of the nearest words. If none is
 * near, the word if others begin like it, or nothing.
 */
function correctWord(word: string, words: readonly string[]): string {
  // Pagefind finds other endings of a word by itself, and a word that isn't complete yet.
  if (isKnown(word, words)) return word
  let nearest = ''
  // Hardly anybody mistypes the first letter. Near words with another one mean something else: `unused` is not `used`.
  // Of a short word, two other letters make another word: `minimum` is not `maximum`.
  let limit = word.length < 9 ? 1 : 2
  for (const known of words) {
    if (known[0] !== word[0]) continue
    const edits = countEdits(word, known, limit)
    if (edits > limit) continue
    nearest = known
    limit = edits - 1
  }
  if (nearest !== '') return nearest
  // Another form of a word may have an ending that isn't listed.
  const start = word.slice(0, Math.max(minCorrectedLength, word.length - 3))
  return words.some((known) => known.startsWith(start)) ? word : ''
}

/**
 * The words of a question that say what it is about, corrected: `how does pagnation work?` is `pagination work`. Words
 * that no page has are left out, because Pagefind would look for their first letters. So the query can be empty.
 *
 * @param words all words of the index, the most frequent first
 */
export function improveQuery(text: string, words: readonly string[]): string {
  const meant = text.toLowerCase().replace(logIn, 'login')
  const asked = generalizePackages(generalizePairs(meant, words), words).match(/\S*[^\s?!.,;:]/g) ?? []
  const telling = asked.filter((word) => !fillers.has(word))
  return generalizeCountries(telling.length > 0 ? telling : asked)
    .map((word) => word.replace(/[\p{L}\p{N}]+/gu, (part) => correctWord(part, words)))
    .filter((word) => /[\p{L}\p{N}]/u.test(word))
    .join(' ')
}
