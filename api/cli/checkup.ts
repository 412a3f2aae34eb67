/**
 * What a check-up finds: a line for each thing that was looked at, with what to do about it.
 *
 * @module
 */

import { type Config, ConfigError, readConfig, readEnvironment } from '../config.ts'
import { findPooler, type Sql } from '../database/connect.ts'
import {
  findNewerMigrations,
  findSchemaFaults,
  inspectServer,
  type ServerState,
} from '../database/inspection.ts'
import { findMissingMigrations, oldestServer } from '../database/migrate.ts'
import { createDocsFinder, docsDirectory } from '../docs/docs-manifest.ts'
import { verifyLedger } from '../ledger/verify.ts'
import { countOf, formatCount } from './output.ts'

/** `ok`; `wrong`: something has to be done; `skipped`: nobody knows. */
export type FindingState = 'ok' | 'wrong' | 'skipped'

/** What was found about one thing. */
export interface Finding {
  state: FindingState
  /** What was looked at, in a word or two. */
  subject: string
  /** What is there, and what to do when that is wrong. */
  message: string
}

/** Things that are wrong are named, up to so many of a kind. */
const maxNamed = 5
/** The instance's clock and the database's may differ by so much, in milliseconds. */
const largestClockDifference = 2_000
/** Every charged request makes two round trips; above this one, in milliseconds, that is what it mostly does. */
const farAway = 10

/** Reads the settings as a start would. Where some are wrong, a finding for each instead. */
export function checkSettings(environment: Record<string, string | undefined>): Config | Finding[] {
  try {
    return readConfig(readEnvironment(environment))
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.message.split('\n').map((message) => ({ state: 'wrong', subject: 'settings', message }))
  }
}

/** Says in which order of magnitude: 0.21 ms, 3.4 ms, 120 ms. */
function formatMilliseconds(milliseconds: number): string {
  return `${Number(milliseconds.toPrecision(2))} ms`
}

/** Looks at the server: its version, the way to it, its clock, its schema. Reads little of what is in it. */
export async function checkDatabase(sql: Sql, config: Config): Promise<Finding[]> {
  const server = await inspectServer(sql)
  const missing = await findMissingMigrations(sql)
  return [
    describeServer(server, config),
    ...(config.databaseUrl === undefined ? [] : [await checkPooler(config.databaseUrl, server, config)]),
    checkClock(server),
    await checkMigrations(sql, missing),
    missing.length > 0
      ? skipped('schema', 'not looked at before all migrations are there')
      : await checkSchema(sql),
  ]
}

function describeServer(server: ServerState, { databaseUrl }: Config): Finding {
  const way = `${formatMilliseconds(server.roundTrip)} to it and back`
  const name = `${databaseUrl === undefined ? 'embedded, ' : ''}PostgreSQL ${server.version}, ${way}`
  if (server.versionNumber < oldestServer.number) {
    return wrong('database', `${name}: upgrade it to ${oldestServer.name} or later`)
  }
  const advice =
    server.roundTrip > farAway ? '; each request waits for that twice: run the service nearer to it' : ''
  return ok('database', `${name}${advice}`)
}

async function checkPooler(databaseUrl: string, server: ServerState, config: Config): Promise<Finding> {
  if (!(await findPooler(databaseUrl))) return ok('pooler', 'none, or one that keeps sessions')
  const remarks = ['one that shares sessions between transactions']
  if (config.databasePreparedStatements === 'on') {
    remarks.push(
      'DATABASE_PREPARED_STATEMENTS=on needs one that supports them (PgBouncer from 1.21 on, with max_prepared_statements)',
    )
  }
  if (server.statementTimeout === 0) {
    remarks.push(
      `no statement is ever cancelled; alter role … set statement_timeout = '${config.databaseStatementTimeoutSeconds || 30}s'`,
    )
  }
  return ok('pooler', remarks.join('; '))
}

function checkClock({ clockAhead, roundTrip }: ServerState): Finding {
  const difference = `the database's is ${formatMilliseconds(Math.abs(clockAhead))} ${clockAhead < 0 ? 'behind' : 'ahead'}`
  return Math.abs(clockAhead) - roundTrip / 2 > largestClockDifference
    ? wrong('clock', `${difference}; synchronise both machines (NTP)`)
    : ok('clock', difference)
}

async function checkMigrations(sql: Sql, missing: readonly string[]): Promise<Finding> {
  if (missing.length > 0) return wrong('migrations', `${missing.join(', ')} missing; run "devdata migrate"`)
  const newer = await findNewerMigrations(sql)
  return newer.length > 0
    ? wrong(
        'migrations',
        `${newer.join(', ')} of a newer version applied; upgrade this one before its next start`,
      )
    : ok('migrations', 'all applied')
}

async function checkSchema(sql: Sql): Promise<Finding> {
  const faults = await findSchemaFaults(sql)
  if (faults.length === 0)
    return ok('schema', 'extensions, tables, indexes and functions are those of the migrations')
  const named = faults.slice(0, maxNamed).join('; ')
  const rest = faults.length > maxNamed ? `; ${formatCount(faults.length - maxNamed)} more` : ''
  return wrong('schema', `${named}${rest}. Make them as api/database/migrations does, or restore a backup`)
}

/** Computes every balance anew. Reads the whole ledger. */
export async function checkLedger(sql: Sql): Promise<Finding> {
  const { keys, entries, problems } = await verifyLedger(sql)
  const [first] = problems
  if (first === undefined) {
    return ok('ledger', `${countOf(keys, 'key')}, ${formatCount(entries)} entries: it adds up`)
  }
  return wrong(
    'ledger',
    `${countOf(problems.length, 'problem')}, the first with key ${first.keyId}: ${first.problem}. ` +
      'See "devdata ledger verify"',
  )
}

/** Whether the documentation is there, for the address that clients use. */
export async function checkDocs({ baseUrl }: Config, directory = docsDirectory): Promise<Finding> {
  const docs = await createDocsFinder(directory, baseUrl)()
  return docs === undefined
    ? wrong('docs', `not built for ${baseUrl ?? 'a start without BASE_URL'}; run: npm run docs`)
    : ok('docs', `built for ${docs.baseUrl ?? 'any origin'}`)
}

/** A finding that all is well. */
export function ok(subject: string, message: string): Finding {
  return { state: 'ok', subject, message }
}

/** A finding that something has to be done. */
export function wrong(subject: string, message: string): Finding {
  return { state: 'wrong', subject, message }
}

/** A finding that nothing was found out. */
export function skipped(subject: string, message: string): Finding {
  return { state: 'skipped', subject, message }
}
