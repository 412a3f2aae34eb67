/**
 * Finds the country in what people write as their location. A text that may mean several countries has none.
 *
 * @module
 */
import { ambiguousNames, otherWords } from './further-names.ts'
import { foldName, type Place, readGazetteer } from './gazetteer.ts'

/**
 * Count it up when `findCountry` may return another country for a text. The dataset notes by which rules its users were
 * classified: with others, the next load classifies them again.
 */
export const countryRules = 1

/** A part of a text, and what it may mean. */
interface Part {
  text: string
  places: readonly Place[]
}

/** A country is found if its best reading is this many times as likely as that of any other. */
const minLead = 6
/** In a sentence, only names of cities of this size count. */
const minCityInSentence = 100_000

/** Codes of American states that people mean more often than the country with the same code, if they write a town before. */
const commonStates = new Set('CA VA NC SC GA MD KY LA MO MS MT NE AZ SD ME'.split(' '))

const ambiguous = new Set(ambiguousNames.map(foldName))
const others = new Set(otherWords.map(foldName))

/** Words before and after a name that don't change its country. */
const wordsBefore =
  /^(?:(?:the|greater|central|downtown|northern|southern|western|eastern|north|south|east|west|mid|(?:living|lives|located|based|currently based|currently living|made|home|somewhere|now) in|currently(?: in)?|hello from|from|moved to|in|near|close to|outside|around|(?:state|province|city|republic|university|island|region) of|remote) )+/i
const wordsAfter =
  /(?: (?:area|region|metro|metropolitan|city|state|province|district|county|prefecture|oblast|university|remote|based|suburbs|shi|sheng|ken|with love))+$/i

/** Texts about several places, about a former one, or about none. */
const unclear =
  /->|→|⇒|=>|➡|✈|↔|⇄|^[/~.]|:\/\/|\b(?:originally|grew up|born|exile|abroad|expat|formerly|previously|moved from|native of|between|soon|raised|border|citizen|nomad|anywhere|everywhere|worldwide|planet|earth|world|galaxy|internet)\b/i

/** Between places that stand beside each other. */
const besides = /\s*[;+&]\s*|\s+(?:and|or|y|et|und|ou|e|i|и|vs\.?)\s+/i
/** Between places beside each other, or a place and a larger one. */
const either = /\s*[/|·•\\]\s*|\s+[-–—~]\s+/
/** Between a place and a larger one. */
const within = /\s*[,()[\]{}:@，、。]\s*|\s+(?:in|near|at)\s+/i

const flag = /[\u{1F1E6}-\u{1F1FF}]{2}/gu
const picture = /\p{Extended_Pictographic}|\uFE0F|\u200D|[\u{E0000}-\u{E007F}]/gu
const flagsOfNoCountry = new Set(['EU', 'UN'])

/** Finds the country of a location: its ISO 3166-1 alpha-2 code. Undefined: the text names none, or more than one. */
export function findCountry(location: string): string | undefined {
  const flags = new Set(
    [...location.matchAll(flag)]
      .map(([each]) => readFlag(each))
      .filter((code) => !flagsOfNoCountry.has(code)),
  )
  if (flags.size > 1) return undefined
  const text = location.replace(flag, ' ').replace(picture, ' ').replace(/\s+/g, ' ').trim()
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

function findInText(text: string): string | undefined {
  const key = foldName(text)
  if (key === '' || unclear.test(text) || ambiguous.has(key) || others.has(key)) return undefined
  const whole = readAlone(text)
  if (whole.length > 0) return decide(weigh(whole))
  const beside = text.split(besides).filter((part) => part !== '')
  return beside.length > 1 ? agree(beside.map(findPlace)) : findPlace(text)
}

/** Finds the country of one place, perhaps with larger ones around it. */
function findPlace(text: string): string | undefined {
  const parts = text.split(either).filter((part) => part.trim() !== '')
  const split = (part: string) => part.split(within).filter((each) => each.trim() !== '')
  if (parts.length > 1) {
    const last = parts.at(-1)?.trim() ?? ''
    const isOne = isCode(last) && !isCode(parts[0]?.trim() ?? '')
    if (isOne) return combine(readParts(parts.flatMap(split)))
    if (parts.some((part) => ambiguous.has(foldName(part)))) return undefined
    const found = parts.map((part) => combine(readParts(split(part))))
    return agree(found.filter((each) => each !== undefined))
  }
  const all = readParts(split(text))
  if (all.every(({ places }) => places.length === 0)) return findInSentence(text)
  return combine(all) ?? (all.length === 2 ? combine(all.toReversed()) : undefined)
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
      const isLastCode = length === 1 && at > 0 && at === words.length - 1 && /^[A-Z]{2}$/.test(part)
      const places = isLastCode ? readCode(part) : readName(foldName(part)).filter(isKnownWidely)
      if (places.length === 0) continue
      found.push({ text: part, places })
      break
    }
    at += Math.max(1, length)
  }
  return combine(found)
}

function isKnownWidely({ kind, weight }: Place): boolean {
  return kind === 'country' || (kind === 'city' && weight > minCityInSentence)
}

function readParts(texts: readonly string[]): Part[] {
  const read = (text: string) =>
    texts.length > 1 ? (isCode(text) ? readCode(text) : readWithin(text)) : readAlone(text)
  return texts.map((text) => ({ text: text.trim(), places: read(text.trim()) }))
}

/** Whether a text may be the code of a country or of a state. */
function isCode(text: string): boolean {
  return /^[A-Za-z]{2,3}$/.test(text.replaceAll('.', ''))
}

function readCode(text: string): readonly Place[] {
  const { names, codes } = readGazetteer()
  const key = foldName(text)
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
  return name === key ? [] : readName(name)
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
    if (isCode(last.text) && parts.length > 1) return decideCode(last, 'unknown')
    return ambiguous.has(foldName(last.text)) ? undefined : decide(weigh(last.places))
  }
  const scores = new Map<string, number>()
  for (const place of first.places) {
    const score = larger.reduce(
      (product, { places }) =>
        product * Math.max(0, ...places.map((each) => Math.max(fit(place, each), fit(each, place) / 2))),
      place.weight,
    )
    if (score > 0) scores.set(place.country, Math.max(score, scores.get(place.country) ?? 0))
  }
  if (scores.size > 0) return decide(scores)
  const alone = agree(known.map(({ places }) => decide(weigh(places))))
  if (alone !== undefined) return alone
  // A small town with the name of a large one elsewhere: the larger place decides.
  if (isCode(last.text)) {
    return decideCode(last, first.places.some(({ country }) => country === 'CA') ? 'in Canada' : 'unknown')
  }
  const around = last.places.filter(({ kind }) => kind !== 'city')
  const isOtherCountry = first.places.some(
    ({ kind, country }) => kind === 'country' && around.every((place) => place.country !== country),
  )
  return isOtherCountry ? undefined : decide(weigh(around))
}

/** What a code means behind a town that isn't known there. */
function decideCode({ text, places }: Part, town: 'unknown' | 'in Canada'): string | undefined {
  const isState = places.some(({ kind, country }) => kind === 'subdivision' && country === 'US')
  const country = places.find(({ kind }) => kind === 'country')?.country
  if (!isState) return country ?? decide(weigh(places))
  if (country === 'CA' && town === 'in Canada') return undefined
  return country === undefined || commonStates.has(foldName(text)) ? 'US' : undefined
}

/** How well a place fits in a larger one. */
function fit(place: Place, larger: Place): number {
  if (place.country !== larger.country) return 0
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
