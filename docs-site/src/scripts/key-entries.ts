/**
 * The ledger's entries of the reader's key on the page "Your key": pages of a table, and all of them as a file.
 */
import { writeCsv } from '../../../api/cli/csv.ts'
import type { UsageEntry } from '../../../client/src/types.ts'
import { createElement as create, createButton } from './elements.ts'
import { readKey } from './key.ts'
import { createTable, formatNumber } from './key-table.ts'
import { getPage, UsageError, type UsagePage, writeEntriesPath } from './usage.ts'

/** The entries of a page of the table. */
export const entriesPerPage = 10

/** The columns of the table. */
export const entryColumns = ['Time (UTC)', 'Request', 'Items', 'Credits', 'Balance', 'Entry']

const writeTime = (timestamp: number) => new Date(timestamp * 1000).toISOString().replace('.000', '')

const kinds: Readonly<Record<string, string>> = { grant: 'Grant', balance: 'Older entries' }

/** What changed the balance: a request, or something of the operator's. */
function writeReason({ kind, method, path, reference }: UsageEntry): string {
  if (path !== null) return `${method} ${path}`
  return [kinds[kind] ?? kind, reference].filter((text) => text !== null).join(': ')
}

const writeChange = (credits: number) => `${credits < 0 ? '−' : '+'}${formatNumber(Math.abs(credits))}`

/** Shows a page of a key's entries. `paths` leads from the newest page to this one. */
export function showEntries(
  place: HTMLElement,
  key: string,
  page: UsagePage<UsageEntry>,
  paths: readonly string[] = [writeEntriesPath(entriesPerPage)],
): void {
  const { items, total, next } = page
  const state = create('p', { id: 'usage-range' })
  const before = (paths.length - 1) * entriesPerPage
  state.textContent = `${formatNumber(before + 1)} to ${formatNumber(before + items.length)} of ${formatNumber(total)}`
  const open = async (others: readonly string[]) => {
    try {
      const opened = await getPage<UsageEntry>(others.at(-1) ?? '', key)
      if (key !== readKey()) return // The page shows another key.
      showEntries(place, key, opened, others)
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
  const download = createButton('Download all as CSV', () => void downloadEntries(key, download, state))
  const rows = items.map((item) => [
    writeTime(item.timestamp).replace('T', ' ').replace('Z', ''),
    writeReason(item),
    item.items === null ? '' : formatNumber(item.items),
    [item.granted, -item.cost]
      .filter((change) => change !== 0)
      .map(writeChange)
      .join(' ') || '0',
    formatNumber(item.balance),
    formatNumber(item.entry),
  ])
  place.replaceChildren(
    createTable(entryColumns, rows),
    create('div', { className: 'row' }, state, create('span', {}, newer, ' ', older, ' ', download)),
  )
}

/** Gets all pages of a key's entries, and saves them as a file. */
async function downloadEntries(key: string, button: HTMLButtonElement, state: HTMLElement): Promise<void> {
  button.disabled = true
  const members = [
    'entry',
    'timestamp',
    'kind',
    'request_id',
    'method',
    'path',
    'items',
    'cost',
    'granted',
    'reference',
    'balance',
  ] as const
  try {
    const rows: (string | number | null)[][] = [[...members]]
    for (let path: string | undefined = writeEntriesPath(100); path; ) {
      const page: UsagePage<UsageEntry> = await getPage(path, key)
      if (key !== readKey()) return
      for (const item of page.items) {
        rows.push(members.map((name) => (name === 'timestamp' ? writeTime(item.timestamp) : item[name])))
      }
      state.textContent = `${formatNumber(rows.length - 1)} of ${formatNumber(page.total)}`
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
