/** Who waits for a lock. */
import type { ISql } from 'postgres'

/** Counts the locks in this database that are waited for, as they are now, even in a transaction. */
export async function countLockWaits(sql: Pick<ISql, 'unsafe'>): Promise<number> {
  const [row] = await sql.unsafe<{ count: number }[]>(`
    select count(*)::integer as count from pg_locks join pg_database d on d.oid = database
    where datname = current_database() and not granted`)
  return row?.count ?? 0
}
