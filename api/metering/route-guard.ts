import { type ApiError, forbidden } from '../errors.ts'
import { awaitDatabase } from '../http/await-database.ts'
import type { LifecyclePhase } from '../http/lifecycle-phase.ts'
import type { BearerKey, Scope } from '../ledger/api-key.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { authenticate } from './authenticate.ts'
import type { Meter } from './metered-request.ts'

/** What a guard works with. */
export interface GuardOptions {
  ledger: Ledger
  meter: Pick<Meter, 'permit' | 'throttle'>
  /** Connects to the databases that requests read. */
  connectReads: () => Promise<void>
  readLifecyclePhase: () => LifecyclePhase
}

/**
 * Creates the guard of routes that need a key: middleware that authenticates the caller, checks its permission, and
 * throttles it. Each step may refuse the request.
 */
export function createGuard({ ledger, meter, connectReads, readLifecyclePhase }: GuardOptions) {
  function permitOnly(checkPermission: (caller: BearerKey) => ApiError | undefined) {
    return [
      awaitDatabase(readLifecyclePhase),
      authenticate(ledger, connectReads),
      meter.permit(checkPermission),
      meter.throttle,
    ] as const
  }

  return {
    /** Permits every key. */
    anyKey: () => permitOnly(() => undefined),
    /** Permits keys with the scope, and admin keys. */
    scope: (scope: Scope) =>
      permitOnly(({ role, scopes }) =>
        role === 'admin' || scopes.includes(scope)
          ? undefined
          : forbidden('insufficient_permissions', 'Insufficient permissions'),
      ),
    /** Permits admin keys. */
    admin: () =>
      permitOnly(({ role }) =>
        role === 'admin' ? undefined : forbidden('admin_required', 'Admin access required'),
      ),
  }
}
