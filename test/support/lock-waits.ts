/** Who waits for a lock. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ISql } from 'postgres'

/** Counts the locks in this database that are waited for, as they are now, even in a transaction. */
export async function countLockWaits(sql: Pick<ISql, 'unsafe'>): Promise<number> {
  const [row] = await sql.unsafe<{ count: number }[]>(`
    select count(*)::integer as count from pg_locks join pg_database d on d.oid = database
    where datname = current_database() and not granted`)
  return row?.count ?? 0
}

/** A wait for a lock, when it was seen. */
export interface LockWait {
  at: number
  /** How long it had lasted by then. */
  ms: number
}

/** Looks every 10 ms who waits for a lock on a table, until it is stopped. */
export function watchTableLocks(sql: Pick<ISql, 'unsafe'>): { stop(): Promise<LockWait[]> } {
  const waits: LockWait[] = []
  let isOver = false
  async function watch(): Promise<void> {
    for (; !isOver; await sleep(10)) {
      const [longest] = await sql.unsafe<{ ms: number }[]>(`
        select (extract(epoch from clock_timestamp() - min(waitstart)) * 1000)::float8 as ms from pg_locks
        where not granted and locktype = 'relation' having min(waitstart) is not null`)
      if (longest !== undefined) waits.push({ at: performance.now(), ms: longest.ms })
    }
  }
  const watching = watch()
  watching.catch(() => {}) // `stop` rejects
  return {
    async stop() {
      isOver = true
      await watching
      return waits
    },
  }
}
