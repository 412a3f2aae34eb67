/** Whether an instance can serve paid requests, for `/health` and `/metrics`. */
import { setTimeout as sleep } from 'node:timers/promises'
import { isDatabaseUnavailable } from '../database/connection-error.ts'
import type { Database } from '../database/database.ts'
import { startingUp, unavailable } from '../errors.ts'
import type { Lifecycle } from '../http/middleware.ts'
import { keysNotFound } from '../ledger/api-key.ts'
import type { Ledger } from '../ledger/ledger.ts'

/** What the check reads. */
export interface HealthCheckOptions {
  kind: Database['kind']
  /** Throws `MigrationError` when the database lacks a migration. */
  checkDatabase: () => Promise<{ isReadOnly: boolean; canFindKeys: boolean }>
  ledger: Pick<Ledger, 'canCharge'>
  lifecycle: Readonly<Lifecycle>
}

/** Throws the reason if the instance can't serve paid requests. */
export type HealthCheck = () => Promise<void>

/** How long the database may take to respond. */
const timeoutMs = { postgresql: 3_000, embedded: 500 }

/** Creates the check of an instance. */
export function createHealthCheck({
  kind,
  checkDatabase,
  ledger,
  lifecycle,
}: HealthCheckOptions): HealthCheck {
  const isEmbedded = kind === 'embedded'

  async function readDatabaseState(): Promise<'fit' | 'read_only' | 'busy' | 'timed_out'> {
    const timedOut = sleep(timeoutMs[kind], null, { ref: false })
    try {
      const found = await Promise.race([checkDatabase(), timedOut])
      if (found === null) return isEmbedded ? 'busy' : 'timed_out'
      if (!found.canFindKeys) throw unavailable('Database unavailable', { cause: new Error(keysNotFound) })
      return found.isReadOnly ? 'read_only' : 'fit'
    } catch (error) {
      if (isEmbedded && isDatabaseUnavailable(error)) return 'busy'
      throw error
    }
  }

  return async function checkHealth() {
    if (lifecycle.phase === 'waiting') throw startingUp()
    if (lifecycle.phase === 'stopping') throw unavailable('Shutting down', { code: 'shutting_down' })
    const state = await readDatabaseState()
    // A load may hold the embedded database's only session: it is busy. If it had failed, so would this process.
    const isFit = state === 'fit' || state === 'busy'
    if (!isFit || !ledger.canCharge()) throw unavailable('Database unavailable')
  }
}
