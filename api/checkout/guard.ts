/**
 * The guard of routes that need a key: authenticate → check the permission → throttle → wait for a turn. Each step may
 * refuse the request.
 */
import { createMiddleware } from 'hono/factory'
import type { FairQueue } from '../concurrency/fair-queue.ts'
import {
  type ApiError,
  ClientGoneError,
  forbidden,
  readMethods,
  startingUp,
  unauthorized,
} from '../errors.ts'
import type { Lifecycle } from '../http/middleware.ts'
import type { ApiContext, HonoEnvironment } from '../http/request-context.ts'
import {
  type adminScopes,
  type BearerKey,
  findAdminScope,
  isSecret,
  type Scope,
  scopes,
} from '../ledger/api-key.ts'
import { isCredential } from '../ledger/connections.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Meter } from './meter.ts'
import { reportSettlement } from './quota-headers.ts'

/** What a guard works with. */
export interface GuardOptions {
  ledger: Pick<Ledger, 'findCachedKey' | 'findAcceptedAdmin' | 'findKey' | 'findCachedThrottle'>
  meter: Pick<Meter, 'settle'>
  queue: FairQueue<number>
  /** Connects to the databases that requests read. */
  connectReads: () => Promise<void>
  lifecycle: Readonly<Lifecycle>
}

/** Creates the guard's middleware. It is long because it lists all permissions. */
export function createGuard({ ledger, meter, queue, connectReads, lifecycle }: GuardOptions) {
  /** Throws 401 (`decisions/0002-keys.md`). Opens the first connection for reads during the look-up of a key. */
  async function authenticate(
    authorization: string | undefined,
    signal: AbortSignal,
    acceptsTokens: boolean,
  ): Promise<BearerKey> {
    const secret = readSecret(authorization, acceptsTokens)
    let key = ledger.findCachedKey(secret) ?? ledger.findAcceptedAdmin(secret)
    if (key === undefined) [key] = await Promise.all([ledger.findKey(secret, signal), connectReads()])
    if (key === undefined) throw unauthorized('invalid_api_key', 'Invalid API key')
    return key
  }

  function permit(
    checkPermission: (caller: BearerKey, c: ApiContext) => ApiError | undefined,
    { isQueued = true, acceptsTokens = false }: { isQueued?: boolean; acceptsTokens?: boolean } = {},
  ) {
    return createMiddleware<HonoEnvironment>(async function guard(c, next) {
      if (lifecycle.phase === 'waiting') throw startingUp()
      const { signal } = c.req.raw
      const mayBearToken = acceptsTokens || c.env?.isOfTool === true
      const caller = await authenticate(c.req.header('Authorization'), signal, mayBearToken)
      c.set('caller', caller)
      const refusal = checkPermission(caller, c)
      if (refusal !== undefined) {
        // Settling checks the key first: a revoked one gets 401 instead. It also sets the quota headers.
        await meter.settle(c, { isCounted: false })
        throw refusal
      }
      const throttled = ledger.findCachedThrottle(caller.secret)
      if (throttled !== undefined) reportSettlement(c, throttled)
      if (!isQueued) return next()
      const leave = await queue.enter(caller.id, signal)
      c.set('onWait', leave)
      try {
        if (signal.aborted) throw new ClientGoneError()
        await next()
      } finally {
        leave()
      }
    })
  }

  /** Permits keys whose scopes suffice, and admin keys. */
  const permitScopes = (suffice: (scopes: readonly Scope[], c: ApiContext) => boolean) =>
    permit((caller, c) =>
      isFullAdmin(caller) || suffice(caller.scopes, c) ? undefined : insufficientPermissions(),
    )
  const hasAny = (granted: readonly Scope[]) => scopes.some((scope) => granted.includes(scope))

  return {
    /** Permits every key. */
    anyKey: permit(() => undefined),
    /**
     * Permits every key, and with `acceptsTokens` the access tokens of connections, which only `/mcp` accepts. A call
     * doesn't wait in the queue: the requests that it makes do.
     */
    mcp: (options: { acceptsTokens: boolean }) => permit(() => undefined, { isQueued: false, ...options }),
    /** Permits keys with all these scopes, and admin keys. */
    scopes: (...required: Scope[]) =>
      permitScopes((scopes) => required.every((scope) => scopes.includes(scope))),
    /** Permits keys with a scope, and admin keys. */
    anyScope: permitScopes(hasAny),
    /** Permits keys with the scope that the request needs, and admin keys. Undefined: any scope is enough. */
    scopeOf: (findScope: (c: ApiContext) => Scope | undefined) =>
      permitScopes((granted, c) => {
        const scope = findScope(c)
        return scope === undefined ? hasAny(granted) : granted.includes(scope)
      }),
    /**
     * Permits admin keys, but for those that may only read metrics. Only a key with `keys:write` may change anything.
     */
    admin: permit((caller, c) => {
      if (!isAdminFor('keys:write', caller)) return adminRequired()
      const mayWrite = caller.scopes.includes('keys:write')
      return mayWrite || readMethods.includes(c.req.method) ? undefined : insufficientPermissions()
    }),
    /**
     * Permits admin keys, but for those that may only change keys. They don't wait for a turn: requests that wait for
     * the database must not delay `/metrics`.
     */
    metrics: permit((caller) => (isAdminFor('metrics:read', caller) ? undefined : adminRequired()), {
      isQueued: false,
    }),
  }
}

function isFullAdmin(caller: BearerKey): boolean {
  return caller.role === 'admin' && findAdminScope(caller) === undefined
}

/** Whether a key may do everything that admins do, or this alone. */
function isAdminFor(scope: (typeof adminScopes)[number], caller: BearerKey): boolean {
  return isFullAdmin(caller) || findAdminScope(caller) === scope
}

function insufficientPermissions(): ApiError {
  return forbidden('insufficient_permissions', 'Insufficient permissions')
}

function adminRequired(): ApiError {
  return forbidden('admin_required', 'Admin access required')
}

/** Returns the key of an `Authorization` header, if the ledger has it in memory. */
export function recallKey(
  ledger: Pick<Ledger, 'findCachedKey'>,
  authorization: string | undefined,
): BearerKey | undefined {
  const secret = readBearer(authorization ?? '')
  return secret === undefined ? undefined : ledger.findCachedKey(secret)
}

/** Returns the text after `Bearer`, which may be empty; undefined: the header has another form. */
function readBearer(header: string): string | undefined {
  // HTTP drops white space at a header's end: "Bearer " arrives as "Bearer".
  const match = /^Bearer(?: (.*))?$/.exec(header)
  return match === null ? undefined : (match[1] ?? '')
}

function readSecret(header: string | undefined, acceptsTokens: boolean): string {
  if (header === undefined || header === '') {
    throw unauthorized('missing_authorization', 'Authorization header required')
  }
  const secret = readBearer(header)
  if (secret === undefined) {
    throw unauthorized('invalid_authorization_format', "Invalid authorization format. Use 'Bearer <API_KEY>'")
  }
  if (secret === '') throw unauthorized('missing_api_key', 'API key required')
  if (acceptsTokens && isCredential('access', secret)) return secret
  if (!isSecret(secret)) throw unauthorized('invalid_api_key_format', 'Invalid API key format')
  return secret
}
