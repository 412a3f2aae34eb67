import { createMiddleware } from 'hono/factory'
import type { Sql } from '../database/connect.ts'
import type { Environment } from '../environment.ts'
import { forbidden, unauthorized } from '../errors.ts'
import { findApiKey, hashSecret, isSecret, noteUse, type Scope } from '../ledger/api-key.ts'

/**
 * Lets only requests with a usable API key through, and says who calls as `caller`.
 * Throws the 401 errors of `service.md` §5, in the order of its table.
 */
export function authenticate(sql: Sql) {
  return createMiddleware<Environment>(async function authenticate(c, next) {
    const secret = readBearer(c.req.header('Authorization'))
    const secretHash = hashSecret(secret)
    const key = await findApiKey(sql, secretHash)
    if (key === undefined) throw unauthorized('Invalid API key')
    c.set('caller', { ...key, secret, secretHash })
    if (!key.recentlyUsed) await noteUse(sql, key.id)
    await next()
  })
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

/** Lets only keys with a scope through: 403 "Insufficient permissions". Admin keys have all. */
export function requireScope(scope: Scope) {
  return createMiddleware<Environment>(async function requireScope(c, next) {
    const { role, scopes } = c.get('caller')
    if (role !== 'admin' && !scopes.includes(scope)) throw forbidden('Insufficient permissions')
    await next()
  })
}

/** Lets only admin keys through: 403 "Admin access required". */
export function requireAdmin() {
  return createMiddleware<Environment>(async function requireAdmin(c, next) {
    if (c.get('caller').role !== 'admin') throw forbidden('Admin access required')
    await next()
  })
}
