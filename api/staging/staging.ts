/**
 * Stages the rows of a load in tables of its own, batch by batch, where no reader sees them. `dataset/apply-load.ts`
 * then applies them in one transaction. Both work through connection poolers.
 */
import { isLocalDocument } from '../catalog/document-lookup.ts'
import type { Sql, SqlOrTransaction } from '../database/connect.ts'
import { beginLong } from '../database/long-transaction.ts'
import { listColumns, RowBuffer, type TypedColumn, type WrittenRow } from '../database/row-buffer.ts'
import type { NamedAccounts } from '../names/automation-accounts.ts'
import { digestUserRules } from '../names/user-rules.ts'
import { ImportError } from './import-error.ts'
import { cleanUpIfDead, holdLivenessLock } from './liveness-lock.ts'
import { type LoadItem, type RecordKind, recordKinds } from './records.ts'
import { createRow } from './staged-rows.ts'
import { createStagedTerms, type NamedTerms, writeTerms } from './staged-terms.ts'
import { createStagingTables, listStagingTables, recordTables, stagingTable } from './staging-tables.ts'

/**
 * A batch is sent when its rows have this many bytes. Meanwhile, lines are read, and each response of the database
 * waits until a chunk of them is read. If batches are smaller, reading and sending wait for each other.
 */
const maxBatchBytes = 3_000_000
const positionColumn = listColumns({ position: 'bigint' })

/** A load that is being staged. */
export interface Staging {
  id: number
  /** Stages a record. Of several for one thing, the one with the highest `position` counts. */
  add(position: number, item: LoadItem): Promise<void>
  /**
   * Sends the last batches, and drops superseded rows, and all of the users `leftOut`. The load can be applied then.
   */
  flush(leftOut?: Iterable<number>): Promise<DroppedRows>
  /** Drops the staging tables, and ends the load. */
  discard(): Promise<void>
  /** Ends the load. The next one may drop what is still staged. */
  end(): Promise<void>
}

/** What the deployer has set for all loads. */
export interface StagingSettings {
  /** Accounts that are programs, or aren't, whatever the rules say. Default: none. */
  automationAccounts?: NamedAccounts | undefined
}

/** Rows that are not loaded. */
export interface DroppedRows {
  /** Rows of users who are left out, with the identities that they have in the row. */
  leftOut: { forgeRestId: number; identities: string[]; isLocal: boolean }[]
  /** The rows that another one for the same thing has superseded with other content. */
  contradicted: { count: number; firstPosition: number | null }
}

/**
 * Begins a load, runs `work`, which stages and applies it, and ends the load. Drops its tables if `work` fails. Calls
 * `onBegin` with the load's id before the first row is staged.
 */
export async function withStaging<Result>(
  sql: Sql,
  {
    onBegin,
    settings,
  }: { onBegin?: ((importId: number) => void) | undefined; settings?: StagingSettings | undefined },
  work: (staging: Staging) => Promise<Result>,
): Promise<Result> {
  const staging = await beginStaging(sql, settings)
  try {
    onBegin?.(staging.id)
    return await work(staging)
  } catch (error) {
    await staging.discard().catch(() => {}) // the first error is the cause; the next load drops what is left
    throw error
  } finally {
    await staging.end()
  }
}

/** Rows that were not sent yet. */
interface Batch {
  columns: readonly TypedColumn[]
  termColumns: readonly TypedColumn[]
  /** Without the columns of terms. */
  rows: RowBuffer
  /** Where each row is in `rows`, and its terms. Empty: rows of this kind have no terms, and are complete. */
  parts: { from: number; to: number; terms: NamedTerms }[]
}

function createBatch(kind: RecordKind, rows: RowBuffer): Batch {
  const { columns, termColumns = {} } = recordTables[kind]
  return { columns: listColumns(columns), termColumns: listColumns(termColumns), rows, parts: [] }
}

function addRow(
  { columns, termColumns, rows, parts }: Batch,
  position: number,
  own: WrittenRow,
  terms: NamedTerms | undefined,
): void {
  const from = rows.length
  rows.begin(1 + columns.length + termColumns.length)
  rows.write(positionColumn, { position })
  rows.write(columns, own)
  if (terms !== undefined) parts.push({ from, to: rows.length, terms })
}

/** Creates the record and the tables of a load, and takes its lock. `end` releases that. */
async function createLoad(sql: Sql): Promise<Pick<Staging, 'id' | 'end'>> {
  const { id, end } = await takeId(sql)
  try {
    await sql`insert into imports (id) overriding system value values (${id})`
    await createStagingTables(sql, id)
  } catch (error) {
    await end()
    throw error
  }
  return { id, end }
}

/** Takes the next id that no load of another schema has at the moment, with its lock, before other loads can see it. */
async function takeId(sql: Sql): Promise<Pick<Staging, 'id' | 'end'>> {
  for (;;) {
    const [next] = await sql<{ id: number }[]>`select nextval(pg_get_serial_sequence('imports', 'id')) as id`
    if (next === undefined) throw new Error('the import has no id')
    const end = await holdLivenessLock(sql, next.id)
    if (end !== undefined) return { id: next.id, end }
  }
}

/** Begins a load. Drops the staging tables of loads whose process was killed. */
export async function beginStaging(sql: Sql, settings: StagingSettings = {}): Promise<Staging> {
  const accounts = settings.automationAccounts ?? new Map()
  await dropDeadLoads(sql)
  const { id, end } = await createLoad(sql)
  const createTerms = () => createStagedTerms(id, digestUserRules(accounts))
  let terms = createTerms()
  const batches = new Map<RecordKind, Batch>()
  /** Buffers without rows, to be used again. */
  const unused: RowBuffer[] = []
  const takeBuffer = () => unused.pop() ?? new RowBuffer()
  let staged = 0
  /** One batch is sent while the next is read. */
  let sending: Promise<unknown> = Promise.resolve()

  async function sendBatch(kind: RecordKind, { termColumns, rows, parts }: Batch): Promise<void> {
    batches.delete(kind)
    const before = sending
    sending = before.then(() =>
      beginLong(sql, async (tx) => {
        let complete = rows
        if (parts.length > 0) {
          await terms.stage(tx)
          complete = takeBuffer()
          for (const { from, to, terms: named } of parts) {
            complete.append(rows, from, to)
            complete.write(termColumns, writeTerms(named))
          }
          rows.clear()
          unused.push(rows)
        }
        await complete.copyInto(tx, stagingTable(kind, id))
        unused.push(complete)
      }),
    )
    sending.catch(() => {}) // the next `await` of it reports the error
    await before
  }

  return {
    id,
    async add(position, item) {
      const { kind } = item
      const { columns, ...named } = createRow(item, accounts)
      const batch = batches.get(kind) ?? createBatch(kind, takeBuffer())
      batches.set(kind, batch)
      addRow(batch, position, columns, terms.name(named))
      staged++
      if (batch.rows.length >= maxBatchBytes) await sendBatch(kind, batch)
    },
    async flush(leftOut = []) {
      for (const [kind, batch] of batches) await sendBatch(kind, batch)
      await sending
      unused.length = 0
      terms = createTerms() // frees the memory
      return beginLong(sql, async (tx) => {
        const dropped = await dropUsers(tx, id, [...leftOut])
        staged -= dropped.length
        const contradicted: DroppedRows['contradicted'] = { count: 0, firstPosition: null }
        for (const kind of recordKinds) {
          await analyzeStaged(tx, kind, id)
          const superseded = await dropSuperseded(tx, kind, id)
          if (superseded.count > 0) await analyzeStaged(tx, kind, id)
          staged -= superseded.count
          contradicted.count += superseded.contradicted
          contradicted.firstPosition ??= superseded.firstPosition
        }
        await tx`update imports set staged = ${staged} where id = ${id}`
        return { leftOut: dropped, contradicted }
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

/** Throws `ImportError` when a crash of the database has emptied the staging tables: they are not logged. */
export async function assertStaged(tx: SqlOrTransaction, importId: number): Promise<void> {
  const total = recordKinds
    .map((kind) => tx`(select count(*) from ${tx(stagingTable(kind, importId))})`)
    .reduce((sum, count) => tx`${sum} + ${count}`)
  const [complete] = await tx`select 1 from imports where id = ${importId} and staged = ${total}`
  if (complete !== undefined) return
  throw new ImportError(
    'The database crashed and lost the staged lines. Nothing was changed; run the import again',
  )
}

/**
 * Gives the planner statistics of the columns by which rows are found. Without any, it expects a handful of rows. Those
 * of all columns, such as documents, would take far longer.
 */
async function analyzeStaged(tx: SqlOrTransaction, kind: RecordKind, id: number): Promise<void> {
  const { key, searched } = recordTables[kind]
  const columns = ['position', key, ...(searched === undefined ? [] : [searched])].join()
  await tx`analyze ${tx(stagingTable(kind, id))} (${tx.unsafe(columns)})`
}

interface SupersededRows {
  count: number
  /** The number of those with other content than the row that is kept, and the position of the first one. */
  contradicted: number
  firstPosition: number | null
}

/** Keeps the last of several rows for the same thing, and drops the others. */
async function dropSuperseded(tx: SqlOrTransaction, kind: RecordKind, id: number): Promise<SupersededRows> {
  const table = tx(stagingTable(kind, id))
  const key = tx.unsafe(recordTables[kind].key)
  const contentOf = (row: string) =>
    tx.unsafe(`row(${recordTables[kind].content.replaceAll(/\w+/g, `${row}.$&`)})`)
  const [superseded] = await tx<SupersededRows[]>`
    with superseded as (
      select position, last from ${table}
        join (select ${key}, max(position) as last from ${table} group by ${key} having count(*) > 1) l using (${key})
      where position < last
    ), dropped as (
      delete from ${table} d using superseded s where d.position = s.position
      returning d.position, s.last, ${contentOf('d')} as content
    )
    select count(*), count(*) filter (where is_other) as contradicted,
      min(position) filter (where is_other) as "firstPosition"
    from (
      select d.position, d.content is distinct from ${contentOf('kept')} as is_other
      from dropped d join ${table} kept on kept.position = d.last
    ) compared`
  return superseded ?? { count: 0, contradicted: 0, firstPosition: null }
}

/** Drops what is staged of users, by `forge_rest_id`. */
async function dropUsers(
  tx: SqlOrTransaction,
  id: number,
  users: readonly number[],
): Promise<DroppedRows['leftOut']> {
  if (users.length === 0) return []
  const dropped = (kind: 'users' | 'identities') => tx<DroppedRows['leftOut']>`
    delete from ${tx(stagingTable(kind, id))} where forge_rest_id = any (${tx.typed.bigints(users)})
    returning forge_rest_id as "forgeRestId", to_json(identities) as identities,
      coalesce(${isLocalDocument(tx, tx`document`)}, false) as "isLocal"`
  return [...(await dropped('users')), ...(await dropped('identities'))]
}

/** Drops the staging tables of loads whose process was killed. */
export async function dropDeadLoads(sql: Sql): Promise<void> {
  const loads = await sql<{ id: number }[]>`select id from imports order by id`
  for (const { id } of loads) await cleanUpIfDead(sql, id, (tx) => dropStaged(tx, id))
  // Version 0.1.0 drops the tables of records alone, and then the load's row.
  const left = await sql<StagedTable[]>`
    select c.oid, c.oid::regclass::text as name, pg_has_role(relowner, 'usage') as "isOwn"
    from pg_class c
    where relnamespace = quote_ident(current_schema())::regnamespace and relkind = 'r' and relpersistence = 'u'
      and relname ~ '^import_[a-z]+_[0-9]+$'
      and not exists (select from imports where relname = concat('import_', split_part(relname, '_', 2), '_', id))`
  for (const table of left) await dropTable(sql, table)
}

interface StagedTable {
  oid: number
  name: string
  isOwn: boolean
}

/**
 * Drops the tables of a load, and its record. If a table belongs to another role, and can't be dropped, the record
 * stays: a later load of that role drops it.
 */
export async function dropStaged(sql: SqlOrTransaction, id: number): Promise<void> {
  const names = listStagingTables(id)
  const tables = await sql<StagedTable[]>`
    select c.oid, c.oid::regclass::text as name, pg_has_role(relowner, 'usage') as "isOwn"
    from imports i join pg_namespace n on nspname = schema_name join pg_class c on relnamespace = n.oid
    where i.id = ${id} and relname = any (${sql.typed.texts(names)})`
  let areDropped = true
  for (const table of tables) areDropped = (await dropTable(sql, table)) && areDropped
  if (areDropped) await sql`delete from imports where id = ${id}`
}

/** Returns whether it could be dropped. */
async function dropTable(sql: SqlOrTransaction, { oid, name, isOwn }: StagedTable): Promise<boolean> {
  if (isOwn) {
    await sql`drop table if exists ${sql.unsafe(name)}`
    return true
  }
  // The function has a backslash in a text.
  const [row] = await sql<{ isDropped: boolean }[]>`
    select case when set_config('standard_conforming_strings', 'on', true) is not null
      then drop_staging_table(${oid}::oid) end as "isDropped"`
  return row?.isDropped === true
}
