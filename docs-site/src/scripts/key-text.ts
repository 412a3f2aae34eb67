/** Keys as readers enter them, and as the docs and the viewer show them. */

/** What a reader has entered: a key, or a text that isn't one. */
export type EnteredKey = { key: string } | { error: string }

/**
 * Finds the key in what a reader has entered. Readers paste more than a key: `Bearer`, a whole header, quotes, a line
 * of a file. Some programs write UUIDs in upper case, which the API refuses.
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
