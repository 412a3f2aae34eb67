/**
 * Asks for the price of a request.
 *
 * @module
 */
import { type ApiResponse, sendRequest } from './api-request.ts'

/** Whether a request was refused because the key has too few credits. */
export const lacksCredits = ({ headers }: ApiResponse) =>
  headers.get('X-Error-Code') === 'insufficient_credits'

/**
 * The response to `HEAD`. If that is an error, sends a `GET` that must cost nothing, for its message. Without credits, that
 * message would be about `Max-Credits`, so the response to `HEAD` is returned.
 */
export async function getPrice(path: string, key: string): Promise<ApiResponse> {
  const head = await sendRequest({ method: 'HEAD', path, key })
  if (head.status === 200 || lacksCredits(head)) return head
  return sendRequest({ method: 'GET', path, key, headers: { 'Max-Credits': '0' } })
}
