/// <reference types="vite/client" />
/**
 * Requests from the pages of the docs to the API beside them.
 *
 * @module
 */
import { readKey } from './key.ts'

/** The API's URL: the docs are in its folder `docs`. */
export const apiUrl = new URL(
  import.meta.env.BASE_URL.replace(/\/docs\/?$/, ''),
  location.origin,
).href.replace(/\/$/, '')

const balanceEvent = 'devdata-balance'

/** Calls `listener` with the balance after each response that has one, in credits. */
export function onBalance(listener: (credits: number) => void): void {
  document.addEventListener(balanceEvent, (event) => {
    if (event instanceof CustomEvent) listener(Number(event.detail))
  })
}

/** A response, read whole. */
export interface ApiResponse {
  status: number
  headers: Headers
  /** The body's text; empty for `HEAD`. */
  text: string
}

/**
 * Sends a request with the reader's key, if there is one.
 *
 * @param path path and query, starting with `/`
 * @throws {TypeError} if the API is unreachable
 */
export async function sendRequest(
  method: 'GET' | 'HEAD',
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<ApiResponse> {
  const key = readKey()
  const response = await fetch(`${apiUrl}${path}`, {
    method,
    headers: { ...headers, ...(key && { Authorization: `Bearer ${key}` }) },
    cache: 'no-store', // The browser must not answer from its cache: the reader sees the service's own response.
  })
  const balance = response.headers.get('X-Credits-Remaining')
  if (balance !== null && key === readKey()) {
    document.dispatchEvent(new CustomEvent(balanceEvent, { detail: balance }))
  }
  return { status: response.status, headers: response.headers, text: await response.text() }
}
