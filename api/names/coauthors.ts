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

const trailer = /^co-authored-by[ \t]*:(.*)<([^<>]*@[^<>]*)>\s*$/i

/**
 * Lists whom lines such as `Co-authored-by: Ada <ada@example.com>` name, wherever they are: a forge that squashes commits
 * keeps those of each commit within the message. Takes time in proportion to the message.
 */
export function listCoauthors(message: string): Coauthor[] {
  if (!/co-authored-by/i.test(message)) return []
  const coauthors: Coauthor[] = []
  for (const line of message.split('\n')) {
    const [, before, address] = trailer.exec(line) ?? []
    if (before === undefined || address === undefined) continue
    // A second address in front of the last one isn't part of a name.
    coauthors.push({ name: before.replace(/<.*/, '').trim(), address: address.trim() })
    if (coauthors.length === maxCoauthors) break
  }
  return coauthors
}
