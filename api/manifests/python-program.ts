/** Splits manifests that are Python into tokens, without running them. */
import type { Program } from './program.ts'

/** At each position, one alternative matches in one way, so that the search stays linear. */
const blank = /(?<blank>[ \t\f\r]+|#[^\n]*|\\\r?\n)/.source
const prefix = /(?<prefix>[bfrtu]{0,2})/.source
const longString = /(?<quotes>"""|''')(?<long>(?:\\[\s\S]|(?!\k<quotes>)[^\\])*)\k<quotes>/.source
const shortString = /(?<quote>["'])(?!\k<quote>{2})(?<short>(?:\\[\s\S]|(?!\k<quote>)[^\\\n])*)\k<quote>/
  .source
const word = /[\w\u0080-\uffff]+/.source
const token = new RegExp(`${blank}|${prefix}(?:${longString}|${shortString})|${word}|[\\s\\S]`, 'gi')

/**
 * Splits a program into tokens. A string that may be computed (`f"…"`) begins with a `?`.
 *
 * @throws {Error} when a string or a bracket is not closed
 */
export function scanPython(content: string): Program {
  const tokens: string[] = []
  const closes = new Map<number, number>()
  const open: number[] = []
  for (const match of content.matchAll(token)) {
    const [text] = match
    const { blank, prefix = '', long, short = long } = match.groups ?? {}
    if (blank !== undefined || (text === '\n' && open.length > 0)) continue
    if (text === '"' || text === "'") {
      throw new Error(
        `a string that begins with ${content.slice(match.index, match.index + 20)} is not closed`,
      )
    }
    if ('([{'.includes(text)) open.push(tokens.length)
    if (')]}'.includes(text)) {
      const opener = open.pop()
      if (opener === undefined) throw new Error(`unmatched "${text}"`)
      closes.set(opener, tokens.length)
    }
    if (short === undefined) tokens.push(text === ';' ? '\n' : text)
    else
      tokens.push((/[bft]/i.test(prefix) ? '?' : '"') + (/r/i.test(prefix) ? short : unescapeString(short)))
  }
  if (open.length > 0) throw new Error('a bracket is not closed')
  tokens.push('\n')
  return { tokens, closes }
}

const escapes = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['\\', '\\'],
  ["'", "'"],
  ['"', '"'],
])

/** Replaces the escapes that a list of requirements may have, and joins lines. */
function unescapeString(text: string): string {
  return text.replace(/\\(?:\r?\n|([\s\S]))/g, (written, character: string | undefined) =>
    character === undefined ? '' : (escapes.get(character) ?? written),
  )
}
