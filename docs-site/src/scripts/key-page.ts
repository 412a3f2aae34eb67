/**
 * The page "Your key": balance, spending and entries of the reader's key. All of its requests are free.
 *
 * @module
 */
import { writeCsv } from './csv.ts'
import { createElement as create } from './elements.ts'
import { onKeyChange, readKey } from './key.ts'
import { openKeyDialog } from './key-dialog.ts'
import { drawSpending, listDays } from './spending-chart.ts'
import {
  type DaySum,
  getCredits,
  getPage,
  type LedgerEntry,
  listSums,
  UsageError,
  type UsagePage,
  writeEntriesPath,
} from './usage.ts'

const entriesPerPage = 10
const docs = import.meta.env.BASE_URL.replace(/\/$/, '')
const write = (number: number) => number.toLocaleString('en')

const createButton = (text: string, onclick: () => void, className = '') =>
  create('button', { type: 'button', className, onclick }, text)

const writeClass = (column = '') => (/^(Requests|Items|Credits|Balance|Entry)$/.test(column) ? 'number' : '')

/** A table as components/MarkdownContent.astro makes them: cells know their column, because a row is a card on phones. */
function createTable(columns: readonly string[], rows: readonly (readonly string[])[]): HTMLTableElement {
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

/** Fills the page, and fills it anew when the key changes. */
export function startKeyPage(): void {
  const [balance, spending, entries] = ['balance', 'spending', 'entries'].map((name) =>
    document.querySelector<HTMLElement>(`.usage-${name}`),
  )
  if (!balance || !spending || !entries) return
  let shown = readKey()
  void fillPage({ balance, spending, entries })
  onKeyChange(() => {
    if (readKey() === shown) return
    shown = readKey()
    void fillPage({ balance, spending, entries })
  })
}

/** The page's places. */
type Places = Record<'balance' | 'spending' | 'entries', HTMLElement>

const say = (place: HTMLElement, ...text: (Node | string)[]) =>
  place.replaceChildren(create('p', { className: 'empty' }, ...text))

async function fillPage({ balance, spending, entries }: Places): Promise<void> {
  const key = readKey()
  if (!key) {
    say(balance, 'Enter a key to see its balance.', createButton('Enter a key', openKeyDialog, 'primary'))
    say(spending, 'The spending of your key appears here.')
    say(entries, 'The entries of your ledger appear here.')
    return
  }
  for (const place of [balance, spending, entries]) say(place, 'Loading …')
  try {
    const [{ remaining_credits, role }, sums, page] = await Promise.all([
      getCredits(),
      listSums(listDays(90)[0] ?? ''),
      getPage<LedgerEntry>(writeEntriesPath(entriesPerPage)),
    ])
    if (key !== readKey()) return // The reader has entered another key.
    const isAdmin = role === 'admin'
    const figures = [
      [isAdmin ? 'not charged' : write(remaining_credits), isAdmin ? 'An admin key' : 'Credits left'],
      [`…${key.slice(-4)}`, 'Key'],
    ] as const
    balance.replaceChildren(
      create(
        'dl',
        { className: 'figures' },
        ...figures.map(([figure, name]) =>
          create('div', {}, create('dt', {}, name), create('dd', {}, figure)),
        ),
      ),
    )
    if (sums.length > 0) showSpending(spending, sums)
    else say(spending, isAdmin ? 'An admin key is not charged.' : 'Nothing was charged in the last 90 days.')
    if (page.items.length > 0) showEntries(entries, [writeEntriesPath(entriesPerPage)], page)
    else say(entries, 'The ledger of this key has no entries.')
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    if (key !== readKey()) return
    const link = create('a', { href: `${docs}/errors/` }, 'What to do')
    say(balance, error.message, link, createButton('Enter another key', openKeyDialog))
    for (const place of [spending, entries]) say(place, 'Nothing to show.')
  }
}

/** Shows the sums of the last 30 days, or of as many as the reader chooses. */
function showSpending(place: HTMLElement, allSums: readonly DaySum[]): void {
  const chart = create('div', { className: 'chart' })
  const legend = create('ul', { className: 'legend' })
  const total = create('p', { className: 'total' })
  const table = create('div')
  const endpoints = [...new Set(allSums.map(({ endpoint }) => endpoint))].sort()
  const range = create(
    'select',
    {},
    ...[7, 30, 90].map((count) => new Option(`${count} days`, String(count), count === 30, count === 30)),
  )
  const showRange = () => {
    const days = listDays(Number(range.value))
    const sums = allSums.filter(({ day }) => day >= (days[0] ?? ''))
    const addUp = (field: 'cost' | 'requests', noun: string) => {
      const sum = sums.reduce((sum, each) => sum + each[field], 0)
      return `${write(sum)} ${noun}${sum === 1 ? '' : 's'}`
    }
    total.textContent = `${addUp('cost', 'credit')}, ${addUp('requests', 'request')}`
    if (chart.clientWidth > 0) chart.replaceChildren(drawSpending(chart.clientWidth, days, sums, endpoints))
    const rows = sums.map(({ day, endpoint, requests, items, cost }) => [
      day,
      endpoint,
      write(requests),
      write(items),
      write(cost),
    ])
    table.replaceChildren(createTable(['Day', 'Endpoint', 'Requests', 'Items', 'Credits'], rows))
  }
  legend.append(
    ...endpoints.map((endpoint, series) => {
      const item = create('li', {}, endpoint)
      item.dataset.series = String(series)
      return item
    }),
  )
  place.replaceChildren(
    create('div', { className: 'row' }, total, create('label', {}, 'Last ', range)),
    chart,
    legend,
    create('details', {}, create('summary', {}, 'The same figures as a table'), table),
  )
  range.addEventListener('change', showRange)
  new ResizeObserver(showRange).observe(chart)
}

const writeTime = (timestamp: number) => new Date(timestamp * 1000).toISOString().replace('.000', '')

const kinds: Readonly<Record<string, string>> = { grant: 'Grant', balance: 'Older entries' }
const writeChange = (credits: number) => `${credits < 0 ? '−' : '+'}${write(Math.abs(credits))}`

/** Shows a page of entries. `paths` leads from the newest page to this one. */
function showEntries(place: HTMLElement, paths: readonly string[], page: UsagePage<LedgerEntry>): void {
  const { items, total, next } = page
  const state = create('p', { id: 'usage-range' })
  const before = (paths.length - 1) * entriesPerPage
  state.textContent = `${write(before + 1)} to ${write(before + items.length)} of ${write(total)}`
  const open = async (others: readonly string[]) => {
    try {
      showEntries(place, others, await getPage(others.at(-1) ?? ''))
      // The buttons are new. The focus stays in its place, or beside it.
      const buttons = [...place.querySelectorAll('button')].slice(0, 2)
      if (others.length > paths.length) buttons.reverse()
      buttons.find(({ disabled }) => !disabled)?.focus()
    } catch (error) {
      state.textContent = error instanceof UsageError ? error.message : String(error)
    }
  }
  const newer = createButton('Newer', () => void open(paths.slice(0, -1)))
  newer.disabled = paths.length === 1
  const older = createButton('Older', () => void open([...paths, next ?? '']))
  older.disabled = next === undefined
  for (const button of [newer, older]) button.setAttribute('aria-describedby', state.id)
  const download = createButton('Download all as CSV', () => void downloadEntries(download, state))
  const rows = items.map((item) => [
    writeTime(item.timestamp).replace('T', ' ').replace('Z', ''),
    item.path === null ? (kinds[item.kind] ?? item.kind) : `${item.method} ${item.path}`,
    item.items === null ? '' : write(item.items),
    [item.granted, -item.cost]
      .filter((change) => change !== 0)
      .map(writeChange)
      .join(' ') || '0',
    write(item.balance),
    write(item.entry),
  ])
  place.replaceChildren(
    createTable(['Time (UTC)', 'Request', 'Items', 'Credits', 'Balance', 'Entry'], rows),
    create('div', { className: 'row' }, state, create('span', {}, newer, ' ', older, ' ', download)),
  )
}

/** Gets all pages, and saves them as a file. */
async function downloadEntries(button: HTMLButtonElement, state: HTMLElement): Promise<void> {
  button.disabled = true
  const columns = [
    'entry',
    'timestamp',
    'kind',
    'request_id',
    'method',
    'path',
    'items',
    'cost',
    'granted',
    'balance',
  ] as const
  try {
    const rows: (string | number | null)[][] = [[...columns]]
    for (let path: string | undefined = writeEntriesPath(100); path; ) {
      const page: UsagePage<LedgerEntry> = await getPage(path)
      for (const item of page.items) {
        rows.push(columns.map((name) => (name === 'timestamp' ? writeTime(item.timestamp) : item[name])))
      }
      state.textContent = `${write(rows.length - 1)} of ${write(page.total)}`
      path = page.next
    }
    const url = URL.createObjectURL(new Blob([writeCsv(rows)], { type: 'text/csv' }))
    create('a', { href: url, download: 'devdata-usage.csv' }).click()
    URL.revokeObjectURL(url)
  } catch (error) {
    state.textContent = error instanceof UsageError ? error.message : String(error)
  }
  button.disabled = false
}
