/**
 * Compressed response bodies, for clients that ask (RFC 9110 §12.5.3).
 *
 * @module
 */
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { parseAccept } from 'hono/utils/accept'

/** The codings that a body may have. */
export type Encoding = 'br' | 'gzip'

/** The longest Accept-Encoding that is read, in characters. */
const maxHeaderLength = 1_024

/** The first of `encodings` that the client accepts; `identity` when it accepts none, or names none. */
export function chooseEncoding(
  acceptEncoding: string | undefined,
  encodings: readonly Encoding[],
): Encoding | 'identity' {
  if (!acceptEncoding) return 'identity'
  const accepted = parseAccept(acceptEncoding.slice(0, maxHeaderLength))
  const qualities = new Map(accepted.map(({ type, q }) => [type.toLowerCase(), q]))
  const isTaken = (encoding: string) => (qualities.get(encoding) ?? qualities.get('*') ?? 0) > 0
  return encodings.find(isTaken) ?? 'identity'
}

const compressors = { br: promisify(brotliCompress), gzip: promisify(gzip) }

/** `fast`: for a body that is sent once; `small`: for one that is kept. */
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
