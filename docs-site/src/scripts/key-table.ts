/** The tables of the pages "Your key" and "History of a package". */
import { createElement as create } from './elements.ts'

/** Writes a number as readers expect it: `1,234`. */
export const formatNumber = (number: number): string => number.toLocaleString('en')

const writeClass = (column = '') =>
  /^(Requests|Items|Credits|Balance|Entry|(Users|Repositories)( started| stopped)?)$/.test(column)
    ? 'number'
    : ''

/**
 * A table as components/MarkdownContent.astro makes them: cells know their column, because a row is a card on phones.
 */
export function createTable(
  columns: readonly string[],
  rows: readonly (readonly string[])[],
): HTMLTableElement {
  const writeRow = (row: readonly string[]) =>
    create(
      'tr',
      {},
      ...row.map((text, index) => {
        const cell = create('td', { className: writeClass(columns[index]) }, text)
        if (index > 0) cell.dataset.column = columns[index] ?? ''
        return cell
      }),
    )
  return create(
    'table',
    {},
    create(
      'thead',
      {},
      create(
        'tr',
        {},
        ...columns.map((column) => create('th', { scope: 'col', className: writeClass(column) }, column)),
      ),
    ),
    create('tbody', {}, ...rows.map(writeRow)),
  )
}
