/**
 * Items as text: a JSON object a line, comma-separated values, or a table for a terminal.
 *
 * @module
 */

export const formats = ['ndjson', 'csv', 'table'] as const
export type Format = (typeof formats)[number]

/** Writes items, page by page. The first page of CSV and of a table has their names first. */
export type Formatter = (items: readonly object[], isFirst: boolean) => string

/** Columns of tables, with their widths. Other lists have all their members. */
const tableColumns: Record<string, Record<string, number>> = {
  users: { login: 24, name: 24, company: 20, location: 24, followers: 9 },
  repos: { full_name: 40, language: 14, stargazers_count: 16, pushed_at: 10, description: 40 },
}
const otherWidth = 20

/** Returns what writes the items of a list in a format. */
export function createFormatter(format: Format, list: string): Formatter {
  if (format === 'ndjson') return (items) => items.map((item) => `${JSON.stringify(item)}\n`).join('')
  return (items, isFirst) => {
    const [first] = items
    if (first === undefined) return ''
    const columns =
      format === 'table' && tableColumns[list]
        ? tableColumns[list]
        : Object.fromEntries(Object.keys(first).map((name) => [name, otherWidth]))
    const names = Object.keys(columns)
    const rows = items.map((item) => names.map((name) => writeValue(Reflect.get(item, name))))
    const writeRow =
      format === 'csv' ? writeCsv : (row: string[]) => writeTableRow(row, Object.values(columns))
    return [...(isFirst ? [names] : []), ...rows].map(writeRow).join('')
  }
}

function writeValue(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** A line as RFC 4180 has it. */
function writeCsv(row: readonly string[]): string {
  return `${row.map((text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)).join(',')}\r\n`
}

/** Texts come from strangers: what controls a terminal is left out. */
function writeTableRow(row: readonly string[], widths: readonly number[]): string {
  const cells = row.map((text, index) => {
    const width = widths[index] ?? otherWidth
    const characters = [...text.replaceAll(/\p{C}+|\s+/gu, ' ')]
    const shown = characters.length > width ? [...characters.slice(0, width - 1), '…'] : characters
    return shown.join('') + ' '.repeat(width - shown.length)
  })
  return `${cells.join('  ').trimEnd()}\n`
}
