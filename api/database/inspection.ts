/**
 * What a database is, held against what this version of devdata needs. Nothing here changes it.
 *
 * @module
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sql } from './connect.ts'
import { listMigrations } from './migrate.ts'

/** What a server says of itself. */
export interface ServerState {
  /** `server_version`, such as `15.8`. */
  version: string
  /** `server_version_num`, such as 150008. */
  versionNumber: number
  /** From a statement to its answer, the best of a few. In milliseconds. */
  roundTrip: number
  /** How far the server's clock is ahead of this machine's, in milliseconds; exact to half a round trip. */
  clockAhead: number
  /** After which time the server cancels a statement, in milliseconds; 0: never. */
  statementTimeout: number
}

const attempts = 5

/** Asks a server for its version, and measures the way to it. */
export async function inspectServer(sql: Sql): Promise<ServerState> {
  let best: ServerState | undefined
  for (let attempt = 0; attempt <= attempts; attempt++) {
    const wallClock = Date.now()
    const started = performance.now()
    const [row] = await sql<Omit<ServerState, 'roundTrip'>[]>`
      select current_setting('server_version') as version,
        current_setting('server_version_num')::integer as "versionNumber",
        extract(epoch from clock_timestamp())::double precision * 1000 as "clockAhead",
        (select setting::integer from pg_settings where name = 'statement_timeout') as "statementTimeout"`
    if (row === undefined) throw new Error('the server answered without a row')
    const roundTrip = performance.now() - started
    if (attempt === 0) continue // the statement was prepared on the way
    if (best !== undefined && best.roundTrip <= roundTrip) continue
    best = { ...row, roundTrip, clockAhead: row.clockAhead - (wallClock + roundTrip / 2) }
  }
  if (best === undefined) throw new Error('the server was not asked')
  return best
}

/** The numbers of migrations that a database has and this version of devdata does not know. */
export async function findNewerMigrations(sql: Sql): Promise<number[]> {
  const newest = listMigrations().at(-1)?.number ?? 0
  const rows = await sql<{ number: number }[]>`
    select number from migrations where number > ${newest} order by number`
  return rows.map(({ number }) => number)
}

/** What there is in a schema, and how it was made. */
interface SchemaPart {
  /** For people, such as `index on users (login_key)`. */
  part: string
  definition: string
}

/**
 * Everything that migrations make: extensions, tables and views with their columns, constraints, indexes, functions, triggers.
 * Indexes go by what they are, not by their names. Types and defaults are left out where servers print them differently.
 */
const schemaStatement = `
  with ours as (
    select relnamespace as oid from pg_class where oid = 'migrations'::regclass
  ), relations as (
    select c.oid, c.relname, c.relkind from pg_class c
    where c.relnamespace = (select oid from ours) and c.relkind in ('r', 'p', 'c', 'v') and c.relname <> 'migrations'
  )
  select 'extension ' || extname as part, '' as definition from pg_extension
  union all
  select case relkind when 'c' then 'type ' when 'v' then 'view ' else 'table ' end || relname, '' from relations
  union all
  select 'column ' || r.relname || '.' || a.attname,
    format_type(a.atttypid, a.atttypmod) || case when a.attnotnull then ' not null' else '' end
  from relations r join pg_attribute a on a.attrelid = r.oid where a.attnum > 0 and not a.attisdropped
  union all
  select 'constraint ' || t.conname || ' on ' || r.relname, t.contype::text || t.convalidated::text
  from relations r join pg_constraint t on t.conrelid = r.oid where t.contype in ('c', 'f', 'p', 'u')
  union all
  select distinct 'index on ' || r.relname || ' (' || (
      select string_agg(pg_get_indexdef(i.indexrelid, n, true), ', ' order by n) from generate_series(1, i.indnatts) n
    ) || ')' || coalesce(' where ' || pg_get_expr(i.indpred, i.indrelid, true), '')
    || case when i.indisunique then ', unique' else '' end,
    case when i.indisvalid then '' else 'invalid' end
  from relations r join pg_index i on i.indrelid = r.oid
  union all
  select 'function ' || p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')',
    md5(p.prosrc) || array_to_string(
      case when p.prosecdef then array['security definer'] end
        || array(select setting from unnest(p.proconfig) setting where setting not like 'search_path=%'), ','
    )
  from pg_proc p where p.pronamespace = (select oid from ours)
  union all
  select 'trigger ' || t.tgname || ' on ' || r.relname, t.tgenabled::text
  from relations r join pg_trigger t on t.tgrelid = r.oid where not t.tgisinternal`

/**
 * Compares a database with what the migrations make of an empty one. A line for each part that is missing or that is
 * another; what is there beyond that is nobody's concern.
 */
export async function findSchemaFaults(sql: Sql): Promise<string[]> {
  const wanted = readWantedSchema()
  const rows = await sql.unsafe<SchemaPart[]>(schemaStatement)
  const actual = new Map<string, string[]>()
  for (const { part, definition } of rows) actual.set(part, [...(actual.get(part) ?? []), definition])
  const isMissing = (part: string) => !actual.has(part)
  return wanted.flatMap(({ part, definition }) => {
    if (isMissing(part)) {
      const [, table = ''] = /(?: on |^column )([^ .]+)/.exec(part) ?? []
      return isMissing(`table ${table}`) && isMissing(`view ${table}`) && table !== ''
        ? []
        : [`${part} is missing`] // said once, with its table
    }
    if (actual.get(part)?.includes(definition)) return []
    return [actual.get(part)?.includes('invalid') ? `${part} is invalid` : `${part} was changed`]
  })
}

/** Reads the schema of a database: a line for each part, its definition behind a tab, in an order of its own. */
export async function describeSchema(sql: Sql): Promise<string> {
  const rows = await sql.unsafe<SchemaPart[]>(schemaStatement)
  const lines = rows.map(({ part, definition }) => `${part}\t${definition}\n`)
  return lines.sort((a, b) => (a < b ? -1 : 1)).join('')
}

/** What `describeSchema` says of an empty database with all migrations; a test keeps it so. */
const schemaFile = join(import.meta.dirname, 'schema.txt')

function readWantedSchema(): SchemaPart[] {
  const lines = readFileSync(schemaFile, 'utf8').split('\n').slice(0, -1)
  return lines.map((line) => {
    const [part = '', definition = ''] = line.split('\t')
    return { part, definition }
  })
}
