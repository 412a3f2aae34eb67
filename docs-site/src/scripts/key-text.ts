/** Keys as readers enter them, and as the docs and the viewer show them. */
import { listKeysIn } from '../../../api/ledger/key-text.ts'

/** What a reader has entered: a key, or a text that isn't one. */
export type EnteredKey = { key: string } | { error: string }

/** Finds the key in what a reader has entered. */
export function findKey(text: string): EnteredKey {
  const [key, ...others] = listKeysIn(text)
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
