/**
 * The form in which texts are stored to be searched. It is made here and nowhere else, for what is stored and for
 * what is asked, so that "without regard to case" means the same on every database, whatever its locale.
 *
 * @module
 */

const isAscii = /^[\0-\x7f]*$/

/**
 * Folds away case, beyond ASCII too: `Straße` and `STRASSE` are one, all three sigmas are one, composed and
 * decomposed accents are one, and `İstanbul` is found by `istanbul`.
 */
export function foldText(text: string): string {
  if (isAscii.test(text)) return text.toUpperCase() // what all that follows comes to
  return text
    .normalize('NFC')
    .toLowerCase()
    .replaceAll('i\u0307', 'i') // what a dotted capital İ becomes in lower case
    .toUpperCase() // one upper case has several lower ones (σ and ς, s and ſ), not the other way round
    .normalize('NFC')
}
