import { createMiddleware } from 'hono/factory'
import { unauthorized } from '../errors.ts'
import type { HonoEnvironment } from '../http/request-context.ts'
import { type BearerKey, isSecret } from '../ledger/api-key.ts'
import type { Ledger } from '../ledger/ledger.ts'

/**
 * Lets only requests with a known API key through, and sets `caller`. During the look-up of the key, `connectReads`
 * opens the first connection for reads. Throws 401 (`decisions/0002-keys.md`).
 */
export function authenticate(ledger: Ledger, connectReads: () => Promise<void>) {
  return createMiddleware<HonoEnvironment>(async function authenticate(c, next) {
    const secret = readSecret(c.req.header('Authorization'))
    let key = ledger.findCachedKey(secret)
    if (key === undefined) [key] = await Promise.all([ledger.findKey(secret), connectReads()])
    if (key === undefined) throw unauthorized('invalid_api_key', 'Invalid API key')
    c.set('caller', key)
    await next()
  })
}

/** Returns the key of an `Authorization` header, if the ledger has it in memory. */
export function recallKey(ledger: Ledger, authorization: string | undefined): BearerKey | undefined {
  const secret = readBearer(authorization ?? '')
  return secret === undefined ? undefined : ledger.findCachedKey(secret)
}

/** Returns the text after `Bearer`, which may be empty; undefined: the header has another form. */
function readBearer(header: string): string | undefined {
  // HTTP drops white space at a header's end: "Bearer " arrives as "Bearer".
  const match = /^Bearer(?: (.*))?$/.exec(header)
  return match === null ? undefined : (match[1] ?? '')
}

function readSecret(header: string | undefined): string {
  if (header === undefined || header === '') {
    throw unauthorized('missing_authorization', 'Authorization header required')
  }
  const secret = readBearer(header)
  if (secret === undefined) {
    throw unauthorized('invalid_authorization_format', "Invalid authorization format. Use 'Bearer <API_KEY>'")
  }
  if (secret === '') throw unauthorized('missing_api_key', 'API key required')
  if (!isSecret(secret)) throw unauthorized('invalid_api_key_format', 'Invalid API key format')
  return secret
}
