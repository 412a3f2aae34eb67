/** How the items of a list divide: a table with bars, from a free request for counts. */
import { sendRequest } from './api-request.ts'
import { createElement } from './elements.ts'
import { formatNumber } from './key-table.ts'
import { writeUrl } from './url.ts'

/** What the items of a list are counted by. */
const divisions = {
  users: { by: 'country', title: 'Country', others: 'Other countries', none: 'No country' },
  repos: { by: 'language', title: 'Language', others: 'Other languages', none: 'No language' },
} as const

/** Rows of values. What is rarer is in one row. */
const maxRows = 8

/** The body of a response to `/counts`. */
interface Counts {
  data: { value: string; count: number }[]
  total: number
  none: number
}

/** The table of a list's items. Undefined: the service doesn't say. Throws a `TypeError` if the API is unreachable. */
export async function createDivision(path: string, key: string): Promise<HTMLElement | undefined> {
  const [list, query] = path.slice(1).split('?')
  if (list !== 'users' && list !== 'repos') return undefined
  const { by, ...titles } = divisions[list]
  const filters = [...new URLSearchParams(query)].filter(([name]) => name !== 'per_page')
  const countsPath = writeUrl('/counts', [['of', list], ['by', by], ...filters])
  const { status, text } = await sendRequest({ method: 'GET', path: countsPath, key })
  return status === 200 ? createTable(JSON.parse(text), titles) : undefined
}

function createTable(
  { data, total, none }: Counts,
  { title, others, none: noneTitle }: { title: string; others: string; none: string },
): HTMLElement {
  const shown = data.slice(0, maxRows)
  const rest = total - none - shown.reduce((sum, { count }) => sum + count, 0)
  const names = new Intl.DisplayNames('en', { type: 'region' })
  const rows = [
    ...shown.map(({ value, count }) => ({
      name: title === 'Country' ? (names.of(value) ?? value) : value,
      count,
    })),
    ...(rest > 0 ? [{ name: others, count: rest }] : []),
    ...(none > 0 ? [{ name: noneTitle, count: none }] : []),
  ]
  const most = Math.max(1, ...rows.map(({ count }) => count))
  const writeRow = ({ name, count }: { name: string; count: number }) => {
    const bar = createElement('span', { className: 'share' })
    bar.style.setProperty('--share', (count / most).toFixed(4))
    return createElement(
      'tr',
      {},
      createElement('th', { scope: 'row' }, name),
      createElement('td', {}, bar, formatNumber(count)),
    )
  }
  const heads = [title, 'Items'].map((text) => createElement('th', { scope: 'col' }, text))
  return createElement(
    'table',
    { className: 'bars' },
    createElement('thead', { className: 'sr-only' }, createElement('tr', {}, ...heads)),
    createElement('tbody', {}, ...rows.map(writeRow)),
  )
}
