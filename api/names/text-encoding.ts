/** Finds the encoding of a text by its byte order mark. Without one, it is UTF-8. */
export function detectEncoding([first, second]: Uint8Array): 'utf-8' | 'utf-16be' | 'utf-16le' {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
}
