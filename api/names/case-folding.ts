/** The forms of texts that are compared case-insensitively. Stored and requested texts both get them here. */
import { domainToASCII, domainToUnicode } from 'node:url'

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

/** Letters whose marks people often leave out, with their marks. In other scripts, a mark makes another letter. */
const markedLetter = /([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{M}+/gu

/**
 * Folds a location: its case, and the marks on Latin, Greek and Cyrillic letters, so that `zurich` equals `Zürich`.
 * Marks of other scripts stay, as in `が`, and so do letters that Unicode doesn't decompose, such as `ø` and `ł`.
 */
export function foldLocation(text: string): string {
  if (isAscii.test(text)) return foldText(text)
  return foldText(text.normalize('NFD').replace(markedLetter, '$1'))
}

/** Folds a company as a location. An `@` at the start of a word doesn't count, nor does white space at the ends. */
export function foldCompany(text: string): string {
  return foldLocation(text)
    .replaceAll(/(?<![\p{L}\p{M}\p{N}])@+/gu, '')
    .trim()
}

/** Matches domains of letters, digits, hyphens and dots. Runtimes differ in what else is a domain. */
const domainOfLetters = /^[\p{L}\p{M}\p{N}.-]*\p{L}[\p{L}\p{M}\p{N}-]*$/u

/** Folds a domain: its case, and the form of international names, whose ASCII form (IDNA) equals the Unicode form. */
export function foldDomain(domain: string): string {
  const text = domain.normalize('NFKC') // `１` is 1, in ASCII
  if (isAscii.test(text) || !domainOfLetters.test(text)) return foldText(text)
  const ascii = domainToASCII(text)
  const isSame = foldText(domainToUnicode(ascii)) === foldText(text) // some drop characters that they don't know
  return foldText(isSame ? ascii : text)
}
