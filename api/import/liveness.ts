/**
 * Whether the process of a load still runs, so that the next load drops what a killed one has staged.
 *
 * On a server a load holds an advisory lock, in a transaction that does nothing else: a transaction keeps its connection
 * through poolers, and the server ends it with the client. The embedded database has one session for all its clients,
 * so there a load listens on a Unix socket of its own in the data folder.
 *
 * @module
 */
import { rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import type { Sql, SqlOrTransaction } from '../database/connect.ts'
import { acceptsConnections } from '../database/embedded.ts'

/** The first half of the lock; the second one is the load's id. */
const lockClass = 0x6c6f_6164

/** Makes a load alive until this process ends, or the promised function is called. */
export function keepAlive(sql: Sql, id: number, isEmbedded: boolean): Promise<() => Promise<void>> {
  return isEmbedded ? listen(socketOf(sql, id)) : holdLock(sql, id)
}

/** Does `work` for a load that is dead. On a server it stays so meanwhile: of two that look, one finds out. */
export async function ifDead(
  sql: Sql,
  id: number,
  isEmbedded: boolean,
  work: (tx: SqlOrTransaction) => Promise<void>,
): Promise<void> {
  if (isEmbedded) {
    const socket = socketOf(sql, id)
    if (await acceptsConnections(socket)) return
    rmSync(socket, { force: true })
    return work(sql)
  }
  await sql.begin(async (tx) => {
    const [lock] = await tx<{ taken: boolean }[]>`
      select pg_try_advisory_xact_lock(${lockClass}, ${lockKey(id)}) as taken`
    if (lock?.taken === true) await work(tx)
  })
}

async function holdLock(sql: Sql, id: number): Promise<() => Promise<void>> {
  if (sql.options.max < 2) throw new Error('a load needs two connections: one of them holds its lock')
  const held = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  const transaction = sql.begin(async (tx) => {
    await tx`set local idle_in_transaction_session_timeout = 0`
    await tx`select pg_advisory_xact_lock(${lockClass}, ${lockKey(id)})`
    held.resolve()
    await ended.promise
  })
  transaction.catch(held.reject) // once it is held: a load that lost its lock finds what it staged, or says that it is gone
  await held.promise
  return async () => {
    ended.resolve()
    await transaction.catch(() => {})
  }
}

/** The lock takes 32 bits. */
function lockKey(id: number): number {
  return id % 2 ** 31
}

async function listen(socket: string): Promise<() => Promise<void>> {
  const server = createServer((client) => client.destroy())
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(socket, resolve)
  })
  server.unref()
  return async () => {
    await new Promise((resolve) => server.close(resolve))
    rmSync(socket, { force: true })
  }
}

/** Beside the database's own socket, and no longer: a path has to fit into an address. */
function socketOf({ options }: Sql, id: number): string {
  return join(dirname(options.path || '.'), `load.${id}`)
}
