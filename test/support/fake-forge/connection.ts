/**
 * Pages of connections. A cursor names the item that it follows, so that what comes or goes between two pages makes no
 * other item skipped or repeated.
 */
import { createForgeError, NotModeledError } from './forge-error.ts'

/** Arguments that say which page. The fake forge pages forward only. */
export interface PageArguments {
  first?: number | null
  after?: string | null
  last?: number | null
  before?: string | null
}

/** A page. Nodes may be errors: the forge reports them at their place. */
export interface Connection<Node> {
  totalCount: number
  nodes: readonly (Node | Error)[]
  edges: readonly { cursor: string; node: Node | Error }[]
  pageInfo: {
    hasNextPage: boolean
    hasPreviousPage: boolean
    startCursor: string | null
    endCursor: string | null
  }
}

/** How the items of a connection are ordered: by these values, the last of which is unique. */
export type SortKey = readonly (string | number)[]

/** A page of the items, which are sorted here. */
export function createConnection<Item, Node = Item>(
  items: readonly Item[],
  keyOf: (item: Item) => SortKey,
  args: PageArguments,
  toNode: (item: Item) => Node | Error,
  { descending = false } = {},
): Connection<Node> {
  const direction = descending ? -1 : 1
  const sorted = items
    .map((item) => ({ item, key: keyOf(item) }))
    .sort((a, b) => direction * compareKeys(a.key, b.key))
  const after = readAfter(args)
  const start =
    after === undefined ? 0 : sorted.filter(({ key }) => direction * compareKeys(key, after) <= 0).length
  return createPage(sorted, start, args, ({ item, key }) => ({ node: toNode(item), key }))
}

/** A page of a list whose order never changes, such as the history of a commit. */
export function createFixedConnection<Item, Node>(
  items: readonly Item[],
  args: PageArguments,
  toNode: (item: Item) => Node,
): Connection<Node> {
  const [after] = readAfter(args) ?? []
  const start = after === undefined ? 0 : Number(after) + 1
  return createPage(items, start, args, (item, index) => ({ node: toNode(item), key: [index] }))
}

function createPage<Item, Node>(
  items: readonly Item[],
  start: number,
  { first }: PageArguments,
  show: (item: Item, index: number) => { node: Node | Error; key: SortKey },
): Connection<Node> {
  const end = Math.min(items.length, start + (first ?? 0))
  const edges = items.slice(start, end).map((item, index) => {
    const { node, key } = show(item, start + index)
    return { cursor: encodeCursor(key), node }
  })
  return {
    totalCount: items.length,
    nodes: edges.map(({ node }) => node),
    edges,
    pageInfo: {
      hasNextPage: end < items.length,
      hasPreviousPage: start > 0,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  }
}

/** A connection that is only counted. */
export function countOnly(totalCount: number): { totalCount: number } {
  return { totalCount }
}

function compareKeys(a: SortKey, b: SortKey): number {
  for (const [index, left] of a.entries()) {
    const right = b[index] ?? ''
    if (left < right) return -1
    if (left > right) return 1
  }
  return 0
}

function encodeCursor(key: SortKey): string {
  return Buffer.from(`cursor:v2:${JSON.stringify(key)}`).toString('base64')
}

/** The key that the page follows. */
function readAfter({ after, last, before }: PageArguments): SortKey | undefined {
  if (last != null || before != null) throw new NotModeledError('pages with `last` or `before`')
  if (after == null) return undefined
  const text = Buffer.from(after, 'base64').toString()
  const key: unknown = text.startsWith('cursor:v2:') ? JSON.parse(text.slice(10)) : undefined
  if (Array.isArray(key)) return key
  throw createForgeError('INVALID_CURSOR_ARGUMENTS', `\`${after}\` does not appear to be a valid cursor.`)
}
