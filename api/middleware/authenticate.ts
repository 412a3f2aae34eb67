import { createMiddleware } from 'hono/factory'
import type { Environment } from '../environment.ts'
import { unauthorized } from '../errors.ts'
import { type ApiKey, hashSecret, isSecret } from '../ledger/api-key.ts'
import type { Ledger } from '../ledger/ledger.ts'

/**
 * Lets only requests with a known API key through, and says who calls as `caller`. What such requests read from is
 * connected with `connectReads` while the key is looked up.
 * Throws the 401 errors of `service.md` §5, in the order of its table.
 */
export function authenticate(ledger: Ledger, connectReads: () => Promise<void>) {
  return createMiddleware<Environment>(async function authenticate(c, next) {
    const secret = readBearer(c.req.header('Authorization'))
    const secretHash = hashSecret(secret)
    const [key] = await Promise.all([ledger.findKey(secretHash), connectReads()])
    if (key === undefined) throw unauthorized('Invalid API key')
    c.set('caller', { ...key, secret, secretHash })
    await next()
  })
}

/** The key that a request comes with, where it is known without asking the database. */
export function recallKey(ledger: Ledger, authorization: string | undefined): ApiKey | undefined {
  const [, secret] = /^Bearer (.*)$/.exec(authorization ?? '') ?? []
  return secret === undefined ? undefined : ledger.recallKey(hashSecret(secret))
}

function readBearer(header: string | undefined): string {
  if (header === undefined || header === '') throw unauthorized('Authorization header required')
  // HTTP drops white space at a header's end: "Bearer " arrives as "Bearer".
  const [, secret] = /^Bearer(?: (.*))?$/.exec(header) ?? []
  if (!/^Bearer(?: |$)/.test(header)) {
    throw unauthorized("Invalid authorization format. Use 'Bearer <API_KEY>'")
  }
  if (secret === undefined || secret === '') throw unauthorized('API key required')
  if (!isSecret(secret)) throw unauthorized('Invalid API key format')
  return secret
}
