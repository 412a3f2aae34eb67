/**
 * Response bodies from bytes that several responses share.
 *
 * @module
 */

/** Bytes per chunk. */
const chunkSize = 65_536
/** A client that reads nothing for this time is disconnected. Node's server has its own, shorter timeout. */
const readTimeoutMs = 90_000

/**
 * A response body that the server pulls as the client reads. Deno would copy a whole body, and hold the copy until a
 * slow client has read it.
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
        timer = setTimeout(() => controller.error(new Error('The client reads nothing')), readTimeoutMs)
      },
      cancel() {
        clearTimeout(timer)
      },
    },
    { highWaterMark: 0 }, // no chunk before it is read: the body of a response to HEAD never is
  )
}
