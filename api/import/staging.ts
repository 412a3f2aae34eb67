/**
 * A load in two steps: its rows are staged in short statements, where no reader sees them, and then applied in one
 * transaction. Both steps work through connection poolers, and on the embedded database too.
 *
 * @module
 */
import type { Sql, SqlOrTransaction } from '../database/connect.ts'
import type { RecordKind, StagedRow } from './records.ts'

/** Rows in one statement at most, … */
const batchRows = 2_000
/** … and characters of their documents, so that a statement stays short. */
const batchCharacters = 2_000_000
/** What an import that died has staged is cleared away after this many hours without a sign of life. */
const staleHours = 24

/** A load under way. */
export interface Staging {
  id: number
  /** Stages a row; `position` orders rows: of several for one thing the last wins. */
  add(kind: RecordKind, position: number, row: StagedRow): Promise<void>
  /** Sends what is still in memory; the load can then be applied. */
  flush(): Promise<void>
  /** Drops everything that was staged. */
  discard(): Promise<void>
}

const tables: Record<RecordKind, { name: string; columns: Record<string, string> }> = {
  users: {
    name: 'import_users',
    columns: {
      forge_rest_id: 'bigint',
      login_key: 'text',
      identities: 'text[]',
      location_key: 'text',
      document: 'text',
    },
  },
  repos: {
    name: 'import_repositories',
    columns: {
      forge_rest_id: 'bigint',
      full_name_key: 'text',
      url_key: 'text',
      owner_identity: 'text',
      document: 'text',
      dependencies: 'text',
      names: 'text[]',
      name_keys: 'text[]',
      files: 'text[]',
    },
  },
  commits: {
    name: 'import_commits',
    columns: {
      url_key: 'text',
      commit_hash: 'text',
      committer_date: 'bigint',
      author_identity: 'text',
      document: 'text',
    },
  },
}

/** Begins a load. */
export async function beginStaging(sql: Sql): Promise<Staging> {
  await clearStale(sql)
  const [begun] = await sql<{ id: number }[]>`insert into imports default values returning id`
  if (begun === undefined) throw new Error('the import was not begun')
  const { id } = begun
  const batches = new Map<RecordKind, { rows: StagedRow[]; characters: number }>()

  async function send(kind: RecordKind): Promise<void> {
    const rows = batches.get(kind)?.rows ?? []
    batches.delete(kind)
    if (rows.length === 0) return
    const { name, columns } = tables[kind]
    const names = sql.unsafe(['position', ...Object.keys(columns)].join(', '))
    const definition = sql.unsafe(
      ['position bigint', ...Object.entries(columns).map((column) => column.join(' '))].join(', '),
    )
    // COPY would be faster, but breaks the embedded database's connection.
    await sql`
      with alive as (update imports set touched_at = now() where id = ${id})
      insert into ${sql(name)} (import_id, ${names})
      select ${id}::bigint, ${names}
      from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as row_of_batch(${definition})`
  }

  return {
    id,
    async add(kind, position, row) {
      const batch = batches.get(kind) ?? { rows: [], characters: 0 }
      batches.set(kind, batch)
      batch.rows.push({ position, ...row })
      batch.characters += String(row.document).length + String(row.dependencies ?? '').length
      if (batch.rows.length >= batchRows || batch.characters >= batchCharacters) await send(kind)
    },
    async flush() {
      for (const kind of [...batches.keys()]) await send(kind)
      // Without figures of its own the planner takes a staged load for a handful of rows.
      for (const { name } of Object.values(tables)) await sql`analyze ${sql(name)}`
    },
    async discard() {
      batches.clear()
      await dropStaged(sql, [id])
    },
  }
}

async function clearStale(sql: Sql): Promise<void> {
  const stale = await sql<{ id: number }[]>`
    select id from imports where touched_at < now() - make_interval(hours => ${staleHours})`
  await dropStaged(
    sql,
    stale.map(({ id }) => id),
  )
}

/** Drops loads, with all that was staged for them. */
export async function dropStaged(sql: SqlOrTransaction, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  for (const name of [...Object.values(tables).map((table) => table.name), 'import_affected_users']) {
    await sql`delete from ${sql(name)} where import_id = any(${sql.typed.bigints(ids)})`
  }
  await sql`delete from imports where id = any(${sql.typed.bigints(ids)})`
}
