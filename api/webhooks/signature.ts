/**
 * Signatures of webhooks, as https://www.standardwebhooks.com says: receivers verify them with libraries of any
 * language.
 */
import { Buffer } from 'node:buffer'
import { createHmac } from 'node:crypto'

const prefix = 'whsec_'
/** In bytes. */
const sizes = { min: 24, max: 64 }

/** The rule of `parseWebhookSecrets`, for messages. */
export const secretRule = `must be ${prefix} and ${sizes.min} to ${sizes.max} random bytes in Base64, as "openssl rand -base64 32" makes them; during a rotation two, with a space between`

/** Parses the secrets that sign a message: one, or several during a rotation. */
export function parseWebhookSecrets(text: string): Buffer[] | 'invalid' {
  const secrets = text.split(/\s+/).map(parseSecret)
  return secrets.every((secret) => secret !== undefined) ? secrets : 'invalid'
}

function parseSecret(text: string): Buffer | undefined {
  const encoded = text.startsWith(prefix) ? text.slice(prefix.length) : ''
  const secret = Buffer.from(encoded, 'base64')
  const isWhole = secret.toString('base64').replace(/=+$/, '') === encoded.replace(/=+$/, '')
  return isWhole && secret.length >= sizes.min && secret.length <= sizes.max ? secret : undefined
}

/** Returns the headers that identify and sign a message, with a signature for each secret. */
export function signMessage(
  secrets: readonly Buffer[],
  { id, seconds, body }: { id: string; seconds: number; body: string },
): Record<string, string> {
  const signatures = secrets.map((secret) => {
    return `v1,${createHmac('sha256', secret).update(`${id}.${seconds}.${body}`).digest('base64')}`
  })
  return { 'Webhook-Id': id, 'Webhook-Timestamp': String(seconds), 'Webhook-Signature': signatures.join(' ') }
}
