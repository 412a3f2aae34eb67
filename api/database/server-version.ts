/** The version of PostgreSQL that this program needs. */
import { OperatorError } from '../errors.ts'
import type { Sql } from './connect.ts'

/** The oldest supported server. */
const oldestServer = { number: 150_000, name: 'PostgreSQL 15' }

/** Throws `OperatorError` when the server is too old. */
export async function assertServerVersion(sql: Sql): Promise<void> {
  const [server] = await sql<{ number: number; name: string }[]>`
    select current_setting('server_version_num')::integer as number, current_setting('server_version') as name`
  if (server === undefined || server.number < oldestServer.number) {
    throw new OperatorError(
      `The server is PostgreSQL ${server?.name}; ${oldestServer.name} or later is required`,
    )
  }
}
