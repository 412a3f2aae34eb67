/**
 * Names of places and the countries that they are in: of countries in 78 languages (i18n-iso-countries), of their first
 * subdivisions (iso-3166), and of cities from 15,000 people on, with their names in other languages (GeoNames, as of
 * 2017).
 */
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { foldLocation } from '../case-folding.ts'
import { furtherNames } from './further-names.ts'

/** A place that a name may mean. */
export interface Place {
  /** ISO 3166-1 alpha-2. */
  country: string
  kind: 'country' | 'subdivision' | 'city'
  /** Of a subdivision of the United States and of a city there: the letters of the state. */
  state: string | undefined
  /** How likely the name means this place: about its number of people. */
  weight: number
}

/** What names and codes mean, by their folded form. */
export interface Gazetteer {
  names: ReadonlyMap<string, readonly Place[]>
  /** Of countries, and of the states of countries whose addresses have them. */
  codes: ReadonlyMap<string, readonly Place[]>
}

/** A country is meant before any city of the same name. */
const countryWeight = 1e9
/** Of a country's people. */
const subdivisionShare = 1 / 100
const smallSubdivisionShare = 1 / 1000
/** People write capitals of small countries as they do large cities. */
const capitalWeight = 300_000
/** Only larger cities are known by their names in other languages. */
const minTranslated = 50_000
/** A city's own name is meant before the name that another language gives to a smaller city: Rome isn't Lomé. */
const namesakeShare = 1 / 3
/** Chinese and Japanese names say that they are of a city, and people leave this out. */
const cityInHan = /^\p{Script=Han}{2,}市$/u
/** Countries whose people write the letters of their states after a city. */
const letteredCountries = new Set(['US', 'CA', 'AU', 'BR', 'IN', 'DE', 'CH', 'ZA', 'MX', 'IT'])

/** Letters that Unicode doesn't decompose, and another form of one. */
const plainLetters: Readonly<Record<string, string>> = { Ł: 'L', Ø: 'O', Đ: 'D', Æ: 'AE', ı: 'I', 臺: '台' }

/** Folds a name: case, marks, punctuation and spaces don't matter. */
export function foldName(text: string): string {
  return foldLocation(text.normalize('NFKC'))
    .replace(/[ŁØĐÆı臺]/g, (letter) => plainLetters[letter] ?? letter)
    .replace(/['’‘`´ʻ."“”*!?~#]/g, '')
    .replace(/&/g, ' AND ')
    .replace(/[-‐‑_\s]+/g, ' ')
    .trim()
}

let loaded: Gazetteer | undefined

/** Returns the gazetteer. The first call takes 0.7 s, and 60 MB. */
export function readGazetteer(): Gazetteer {
  loaded ??= loadGazetteer()
  return loaded
}

/** It is long because its functions fill the same maps. */
function loadGazetteer(): Gazetteer {
  const names = new Map<string, Place[]>()
  const codes = new Map<string, Place[]>()
  const require = createRequire(import.meta.url)
  const cities = dirname(require.resolve('cities15000/package.json'))
  const readRows = (file: string) =>
    readFileSync(join(cities, file), 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => line.split('\t'))

  /** People of each country. */
  const people = new Map<string, number>()
  const countryPlaces = new Map<string, Place>()
  for (const [alpha2 = '', alpha3 = '', , , , , , count] of readRows('countryInfo.txt')) {
    people.set(alpha2, Number(count))
    for (const code of [alpha2, alpha3]) add(codes, code, findCountryPlace(alpha2))
  }
  add(codes, 'UK', findCountryPlace('GB'))
  const languages = join(dirname(require.resolve('i18n-iso-countries/package.json')), 'langs')
  for (const file of readdirSync(languages)) {
    const { countries }: { countries: Record<string, string | string[]> } = JSON.parse(
      readFileSync(join(languages, file), 'utf8'),
    )
    for (const [country, given] of Object.entries(countries)) addCountry(country, [given].flat())
  }
  for (const [country, given] of Object.entries(furtherNames)) addCountry(country, given)

  // Most processes never need it, so it isn't imported at their start.
  const { iso31662 }: typeof import('iso-3166') = require('iso-3166')
  for (const { code, name, parent } of iso31662) {
    const [country = '', letters = ''] = code.split('-')
    const share = parent === country ? subdivisionShare : smallSubdivisionShare
    const state = country === 'US' ? letters : undefined
    const place = createPlace(country, 'subdivision', (people.get(country) ?? 0) * share, state)
    addName(name.replace(/\s*[[(].*?[\])]/g, ''), place)
    if (letteredCountries.has(country) && /^[A-Z]{2,3}$/.test(letters)) add(codes, letters, place)
  }

  /** Of each name of cities, the largest city that it is the own name of. */
  const largest = new Map<string, number>()
  const translated = readRows('cities15000.txt').flatMap((row) => {
    const [, name = '', plain = '', others = '', , , , feature, country = '', , state] = row
    const weight = Math.max(Number(row[14]), feature === 'PPLC' ? capitalWeight : 1)
    const place = createPlace(country, 'city', weight, country === 'US' ? state : undefined)
    for (const key of new Set([foldName(name), foldName(plain)])) {
      add(names, key, place)
      largest.set(key, Math.max(weight, largest.get(key) ?? 0))
    }
    return weight < minTranslated ? [] : [{ place, others: others.split(',').filter(isName) }]
  })
  for (const { place, others } of translated) addTranslations(place, others)
  return { names, codes }

  /** One for each country: many languages share a name. */
  function findCountryPlace(country: string): Place {
    const known = countryPlaces.get(country)
    if (known !== undefined) return known
    const place = createPlace(country, 'country', countryWeight)
    countryPlaces.set(country, place)
    return place
  }

  function addCountry(country: string, given: readonly string[]): void {
    for (const name of given) addName(name, findCountryPlace(country))
  }

  function addTranslations(place: Place, others: readonly string[]): void {
    const namesake = { ...place, weight: place.weight * namesakeShare }
    const plainer = others.filter((each) => cityInHan.test(each)).map((each) => each.slice(0, -1))
    for (const each of [...others, ...plainer]) {
      const key = foldName(each)
      if (names.get(key)?.includes(place)) continue
      add(names, key, (largest.get(key) ?? 0) > place.weight ? namesake : place)
    }
  }

  function addName(name: string, place: Place): void {
    add(names, foldName(name), place)
  }
}

function createPlace(country: string, kind: Place['kind'], weight: number, state?: string): Place {
  return { country, kind, weight, state }
}

function add(all: Map<string, Place[]>, key: string, place: Place): void {
  const places = all.get(key)
  if (places === undefined) all.set(key, [place])
  else if (!places.includes(place)) places.push(place)
}

/** Whether another name of a city is one. GeoNames also has codes of airports, and words that are too short to tell. */
function isName(text: string): boolean {
  return /[a-z]/i.test(text) ? text.length >= 4 && !/^[A-Z]+$/.test(text) : text.length >= 2
}
