/**
 * Stages the rows of a load in tables of its own, batch by batch, where no reader sees them. `apply.ts` then applies them in
 * one transaction. Both work through connection poolers.
 *
 * @module
 */
import { finished } from 'node:stream/promises'
import { isEmbedded, type Sql, type SqlOrTransaction } from '../database/connect.ts'
import { encodeCopyRow } from './copy-format.ts'
import { ImportError } from './import-error.ts'
import { cleanUpIfDead, holdLivenessLock } from './liveness-lock.ts'
import type { RecordKind, StagedRow } from './records.ts'

/** A batch is sent when it has this many rows … */
const maxBatchRows = 2_000
/** … or its documents this many characters, so that its statement stays short. */
const maxBatchCharacters = 2_000_000

/** A load that is being staged. */
export interface Staging {
  id: number
  /** Stages a row. Of several rows for one thing, the one with the highest `position` counts. */
  add(kind: RecordKind, position: number, row: StagedRow): Promise<void>
  /** Sends the last batches, and drops superseded rows. The load can be applied then. */
  flush(): Promise<void>
  /** Drops the staging tables, and ends the load. */
  discard(): Promise<void>
  /** Ends the load. The next one may drop what is still staged. */
  end(): Promise<void>
}

/** The columns of the staging tables, and the key that rows of the same item share. */
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
      dependencies: 'text', // null: the repository's dependencies stay
      names: 'text[] not null', // of the dependencies; the next two are parallel to it
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

/** Further tables of a load: users whose dependencies it may change, and commits without a repository. */
const sideTables = {
  affected: 'user_id integer not null',
  orphans: 'position bigint primary key, document text not null',
}
const sideKinds = Object.keys(sideTables) as (keyof typeof sideTables)[]

/** The name of one of a load's tables. */
export function stagingTable(kind: RecordKind | keyof typeof sideTables, importId: number): string {
  return `import_${kind}_${importId}`
}

interface Batch {
  rows: StagedRow[]
  characters: number
}

/**
 * Begins a load, runs `work`, which stages and applies it, and ends the load. Drops its tables if `work` fails. Calls
 * `onBegin` with the load's id before the first row is staged.
 */
export async function withStaging<Result>(
  sql: Sql,
  onBegin: ((importId: number) => void) | undefined,
  work: (staging: Staging) => Promise<Result>,
): Promise<Result> {
  const staging = await beginStaging(sql)
  onBegin?.(staging.id)
  try {
    return await work(staging)
  } catch (error) {
    await staging.discard().catch(() => {}) // the first error is the cause; the next load drops what is left
    throw error
  } finally {
    await staging.end()
  }
}

/** Begins a load. Drops the staging tables of loads whose process was killed. */
export async function beginStaging(sql: Sql): Promise<Staging> {
  await dropDead(sql)
  const [next] = await sql<{ id: number }[]>`select nextval(pg_get_serial_sequence('imports', 'id')) as id`
  if (next === undefined) throw new Error('the import has no id')
  const { id } = next
  const end = await holdLivenessLock(sql, id) // before other loads can see it
  try {
    await sql`insert into imports (id) overriding system value values (${id})`
    await createTables(sql, id)
  } catch (error) {
    await end()
    throw error
  }
  const send = isEmbedded(sql) ? insertRows : copyRows
  const batches = new Map<RecordKind, Batch>()
  const sentRows = new Map<RecordKind, number>()
  /** One batch is sent while the next is read. */
  let sending = Promise.resolve()

  async function sendBatch(kind: RecordKind): Promise<void> {
    const { rows } = batches.get(kind) ?? { rows: [] }
    batches.delete(kind)
    sentRows.set(kind, (sentRows.get(kind) ?? 0) + rows.length)
    await sending
    sending = send(sql, kind, id, rows)
    sending.catch(() => {}) // the next `await` of it reports the error
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
      if (batch.rows.length >= maxBatchRows || batch.characters >= maxBatchCharacters) await sendBatch(kind)
    },
    async flush() {
      for (const kind of [...batches.keys()]) await sendBatch(kind)
      await sending
      await sql.begin(async (tx) => {
        await tx`set local statement_timeout = 0`
        for (const kind of kinds) {
          const table = tx(stagingTable(kind, id))
          const [row] = await tx<{ count: number }[]>`select count(*) from ${table}`
          if (row?.count !== (sentRows.get(kind) ?? 0)) throw new ImportError(lostMessage)
          await dropSuperseded(tx, kind, id)
          await tx`analyze ${table}` // otherwise the planner expects a handful of rows
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

const lostMessage =
  'The database crashed and lost the staged lines. Nothing was changed; run the import again'

/** Throws `ImportError` when a crash of the database has emptied the staging tables: they are not logged. */
export async function assertStaged(tx: SqlOrTransaction, importId: number): Promise<void> {
  const [complete] =
    await tx`select 1 from imports where id = ${importId} and staged = ${countStaged(tx, importId)}`
  if (complete === undefined) throw new ImportError(lostMessage)
}

/** SQL: the number of staged rows. */
function countStaged(tx: SqlOrTransaction, importId: number) {
  const table = (kind: RecordKind) => tx(stagingTable(kind, importId))
  return tx`
    (select count(*) from ${table('users')}) + (select count(*) from ${table('repos')})
      + (select count(*) from ${table('commits')})`
}

async function createTables(sql: Sql, id: number): Promise<void> {
  const [lz4] = await sql`
    select 1 from pg_settings where name = 'default_toast_compression' and 'lz4' = any(enumvals)`
  // Applied documents keep the compression of their staging table, so the faster one pays twice.
  const compression = lz4 === undefined ? '' : ' compression lz4'
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

/** Keeps the last of several rows for the same thing. */
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
 * Sends a batch with COPY. The transaction reserves the connection: otherwise the driver may send another statement behind
 * the COPY, which the server takes for rows.
 */
async function copyRows(sql: Sql, kind: RecordKind, id: number, rows: readonly StagedRow[]): Promise<void> {
  const columns = ['position', ...Object.keys(tables[kind].columns)]
  await sql.begin(async (tx) => {
    const stream =
      await tx`copy ${tx(stagingTable(kind, id))} (${tx.unsafe(columns.join(', '))}) from stdin`.writable()
    stream.end(rows.map((row) => encodeCopyRow(columns.map((column) => row[column] ?? null))).join(''))
    await finished(stream)
  })
}

/** Sends a batch without COPY, which breaks the connection to the embedded database. */
async function insertRows(sql: Sql, kind: RecordKind, id: number, rows: readonly StagedRow[]): Promise<void> {
  const columns = Object.entries({ position: 'bigint', ...tables[kind].columns })
  const names = sql.unsafe(columns.map(([name]) => name).join(', '))
  const definition = sql.unsafe(
    columns.map(([name, type]) => `${name} ${type.replace(' not null', '')}`).join(', '),
  )
  await sql`
    insert into ${sql(stagingTable(kind, id))} (${names})
    select ${names} from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as batch_row(${definition})`
}

async function dropDead(sql: Sql): Promise<void> {
  const loads = await sql<{ id: number }[]>`select id from imports order by id`
  for (const { id } of loads) await cleanUpIfDead(sql, id, (tx) => dropStaged(tx, id))
}

/** Drops the tables of a load, and its record. */
export async function dropStaged(sql: SqlOrTransaction, id: number): Promise<void> {
  for (const kind of [...kinds, ...sideKinds]) {
    await sql`drop table if exists ${sql(stagingTable(kind, id))}`
  }
  await sql`delete from imports where id = ${id}`
}
