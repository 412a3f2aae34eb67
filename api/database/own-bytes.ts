/**
 * Bytes that are alone in their memory, and are let go when they are done with.
 *
 * V8 counts the memory of buffers apart from its heap, and for each 64 MiB of it goes through the whole heap, however
 * small that is. A thousand pages of 100 KB a second would have it do little else: a third of what a page takes.
 *
 * @module
 */

import { Buffer } from 'node:buffer'

declare const own: unique symbol

/** Bytes that a function of this module gave: nothing else is in their memory. */
export type OwnBytes = Uint8Array<ArrayBuffer> & { readonly [own]: true }

/** The memory of a message that came in parts; the patched driver says so. */
type MaybeMessage = ArrayBufferLike & { isMessage?: true }

/**
 * A value of a row, or what else there is, alone in its memory: as it is, if the driver gave the row memory of its own
 * and this is most of it; else a copy, as the driver gives a part of all that came with it.
 */
export function takeOwnBytes(value: Uint8Array): OwnBytes {
  const { isMessage, byteLength }: MaybeMessage = value.buffer
  const isAlone = isMessage && 2 * value.length > byteLength
  return (isAlone ? value : new Uint8Array(value)) as OwnBytes
}

/** Puts bytes behind each other. */
export function joinOwnBytes(...parts: readonly Uint8Array[]): OwnBytes {
  const joined = Buffer.allocUnsafeSlow(parts.reduce((sum, { length }) => sum + length, 0))
  let filled = 0
  for (const part of parts) {
    joined.set(part, filled)
    filled += part.length
  }
  return joined as Uint8Array<ArrayBuffer> as OwnBytes
}

/** Lets the memory of own bytes go. They are empty from then on. */
export function releaseOwnBytes({ buffer }: OwnBytes): void {
  buffer.transfer(0)
}
