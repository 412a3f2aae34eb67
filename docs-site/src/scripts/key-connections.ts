/** The assistants that are connected with the reader's key, on the page "Your key". */
import { readError, sendRequest } from './api-request.ts'
import { createElement as create, createButton } from './elements.ts'
import { readKey } from './key.ts'
import { createTable, formatNumber } from './key-table.ts'
import { getPage, UsageError } from './usage.ts'

interface Connection {
  id: number
  name: string
  host: string
  max_credits: number
  spent_credits: number
  expires_at: string
}

/** The columns of the table. */
export const connectionColumns = ['Assistant', 'Host', 'Credits', 'Until (UTC)', 'End it']

/** Shows the connections of a key. Throws {@link UsageError}. */
export async function showConnections(place: HTMLElement, key: string): Promise<void> {
  const { items } = await getPage<Connection>('/api-key/connections', key)
  if (key !== readKey()) return
  const table = createTable(
    connectionColumns,
    items.map(({ name, host, spent_credits: spent, max_credits: max, expires_at }) => [
      ...[name, host, `${formatNumber(spent)} of ${formatNumber(max)}`, expires_at.slice(0, 10), ''],
    ]),
  )
  const state = create('p', { role: 'status' })
  const end = async (id: number, index: number) => {
    try {
      const response = await sendRequest({ method: 'DELETE', path: `/api-key/connections/${id}`, key })
      // With 404, it has ended already.
      if (response.status >= 400 && response.status !== 404) throw new UsageError(readError(response))
      const hadFocus = place.contains(document.activeElement)
      await showConnections(place, key)
      // The buttons are new. The focus stays in its place, or above it.
      const buttons = [...place.querySelectorAll('button')]
      place.tabIndex = -1
      if (hadFocus) (buttons[index] ?? buttons.at(-1) ?? place).focus()
    } catch (error) {
      state.textContent = error instanceof UsageError ? error.message : 'The API is unreachable.'
    }
  }
  for (const [index, cell] of [...table.querySelectorAll('td:last-child')].entries()) {
    const connection = items[index]
    if (!connection) continue
    const button = createButton('End', () => void end(connection.id, index))
    button.setAttribute('aria-label', `End the connection of ${connection.name}`)
    cell.append(button)
  }
  if (items.length > 0) place.replaceChildren(table, state)
  else place.replaceChildren(create('p', { className: 'empty' }, 'No assistant is connected with this key.'))
}
