/** Rows that are read in PostgreSQL's binary format for `copy`. Other statements return bytes as text. */
import type { SqlOrTransaction } from './connect.ts'

/** Of the format: a signature, flags, and the length of an extension. */
const headerBytes = 19

/**
 * Runs a `select` without parameters, and yields the bytes of each field of its rows. A null field has length 0, like
 * an empty one. In a transaction, read all rows before its next statement: one within the loop waits for the last row,
 * forever.
 */
export async function* copyRows(sql: SqlOrTransaction, select: string): AsyncGenerator<Buffer[], void> {
  const stream = await sql.unsafe(`copy (${select}) to stdout (format binary)`).readable()
  let received = Buffer.alloc(0)
  let isHeaderRead = false
  for await (const piece of stream) {
    received = received.length === 0 ? piece : Buffer.concat([received, piece])
    if (!isHeaderRead) {
      if (received.length < headerBytes) continue
      received = received.subarray(headerBytes)
      isHeaderRead = true
    }
    for (;;) {
      const row = readRow(received)
      if (row === 'incomplete') break
      received = received.subarray(row.length)
      if (row.fields !== undefined) yield row.fields
    }
  }
}

/** Reads the row that bytes begin with, or the mark of the end, which has no fields. */
function readRow(bytes: Buffer): { length: number; fields: Buffer[] | undefined } | 'incomplete' {
  if (bytes.length < 2) return 'incomplete'
  const count = bytes.readInt16BE(0)
  if (count < 0) return { length: 2, fields: undefined }
  const fields: Buffer[] = []
  let length = 2
  for (let field = 0; field < count; field++) {
    if (bytes.length < length + 4) return 'incomplete'
    const size = Math.max(0, bytes.readInt32BE(length)) // -1: null
    length += 4
    if (bytes.length < length + size) return 'incomplete'
    fields.push(bytes.subarray(length, length + size))
    length += size
  }
  return { length, fields }
}

/** Reads an integer of any size up to 53 bits. */
export function readInteger(field: Buffer | undefined): number {
  if (field === undefined || field.length === 0) throw new Error('a row lacks an integer')
  return readIntegerAt(field, 0, field.length)
}

/** Reads an integer in place: arrays have too many items for a buffer each. */
function readIntegerAt(bytes: Buffer, at: number, size: number): number {
  if (size === 4) return bytes.readInt32BE(at)
  if (size === 8) return bytes.readInt32BE(at) * 2 ** 32 + bytes.readUInt32BE(at + 4)
  return bytes.readIntBE(at, size)
}

/** Reads an array of integers. A null field is an empty array. */
export function readIntegers(field: Buffer | undefined): (number | null)[] {
  const headerBytes = 20 // if the array has one dimension. An empty array has no dimension, and a shorter header
  if (field === undefined || field.length <= headerBytes) return []
  const values = new Array<number | null>(field.readInt32BE(12))
  let at = headerBytes
  for (let place = 0; place < values.length; place++) {
    const size = field.readInt32BE(at)
    at += 4
    values[place] = size < 0 ? null : readIntegerAt(field, at, size)
    at += Math.max(0, size)
  }
  return values
}
