/** Asks the service whether a key works, which is free. */
import type { CreditStatus } from '../../../client/src/types.ts'
import { readError, sendRequest } from './api-request.ts'
import { writeBalance } from './credits.ts'

/** What is known about a key. */
export interface KeyState {
  /** For readers: the balance, or what is wrong. */
  text: string
  /** Whether the service accepts the key. Undefined: the service couldn't say, as with status 429 or 503. */
  isValid: boolean | undefined
  role?: string
}

/** The balance of a key, or what is wrong with it. */
export async function checkKey(key: string): Promise<KeyState> {
  const response = await sendRequest({ method: 'GET', path: '/api-key/credits', key }).catch(() => undefined)
  if (response === undefined) return { text: 'The API is unreachable', isValid: undefined }
  if (response.status !== 200) {
    const isRefused = response.status === 401 || response.status === 403
    return { text: readError(response), isValid: isRefused ? false : undefined }
  }
  try {
    const { remaining_credits, role }: CreditStatus = JSON.parse(response.text)
    return { text: writeBalance(remaining_credits, role), isValid: true, role }
  } catch {
    return { text: 'The response is not one of the API: a proxy may be in between', isValid: undefined }
  }
}
