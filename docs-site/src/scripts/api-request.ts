/** Requests from the pages of the docs to the API beside them. */
import { apiPath } from '../docs-path.ts'
import { readKey } from './key.ts'

/** The API's URL. */
export const apiUrl = `${location.origin}${apiPath}`

const balanceEvent = 'devdata-balance'

/** Calls `listener` with the balance after each response that has one, in credits. */
export function onBalance(listener: (credits: number) => void): void {
  document.addEventListener(balanceEvent, (event) => {
    if (event instanceof CustomEvent) listener(Number(event.detail))
  })
}

/** Tells the listeners what a response to a request with this key says. Another key may have been entered since. */
export function tellBalance(headers: Headers, key: string | undefined): void {
  const balance = headers.get('X-Credits-Remaining')
  if (balance === null || key !== readKey()) return
  document.dispatchEvent(new CustomEvent(balanceEvent, { detail: balance }))
}

/** A request. It has its own key, because the reader can enter another one at any time. */
export interface ApiRequest {
  readonly method: 'GET' | 'HEAD' | 'DELETE'
  /** Path and query, starting with `/`. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** `undefined` sends none. */
  readonly key: string | undefined
}

/** A response, read whole. */
export interface ApiResponse {
  status: number
  headers: Headers
  /** The body's text; empty for `HEAD`. */
  text: string
}

/**
 * Sends a request.
 *
 * @throws {TypeError} if the API is unreachable
 */
export async function sendRequest({ method, path, headers, key }: ApiRequest): Promise<ApiResponse> {
  const response = await fetch(`${apiUrl}${path}`, {
    method,
    headers: { ...headers, ...(key && { Authorization: `Bearer ${key}` }) },
    cache: 'no-store', // The browser must not answer from its cache: the reader sees the service's own response.
  })
  tellBalance(response.headers, key)
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** The message of an error response. Proxies send errors that aren't JSON. */
export function readError({ status, text }: Pick<ApiResponse, 'status' | 'text'>): string {
  try {
    const { error }: { error?: string } = JSON.parse(text)
    if (error) return error
  } catch {
    // The status is all there is.
  }
  return `The response has status ${status}.`
}
