/** Where an iteration is, as a small JSON value that another process can continue from. */

/** Where the iteration of a list is. Its members are the client's own: keep it whole, as JSON. */
export interface ListState {
  /** Path and query of the page to request, below the base URL. */
  url: string
  /** What the idempotency keys of the list's pages begin with. */
  key: string
  /** What the pages before it cost, in credits. */
  spent: number
  /** What the page itself has cost. States of 0.1.0 lack it. */
  paid?: number
  /** Items that were read, and may be on the page. */
  read: (string | number)[]
}

/** Whether a value, such as one that was read from a file, has the form of a state. */
export function isListState(value: unknown): value is ListState {
  if (typeof value !== 'object' || value === null) return false
  const { url, key, spent, read } = value as Partial<Record<keyof ListState, unknown>>
  return (
    typeof url === 'string' && typeof key === 'string' && typeof spent === 'number' && Array.isArray(read)
  )
}

/** Returns what all pages of a list have in common: path and filters, in the order of their names. */
export function identifyList(url: string): string {
  const [path = '', search = ''] = url.split('?')
  const query = new URLSearchParams(search)
  for (const name of ['page', 'per_page', 'after']) query.delete(name)
  query.sort()
  return `${path}?${query}`
}

/** Returns the URL of a page with this number of items. */
export function resizePage(url: string, size: number): string {
  const [path = '', search = ''] = url.split('?')
  const query = new URLSearchParams(search)
  query.set('per_page', String(size))
  return `${path}?${query}`
}

/** Returns the number of items that a page may have. */
export function readPageSize(url: string): number {
  return Number(new URLSearchParams(url.split('?')[1]).get('per_page'))
}
