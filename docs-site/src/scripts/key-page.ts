/** The page "Your key": balance, spending and entries of the reader's key. All of its requests are free. */
import type { CreditStatus, UsageEntry } from '../../../client/src/types.ts'
import { docsPath } from '../docs-path.ts'
import { writePrice } from './credits.ts'
import { createElement as create, createButton } from './elements.ts'
import { onKeyChange, readKey } from './key.ts'
import { showConnections } from './key-connections.ts'
import { openKeyDialog } from './key-dialog.ts'
import { entriesPerPage, showEntries } from './key-entries.ts'
import { showKeyExample } from './key-example.ts'
import { showSpending } from './key-spending.ts'
import { formatNumber } from './key-table.ts'
import { writeKeyEnd } from './key-text.ts'
import { listDays } from './spending-chart.ts'
import { getCredits, getPage, listSums, UsageError, writeEntriesPath } from './usage.ts'

/** Fills the page, and fills it anew when the key changes. */
export function startKeyPage(): void {
  const [balance, spending, entries, connections] = ['balance', 'spending', 'entries', 'connections'].map(
    (name) => document.querySelector<HTMLElement>(`.usage-${name}`),
  )
  if (!balance || !spending || !entries || !connections) return
  const places = { balance, spending, entries, connections }
  void fillPage(places)
  onKeyChange(() => void fillPage(places))
}

/** The page's places. */
type Places = Record<'balance' | 'spending' | 'entries' | 'connections', HTMLElement>

const say = (place: HTMLElement, ...text: (Node | string)[]) =>
  place.replaceChildren(create('p', { className: 'empty' }, ...text))

async function fillPage({ balance, spending, entries, connections }: Places): Promise<void> {
  const key = readKey()
  if (!key) {
    say(balance, 'Enter a key to see its balance.', createButton('Enter a key', openKeyDialog, 'primary'))
    showKeyExample({ spending, entries, connections })
    return
  }
  const credits = getCredits(key)
  const fill = async (place: HTMLElement, show: () => Promise<void>) => {
    say(place, 'Loading …')
    try {
      await show()
    } catch (error) {
      if (key !== readKey()) return // The reader has entered another key.
      const message = error instanceof UsageError ? error.message : String(error)
      const link = create('a', { href: `${docsPath}/errors/` }, 'What to do')
      const change = createButton('Enter another key', openKeyDialog)
      say(place, message, link, ...(place === balance ? [change] : []))
    }
  }
  // A part that fails leaves the others.
  await Promise.all([
    fill(balance, async () => showBalance(balance, key, await credits)),
    fill(spending, async () => {
      const sums = await listSums(listDays(90)[0] ?? '', key)
      const status = await credits.catch(() => undefined)
      if (key !== readKey()) return
      if (sums.length > 0) return showSpending(spending, sums)
      const isAdmin = status?.role === 'admin'
      say(spending, isAdmin ? 'An admin key is not charged.' : 'Nothing was charged in the last 90 days.')
    }),
    fill(entries, async () => {
      const page = await getPage<UsageEntry>(writeEntriesPath(entriesPerPage), key)
      if (key !== readKey()) return
      if (page.items.length > 0) return showEntries(entries, key, page)
      say(entries, 'The ledger of this key has no entries.')
    }),
    fill(connections, () => showConnections(connections, key)),
  ])
}

function showBalance(place: HTMLElement, key: string, { remaining_credits, role }: CreditStatus): void {
  if (key !== readKey()) return
  const isAdmin = role === 'admin'
  const left = `${formatNumber(remaining_credits)} ${writePrice(remaining_credits)}`.trim()
  const figures = [
    [isAdmin ? 'not charged' : left, isAdmin ? 'An admin key' : 'Credits left'],
    [writeKeyEnd(key), 'Key'],
  ] as const
  place.replaceChildren(
    create(
      'dl',
      { className: 'figures' },
      ...figures.map(([figure, name]) => create('div', {}, create('dt', {}, name), create('dd', {}, figure))),
    ),
  )
}
