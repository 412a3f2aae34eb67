/**
 * A shop that sells keys of a devdata service, to start your own from. It needs no database: each step has a reference, so
 * devdata does it once, however often it is repeated.
 *
 *   POST /orders   your checkout page's server, for an order that was paid: { "order": "1842", "customer": "Ada", "credits": 1000 }
 *   POST /notices  devdata's webhook: a key that runs low is topped up, if the customer's card may and can be charged
 *
 * Run it with Node 24.2 or later: DEVDATA_URL=… DEVDATA_API_KEY=… WEBHOOK_SECRET=… PAYMENT_SECRET=… node shop.ts
 */
import { timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { createAdmin } from '@devdata/client/admin'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'

/** What the shop works with. */
export interface ShopOptions {
  /** The base URL of the service, and an admin key with keys:write. */
  devdataUrl: string
  devdataKey: string
  /** What signs the webhook's messages: whsec_… */
  webhookSecret: string
  /** What your checkout page's server sends as Bearer. */
  paymentSecret: string
  /**
   * Charges the saved card of a key's customer. It may be called again with the same `reference`, up to 8 days later, and
   * must charge only once. Providers forget idempotency keys sooner, so first look for a payment with this reference.
   */
  collect: (keyId: number, credits: number, reference: string) => Promise<'paid' | 'declined'>
}

/** The shop's response. */
interface Reply {
  status: number
  body?: object
}

const maxBodyBytes = 16_384
/** With fewer, a page of 100 items could be refused before the key runs low, and the shop wouldn't hear of it. */
const minCredits = 1_000
/** A key runs low when less than a tenth of what was bought is left. */
const lowAt = (credits: number) => Math.ceil(credits / 10)
/** A key's name has up to 100 characters, and none that can't be seen. */
const nameFor = (customer: unknown) =>
  [
    ...String(customer ?? '')
      .replaceAll(/\p{C}+/gu, ' ')
      .trim(),
  ]
    .slice(0, 100)
    .join('')
    .trim() || null

/** Creates the shop's server. */
export function createShop({ devdataUrl, devdataKey, webhookSecret, paymentSecret, collect }: ShopOptions) {
  // The webhook waits for 5 seconds, and is sent again.
  const { keys } = createAdmin({ baseUrl: devdataUrl, apiKey: devdataKey, timeoutMs: 4_000, retries: 0 })
  const webhook = new Webhook(webhookSecret)

  /** Sells a key. Repeated, returns the same key: with another secret, because a response was lost, until the key is used. */
  async function sell(order: { order: string; customer: string; credits: number }): Promise<Reply> {
    const { order: number, customer, credits } = order
    if (!(credits >= minCredits))
      return { status: 400, body: { error: `Sell ${minCredits} credits or more` } }
    // Orders without a number would share one reference, and so one key.
    if (!['string', 'number'].includes(typeof number) || String(number).trim() === '')
      return { status: 400, body: { error: 'order is missing: send the number of the order' } }
    const reference = `order ${number}`
    const made = await keys.create({
      reference,
      name: nameFor(customer),
      credits,
      notifyBelow: lowAt(credits),
    })
    if (made.secret === null && made.key.last_used_at !== null) return { status: 200, body: { id: made.id } }
    const { id, secret } = made.secret === null ? await keys.rotate(made.id) : made
    return { status: 200, body: { id, key: secret } }
  }

  /** Tops a key up with ten times its threshold: with what was bought. The message's id is the reference, so a repetition changes nothing. */
  async function topUp(messageId: string, data: { key_id: number; notify_below: number }): Promise<Reply> {
    // The message may be up to 8 days old.
    if ((await keys.get(data.key_id))?.status !== 'active') {
      console.error(
        `key ${data.key_id} no longer works, so nothing is granted for ${messageId}. If the card was charged for it, refund the payment`,
      )
      return { status: 204 }
    }
    const credits = 10 * data.notify_below
    const paid = await collect(data.key_id, credits, messageId)
    if (paid === 'paid') await keys.grant(data.key_id, { credits, reference: `top-up ${messageId}` })
    return { status: 204 }
  }

  async function handle(incoming: IncomingMessage): Promise<Reply> {
    if (incoming.method !== 'POST') return { status: 405 }
    const body = await read(incoming)
    if (incoming.url === '/orders') {
      if (!equal(incoming.headers.authorization ?? '', `Bearer ${paymentSecret}`)) return { status: 401 }
      return sell(JSON.parse(body))
    }
    if (incoming.url !== '/notices') return { status: 404 }
    const [id = '', timestamp = '', signature = ''] = ['id', 'timestamp', 'signature'].map((name) =>
      String(incoming.headers[`webhook-${name}`]),
    )
    // Throws unless devdata sent the message, within the last 5 minutes.
    webhook.verify(body, { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature })
    const { type, data } = JSON.parse(body)
    return type === 'key.low' ? topUp(id, data) : { status: 204 }
  }

  return createServer((incoming, response) => {
    handle(incoming)
      .catch((error): Reply => {
        if (error instanceof WebhookVerificationError) return { status: 401 }
        console.error(String(error)) // the sender repeats the request
        return { status: 500 }
      })
      .then(({ status, body }) => {
        response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })
        response.end(body && JSON.stringify(body))
      })
  })
}

async function read(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming) {
    size += chunk.length
    if (size > maxBodyBytes) throw new Error('The body is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function equal(one: string, other: string): boolean {
  const [given, expected] = [Buffer.from(one), Buffer.from(other)]
  return given.length === expected.length && timingSafeEqual(given, expected)
}

if (import.meta.main) {
  const {
    DEVDATA_URL = '',
    DEVDATA_API_KEY = '',
    WEBHOOK_SECRET = '',
    PAYMENT_SECRET = '',
    PORT = '8080',
  } = process.env
  const secrets = { devdataUrl: DEVDATA_URL, devdataKey: DEVDATA_API_KEY, webhookSecret: WEBHOOK_SECRET }
  if (Object.values({ ...secrets, PAYMENT_SECRET }).includes('')) throw new Error('Set the four variables')
  // Replace this with a call of your payment provider, for customers who have agreed to it.
  const collect = async () => 'declined' as const
  createShop({ ...secrets, paymentSecret: PAYMENT_SECRET, collect }).listen(Number(PORT), '127.0.0.1')
}
