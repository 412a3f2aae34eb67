/**
 * A load in two steps: its rows are staged in short statements, where no reader sees them, and then applied in one
 * transaction. Both steps work through connection poolers, and on the embedded database too.
 *
 * @module
 */
import { finished } from 'node:stream/promises'
import { hasSingleSession, type Sql, type SqlOrTransaction } from '../database/connect.ts'
import { encodeCopyRow } from './copy-format.ts'
import { ImportError } from './import-error.ts'
import { ifDead, keepAlive } from './liveness.ts'
import type { RecordKind, StagedRow } from './records.ts'

/** Rows in one statement at most, … */
const batchRows = 2_000
/** … and characters of their documents, so that a statement stays short. */
const batchCharacters = 2_000_000

/** A load under way. */
export interface Staging {
  id: number
  /** Stages a row; `position` orders rows: of several for one thing the last wins. */
  add(kind: RecordKind, position: number, row: StagedRow): Promise<void>
  /** Sends what is still in memory; the load can then be applied. */
  flush(): Promise<void>
  /** Drops everything that was staged, and ends the load. */
  discard(): Promise<void>
  /** Ends the load: what is still staged for it is anybody's to drop. */
  end(): Promise<void>
}

/** What is staged of each kind, and what makes two rows be for the same thing. */
const tables: Record<RecordKind, { key: readonly string[]; columns: Record<string, string> }> = {
  users: {
    key: ['forge_rest_id'],
    columns: {
      forge_rest_id: 'bigint not null',
      login_key: 'text not null',
      identities: 'text[] not null',
      location_key: 'text',
      document: 'text not null',
    },
  },
  repos: {
    key: ['forge_rest_id'],
    columns: {
      forge_rest_id: 'bigint not null',
      full_name_key: 'text not null',
      url_key: 'text not null',
      owner_identity: 'text not null',
      members: 'text not null',
      dependencies: 'text', // null: leave those that are there
      names: 'text[] not null', // of the dependencies; beside them
      name_keys: 'text[] not null',
      files: 'text[] not null',
    },
  },
  commits: {
    key: ['url_key', 'commit_hash'],
    columns: {
      url_key: 'text not null',
      commit_hash: 'text not null',
      committer_date: 'bigint',
      author_identity: 'text',
      document: 'text not null',
    },
  },
}
const kinds = Object.keys(tables) as RecordKind[]

/** Tables beside those of rows: users whose dependencies the load may have changed, and commits without a repository. */
const sideTables = {
  affected: 'user_id integer not null',
  orphans: 'position bigint primary key, document text not null',
}
const sideKinds = Object.keys(sideTables) as (keyof typeof sideTables)[]

/** The table that a load has for something. */
export function stagingTable(kind: RecordKind | keyof typeof sideTables, importId: number): string {
  return `import_${kind}_${importId}`
}

interface Batch {
  rows: StagedRow[]
  characters: number
}

/** Begins a load. What loads that died have staged is dropped first. */
export async function beginStaging(sql: Sql): Promise<Staging> {
  const isEmbedded = await hasSingleSession(sql)
  await dropAbandoned(sql, isEmbedded)
  const [next] = await sql<{ id: number }[]>`select nextval(pg_get_serial_sequence('imports', 'id')) as id`
  if (next === undefined) throw new Error('the import has no id')
  const { id } = next
  const end = await keepAlive(sql, id, isEmbedded) // before others see it
  try {
    await sql`insert into imports (id) overriding system value values (${id})`
    await createTables(sql, id)
  } catch (error) {
    await end()
    throw error
  }
  const send = isEmbedded ? insertRows : copyRows
  const batches = new Map<RecordKind, Batch>()
  const sent = new Map<RecordKind, number>()
  /** One batch is on its way while the next is read. */
  let sending = Promise.resolve()

  async function sendBatch(kind: RecordKind): Promise<void> {
    const { rows } = batches.get(kind) ?? { rows: [] }
    batches.delete(kind)
    sent.set(kind, (sent.get(kind) ?? 0) + rows.length)
    await sending
    sending = send(sql, kind, id, rows)
    sending.catch(() => {}) // whoever awaits it hears of it
  }

  return {
    id,
    async add(kind, position, row) {
      const batch = batches.get(kind) ?? { rows: [], characters: 0 }
      batches.set(kind, batch)
      batch.rows.push({ position, ...row })
      for (const text of [row.document, row.members, row.dependencies]) {
        batch.characters += String(text ?? '').length
      }
      if (batch.rows.length >= batchRows || batch.characters >= batchCharacters) await sendBatch(kind)
    },
    async flush() {
      for (const kind of [...batches.keys()]) await sendBatch(kind)
      await sending
      await sql.begin(async (tx) => {
        await tx`set local statement_timeout = 0`
        for (const kind of kinds) {
          const table = tx(stagingTable(kind, id))
          const [row] = await tx<{ count: number }[]>`select count(*) from ${table}`
          if (row?.count !== (sent.get(kind) ?? 0)) throw new ImportError(lostMessage)
          await dropSuperseded(tx, kind, id)
          if (isEmbedded) await tx`create index on ${table} (position)`
          // Without figures of its own the planner takes a staged load for a handful of rows.
          await tx`analyze ${table}`
        }
        await tx`update imports set staged = ${countStaged(tx, id)} where id = ${id}`
      })
    },
    async discard() {
      batches.clear()
      await sending.catch(() => {})
      await dropStaged(sql, id).finally(end)
    },
    end,
  }
}

const lostMessage = 'The database lost what was staged, in a crash; load again; nothing was changed'

/** Throws `ImportError` when the database has crashed since a load was staged. */
export async function assertStaged(tx: SqlOrTransaction, importId: number): Promise<void> {
  const [kept] =
    await tx`select 1 from imports where id = ${importId} and staged = ${countStaged(tx, importId)}`
  if (kept === undefined) throw new ImportError(lostMessage)
}

/** SQL: how many rows are staged. */
function countStaged(tx: SqlOrTransaction, importId: number) {
  const table = (kind: RecordKind) => tx(stagingTable(kind, importId))
  return tx`
    (select count(*) from ${table('users')}) + (select count(*) from ${table('repos')})
      + (select count(*) from ${table('commits')})`
}

async function createTables(sql: Sql, id: number): Promise<void> {
  const [quick] = await sql`
    select 1 from pg_settings where name = 'default_toast_compression' and 'lz4' = any(enumvals)`
  // Documents stay compressed as they are when they are applied: the quicker way pays twice.
  const compression = quick === undefined ? '' : ' compression lz4'
  const definitions = kinds.map((kind) => {
    const columns = Object.entries(tables[kind].columns).map(([name, type]) =>
      type.startsWith('text')
        ? `${name} ${type.replace(/^text(\[\])?/, `$&${compression}`)}`
        : `${name} ${type}`,
    )
    return `create unlogged table ${stagingTable(kind, id)} (position bigint not null, ${columns.join(', ')});`
  })
  for (const kind of sideKinds) {
    definitions.push(`create unlogged table ${stagingTable(kind, id)} (${sideTables[kind]});`)
  }
  await sql.unsafe(definitions.join(''))
}

/** Of several rows for the same thing the last wins. */
async function dropSuperseded(tx: SqlOrTransaction, kind: RecordKind, id: number): Promise<void> {
  const table = tx(stagingTable(kind, id))
  const key = tx.unsafe(tables[kind].key.join(', '))
  await tx`
    delete from ${table} s using (
      select ${key}, max(position) as last from ${table} group by ${key} having count(*) > 1
    ) l
    where ${tx.unsafe(tables[kind].key.map((column) => `s.${column} = l.${column}`).join(' and '))}
      and s.position < l.last`
}

/**
 * In a transaction, which has its connection to itself: outside of one the driver may send another statement behind the
 * COPY, which the server takes for rows.
 */
async function copyRows(sql: Sql, kind: RecordKind, id: number, rows: readonly StagedRow[]): Promise<void> {
  const columns = ['position', ...Object.keys(tables[kind].columns)]
  await sql.begin(async (tx) => {
    const stream =
      await tx`copy ${tx(stagingTable(kind, id))} (${tx.unsafe(columns.join(', '))}) from stdin`.writable()
    stream.end(rows.map((row) => encodeCopyRow(columns.map((column) => row[column] ?? null))).join(''))
    await finished(stream)
    await tx`update imports set touched_at = now() where id = ${id}`
  })
}

/** COPY breaks the embedded database's connection. */
async function insertRows(sql: Sql, kind: RecordKind, id: number, rows: readonly StagedRow[]): Promise<void> {
  const columns = Object.entries({ position: 'bigint', ...tables[kind].columns })
  const names = sql.unsafe(columns.map(([name]) => name).join(', '))
  const definition = sql.unsafe(
    columns.map(([name, type]) => `${name} ${type.replace(' not null', '')}`).join(', '),
  )
  await sql`
    with alive as (update imports set touched_at = now() where id = ${id})
    insert into ${sql(stagingTable(kind, id))} (${names})
    select ${names} from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as row_of_batch(${definition})`
}

/** Drops what loads have staged that ended without applying or dropping it: their process was killed. */
async function dropAbandoned(sql: Sql, isEmbedded: boolean): Promise<void> {
  const loads = await sql<{ id: number }[]>`select id from imports order by id`
  for (const { id } of loads) await ifDead(sql, id, isEmbedded, (tx) => dropStaged(tx, id))
}

/** Drops a load, with all that was staged for it. */
export async function dropStaged(sql: SqlOrTransaction, id: number): Promise<void> {
  for (const kind of [...kinds, ...sideKinds]) {
    await sql`drop table if exists ${sql(stagingTable(kind, id))}`
  }
  await sql`delete from imports where id = ${id}`
}
