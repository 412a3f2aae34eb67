/**
 * The form of texts that are compared case-insensitively. Stored and requested texts both get it here.
 *
 * @module
 */

const isAscii = /^[\0-\x7f]*$/

/**
 * Folds case, beyond ASCII too: `Straße` equals `STRASSE`, all three sigmas are equal, composed and decomposed accents
 * are equal, and `istanbul` finds `İstanbul`. The database compares folded texts, so that its locale doesn't matter.
 */
export function foldText(text: string): string {
  if (isAscii.test(text)) return text.toUpperCase() // the following gives the same
  return text
    .normalize('NFC')
    .toLowerCase()
    .replaceAll('i\u0307', 'i') // the lower case of a dotted capital İ
    .toUpperCase() // one upper case has several lower ones (σ and ς, s and ſ), but not vice versa
    .normalize('NFC')
}
