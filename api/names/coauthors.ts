/** The co-authors that the message of a commit names. */
import { listTrailers } from './trailers.ts'

/** Somebody whom a commit names. */
export interface Coauthor {
  name: string
  address: string
}

/** Whether a trailer names a co-author. */
export function isCoauthorToken(token: string): boolean {
  return token.toLowerCase() === 'co-authored-by'
}

/** Further ones in a message don't count. */
const maxCoauthors = 250

/**
 * Lists whom trailers such as `Co-authored-by: Ada <ada@example.com>` name, wherever they are: a forge that squashes
 * commits keeps those of each commit within the message. Takes time in proportion to the message.
 */
export function listCoauthors(message: string): Coauthor[] {
  if (!/co-authored-by/i.test(message)) return []
  const coauthors: Coauthor[] = []
  for (const { prefix, token, value } of listTrailers(message.split('\n'))) {
    if (prefix !== '' || !isCoauthorToken(token)) continue
    const [, before, address] = /^(.*)<([^<>]*)>$/s.exec(value) ?? []
    if (before === undefined || !address?.includes('@')) continue
    // A second address in front of the last one isn't part of a name.
    coauthors.push({ name: before.replace(/<.*/s, '').trim(), address: address.trim() })
    if (coauthors.length === maxCoauthors) break
  }
  return coauthors
}
