/** Countries by their names, in the languages that readers may use. */

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
/** Languages in which readers may name a country. */
const languages = 'en de fr es pt it nl pl cs sv tr uk ru zh ja ko'.split(' ')
/** Regions that have a name, but no code of ISO 3166-1. */
const regionsWithoutCode = new Set('AC CP CQ DG EA EU EZ IC QO TA UN XA XB XK ZZ'.split(' '))
/** Former codes, such as `DD`, are other names for current ones. */
const isCountryCode = (code: string) =>
  !regionsWithoutCode.has(code) && Intl.getCanonicalLocales(`und-${code}`)[0] === `und-${code}`

let codes: Map<string, string> | undefined

/** The ISO 3166-1 code of a country's name; undefined for other texts. */
export function findCountryCode(name: string): string | undefined {
  if (codes === undefined) {
    const all = letters.flatMap((first) => letters.map((second) => first + second)).filter(isCountryCode)
    codes = new Map([['usa', 'US']])
    // Short names: `UK`.
    const styles = [['en', 'short'] as const, ...languages.map((language) => [language, 'long'] as const)]
    for (const [language, style] of styles) {
      const names = new Intl.DisplayNames(language, { type: 'region', fallback: 'none', style })
      for (const code of all) {
        const name = names.of(code)?.toLowerCase()
        if (name !== undefined && !codes.has(name)) codes.set(name, code)
      }
    }
  }
  return codes.get(name.toLowerCase())
}
