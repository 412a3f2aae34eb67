/** Receivers of webhooks: what they are sent, and how they behave. */
import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'
import * as v from 'valibot'
import { parseWebhookSecrets } from '../../api/webhooks/signature.ts'
import type { Webhook as WebhookSettings } from '../../api/webhooks/webhook.ts'

/** A message that a receiver got. */
export interface Received {
  id: string
  type: string
  data: Record<string, unknown>
  headers: IncomingMessage['headers']
  body: string
}

/** Responds to a message. */
export type Behave = (response: ServerResponse, received: Received) => unknown

/** Ways to respond. */
export const behaviors = {
  accept: (response) => response.writeHead(204).end(),
  fail: (response) => response.writeHead(500).end('no'),
  redirect: (response) => response.writeHead(307, { Location: '/elsewhere' }).end(),
  flood: (response) => {
    response.on('error', () => {})
    response.writeHead(500)
    for (let kilobytes = 0; kilobytes < 1_024; kilobytes++) response.write('x'.repeat(1_024))
    response.end()
  },
  drop: (response) => response.destroy(),
  hang: () => {},
} satisfies Record<string, Behave>

/** A receiver with its webhook. */
export interface Receiver extends AsyncDisposable {
  webhook: WebhookSettings
  secret: string
  /** All messages that it got, in their order. */
  received: Received[]
  /** Those that it has accepted. */
  accepted: Received[]
  setBehavior(behave: Behave): void
  /** Requests to other paths than the webhook's. */
  strayed: string[]
  /** Waits until it has accepted this many messages. */
  waitFor(count: number): Promise<void>
}

const contentSchema = v.object({
  type: v.string(),
  timestamp: v.string(),
  data: v.record(v.string(), v.unknown()),
})

/** Starts a receiver on this machine. */
export async function startReceiver(): Promise<Receiver> {
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  let behave: Behave = behaviors.accept
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      if (request.url !== '/hook') {
        receiver.strayed.push(String(request.url))
        return response.writeHead(204).end()
      }
      const body = Buffer.concat(chunks).toString()
      const { type, data } = v.parse(contentSchema, JSON.parse(body))
      const received = {
        id: String(request.headers['webhook-id']),
        type,
        data,
        headers: request.headers,
        body,
      }
      receiver.received.push(received)
      response.once('finish', () => {
        if (response.statusCode < 300) receiver.accepted.push(received)
      })
      return behave(response, received)
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  const secrets = parseWebhookSecrets(secret)
  if (secrets === 'invalid') throw new Error('the secret is invalid')
  const receiver: Receiver = {
    webhook: { url: `http://127.0.0.1:${port}/hook`, secrets },
    secret,
    received: [],
    accepted: [],
    strayed: [],
    setBehavior(next) {
      behave = next
    },
    async waitFor(count) {
      while (receiver.accepted.length < count) await sleep(10)
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
  return receiver
}

/** Whether a message is signed with a secret, as receivers find out with the library of the standard. */
export function isSigned({ headers, body }: Received, secret: string): boolean {
  try {
    new Webhook(secret).verify(
      body,
      Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    )
    return true
  } catch (error) {
    if (error instanceof WebhookVerificationError) return false
    throw error
  }
}
