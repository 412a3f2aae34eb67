/** Codes of countries: ISO 3166-1 alpha-2. */
import { iso31661Alpha2ToAlpha3 } from 'iso-3166/1-a2-to-1-a3.js'

/** Codes that people write for others: the usual one of the United Kingdom, and the European Union's of Greece. */
const otherCodes: Readonly<Record<string, string>> = { UK: 'GB', EL: 'GR', XKX: 'XK' }

/** Codes that ISO has left to users, and that locations may have: Kosovo. */
const furtherCodes = new Set(['XK'])

/** Countries with codes of their own that people also place in another country. */
const territories: Readonly<Record<string, string>> = {
  AU: 'CC CX NF',
  CN: 'HK MO',
  DK: 'FO GL',
  FI: 'AX',
  FR: 'BL GF GP MF MQ NC PF PM RE WF YT',
  GB: 'AI BM FK GG GI IM JE KY MS PN SH TC VG',
  NL: 'AW BQ CW SX',
  NO: 'SJ',
  NZ: 'CK NU TK',
  US: 'AS GU MP PR VI',
}

const parents = new Map(
  Object.entries(territories).flatMap(([parent, codes]) =>
    codes.split(' ').map((code) => [code, parent] as const),
  ),
)

/** Returns the code of the country that a territory belongs to: `CN` of `HK`. */
export function findParentCountry(code: string): string | undefined {
  return parents.get(code)
}

/** Whether a text is the code of a country, in capital letters. */
export function isCountryCode(text: string): boolean {
  return Object.hasOwn(iso31661Alpha2ToAlpha3, text) || furtherCodes.has(text)
}

/**
 * Finds the code that somebody means by another one, by three letters, or by the English name: `GB` for `UK` and `GBR`.
 */
export function suggestCountryCode(text: string): string | undefined {
  const key = text.trim().toUpperCase()
  if (Object.hasOwn(otherCodes, key)) return otherCodes[key]
  const names = new Intl.DisplayNames('en', { type: 'region' })
  const codes = [
    ...Object.entries(iso31661Alpha2ToAlpha3),
    ...[...furtherCodes].map((code) => [code, ''] as const),
  ]
  return codes.find(([code, alpha3]) => key === alpha3 || key === names.of(code)?.toUpperCase())?.[0]
}
