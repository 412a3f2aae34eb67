/** Items as text: a JSON object a line, comma-separated values, or a table for a terminal. */

export const formats = ['ndjson', 'csv', 'table'] as const
export type Format = (typeof formats)[number]

/** How items are written. */
export interface FormatOptions {
  format: Format
  /** Whether CSV begins with a byte order mark. */
  hasByteOrderMark: boolean
  /** Whether CSV has texts that a spreadsheet would run as formulas. Otherwise they get an apostrophe before them. */
  isAsIs: boolean | undefined
}

/** Writes items, page by page. The first page of CSV and of a table begins with the names of the columns. */
export type Formatter = (items: readonly object[], isFirst: boolean) => string

/** Columns of tables. Tables of other lists have a column for each member. */
const tableColumns: Record<string, readonly string[]> = {
  users: ['login', 'name', 'company', 'location', 'followers'],
  repos: ['full_name', 'language', 'stargazers_count', 'description'],
  commits: ['commit_hash', 'author_email', 'message'],
  'dependencies-of': ['dependency_name', 'dependency_file', 'status'],
  blame: ['dependency_name', 'added_author_email', 'removed_author_email'],
}
const maxWidth = 40

/** Without it, Excel takes CSV in UTF-8 for another encoding. */
const byteOrderMark = '\uFEFF'

/** Returns what writes the items of a list in a format. */
export function createFormatter(
  { format, hasByteOrderMark, isAsIs }: FormatOptions,
  list: string,
): Formatter {
  if (format === 'ndjson') return (items) => items.map((item) => `${JSON.stringify(item)}\n`).join('')
  const writeRows = format === 'csv' ? createCsv(isAsIs) : createTable()
  return (given, isFirst) => {
    const items = given.map(flatten)
    const [first] = items
    if (first === undefined) return ''
    const names = (format === 'table' && tableColumns[list]) || Object.keys(first)
    const rows = items.map((item) => names.map((name) => Reflect.get(item, name)))
    const lines = writeRows([names, ...rows])
    if (!isFirst) return lines.slice(1).join('')
    return (hasByteOrderMark ? byteOrderMark : '') + lines.join('')
  }
}

/**
 * An object in an item has columns of its own, and not one. Their names begin with its name. So has a commit of
 * `blame`, which may be null.
 */
function flatten(item: object): object {
  const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)
  return Object.fromEntries(
    Object.entries(item).flatMap(([name, found]) => {
      const isCommit = found === null && /^(added|removed)$/.test(name)
      const value = isCommit ? { commit_hash: found, date: found, author_email: found } : found
      return isObject(value)
        ? Object.entries(value).map(([own, each]) => [own.startsWith(name) ? own : `${name}_${own}`, each])
        : [[name, value]]
    }),
  )
}

/** The names of the columns, and the items. */
type Rows = readonly (readonly unknown[])[]

function writeValue(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Returns what writes lines as RFC 4180 has them. */
function createCsv(isAsIs: boolean | undefined): (rows: Rows) => string[] {
  return (rows) => rows.map((row) => `${row.map((value) => writeCell(value, isAsIs)).join(',')}\r\n`)
}

function writeCell(value: unknown, isAsIs: boolean | undefined): string {
  const isFormula = typeof value === 'string' && /^\s*[=+\-@]|^[\t\r\n]/.test(value)
  const text = isFormula && !isAsIs ? `'${value}` : writeValue(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Returns what writes the lines of a table. The names and the first rows decide how wide its columns are. */
function createTable(): (rows: Rows) => string[] {
  let widths: number[] | undefined
  return (rows) => {
    // Texts come from strangers: what controls a terminal is left out.
    const cells = rows.map((row) =>
      row.map((value) => [...writeValue(value).replaceAll(/\p{C}+|\s+/gu, ' ')]),
    )
    widths ??= (cells[0] ?? []).map((_, column) =>
      Math.min(maxWidth, Math.max(...cells.map((row) => row[column]?.length ?? 0))),
    )
    const pad = (characters: string[], column: number) => {
      const width = widths?.[column] ?? maxWidth
      const shown = characters.length > width ? [...characters.slice(0, width - 1), '…'] : characters
      return shown.join('') + ' '.repeat(width - shown.length)
    }
    return cells.map((row) => `${row.map(pad).join('  ').trimEnd()}\n`)
  }
}
