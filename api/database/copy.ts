/**
 * Rows in PostgreSQL's binary format: bytes are read as they are, where other statements return them as text.
 *
 * @module
 */
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
  return field.length === 8 ? Number(field.readBigInt64BE()) : field.readIntBE(0, field.length)
}
