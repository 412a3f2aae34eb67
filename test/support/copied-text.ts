/** Rows that are written in PostgreSQL's text format for `copy`. */
import { finished } from 'node:stream/promises'
import type { SqlOrTransaction } from '../../api/database/connect.ts'
import type { Column } from '../../api/database/row-buffer.ts'

/**
 * Writes rows into a table. `target` is SQL: the table, and its columns in parentheses. Each line is a row as
 * `writeRow` writes it. Call it in a transaction. An error aborts the transaction, as for any statement.
 */
export async function copyInto(
  tx: SqlOrTransaction,
  target: string,
  lines: readonly string[],
): Promise<void> {
  if (lines.length === 0) return
  const stream = await tx.unsafe(`copy ${target} from stdin`).writable()
  await finished(stream.end(`${lines.join('\n')}\n`)) // patches/postgres-3.4.9/010-copy-that-fails.patch
}

/** Writes a row as `copyInto` takes it. */
export function writeRow(columns: readonly Column[]): string {
  return columns.map(writeColumn).join('\t')
}

/** Writes a column of a row that is copied. */
function writeColumn(value: Column): string {
  if (value === null) return '\\N'
  if (typeof value === 'string') return escapeText(value)
  return typeof value === 'object' ? escapeText(`{${value.map(writeElement).join()}}`) : String(value)
}

function escapeText(text: string): string {
  return /[\\\n\r\t]/.test(text)
    ? text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t')
    : text
}

function writeElement(value: string | number | null): string {
  return typeof value === 'string' ? `"${value.replaceAll(/["\\]/g, '\\$&')}"` : String(value)
}
