/** Asks for the price of a request. */
import { type ApiResponse, readError, sendRequest } from './api-request.ts'
import { writeCredits } from './credits.ts'
import { readQuote } from './quote.ts'

/** What the service says of a list: how many items it has and what a page costs, or why it has no price. */
export type ListPrice =
  | { kind: 'counted'; total: number; cost: number }
  | { kind: 'refused'; message: string }

/** Whether a request was refused because the key has too few credits. */
const lacksCredits = ({ headers }: ApiResponse) => headers.get('X-Error-Code') === 'insufficient_credits'

/**
 * The response to `HEAD`. If that is an error, sends a `GET` that must cost nothing, for its message. Without credits,
 * that message would be about `Max-Credits`, so the response to `HEAD` is returned.
 */
async function getPrice(path: string, key: string): Promise<ApiResponse> {
  const head = await sendRequest({ method: 'HEAD', path, key })
  if (head.status === 200 || lacksCredits(head)) return head
  return sendRequest({ method: 'GET', path, key, headers: { 'Max-Credits': '0' } })
}

/** The price of a list. Free. Throws a `TypeError` if the API is unreachable. */
export async function getListPrice(path: string, key: string): Promise<ListPrice> {
  const response = await getPrice(path, key)
  const { status, total, cost } = readQuote(response)
  if (lacksCredits(response)) {
    return { kind: 'refused', message: `This page: ${writeCredits(cost)}. Your key has none.` }
  }
  if (status !== 200) return { kind: 'refused', message: readError(response) }
  return { kind: 'counted', total: total ?? 0, cost }
}
