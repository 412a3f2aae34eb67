/**
 * What the docs and the viewer say about a key, from the response of `GET /api-key/credits`.
 *
 * @module
 */

/** What is known about a key. */
export interface KeyState {
  /** For readers: the balance, or what is wrong. */
  text: string
  /** Whether the service accepts the key. Undefined: the service couldn't say, as with status 429 or 503. */
  isValid: boolean | undefined
  role?: string
}

/** Writes a balance: `9,998 credits`. */
export const writeCredits = (credits: number): string =>
  `${credits.toLocaleString('en')} ${credits === 1 ? 'credit' : 'credits'}`

/** What a balance means for a key of this role. Admin keys don't pay. */
export const writeBalance = (credits: number, role: string | undefined): string =>
  role === 'admin' ? 'An admin key: not charged' : `${writeCredits(credits)} left`

/** What a reader has entered: a key, or a text that isn't one. */
export type EnteredKey = { key: string } | { error: string }

/**
 * Finds the key in what a reader has entered. Readers paste more than a key: `Bearer`, a whole header, quotes, a line of a
 * file. Some programs write UUIDs in upper case, which the API refuses.
 */
export function findKey(text: string): EnteredKey {
  const uuids = text.match(/(?<![\w-])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\w-])/gi) ?? []
  const [key, ...others] = new Set(uuids.map((uuid) => uuid.toLowerCase()))
  if (key === undefined) {
    return { error: 'Invalid key: must be a UUID, such as 00000000-0000-4000-8000-000000000000' }
  }
  return others.length === 0 ? { key } : { error: 'Invalid key: must be one UUID. The text has several.' }
}

/** The end of a key, `…0a3f`: readers show their screen to others. */
export const writeKeyEnd = (key: string): string => `…${key.slice(-4)}`

/** Leaves the end alone of the key that `GET /api-key/credits` returns. For `JSON.parse`. */
export const hideKey = (name: string, value: unknown): unknown =>
  name === 'api_key' && typeof value === 'string' ? writeKeyEnd(value) : value

/** Reads a response of `GET /api-key/credits`. */
export function readKeyState({ status, text }: { status: number; text: string }): KeyState {
  let body: { error?: string; remaining_credits?: number; role?: string } = {}
  try {
    body = JSON.parse(text)
  } catch {
    // Proxies send errors that aren't JSON.
  }
  if (status !== 200) {
    const isRefused = status === 401 || status === 403
    return { text: body.error ?? `The response has status ${status}`, isValid: isRefused ? false : undefined }
  }
  const role = body.role ?? 'user'
  return { text: writeBalance(body.remaining_credits ?? 0, role), isValid: true, role }
}
