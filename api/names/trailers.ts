/** The trailers of a commit's message: lines such as `Reviewed-by: Ada <ada@example.com>`. */

/** A trailer, wherever it is in the message: a forge that squashes commits keeps those of each commit. */
export interface Trailer {
  /** Quotes, bullets and spaces before it. */
  prefix: string
  token: string
  value: string
  /** From 0. */
  firstLine: number
  lastLine: number
}

const begin = /^([\s>*-]*)([a-z][\w-]*)\s*:(.*)$/is
/** An address, not a mention such as `@ada`. */
const addressSign = /[^\s(@]@/
/** Lines that continue a trailer. A name and an address need fewer. */
const maxContinuations = 10

/**
 * Lists the trailers of a message's lines. Unfolds as `git interpret-trailers` does: indented lines continue a trailer.
 * Only those up to its address count, because an indented line after it may be a remark or the text of somebody else.
 * Takes time in proportion to the message.
 */
export function* listTrailers(lines: readonly string[]): Generator<Trailer> {
  for (const [firstLine, line] of lines.entries()) {
    const [, prefix, token, rest] = begin.exec(line) ?? []
    if (prefix === undefined || token === undefined || rest === undefined) continue
    const folded = addressSign.test(rest) ? [] : listContinuations(lines, firstLine, prefix)
    const value = [rest, ...folded].map((part) => part.trim()).join(' ')
    yield { prefix, token, value, firstLine, lastLine: firstLine + folded.length }
  }
}

/** Removes trailers from a message. Returns the same text if it has none of them. */
export function removeTrailers(message: string, isRemoved: (trailer: Trailer) => boolean): string {
  const lines = message.split('\n')
  const removed = new Set<number>()
  for (const trailer of listTrailers(lines)) {
    if (!isRemoved(trailer)) continue
    for (let line = trailer.firstLine; line <= trailer.lastLine; line++) removed.add(line)
  }
  return removed.size === 0 ? message : lines.filter((_line, index) => !removed.has(index)).join('\n')
}

/** Lists the lines that continue a trailer, up to one with an address. Without such a line, none does. */
function listContinuations(lines: readonly string[], firstLine: number, prefix: string): string[] {
  const indent = prefix.replaceAll(/[*-]/g, ' ')
  const folded: string[] = []
  for (const line of lines.slice(firstLine + 1, firstLine + 1 + maxContinuations)) {
    const rest = line.slice(indent.length)
    // The text of a list's item is indented already.
    const isIndented = line.startsWith(indent) && (indent !== prefix || /^[ \t]/.test(rest))
    if (!isIndented || rest.trim() === '' || begin.test(line)) break
    folded.push(rest)
    if (addressSign.test(rest)) return folded
  }
  return []
}
