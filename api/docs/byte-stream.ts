/**
 * Bodies of bytes that many responses share.
 *
 * @module
 */

/** Bytes that are handed to the server at a time. */
const chunkSize = 65_536
/** A client that reads nothing for this time is given up. Node's server has a shorter timeout of its own. */
const readTimeoutMs = 90_000

/**
 * A response body of bytes that are in memory already, handed to the server as the client reads it. Deno copies a body
 * that it gets as a whole, for as long as the client doesn't read it.
 */
export function streamBytes(
  bytes: Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>> {
  if (bytes.length <= chunkSize) return bytes
  let sent = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  return new ReadableStream(
    {
      pull(controller) {
        clearTimeout(timer)
        if (sent >= bytes.length) return controller.close()
        controller.enqueue(bytes.subarray(sent, sent + chunkSize))
        sent += chunkSize
        timer = setTimeout(() => controller.error(new Error('the client reads nothing')), readTimeoutMs)
      },
      cancel() {
        clearTimeout(timer)
      },
    },
    { highWaterMark: 0 }, // nothing before it is read: a response to HEAD never is
  )
}
