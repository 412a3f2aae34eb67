/** Formats the output of commands. */

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
  const formatLine = (_: unknown, line: number) =>
    padded
      .map((cells) => cells[line])
      .join('  ')
      .trimEnd()
  return Array.from({ length: rows.length + 1 }, formatLine).join('\n')
}

/** `1,234` */
export function formatCount(count: number | bigint): string {
  return count.toLocaleString('en-US', { maximumFractionDigits: 0 })
}

/** `2 keys`, `1 key`; nouns whose plural is not the singular with an `s` need it. */
export function countOf(count: number, noun: string, plural = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : plural}`
}

/** The most frequent comes first; of equally frequent ones, the first in the alphabet. */
export function sortByCount(counts: ReadonlyMap<string, number>): [name: string, count: number][] {
  return [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
}

/** Writes a time in ISO 8601 as `2030-12-31 18:00Z`; null is never, a dash. */
export function formatTime(time: string | null): string {
  return time === null ? '-' : time.replace(/^(.{10})T(.{5}).*/, '$1 $2Z')
}
