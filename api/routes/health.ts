import type { Hono } from 'hono'
import { isDatabaseUnavailable } from '../database/connection-error.ts'
import { unavailable } from '../errors.ts'
import type { LifecyclePhase } from '../http/lifecycle-phase.ts'
import type { HonoEnvironment } from '../http/request-context.ts'

/** What the health check reads. */
export interface HealthOptions {
  databaseKind: 'postgresql' | 'embedded'
  /** Throws `MigrationError` when the database lacks a migration. */
  assertMigrated: () => Promise<{ isReadOnly: boolean }>
  /** Whether the ledger expects that a charge can be recorded. */
  canCharge: () => boolean
  readLifecyclePhase: () => LifecyclePhase
}

/** How long the database may take to respond to a health check. */
const timeoutMs = { postgresql: 3_000, embedded: 500 }

/** Adds `GET /health`: 200 if paid requests can be served, else 503 (`decisions/0007-operations.md`). */
export function addHealthRoute(
  app: Hono<HonoEnvironment>,
  { databaseKind, assertMigrated, canCharge, readLifecyclePhase }: HealthOptions,
): void {
  // A load may hold the embedded database's only session. If that database had failed, so would this process.
  const busy = { isReadOnly: false }

  async function checkDatabase(): Promise<{ isReadOnly: boolean }> {
    try {
      return await assertMigrated()
    } catch (error) {
      if (databaseKind === 'embedded' && isDatabaseUnavailable(error)) return busy
      throw error
    }
  }

  app.get('/health', async (c) => {
    c.header('Cache-Control', 'no-store')
    if (readLifecyclePhase() === 'stopping') throw unavailable('Shutting down', { code: 'shutting_down' })
    if (readLifecyclePhase() === 'waiting') throw unavailable('Database unavailable')
    const { isReadOnly } = await withTimeout(checkDatabase(), timeoutMs[databaseKind], () => {
      if (databaseKind === 'postgresql') throw unavailable('Database unavailable')
      return busy
    })
    if (isReadOnly || !canCharge()) throw unavailable('Database unavailable')
    return c.json({ status: 'ok', database: databaseKind })
  })
}

async function withTimeout<T>(result: Promise<T>, timeoutMs: number, onTimeout: () => T): Promise<T> {
  const timeout = Promise.withResolvers<void>()
  const timer = setTimeout(timeout.resolve, timeoutMs)
  try {
    return await Promise.race([result, timeout.promise.then(onTimeout)])
  } finally {
    clearTimeout(timer)
  }
}
