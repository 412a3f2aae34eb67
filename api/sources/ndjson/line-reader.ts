/** Splits a stream of bytes into lines, in constant memory. */

/** Longer lines are not read. */
const maxLineBytes = 64 * 2 ** 20

/** The problem of a first line that begins as a file of gzip does (RFC 1952). No UTF-8 text has these bytes. */
export const gzipProblem = 'compressed with gzip'

/** A line. */
export interface Line {
  /** Without white space at its ends. With a `problem`, the part that can be shown. */
  text: string
  /** Why the line can't be read; undefined when it can. */
  problem: string | undefined
  /** From 1. */
  number: number
}

/** Lines that were read at once, and the progress of the reading. */
export interface Lines {
  lines: Line[]
  /** Bytes read so far. */
  bytesRead: number
}

/**
 * Reads UTF-8 lines that end with LF or CRLF; the last one may lack it. Skips blank lines and a byte order mark.
 */
export async function* readLines(input: AsyncIterable<Uint8Array>): AsyncGenerator<Lines> {
  const strict = new TextDecoder('utf-8', { fatal: true })
  const lenient = new TextDecoder('utf-8')
  let pieces: Uint8Array[] = []
  let pieceBytes = 0
  let number = 0
  let bytesRead = 0

  function takeLine(): Line[] {
    number++
    const [only] = pieces
    const bytes = only !== undefined && pieces.length === 1 ? only : Buffer.concat(pieces)
    const isTooLong = pieceBytes > maxLineBytes
    pieces = []
    pieceBytes = 0
    if (isTooLong) return [{ text: '', problem: `longer than ${maxLineBytes} bytes`, number }]
    let text: string
    try {
      text = strict.decode(bytes).trim()
    } catch {
      const isGzip = number === 1 && bytes[0] === 0x1f && bytes[1] === 0x8b
      if (isGzip) return [{ text: '', problem: gzipProblem, number }]
      return [{ text: lenient.decode(bytes).trim(), problem: 'not UTF-8 text', number }]
    }
    return text === '' ? [] : [{ text, problem: undefined, number }]
  }

  for await (const chunk of input) {
    const lines: Line[] = []
    let start = 0
    for (;;) {
      const end = chunk.indexOf(0x0a, start)
      const piece = chunk.subarray(start, end === -1 ? chunk.length : end)
      pieceBytes += piece.length
      if (pieceBytes > maxLineBytes) pieces = []
      else pieces.push(piece)
      if (end === -1) break
      start = end + 1
      lines.push(...takeLine())
    }
    bytesRead += chunk.length
    yield { lines, bytesRead }
  }
  yield { lines: takeLine(), bytesRead }
}
