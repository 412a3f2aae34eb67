/** Compression of response bodies (RFC 9110 §12.5.3). */
import { Buffer } from 'node:buffer'
import { promisify } from 'node:util'
import { brotliCompress, constants, crc32, gzip } from 'node:zlib'
import { parseAccept } from 'hono/utils/accept'

/** The supported content codings, the cheaper first: at level 1, Brotli takes less time for the same size. */
export const encodings = ['br', 'gzip'] as const
export type Encoding = (typeof encodings)[number]

/** Shorter bodies aren't compressed. */
const minCompressedBytes = 1_024

/** Maximum characters of Accept-Encoding that are read. */
const maxEncodingsLength = 1_024

/** Returns the first of `encodings` that the client accepts, or `identity`. */
export function chooseEncoding(
  acceptEncoding: string | undefined,
  encodings: readonly Encoding[],
): Encoding | 'identity' {
  if (!acceptEncoding || encodings.length === 0) return 'identity'
  const accepted = parseAccept(acceptEncoding.slice(0, maxEncodingsLength))
  const qualities = new Map(accepted.map(({ type, q }) => [type.toLowerCase(), q]))
  const isAccepted = (encoding: string) => (qualities.get(encoding) ?? qualities.get('*') ?? 0) > 0
  return encodings.find(isAccepted) ?? 'identity'
}

const compressors = { br: promisify(brotliCompress), gzip: promisify(gzip) }

/** `fast` is for bodies that are sent once, `small` for cached ones. */
const levels = { fast: { gzip: 1, br: 1 }, small: { gzip: 9, br: 9 } }

/** Flushes end the compressed text at a whole byte, so more blocks can follow. */
const flushes = { br: constants.BROTLI_OPERATION_FLUSH, gzip: constants.Z_SYNC_FLUSH }

/** Compresses a body, outside the event loop. */
export async function compress(
  body: string | Uint8Array,
  encoding: Encoding,
  effort: keyof typeof levels,
  options: { finishFlush?: number } = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const level = levels[effort][encoding]
  return encoding === 'gzip'
    ? compressors.gzip(body, { level, ...options })
    : compressors.br(body, { params: { [constants.BROTLI_PARAM_QUALITY]: level }, ...options })
}

/** Returns a compressed body: the shared beginning, followed by `end`, which has 1 to 65,535 bytes. */
export type CompleteBody = (end: Uint8Array) => Uint8Array<ArrayBuffer>

/**
 * Compresses the beginning of a body, outside the event loop. The result makes any number of bodies: each end is
 * appended in an uncompressed block. The whole is one stream, as if it had been compressed in one piece.
 */
export async function compressBeginning(beginning: Uint8Array, encoding: Encoding): Promise<CompleteBody> {
  const compressed = await compress(beginning, encoding, 'fast', { finishFlush: flushes[encoding] })
  const complete = { br: completeBrotli, gzip: completeGzip }[encoding]
  return complete(new Uint8Array(compressed), beginning) // a copy: bytes of zlib are part of a larger buffer
}

/** Appends an uncompressed meta-block and the empty last one (RFC 7932 §9.2). */
function completeBrotli(compressed: Uint8Array): CompleteBody {
  const last = Buffer.of(0b11) // ISLAST, ISLASTEMPTY
  return (end) => {
    const header = Buffer.alloc(3)
    header.writeUIntLE(((end.length - 1) << 3) | (1 << 19), 0, 3) // MLEN - 1 in 16 bits, ISUNCOMPRESSED
    return Buffer.concat([compressed, header, end, last])
  }
}

/** Appends a stored block, the last one (RFC 1951 §3.2.4), and the checksum and size of the whole (RFC 1952 §2.3.1). */
function completeGzip(compressed: Uint8Array, beginning: Uint8Array): CompleteBody {
  const checksum = crc32(beginning)
  const { length } = beginning // the text itself needn't stay in memory
  return (end) => {
    const header = Buffer.of(1, 0, 0, 0, 0) // BFINAL; LEN; its complement
    header.writeUInt16LE(end.length, 1)
    header.writeUInt16LE(0xffff - end.length, 3)
    const trailer = Buffer.alloc(8)
    trailer.writeUInt32LE(crc32(end, checksum), 0)
    trailer.writeUInt32LE(length + end.length, 4)
    return Buffer.concat([compressed, header, end, trailer])
  }
}

/** The compressed beginning of bodies, by content coding. */
export type CompressedBeginning = Map<Encoding, CompleteBody>

/** A body that shares its beginning with other bodies. The beginning is compressed once for all of them. */
export interface SharedBody {
  /** The beginning is `start` and `data`. */
  start: Uint8Array
  data: Uint8Array<ArrayBuffer>
  /**
   * Compressed forms of the beginning so far. Undefined: the body is sent only once, so neither these nor `data` are
   * kept.
   */
  compressed: CompressedBeginning | undefined
  end: Uint8Array
}

/** A body in one piece, or a shared one. */
export type Body = string | Uint8Array<ArrayBuffer> | SharedBody

/** Whether a body shares its beginning with others. */
export function isShared(body: Body): body is SharedBody {
  return typeof body === 'object' && 'start' in body
}

/** Returns a shared body in one piece, uncompressed. */
export function joinBody(body: SharedBody): Uint8Array<ArrayBuffer> {
  const { start, data, end } = body
  const whole = Buffer.allocUnsafeSlow(countBytes(body)) // not a piece of a pool, so that it can be freed
  whole.set(start)
  whole.set(data, start.length)
  whole.set(end, start.length + data.length)
  return whole
}

/** Whether a body is long enough to be compressed. */
export function isWorthCompressing(body: Body): boolean {
  return countBytes(body) >= minCompressedBytes
}

function countBytes(body: Body): number {
  if (typeof body === 'string') return Buffer.byteLength(body)
  if (!isShared(body)) return body.length
  return body.start.length + body.data.length + body.end.length
}

/** Compresses a body. The compressed beginning of a shared one is kept for others. */
export async function compressBody(body: Body, encoding: Encoding): Promise<Uint8Array<ArrayBuffer>> {
  if (!isShared(body)) return compress(body, encoding, 'fast')
  const { start, data, compressed, end } = body
  const complete =
    compressed?.get(encoding) ?? (await compressBeginning(Buffer.concat([start, data]), encoding))
  compressed?.set(encoding, complete)
  return complete(end)
}
