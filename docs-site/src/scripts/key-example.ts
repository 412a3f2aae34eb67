/**
 * What the page "Your key" shows without a key: an example of a key with 10,000 credits. Its figures agree: the
 * entries are those of the last day, and the sums add up to what was spent of the credits.
 */
import type { UsageSum } from '../../../client/src/types.ts'
import { createElement as create } from './elements.ts'
import { connectionColumns } from './key-connections.ts'
import { entryColumns } from './key-entries.ts'
import { showSpending } from './key-spending.ts'
import { createTable } from './key-table.ts'
import { listDays } from './spending-chart.ts'

const days = listDays(30)
const today = days.at(-1) ?? ''

/** Credits for lists of users and of repositories on a working day, the oldest first. */
const costs = [
  [120, 0],
  [80, 30],
  [0, 60],
  [200, 0],
  [40, 30],
] as const

/** The sums before today: nothing on two days of seven. */
const earlier: UsageSum[] = days.slice(0, -1).flatMap((day, index) =>
  index % 7 > 4
    ? []
    : ['/users', '/repos'].flatMap((endpoint, list) => {
        const cost = costs[(index * 3) % costs.length]?.[list] ?? 0
        return cost === 0 ? [] : [{ day, endpoint, requests: Math.ceil(cost / 100), items: cost, cost }]
      }),
)

const sums: UsageSum[] = [
  ...earlier,
  { day: today, endpoint: '/users', requests: 2, items: 130, cost: 130 },
  { day: today, endpoint: '/users/{login}', requests: 1, items: 1, cost: 1 },
]

const entries = [
  [`${today} 09:41:12`, 'GET /users/ngoldberg', '1', '−1', '7,559', '42'],
  [`${today} 09:40:55`, 'GET /users', '30', '−30', '7,560', '41'],
  [`${today} 09:40:54`, 'GET /users', '100', '−100', '7,590', '40'],
]

const connections = [['An assistant', 'assistant.example', '120 of 500', '2030-12-31']]

/** Shows what appears here with a key, and an example of it. */
function showExample(place: HTMLElement, text: string, example: HTMLElement): void {
  example.classList.add('example')
  place.replaceChildren(create('p', { className: 'empty' }, `${text} This is an example:`), example)
}

/** Shows an example in each place. */
export function showKeyExample(places: Record<'spending' | 'entries' | 'connections', HTMLElement>): void {
  const spending = create('div', { inert: true })
  showExample(places.spending, 'The spending of your key appears here.', spending)
  showSpending(spending, sums)
  const table = createTable(entryColumns, entries)
  showExample(places.entries, 'The entries of your ledger appear here.', table)
  const assistants = createTable(connectionColumns.slice(0, -1), connections)
  showExample(places.connections, 'The assistants that are connected with your key appear here.', assistants)
}
