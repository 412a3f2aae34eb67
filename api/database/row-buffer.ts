/**
 * Rows that are written in PostgreSQL's binary format for `copy`, once into bytes. As lines of text, each character
 * would be copied several times, and the server would parse numbers, arrays and escapes.
 */
import { Readable } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import type { SqlOrTransaction } from './connect.ts'

/** The types of columns, each with that of its items, and the number of the latter in PostgreSQL's catalog. */
const columnTypes = {
  smallint: undefined,
  integer: undefined,
  bigint: undefined,
  boolean: undefined,
  text: undefined, // also for values of an enumeration
  bytea: undefined,
  'integer[]': { type: 'integer', oid: 23 },
  'bigint[]': { type: 'bigint', oid: 20 },
  'text[]': { type: 'text', oid: 25 },
} as const
type ColumnType = keyof typeof columnTypes

/** SQL by the names of columns: a type that rows can have, and what follows it. */
export type ColumnDeclarations = Readonly<
  Record<string, `${ColumnType}${'' | ' collate "C"'}${'' | ' not null'}`>
>

/** A column of rows that are written. */
export interface TypedColumn {
  name: string
  type: ColumnType
}

/** Lists declared columns in their order. */
export function listColumns(declarations: ColumnDeclarations): TypedColumn[] {
  return Object.entries(declarations).map(([name, declaration]) => {
    const [type = ''] = declaration.split(' ')
    if (!isColumnType(type)) throw new Error(`the column ${name} has no type that rows can have`)
    return { name, type }
  })
}

function isColumnType(type: string): type is ColumnType {
  return Object.hasOwn(columnTypes, type)
}

/** A signature, flags, and the length of an extension. */
const header = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')
const firstBytes = 2 ** 16
/** A buffer that has become larger, because of one large row, is given back. */
const maxKeptBytes = 4 * 2 ** 20
/** Rows that are made while others are copied are sent when they have this many bytes. */
const sentBytes = 2 ** 16

/** The value of a column. */
export type Column = string | number | boolean | null | readonly (string | number | null)[]

/** The values of a row to write, by the names of their columns. */
export type WrittenRow = Readonly<Record<string, Column | Uint8Array>>

/**
 * Copies rows into a table while `rows` makes the next ones. Call it in a transaction, and run nothing else in it until
 * all rows are copied. An error aborts the transaction, also an error that `rows` throws.
 */
export async function copyWhileMade(
  tx: SqlOrTransaction,
  table: string,
  columns: readonly TypedColumn[],
  rows: Iterable<WrittenRow>,
): Promise<void> {
  const names = columns.map(({ name }) => name).join()
  const stream = await tx.unsafe(`copy ${table} (${names}) from stdin (format binary)`).writable()
  await pipeline(Readable.from(writeRows(columns, rows), { highWaterMark: 1 }), stream)
}

function* writeRows(columns: readonly TypedColumn[], rows: Iterable<WrittenRow>): Generator<Buffer, void> {
  const buffer = new RowBuffer()
  for (const row of rows) {
    buffer.add(columns, row)
    if (buffer.length >= sentBytes) yield buffer.take()
  }
  buffer.begin(-1) // the end
  yield buffer.take()
}

/**
 * Collects rows, and copies them into a table. Use one buffer for many copies: each new one allocates memory outside of
 * the heap.
 */
export class RowBuffer {
  #bytes = Buffer.allocUnsafeSlow(firstBytes)
  #length = header.copy(this.#bytes)

  /** Of the rows so far. */
  get length(): number {
    return this.#length
  }

  /** Writes a row. Throws if an integer is out of range. */
  add(columns: readonly TypedColumn[], row: WrittenRow): void {
    this.begin(columns.length)
    this.write(columns, row)
  }

  /** Begins a row of this many columns. */
  begin(columns: number): void {
    this.#reserve(2)
    this.#length = this.#bytes.writeInt16BE(columns, this.#length)
  }

  /** Writes the next columns of a row, which has a value for each. Throws if an integer is out of range. */
  write(columns: readonly TypedColumn[], row: WrittenRow): void {
    for (const { name, type } of columns) this.#writeColumn(type, row[name] ?? null)
  }

  /** Appends a part of other rows. */
  append(other: RowBuffer, from: number, to: number): void {
    this.#reserve(to - from)
    this.#length += other.#bytes.copy(this.#bytes, this.#length, from, to)
  }

  /** Forgets all rows. */
  clear(): void {
    if (this.#bytes.length > maxKeptBytes) this.#bytes = Buffer.allocUnsafeSlow(firstBytes)
    this.#length = header.copy(this.#bytes)
  }

  /** Returns the bytes of the rows, and forgets them. The bytes of later rows belong after them, without a header. */
  take(): Buffer {
    const bytes = Buffer.from(this.#bytes.subarray(0, this.#length))
    this.#length = 0
    return bytes
  }

  /** Copies the rows into a table, and forgets them. `target` is SQL: the table, and perhaps its columns. */
  async copyInto(tx: SqlOrTransaction, target: string): Promise<void> {
    if (this.#length > header.length) {
      this.begin(-1) // the end
      const stream = await tx.unsafe(`copy ${target} from stdin (format binary)`).writable()
      await finished(stream.end(this.#bytes.subarray(0, this.#length)))
    }
    this.clear()
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes
    if (needed <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }

  #writeColumn(type: ColumnType, value: Column | Uint8Array): void {
    this.#reserve(24)
    if (value === null) this.#writeInteger(-1)
    else if (typeof value === 'string') this.#writeText(value)
    else if (value instanceof Uint8Array) this.#writeBytes(value)
    else if (typeof value === 'object') this.#writeArray(type, value)
    else if (type === 'boolean') {
      this.#writeInteger(1)
      this.#length = this.#bytes.writeUInt8(Number(value), this.#length)
    } else if (type === 'bigint') {
      this.#writeInteger(8)
      const upper = Math.floor(Number(value) / 2 ** 32)
      this.#writeInteger(upper)
      this.#length = this.#bytes.writeUInt32BE(Number(value) - upper * 2 ** 32, this.#length)
    } else if (type === 'smallint') {
      this.#writeInteger(2)
      this.#length = this.#bytes.writeInt16BE(Number(value), this.#length)
    } else {
      this.#writeInteger(4)
      this.#writeInteger(Number(value))
    }
  }

  /** There must be room, here and in the following: `#writeColumn` reserves it. */
  #writeInteger(value: number): void {
    this.#length = this.#bytes.writeInt32BE(value, this.#length)
  }

  #writeText(text: string): void {
    // A code unit takes three bytes at most.
    const most = text.length > 1_000 ? Buffer.byteLength(text) : 3 * text.length
    this.#reserve(4 + most)
    const written = this.#bytes.write(text, this.#length + 4)
    this.#length = this.#bytes.writeInt32BE(written, this.#length) + written
  }

  #writeBytes(bytes: Uint8Array): void {
    this.#reserve(4 + bytes.length)
    this.#writeInteger(bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }

  #writeArray(type: ColumnType, values: readonly (string | number | null)[]): void {
    const items = columnTypes[type]
    if (items === undefined) throw new Error(`a column of the type ${type} has no items`)
    const start = this.#length
    this.#writeInteger(0) // the length, which isn't known yet
    this.#writeInteger(values.length > 0 ? 1 : 0) // dimensions
    this.#writeInteger(values.includes(null) ? 1 : 0)
    this.#writeInteger(items.oid)
    if (values.length > 0) {
      this.#writeInteger(values.length)
      this.#writeInteger(1) // the first place
      for (const value of values) this.#writeColumn(items.type, value)
    }
    this.#bytes.writeInt32BE(this.#length - start - 4, start)
  }
}
