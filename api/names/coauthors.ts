/**
 * The co-authors that the message of a commit names.
 *
 * @module
 */

/** Somebody whom a commit names. */
export interface Coauthor {
  name: string
  address: string
}

/** Further ones in a message don't count. */
const maxCoauthors = 250

/** Each part stops at the end of the line, so it takes linear time. */
const trailer = /^co-authored-by[ \t]*:(.*)<([^<>\n]+)>[ \t\r]*$/gim

/**
 * Lists whom lines such as `Co-authored-by: Ada <ada@example.com>` name, wherever they are: a forge that squashes commits
 * keeps those of each commit within the message.
 */
export function listCoauthors(message: string): Coauthor[] {
  if (!/co-authored-by/i.test(message)) return []
  return [...message.matchAll(trailer)].slice(0, maxCoauthors).map(([, name = '', address = '']) => ({
    name: name.trim(),
    address: address.trim(),
  }))
}
