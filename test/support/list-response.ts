/** Reads a list's response: its body, its `Link` header and its other headers. */
import * as v from 'valibot'
import type { TestResponse } from './service.ts'

const integer = v.pipe(v.number(), v.integer())
const bodySchema = v.strictObject({
  data: v.array(v.record(v.string(), v.unknown())),
  meta: v.strictObject({ request_id: v.string(), timestamp: integer, execution_time: integer }),
  pagination: v.strictObject({
    page: integer,
    per_page: integer,
    next_page: integer,
    prev_page: integer,
    has_more: v.boolean(),
  }),
})

/** A page of a list. */
export interface ListResponse extends v.InferOutput<typeof bodySchema> {
  /** Target of each relation of the `Link` header. */
  links: Map<string, URL>
  /** `X-Total-Count` */
  total: number
  /** `X-Credits-Cost` */
  cost: number
  /** `X-Credits-Remaining` */
  remaining: number
}

/** Reads the response of a list. Throws if it is not 200 with exactly what a list returns. */
export function readListResponse(response: TestResponse): ListResponse {
  if (response.status !== 200) throw new Error(`the list returned ${response.status}: ${response.text}`)
  const body = v.parse(bodySchema, response.json())
  if (response.headers.get('X-Request-Id') !== body.meta.request_id) {
    throw new Error('meta.request_id is not the X-Request-Id header')
  }
  return {
    ...body,
    links: parseLinkHeader(response.headers.get('Link') ?? ''),
    total: readInteger(response, 'X-Total-Count'),
    cost: readInteger(response, 'X-Credits-Cost'),
    remaining: readInteger(response, 'X-Credits-Remaining'),
  }
}

/** What `pagination` says on one of the pages from 1 to `last`. */
export function describePage(page: number, size: number, last: number): ListResponse['pagination'] {
  return {
    page,
    per_page: size,
    next_page: page < last ? page + 1 : 0,
    prev_page: page - 1,
    has_more: page < last,
  }
}

/** An iteration by `rel="next"` over users or repositories. */
export interface Iteration {
  /** The path of the next page. Undefined: all is read. */
  next: string | undefined
  /** Ids of the items so far. */
  seen: unknown[]
}

/** Reads the next page of each iteration that has one. */
export async function readNextPages(
  iterations: readonly Iteration[],
  read: (path: string) => Promise<ListResponse>,
): Promise<void> {
  for (const iteration of iterations) {
    if (iteration.next === undefined) continue
    const { data, links } = await read(iteration.next)
    iteration.seen.push(...data.map(({ forge_rest_id: id }) => id))
    const next = links.get('next')
    iteration.next = next && next.pathname + next.search
  }
}

/** Parses a `Link` header (RFC 8288) as this service writes it. Throws when a relation is there twice. */
export function parseLinkHeader(header: string): Map<string, URL> {
  const links = new Map<string, URL>()
  let rest = header
  while (rest !== '') {
    const [link, target = '', relation = ''] = /^<([^<>\s]*)>; rel="([a-z]+)"(?:, |$)/.exec(rest) ?? []
    if (link === undefined) throw new Error(`not a Link header: ${header}`)
    if (links.has(relation)) throw new Error(`the relation ${relation} is there twice: ${header}`)
    links.set(relation, new URL(target))
    rest = rest.slice(link.length)
  }
  return links
}

function readInteger({ headers }: TestResponse, name: string): number {
  const value = headers.get(name) ?? ''
  if (!/^\d+$/.test(value)) throw new Error(`the header ${name} is ${JSON.stringify(value)}`)
  return Number(value)
}
