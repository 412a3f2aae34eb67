/**
 * The text format of PostgreSQL's `COPY`.
 *
 * @module
 */

/** What a column may hold. */
export type CopyValue = string | number | null | readonly string[]

const special = /[\\\n\r\t]/g
const escapes: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Encodes a row with its line feed. Arrays become `text[]`. */
export function encodeCopyRow(values: readonly CopyValue[]): string {
  return `${values.map(encodeValue).join('\t')}\n`
}

function encodeValue(value: CopyValue): string {
  if (value === null) return '\\N'
  if (typeof value === 'number') return String(value)
  return (typeof value === 'string' ? value : encodeArray(value)).replace(
    special,
    (found) => escapes[found] ?? '',
  )
}

function encodeArray(values: readonly string[]): string {
  return `{${values.map((value) => `"${value.replace(/["\\]/g, '\\$&')}"`).join(',')}}`
}
