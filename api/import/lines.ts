/**
 * Cuts a stream of bytes into lines, in constant memory.
 *
 * @module
 */

/** A line of text that is longer than this is not read, in bytes. */
const maxLineLength = 64 * 2 ** 20

/** A line, where it stands, and how far the reading has come. */
export interface Line {
  /** Without white space at its ends. Where `problem` says that it is no text: what can be shown of it. */
  text: string
  /** Why the line can't be read; undefined when it can. */
  problem: string | undefined
  /** From 1. */
  number: number
  /** Bytes read so far. */
  bytesRead: number
}

/**
 * Reads UTF-8 lines that end with LF or CRLF, the last one with or without. Blank lines are passed over, and so is a
 * byte order mark.
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
    const bytes = Buffer.concat(pieces)
    const isTooLong = pieceBytes > maxLineLength
    pieces = []
    pieceBytes = 0
    if (isTooLong) return { text: '', problem: `longer than ${maxLineLength} bytes`, number, bytesRead }
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
      if (pieceBytes > maxLineLength) pieces = []
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
