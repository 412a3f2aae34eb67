/** The page "Your key": balance, spending and entries of the reader's key. All of its requests are free. */
import type { UsageEntry } from '../../../client/src/types.ts'
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
  for (const place of [balance, spending, entries, connections]) say(place, 'Loading …')
  try {
    const [{ remaining_credits, role }, sums, page] = await Promise.all([
      getCredits(key),
      listSums(listDays(90)[0] ?? '', key),
      getPage<UsageEntry>(writeEntriesPath(entriesPerPage), key),
    ])
    if (key !== readKey()) return // The reader has entered another key.
    const isAdmin = role === 'admin'
    const figures = [
      [
        isAdmin
          ? 'not charged'
          : `${formatNumber(remaining_credits)} ${writePrice(remaining_credits)}`.trim(),
        isAdmin ? 'An admin key' : 'Credits left',
      ],
      [writeKeyEnd(key), 'Key'],
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
    if (page.items.length > 0) showEntries(entries, key, page)
    else say(entries, 'The ledger of this key has no entries.')
    await showConnections(connections, key)
  } catch (error) {
    if (key !== readKey()) return
    const message = error instanceof UsageError ? error.message : String(error)
    const link = create('a', { href: `${docsPath}/errors/` }, 'What to do')
    say(balance, message, link, createButton('Enter another key', openKeyDialog))
    for (const place of [spending, entries, connections]) say(place, 'Nothing to show.')
  }
}
