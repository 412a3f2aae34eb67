/**
 * What a database server tells about itself. Nothing here changes it.
 *
 * @module
 */
import type { Sql } from './connect.ts'

export interface ServerState {
  /** `server_version`, such as `15.8`. */
  version: string
  /** `server_version_num`, such as 150008. */
  versionNumber: number
  /** The shortest of several round trips. */
  roundTripMs: number
  /** How far the server's clock is ahead of this machine's; exact to half a round trip. */
  clockAheadMs: number
  /** When the server cancels a statement; 0: never. */
  statementTimeoutMs: number
}

const attempts = 5

/** Reads a server's state, and measures the round trip to it. */
export async function readServerState(sql: Sql): Promise<ServerState> {
  let best: ServerState | undefined
  for (let attempt = 0; attempt <= attempts; attempt++) {
    const wallClock = Date.now()
    const started = performance.now()
    const [row] = await sql<(Omit<ServerState, 'roundTripMs' | 'clockAheadMs'> & { clockMs: number })[]>`
      select current_setting('server_version') as version,
        current_setting('server_version_num')::integer as "versionNumber",
        extract(epoch from clock_timestamp())::double precision * 1000 as "clockMs",
        (select setting::integer from pg_settings where name = 'statement_timeout') as "statementTimeoutMs"`
    if (row === undefined) throw new Error('the server returned no row')
    const roundTripMs = performance.now() - started
    if (attempt === 0) continue // the statement is prepared in this one
    if (best !== undefined && best.roundTripMs <= roundTripMs) continue
    const { clockMs, ...state } = row
    best = { ...state, roundTripMs, clockAheadMs: clockMs - (wallClock + roundTripMs / 2) }
  }
  if (best === undefined) throw new Error('the server state was not read')
  return best
}
