/**
 * Cuts a stream of bytes into lines, in constant memory.
 *
 * @module
 */

/** A line of text that is longer than this is refused, in bytes. */
const longestLine = 64 * 2 ** 20

/** A line, where it stands, and how far the reading has come. */
export interface Line {
  text: string
  /** From 1. */
  number: number
  /** Bytes read so far. */
  bytesRead: number
}

/** The input is not UTF-8 text in lines. The message says where. */
export class LineError extends Error {
  override name = 'LineError'
}

/** Reads UTF-8 lines that end with LF or CRLF; blank ones are passed over. Throws `LineError`. */
export async function* readLines(input: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let pieces: Uint8Array[] = []
  let pieceBytes = 0
  let number = 0
  let bytesRead = 0

  function takeLine(): Line | undefined {
    number++
    const bytes = Buffer.concat(pieces)
    pieces = []
    pieceBytes = 0
    let text: string
    try {
      text = decoder.decode(bytes).trim()
    } catch {
      throw new LineError(`line ${number}: not UTF-8 text`)
    }
    return text === '' ? undefined : { text, number, bytesRead }
  }

  for await (const chunk of input) {
    let start = 0
    for (;;) {
      const end = chunk.indexOf(0x0a, start)
      const piece = chunk.subarray(start, end === -1 ? chunk.length : end)
      pieces.push(piece)
      pieceBytes += piece.length
      bytesRead += piece.length
      if (pieceBytes > longestLine)
        throw new LineError(`line ${number + 1}: longer than ${longestLine} bytes`)
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
