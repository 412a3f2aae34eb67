/**
 * Output of commands: text, JSON, tables and counts.
 *
 * @module
 */
import process from 'node:process'

export function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** Prints a value as one line of JSON. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value))
}

export interface Column<Row> {
  header: string
  cell: (row: Row) => string
  /** Whether cells are right-aligned. */
  numeric?: boolean
}

/** Formats rows as a table with headers. */
export function formatTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const padded = columns.map(({ header, cell, numeric }) => {
    const cells = [header, ...rows.map(cell)]
    const width = cells.reduce((widest, { length }) => Math.max(widest, length), 0)
    return cells.map((text) => (numeric ? text.padStart(width) : text.padEnd(width)))
  })
  return [undefined, ...rows]
    .map((_, line) =>
      padded
        .map((cells) => cells[line])
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** `1,234` */
export function formatCount(count: number | bigint): string {
  return count.toLocaleString('en-US', { maximumFractionDigits: 0 })
}

/** `2 keys`, `1 key` */
export function countOf(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`
}
