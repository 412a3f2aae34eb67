/**
 * A lock that a load holds while its process runs. The next load drops the staging tables of loads that no longer hold
 * theirs, because their process was killed.
 *
 * On a server it is an advisory lock, held by an open transaction: a transaction keeps its connection through poolers,
 * and the server ends it when the client disconnects. The embedded database has one session for all its clients, so
 * there it is a Unix socket in the data folder, on which the load listens.
 */
import { rmSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { isEmbedded, type Sql, type SqlOrTransaction } from '../database/connect.ts'
import { acceptsConnections } from '../database/embedded.ts'
import { beginLong } from '../database/long-transaction.ts'
import { readCode, unavailable } from '../errors.ts'

/** The first half of the advisory lock; the second half is the load's id. */
const lockClass = 0x6c6f_6164

/**
 * Takes the lock of a load. Resolves with the function that releases it; so does the end of the process. Undefined:
 * another schema of the database has a load with this id.
 */
export function holdLivenessLock(sql: Sql, importId: number): Promise<(() => Promise<void>) | undefined> {
  return isEmbedded(sql) ? listen(socketPath(sql, importId)) : holdAdvisoryLock(sql, importId)
}

/** Runs `cleanUp` if nobody holds the lock of a load. On a server, only one of several callers runs it. */
export async function cleanUpIfDead(
  sql: Sql,
  importId: number,
  cleanUp: (tx: SqlOrTransaction) => Promise<void>,
): Promise<void> {
  if (isEmbedded(sql)) {
    const path = socketPath(sql, importId)
    if (await acceptsConnections(path)) return
    rmSync(path, { force: true })
    return cleanUp(sql)
  }
  await beginLong(sql, async (tx) => {
    if (await tryLock(tx, importId)) await cleanUp(tx)
  })
}

async function tryLock(tx: SqlOrTransaction, importId: number): Promise<boolean> {
  const [lock] = await tx<{ taken: boolean }[]>`
    select pg_try_advisory_xact_lock(${lockClass}, ${lockKey(importId)}) as taken`
  return lock?.taken === true
}

/**
 * If a statement timed out while a load of the embedded database runs, returns an error that says so: a load holds the
 * only session while it is applied. Returns other errors unchanged.
 */
export async function explainWait(sql: Sql, error: Error): Promise<Error> {
  if (!isEmbedded(sql) || readCode(error) !== 'RESPONSE_TIMEOUT') return error
  const folder = dirname(socketPath(sql, 0))
  const names = await readdir(folder).catch(() => []) // it may be gone
  const sockets = names.filter((name) => /^load\.\d+$/.test(name))
  const areHeld = await Promise.all(sockets.map((name) => acceptsConnections(join(folder, name))))
  if (!areHeld.includes(true)) return error
  return unavailable('Database unavailable', {
    cause: new Error(
      `A load is running and may hold the embedded database's only session. Wait for it to end, or use PostgreSQL: ${error.message}`,
    ),
  })
}

async function holdAdvisoryLock(sql: Sql, importId: number): Promise<(() => Promise<void>) | undefined> {
  if (sql.options.max < 2) throw new Error('a load needs two connections: one of them holds its lock')
  const held = Promise.withResolvers<boolean>()
  const released = Promise.withResolvers<void>()
  const transaction = beginLong(sql, async (tx) => {
    const isTaken = await tryLock(tx, importId)
    held.resolve(isTaken)
    if (isTaken) await released.promise
  })
  // A load that loses its lock later goes on: it finds its staging tables, or fails because they are missing.
  transaction.catch(held.reject)
  if (!(await held.promise)) return undefined
  return async () => {
    released.resolve()
    await transaction.catch(() => {})
  }
}

/** Advisory locks take 32 bits. */
function lockKey(importId: number): number {
  return importId % 2 ** 31
}

async function listen(path: string): Promise<() => Promise<void>> {
  const server = createServer((client) => client.destroy())
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  server.unref()
  return async () => {
    await new Promise((resolve) => server.close(resolve))
    rmSync(path, { force: true })
  }
}

/** Beside the database's own socket, and no longer than its path: Unix sockets limit the length. */
function socketPath({ options }: Sql, importId: number): string {
  return join(dirname(options.path || '.'), `load.${importId}`)
}
