/**
 * Codes of countries: ISO 3166-1 alpha-2.
 *
 * @module
 */
import { iso31661Alpha2ToAlpha3 } from 'iso-3166/1-a2-to-1-a3.js'

/** Codes that ISO has left to users, and that locations may have: Kosovo. */
const furtherCodes = new Set(['XK'])

/** Whether a text is the code of a country, in capital letters. */
export function isCountryCode(text: string): boolean {
  return Object.hasOwn(iso31661Alpha2ToAlpha3, text) || furtherCodes.has(text)
}
