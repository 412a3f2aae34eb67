/** Sends the viewer's requests: with the reader's key, and at a price that the reader has seen and accepted. */
import type { UsageEntry } from '../../../client/src/types.ts'
import { tellBalance } from './api-request.ts'
import { writeCredits } from './credits.ts'
import { createButton, createElement } from './elements.ts'
import { readKey } from './key.ts'
import { hideKey } from './key-text.ts'
import { chooseIdempotencyKey, isLost, sendPaid } from './paid-request.ts'
import { readQuote, writeQuote } from './quote.ts'
import { writeReceipt } from './run-view.ts'

const price = createElement('p')
const accept = createElement('button', { value: 'accept', className: 'primary' })
const decline = createElement('button', { value: '' }, 'Don’t send')
const dialog = createElement(
  'dialog',
  { id: 'price', ariaLabel: 'Price' },
  createElement('form', { method: 'dialog' }, price, accept, decline),
)
const receipt = createElement('aside', {
  id: 'receipt',
  className: 'live',
  ariaLabel: 'Receipt',
  popover: 'manual',
})
document.body.append(dialog, receipt)

/** Shows a price, and resolves with whether the reader accepts it. If the request is canceled, the answer is no. */
async function askReader(content: (string | Node)[], offer: string | undefined, signal: AbortSignal) {
  if (dialog.open) return false // Another request waits for its reader.
  price.replaceChildren(...content)
  accept.textContent = offer ?? ''
  accept.hidden = offer === undefined
  const close = () => dialog.close()
  const closed = new Promise((resolve) => dialog.addEventListener('close', resolve, { once: true }))
  signal.addEventListener('abort', close, { once: true })
  // Scalar's own dialog below this one would close, too.
  dialog.onkeydown = (event) => event.stopPropagation()
  dialog.returnValue = ''
  dialog.showModal()
  await closed
  signal.removeEventListener('abort', close)
  return dialog.returnValue === 'accept'
}

/**
 * Gets the price by `HEAD`, shows it, and sends the request with it as `Max-Credits`: 0 for a response that is free. A
 * lower `Max-Credits` of the reader's own stays, because the service then refuses the request. Throws an `Error` if the
 * reader declines.
 */
async function sendAtPrice(request: Request, path: string, key: string | undefined): Promise<Response> {
  const { headers } = request
  const paid = { path, key }
  const quote = readQuote(await fetch(new Request(request, { method: 'HEAD' })), isLost(paid))
  const { cost, isAffordable } = quote
  if (cost > Number(headers.get('Max-Credits') ?? cost)) return fetch(request)
  headers.set('Max-Credits', String(cost))
  if (cost === 0) return fetch(request)
  const offer = isAffordable ? `Get it for ${writeCredits(cost)}` : undefined
  const isAccepted = await askReader(writeQuote(path, quote), offer, request.signal)
  if (!isAccepted) throw new Error('Not sent. Nothing was charged.')
  const idempotencyKey = headers.get('Idempotency-Key') ?? chooseIdempotencyKey(paid)
  headers.set('Idempotency-Key', idempotencyKey)
  return sendPaid(paid, idempotencyKey, async () => {
    const response = await fetch(request)
    await response.clone().arrayBuffer() // The connection may break before the end.
    return response
  })
}

/** Shows the ledger's entry of a response that cost credits, as Run does. */
async function showReceipt(apiUrl: string, { headers }: Request, response: Response): Promise<void> {
  const authorization = headers.get('Authorization') ?? ''
  const usage = await fetch(`${apiUrl}/api-key/usage?per_page=10`, {
    headers: { Authorization: authorization },
  })
  const { data }: { data: UsageEntry[] } = await usage.json()
  const id = response.headers.get('X-Request-Id')
  const entry = data.find(({ request_id }) => id !== null && request_id === id)
  if (entry === undefined) return
  const sent = ['Idempotency-Key', 'Max-Credits'].flatMap((name) => {
    const value = headers.get(name)
    return value === null ? [] : [[name, value] as const]
  })
  receipt.replaceChildren(
    writeReceipt(entry, Object.fromEntries(sent)),
    createButton('Close', () => receipt.hidePopover()),
  )
  receipt.showPopover()
}

/** Replaces the key in a response of `GET /api-key/credits` with its end. */
async function hideKeyIn(response: Response): Promise<Response> {
  const body = JSON.stringify(JSON.parse(await response.text(), hideKey))
  return new Response(body, response)
}

/**
 * Creates the function that sends requests in place of `fetch`. Only requests to the API at `apiUrl` get the key, and
 * only they have a price.
 */
export function createSend(apiUrl: string): typeof fetch {
  return async function send(input, init) {
    // The reader sees the service's own response, not that of the browser's cache.
    const request = new Request(input, { ...init, cache: 'no-store' })
    if (!request.url.startsWith(`${apiUrl}/`)) return fetch(request)
    const key = readKey()
    // Without a key, the response says what is missing.
    if (key) request.headers.set('Authorization', `Bearer ${key}`)
    else request.headers.delete('Authorization')
    const path = request.url.slice(apiUrl.length)
    const isGet = request.method === 'GET'
    const response = await (isGet ? sendAtPrice(request, path, key) : fetch(request))
    tellBalance(response.headers, key)
    if (isGet && Number(response.headers.get('X-Credits-Cost')) > 0) {
      void showReceipt(apiUrl, request, response).catch(() => {}) // The balance has changed in the header, too.
    }
    return response.ok && path === '/api-key/credits' ? hideKeyIn(response) : response
  }
}
