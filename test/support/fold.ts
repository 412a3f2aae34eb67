/** Letters whose other case is not one letter, or not the one that comes back: with what they are the same as. */
const oddLetters = new Map([
  ['ß', 'ss'],
  ['ẞ', 'ss'],
  ['ς', 'σ'],
  ['İ', 'i'],
  ['ı', 'i'],
])

/**
 * Folds case letter by letter, composed and decomposed letters being the same. It knows the letters of the sample,
 * not all that there are.
 */
export function fold(text: string): string {
  let folded = ''
  for (const letter of text.normalize('NFC')) folded += oddLetters.get(letter) ?? letter.toLowerCase()
  return folded.replaceAll('i\u0307', 'i') // İ, where something else has put it in lower case before
}

/** The blocks of Latin, Greek and Cyrillic letters. */
const letters = /^[A-Za-z\u00aa-\u024f\u0370-\u052f\u1e00-\u1fff]$/
const marks = /^[\u0300-\u036f]$/

/** Folds a company as a location, without an `@` at the start of a word, and without white space at its ends. */
export function foldCompany(text: string): string {
  const characters = [...foldPlace(text)]
  const isInWord = (place: number) => /[\p{L}\p{M}\p{N}]/u.test(characters[place - 1] ?? ' ')
  return characters
    .filter((character, place) => character !== '@' || isInWord(place))
    .join('')
    .trim()
}

/** Folds a location: also drops the marks on Latin, Greek and Cyrillic letters. */
export function foldPlace(text: string): string {
  let plain = ''
  let isOnLetter = false
  for (const letter of text.normalize('NFD')) {
    if (!marks.test(letter)) isOnLetter = letters.test(letter)
    else if (isOnLetter) continue
    plain += letter
  }
  return fold(plain)
}
