import { createMiddleware } from 'hono/factory'
import { unauthorized } from '../errors.ts'
import type { ApiContext, HonoEnvironment } from '../http/request-context.ts'
import { type BearerKey, isSecret } from '../ledger/api-key.ts'
import type { Ledger } from '../ledger/ledger.ts'

/**
 * Lets only requests with a known API key through, and says who calls as `caller`. What such requests read from is
 * connected with `connectReads` while the key is looked up.
 * Throws the 401 errors of `service.md` §5, in the order of its table.
 */
export function authenticate(ledger: Ledger, connectReads: () => Promise<void>) {
  /** Throws 401 when there is no such key. */
  async function identify(c: ApiContext, secret: string): Promise<void> {
    const [key] = await Promise.all([ledger.findKey(secret), connectReads()])
    if (key === undefined) throw unauthorized('invalid_api_key', 'Invalid API key')
    c.set('caller', key)
  }

  return createMiddleware<HonoEnvironment>(function authenticate(c, next) {
    const secret = readSecret(c.req.header('Authorization'))
    const known = ledger.findCachedKey(secret)
    if (known === undefined) return identify(c, secret).then(next)
    c.set('caller', known)
    return next()
  })
}

/** The key that a request comes with, where it is known without asking the database. */
export function recallKey(ledger: Ledger, authorization: string | undefined): BearerKey | undefined {
  const secret = readBearer(authorization ?? '')
  return secret === undefined ? undefined : ledger.findCachedKey(secret)
}

/** What an Authorization header has behind `Bearer`, which may be nothing; undefined: it is not in that form. */
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
