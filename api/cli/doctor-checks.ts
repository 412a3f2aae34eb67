/**
 * Checks of an installation: a finding for each, which says what to do when something is wrong.
 *
 * @module
 */

import { type Config, ConfigError, readConfig, readEnvironment } from '../config.ts'
import type { Sql } from '../database/connect.ts'
import { oldestServer, readSchemaState, type SchemaState } from '../database/migrate.ts'
import { findPooler } from '../database/pooler.ts'
import { readServerState, type ServerState } from '../database/server-state.ts'
import { createDocsFinder, docsDirectory } from '../docs/docs-manifest.ts'
import { verifyLedger } from '../ledger/verify.ts'
import { countOf, formatCount } from './output.ts'

/** `wrong`: something has to be done; `skipped`: not checked. */
export type FindingState = 'ok' | 'wrong' | 'skipped'

export interface Finding {
  state: FindingState
  /** What was checked, in a word. */
  subject: string
  /** The result, and what to do when it is wrong. */
  message: string
}

const maxClockDifferenceMs = 2_000
/** A charged request takes two round trips; above this, they are most of its duration. */
const maxGoodRoundTripMs = 10

/** Reads the settings, as a start does. Returns a finding for each wrong one instead, if there are any. */
export function checkSettings(environment: Record<string, string | undefined>): Config | Finding[] {
  try {
    return readConfig(readEnvironment(environment))
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.message.split('\n').map((message) => ({ state: 'wrong', subject: 'settings', message }))
  }
}

/** Two significant digits: `0.21 ms`, `3.4 ms`, `120 ms`. */
function formatMilliseconds(milliseconds: number): string {
  return `${Number(milliseconds.toPrecision(2))} ms`
}

/** Checks the server's version, round trip, pooler, clock and migrations. Throws `MigrationError`. */
export async function checkDatabase(
  sql: Sql,
  config: Config,
): Promise<{ findings: Finding[]; isMigrated: boolean }> {
  const server = await readServerState(sql)
  const schema = await readSchemaState(sql)
  const findings = [
    describeServer(server, config),
    ...(config.databaseUrl === undefined ? [] : [await checkPooler(config.databaseUrl, server, config)]),
    checkClock(server),
    checkMigrations(schema),
  ]
  return { findings, isMigrated: schema.missing.length === 0 }
}

function describeServer(server: ServerState, { databaseUrl }: Config): Finding {
  const roundTrip = `round trip ${formatMilliseconds(server.roundTripMs)}`
  const name = `${databaseUrl === undefined ? 'embedded, ' : ''}PostgreSQL ${server.version}, ${roundTrip}`
  if (server.versionNumber < oldestServer.number) {
    return wrong('database', `${name}: upgrade it to ${oldestServer.name} or later`)
  }
  const advice =
    server.roundTripMs > maxGoodRoundTripMs
      ? '; each request waits for two: run the service closer to the database'
      : ''
  return ok('database', `${name}${advice}`)
}

async function checkPooler(databaseUrl: string, server: ServerState, config: Config): Promise<Finding> {
  if (!(await findPooler(databaseUrl))) return ok('pooler', 'none, or in session mode')
  const remarks = ['in transaction mode']
  if (config.databasePreparedStatements === 'on') {
    remarks.push(
      'DATABASE_PREPARED_STATEMENTS=on needs a pooler that supports them (PgBouncer 1.21 or later, with max_prepared_statements)',
    )
  }
  if (server.statementTimeoutMs === 0) {
    remarks.push(
      `no statement is ever canceled; run: alter role … set statement_timeout = '${config.databaseStatementTimeoutSeconds || 30}s'`,
    )
  }
  return ok('pooler', remarks.join('; '))
}

function checkClock({ clockAheadMs, roundTripMs }: ServerState): Finding {
  const difference = `the database's is ${formatMilliseconds(Math.abs(clockAheadMs))} ${clockAheadMs < 0 ? 'behind' : 'ahead'}`
  return Math.abs(clockAheadMs) - roundTripMs / 2 > maxClockDifferenceMs
    ? wrong('clock', `${difference}; synchronize both machines (NTP)`)
    : ok('clock', difference)
}

function checkMigrations({ missing, newer }: SchemaState): Finding {
  if (missing.length > 0) return wrong('migrations', `${missing.join(', ')} missing; run "devdata migrate"`)
  return newer.length > 0
    ? wrong(
        'migrations',
        `a newer version has applied ${newer.join(', ')}; upgrade this one before its next start`,
      )
    : ok('migrations', 'all applied')
}

/** Verifies every balance. Reads the whole ledger. */
export async function checkLedger(sql: Sql): Promise<Finding> {
  const { keys, entries, problems } = await verifyLedger(sql)
  const [first] = problems
  if (first === undefined) {
    return ok('ledger', `${countOf(keys, 'key')}, ${formatCount(entries)} entries: it adds up`)
  }
  return wrong(
    'ledger',
    `${countOf(problems.length, 'problem')}, the first with key ${first.keyId}: ${first.problem}; ` +
      'run "devdata ledger verify"',
  )
}

/** Checks that the documentation is built for the URL that clients use. */
export async function checkDocs({ baseUrl }: Config, directory = docsDirectory): Promise<Finding> {
  const docs = await createDocsFinder(directory, baseUrl)().catch(() => undefined)
  return docs === undefined
    ? wrong('docs', `not built for ${baseUrl ?? 'a start without BASE_URL'}; run "npm run docs"`)
    : ok('docs', `built for ${docs.baseUrl ?? 'any origin'}`)
}

export function ok(subject: string, message: string): Finding {
  return { state: 'ok', subject, message }
}

export function wrong(subject: string, message: string): Finding {
  return { state: 'wrong', subject, message }
}

export function skipped(subject: string, message: string): Finding {
  return { state: 'skipped', subject, message }
}
