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
