/** Splits a stream of bytes into lines, in constant memory. */

/** Longer lines are not read. */
const maxLineBytes = 64 * 2 ** 20

/** A line, and the progress of the reading. */
export interface Line {
  /** Without white space at its ends. With a `problem`, the part that can be shown. */
  text: string
  /** Why the line can't be read; undefined when it can. */
  problem: string | undefined
  /** From 1. */
  number: number
  /** Bytes read so far. */
  bytesRead: number
}

/**
 * Reads UTF-8 lines that end with LF or CRLF; the last one may lack it. Skips blank lines and a byte order mark.
 */
export async function* readLines(input: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  const strict = new TextDecoder('utf-8', { fatal: true })
  const lenient = new TextDecoder('utf-8')
  let pieces: Uint8Array[] = []
  let pieceBytes = 0
  let number = 0
  let bytesRead = 0

  function takeLine(): Line | undefined {
    number++
    const [only] = pieces
    const bytes = only !== undefined && pieces.length === 1 ? only : Buffer.concat(pieces)
    const isTooLong = pieceBytes > maxLineBytes
    pieces = []
    pieceBytes = 0
    if (isTooLong) return { text: '', problem: `longer than ${maxLineBytes} bytes`, number, bytesRead }
    let text: string
    try {
      text = strict.decode(bytes).trim()
    } catch {
      return { text: lenient.decode(bytes).trim(), problem: 'not UTF-8 text', number, bytesRead }
    }
    return text === '' ? undefined : { text, problem: undefined, number, bytesRead }
  }

  for await (const chunk of input) {
    let start = 0
    for (;;) {
      const end = chunk.indexOf(0x0a, start)
      const piece = chunk.subarray(start, end === -1 ? chunk.length : end)
      pieceBytes += piece.length
      bytesRead += piece.length
      if (pieceBytes > maxLineBytes) pieces = []
      else pieces.push(piece)
      if (end === -1) break
      bytesRead += 1
      start = end + 1
      const line = takeLine()
      if (line !== undefined) yield line
    }
  }
  const line = takeLine()
  if (line !== undefined) yield line
}
