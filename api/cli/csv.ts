/** CSV that spreadsheets open without running anything. */

/**
 * A cell. A text that a spreadsheet would run as a formula gets an apostrophe before it, which makes it text. Numbers
 * stay numbers, negative ones too.
 */
function writeCell(value: string | number | null): string {
  if (typeof value !== 'string') return String(value ?? '')
  const text = /^\s*[=+\-@]|^[\t\r\n]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Writes rows, with the lines of RFC 4180. */
export function writeCsv(rows: readonly (readonly (string | number | null)[])[]): string {
  return rows.map((row) => `${row.map(writeCell).join(',')}\r\n`).join('')
}
