/** Writes URLs that stand in the code of samples. */

/** Escapes a part of a path. Quotes too, because the URL stands in strings of three languages. */
export const escapePart = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

/** Commas and slashes stay readable in a query. */
const escapeValue = (text: string) => escapePart(text).replace(/%2C/g, ',').replace(/%2F/g, '/')

/** Writes a path with its query. */
export function writeUrl(base: string, query: Iterable<readonly [name: string, value: string]>): string {
  const text = [...query].map(([name, value]) => `${name}=${escapeValue(value)}`).join('&')
  return text ? `${base}?${text}` : base
}

/** The entries of a list that a reader has typed, without empty ones. */
export const splitList = (text: string, separator = ','): string[] =>
  text
    .split(separator)
    .map((each) => each.trim())
    .filter((each) => each !== '')
