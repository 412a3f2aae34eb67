/**
 * Compression of response bodies (RFC 9110 §12.5.3).
 *
 * @module
 */
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { parseAccept } from 'hono/utils/accept'

/** The content codings that the service knows. */
export type Encoding = 'br' | 'gzip'

/** Characters of Accept-Encoding that are read. */
const maxEncodingsLength = 1_024

/** Returns the first of `encodings` that the client accepts, or `identity`. */
export function chooseEncoding(
  acceptEncoding: string | undefined,
  encodings: readonly Encoding[],
): Encoding | 'identity' {
  if (!acceptEncoding) return 'identity'
  const accepted = parseAccept(acceptEncoding.slice(0, maxEncodingsLength))
  const qualities = new Map(accepted.map(({ type, q }) => [type.toLowerCase(), q]))
  const isAccepted = (encoding: string) => (qualities.get(encoding) ?? qualities.get('*') ?? 0) > 0
  return encodings.find(isAccepted) ?? 'identity'
}

const compressors = { br: promisify(brotliCompress), gzip: promisify(gzip) }

/** `fast` is for bodies that are sent once, `small` for cached ones. */
const levels = { fast: { gzip: 1, br: 1 }, small: { gzip: 9, br: 9 } }

/** Compresses a body, outside the event loop. */
export async function compress(
  body: string | Uint8Array,
  encoding: Encoding,
  effort: keyof typeof levels,
): Promise<Uint8Array<ArrayBuffer>> {
  const level = levels[effort][encoding]
  return encoding === 'gzip'
    ? compressors.gzip(body, { level })
    : compressors.br(body, { params: { [constants.BROTLI_PARAM_QUALITY]: level } })
}
