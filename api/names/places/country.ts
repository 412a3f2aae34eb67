/** Finds the country in what people write as their location. A text that may mean several countries has none. */
import { foldLocation } from '../case-folding.ts'
import { findParentCountry } from './country-codes.ts'
import { ambiguousNames, otherWords } from './further-names.ts'
import { foldName, type Place, readGazetteer } from './gazetteer.ts'

/**
 * Count it up when `findCountry` may return another country for a text. The dataset notes by which rules its users were
 * classified: with others, the next load classifies them again.
 */
export const countryRules = 3

/** A part of a text, and what it may mean. */
interface Part {
  text: string
  places: readonly Place[]
}

/** A country is found if its best reading is this many times as likely as that of any other. */
const minLead = 6
/** In a sentence, only names of cities of this size count. */
const minCityInSentence = 100_000
/** Where settlers named towns after countries: `Peru, Indiana`. */
const settledCountries = new Set(['US', 'CA', 'AU'])

/**
 * Codes of American states that people mean more often than the country with the same code, if they write a town
 * before.
 */
const commonStates = new Set('CA VA NC SC GA MD KY LA MO MS MT NE AZ SD ME'.split(' '))

/** Codes that are more likely words if no place stands before them: `what is it`, `head of HR`. */
const wordCodes = new Set(
  'AF AI AM AS AT BE BY DO EL ES GG HE HI HR IO IS IT LA ME MI ML MY NE NI NO NU OK OM OR PM SE SI SO TO TV VC'.split(
    ' ',
  ),
)

const ambiguous = new Set(ambiguousNames.map(foldName))
const others = new Set(otherWords.map(foldName))

/** Words before and after a name that don't change its country. */
const wordsBefore =
  /^(?:(?:the|greater|central|downtown|northern|southern|western|eastern|north|south|east|west|mid|(?:living|lives|located|based|currently based|currently living|made|home|somewhere|now) in|currently(?: in)?|hello from|from|moved to|in|near|close to|outside|around|(?:state|province|city|republic|university|island|region) of|remote) )+/i
const wordsAfter =
  /(?: (?:area|region|metro|metropolitan|city|state|province|district|county|prefecture|oblast|university|remote|based|suburbs|shi|sheng|ken|d ?[cf]|with love))+$/i

/** Texts about several places, about a former one, or about none. */
const unclear =
  /->|→|⇒|=>|➡|✈|↔|⇄|^[/~.]|:\/\/|\b(?:originally|grew up|born|exile|abroad|expat|formerly|previously|moved from|native of|between|soon|raised|border|citizen|nomad|anywhere|everywhere|worldwide|planet|earth|world|galaxy|internet)\b/i

/** Where somebody was before, behind where they are now. */
const former =
  /(?<=[^\s,(|;–—-])\s*[,(|;–—-]\s*(?:originally|formerly|previously|from|via|born in|made in|grew up in|native of)\s.*$/i

/** Between places that stand beside each other. */
const besides = /\s*[;+&]\s*|\s+(?:and|or|y|et|und|ou|e|i|и|vs\.?)\s+/i
/** Between places beside each other, or a place and a larger one. */
const either = /\s*[/|·•\\]\s*|\s+[-–—~]\s+/
/** Between a place and a larger one. Not before words: `engineer in IT`. */
const within = /\s*[,()[\]{}:@，、。]\s*|\s+(?:in|near|at)\s+(?!(?:AI|HR|IT|ME|PM|TV|SO|VC)$)/i

/** Of four to six digits, before or behind a place: `D-80331 München`, `Portland, OR 97201`. */
const postalCode = /(?<=^|, )(?:[A-Z]{1,2}-)?\d{4,6} (?=\p{L})|(?<=\p{L}) \d{4,6}(?:-\d{3,4})?(?=$|,)/gu
/** A longer text isn't searched for a state or country at its end: each word multiplies the work. */
const maxWords = 8
/** A state or country at the end has at most this many words: `New South Wales` has three. */
const maxEndWords = 4

/** Other countries of which people write counties. */
const countiesOutsideStates = new Set('GB IE KE LR CA AU CN TW IR EE HR HU NO RO SE'.split(' '))
/** Without spaces, Chinese and Japanese texts go from the largest place to the smallest. */
const unspaced = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー·]{2,}$/u
const maxUnspacedName = 8
/** Behind a name: what kind of place it is, or that there is another. */
const unspacedKind = /[省市区區县縣府県都道州郡·和与與と]/
/** What arrows and flags leave at the ends of a text. */
const arrowsAround = /^(?:[→⇒➡✈↔⇄]|[-=]>|\s)+|(?<![→⇒➡✈↔⇄>\s])(?:[→⇒➡✈↔⇄]|[-=]>|\s)+$/g

const flag = /[\u{1F1E6}-\u{1F1FF}]{2}/gu
const picture = /\p{Extended_Pictographic}|\uFE0F|\u200D|[\u{E0000}-\u{E007F}]/gu
const flagsOfNoCountry = new Set(['EU', 'UN'])

/**
 * Finds the country of a location: its ISO 3166-1 alpha-2 code. Undefined: the text names none, or more than one.
 * Case and marks don't matter: spellings that differ only in these share a row, so they must have one country.
 */
export function findCountry(given: string): string | undefined {
  const location = foldLocation(given)
  const flags = new Set(
    [...location.matchAll(flag)]
      .map(([each]) => readFlag(each))
      .filter((code) => !flagsOfNoCountry.has(code)),
  )
  if (flags.size > 1) return undefined
  const plain = location.replace(flag, ' ').replace(picture, ' ').replace(/\s+/g, ' ').trim()
  const text = flags.size === 0 ? plain : plain.replace(arrowsAround, '')
  const found = findInText(text)
  const [shown] = flags
  if (shown === undefined || found === shown) return found
  return found === undefined && !unclear.test(text) ? shown : undefined
}

/** The code that two regional indicators are. */
function readFlag(text: string): string {
  const letters = [...text].map((letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) - 0x1f1e6 + 65))
  return letters.join('')
}

function findInText(location: string): string | undefined {
  const text = location.replace(former, '').replace(postalCode, '')
  const key = foldName(text)
  if (key === '' || unclear.test(text) || ambiguous.has(key) || others.has(key)) return undefined
  const whole = readAlone(text)
  if (whole.length > 0) return decide(weigh(whole))
  if (unspaced.test(text)) return findInUnspaced(key)
  // `Trinidad and Tobago` is one place.
  if (text.split(within).some((part) => besides.test(part) && readAlone(part).length > 0))
    return findPlace(text)
  const beside = text.split(besides).filter((part) => !/^(?:remote(?:ly)?)?$/i.test(part))
  return beside.length > 1 ? agree(beside.map(findPlace)) : findPlace(beside[0] ?? '')
}

/** Finds the country of one place, perhaps with larger ones around it. */
function findPlace(text: string): string | undefined {
  const parts = text.split(either).filter((part) => part.trim() !== '')
  const split = (part: string) =>
    part
      .split(within)
      .flatMap(splitEnd)
      .filter((each) => each.trim() !== '')
  if (parts.length > 1) {
    const last = parts.at(-1)?.trim() ?? ''
    const isOne = readGazetteer().codes.has(foldName(last)) && !isCode(parts[0]?.trim() ?? '')
    const isUnclear = parts.some((part) => ambiguous.has(foldName(part)))
    if (isOne || isUnclear) return combine(readParts(parts.flatMap(split)))
    const found = parts.map((part) => combine(readParts(split(part))))
    return agree(found.filter((each) => each !== undefined))
  }
  const all = readParts(split(text))
  if (all.every(({ places }) => places.length === 0)) {
    return findInSentence(isTwins(text) ? text.replaceAll('-', ' ') : text)
  }
  return combine(all) ?? (all.length === 2 ? combine(all.toReversed()) : undefined)
}

/**
 * Splits off the states and countries at the end of a text without commas, if the place before lies in them: `Austin TX`
 * has two parts, `Austin TX USA` three. Otherwise, the text stays whole.
 */
function splitEnd(part: string): string[] {
  const text = part.trim()
  const words = text.split(' ')
  if (words.length > maxWords || readAlone(text).length > 0) return [text]
  for (let length = Math.min(maxEndWords, words.length - 1); length > 0; length--) {
    const [front, end] = [words.slice(0, -length).join(' '), words.slice(-length).join(' ')]
    const larger = readBeside(end).filter(({ kind }) => kind !== 'city')
    if (larger.length === 0) continue
    const split = [...splitEnd(front), end]
    const [first] = readParts(split)
    const fits = first !== undefined && weighTogether(first.places, [{ text: end, places: larger }]).size > 0
    if (fits) return split
  }
  return [text]
}

/** Looks for names of countries and of large cities among the words. */
function findInSentence(text: string): string | undefined {
  const words = text
    .replace(/[^\p{L}\p{M}\p{N}.'’-]+/gu, ' ')
    .trim()
    .split(' ')
  const found: Part[] = []
  for (let at = 0; at < words.length; ) {
    let length = Math.min(4, words.length - at)
    for (; length > 0; length--) {
      const part = words.slice(at, at + length).join(' ')
      const isLast = at > 0 && at + length === words.length
      // A state at the end says more than a town's name.
      const isKnown = (place: Place) => isKnownWidely(place) || (isLast && isSettledState(place))
      const places =
        isLast && /^[A-Z]{2}$/.test(part) ? readCode(part) : readName(foldName(part)).filter(isKnown)
      if (places.length === 0) continue
      found.push({ text: part, places })
      break
    }
    at += Math.max(1, length)
  }
  const [only] = found
  if (found.length === 1 && only !== undefined && isCode(only.text)) {
    return wordCodes.has(foldName(only.text)) ? undefined : decideCode(only, 'unknown')
  }
  return combine(found)
}

/** Whether a place is a state of a country where towns have the names of other places. */
function isSettledState({ kind, country }: Place): boolean {
  return kind === 'subdivision' && settledCountries.has(country)
}

/** Whether a text is a large city with another place: `Raleigh-Durham`. */
function isTwins(text: string): boolean {
  const [first = '', ...more] = text.split('-')
  return more.length > 0 && readName(foldName(first)).some(isKnownWidely)
}

/**
 * Looks for names of countries and of large cities in a text without spaces: at its start, and behind a name or its
 * kind.
 */
function findInUnspaced(key: string): string | undefined {
  const found: Part[] = []
  for (let at = 0; at < key.length; ) {
    let length = Math.min(maxUnspacedName, key.length - at)
    for (; length > 1; length--) {
      const text = key.slice(at, at + length)
      const places = readName(text).filter(isKnownWidely)
      if (places.length === 0) continue
      found.push({ text, places })
      break
    }
    if (length > 1) at += length
    else while (at < key.length && !unspacedKind.test(key.charAt(at))) at++
    if (unspacedKind.test(key.charAt(at))) at++
  }
  return combine(found.toReversed())
}

function isKnownWidely({ kind, weight }: Place): boolean {
  return kind === 'country' || isLargeCity({ kind, weight })
}

function isLargeCity({ kind, weight }: Pick<Place, 'kind' | 'weight'>): boolean {
  return kind === 'city' && weight > minCityInSentence
}

function readParts(texts: readonly string[]): Part[] {
  const read = texts.length > 1 ? readBeside : readAlone
  return texts.map((text) => ({ text: text.trim(), places: read(text.trim()) }))
}

/** Whether a folded text may be the code of a country or of a state. */
function isCode(text: string): boolean {
  return /^[A-Z]{2,3}$/.test(text.replaceAll('.', ''))
}

/** Reads a part beside others: a code, or a name. */
function readBeside(text: string): readonly Place[] {
  return isCode(text) ? readCode(text) : readWithin(text)
}

function readCode(text: string): readonly Place[] {
  const { names, codes } = readGazetteer()
  const key = foldName(text)
  if (ambiguous.has(key)) return []
  const countries = (names.get(key) ?? []).filter(({ kind }) => kind === 'country')
  return [...countries, ...(codes.get(key) ?? [])]
}

/** Reads a name beside others, which decide what an ambiguous one means. */
function readWithin(text: string): readonly Place[] {
  const key = foldName(text)
  if (others.has(key)) return []
  const found = readGazetteer().names.get(key)
  return found ?? readAlone(text)
}

function readAlone(text: string): readonly Place[] {
  const key = foldName(text)
  const found = readName(key)
  if (found.length > 0) return found
  const name = key.replace(wordsBefore, '').replace(wordsAfter, '')
  if (name === key) return []
  const places = readName(name)
  // Nearly all people who write of a county are in the United States, if it has such a place.
  if (!isCounty({ text })) return places
  const american = places.filter(({ country }) => country === 'US')
  return american.length > 0 ? american : places.filter(({ country }) => countiesOutsideStates.has(country))
}

function isCounty(part: { text: string } | undefined): boolean {
  return part !== undefined && /\scounty$/i.test(part.text)
}

function readName(key: string): readonly Place[] {
  if (others.has(key) || ambiguous.has(key)) return []
  const found = readGazetteer().names.get(key) ?? []
  // Up to three Latin letters are a word or a code, unless they name a country.
  return /^[A-Z]{1,3}$/.test(key) ? found.filter(({ kind }) => kind === 'country') : found
}

/** The country of parts of which each may lie in the next. */
function combine(parts: readonly Part[]): string | undefined {
  const known = parts.filter(({ places }) => places.length > 0)
  const [first, ...larger] = known
  if (first === undefined) return undefined
  const last = known.at(-1) ?? first
  if (larger.length === 0) {
    if (isCode(last.text) && parts.length > 1)
      return decideCode(last, isCounty(parts[0]) ? 'a county' : 'unknown')
    return ambiguous.has(foldName(last.text)) ? undefined : decide(weigh(last.places))
  }
  const fitting = weighTogether(first.places, larger)
  if (fitting.size > 0) return decide(fitting)
  // A code between names may be anything.
  const names = known.filter((part) => part === first || part === last || !isCode(part.text))
  return names.length < known.length ? combine(names) : reconcile(first, last, known)
}

/** The weight of each country where one of the places lies in one of each of the larger places. */
function weighTogether(places: readonly Place[], larger: readonly Part[]): Map<string, number> {
  const weights = new Map<string, number>()
  for (const place of places) {
    const weight = larger.reduce(
      (product, { places }) =>
        product * Math.max(0, ...places.map((each) => Math.max(fit(place, each), fit(each, place) / 2))),
      place.weight,
    )
    if (weight > 0) weights.set(place.country, Math.max(weight, weights.get(place.country) ?? 0))
  }
  return weights
}

/** The country of parts of which none is known to lie in all others. */
function reconcile(first: Part, last: Part, known: readonly Part[]): string | undefined {
  const each = known.map(({ places }) => decide(weigh(places)))
  const alone = agree(each)
  if (alone !== undefined) return alone
  if (each[0] !== undefined && each[0] === each.at(-1) && last.places.some(isCountry)) return each[0]
  // A list of places in several countries.
  if (new Set(each.slice(0, -1).filter((country) => country !== undefined)).size > 1) return undefined
  if (first.places.some(isCountry) && !isOnlyCode(first)) return nameTown(last)
  const isCity = first.places.some(isLargeCity)
  if (isCode(last.text)) {
    if (isCity && isDoubtful(last)) return last.text.length === 3 && isOnlyCode(last) ? each[0] : undefined
    return decideCode(last, first.places.some(({ country }) => country === 'CA') ? 'in Canada' : 'unknown')
  }
  if (ambiguous.has(foldName(last.text)) || (isCity && last.places.some(isLargeCity))) return undefined
  // A small town with the name of a large one elsewhere: the larger place decides.
  return decide(weigh(last.places.filter(({ kind }) => kind !== 'city')))
}

/** Whether the code of a country, behind a large city elsewhere, may be something else: three letters may be a word. */
function isDoubtful(code: Part): boolean {
  const isElse = code.places.some(({ kind }) => kind === 'subdivision')
  return code.places.some(isCountry) && !code.places.some(isState) && (isElse || isOnlyCode(code))
}

function isCountry({ kind }: Place): boolean {
  return kind === 'country'
}

/** Whether a place is a state of the United States. */
function isState({ kind, country }: Place): boolean {
  return kind === 'subdivision' && country === 'US'
}

/** Whether a part is only a code: nobody calls a place so. */
function isOnlyCode({ text }: Part): boolean {
  return isCode(text) && !readGazetteer().names.has(foldName(text))
}

/** The country of a town that is named after a country, and lies in a state: `Peru, Indiana`. */
function nameTown({ text, places }: Part): string | undefined {
  if (!isCode(text) && places.some(isCountry)) return undefined
  const states = places.filter(isSettledState)
  return agree(states.map(({ country }) => country))
}

/** What a code means behind a town that isn't known there. */
function decideCode({ text, places }: Part, town: 'unknown' | 'in Canada' | 'a county'): string | undefined {
  const country = places.find(({ kind, country }) => kind === 'country' && country !== 'US')?.country
  if (!places.some(isState)) return country ?? decide(weigh(places))
  if (town === 'a county') return 'US'
  if (country === 'CA' && town === 'in Canada') return undefined
  return country === undefined || commonStates.has(foldName(text)) ? 'US' : undefined
}

/** How well a place fits in a larger one. */
function fit(place: Place, larger: Place): number {
  if (place.country !== larger.country) {
    return larger.kind === 'country' && findParentCountry(place.country) === larger.country ? 1 : 0
  }
  if (place.kind === 'country') return larger.kind === 'country' ? 1 : 0.01
  if (larger.kind === 'country') return 1
  if (larger.kind === 'city') return 0 // `combine` compares the countries of two cities
  if (larger.state === undefined) return place.kind === 'city' ? 1 : 0.2
  if (place.state !== larger.state) return 0
  return place.kind === 'city' ? 100 : 1
}

/** The weight of each country: that of its likeliest place. */
function weigh(places: readonly Place[]): Map<string, number> {
  const weights = new Map<string, number>()
  for (const { country, weight } of places) weights.set(country, Math.max(weight, weights.get(country) ?? 0))
  return weights
}

function decide(weights: ReadonlyMap<string, number>): string | undefined {
  const [first, second] = [...weights].sort(([, a], [, b]) => b - a)
  return first !== undefined && first[1] >= minLead * (second?.[1] ?? 0) ? first[0] : undefined
}

function agree(found: readonly (string | undefined)[]): string | undefined {
  return new Set(found).size === 1 ? found[0] : undefined
}
