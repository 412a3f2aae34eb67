import type { Hono } from 'hono'
import { type Division, type ListName, listDivisions, listFilters, lookUps } from '../catalog/filters.ts'
import type { ReplicaRouting } from '../catalog/replica-routing.ts'
import type { Meter } from '../checkout/meter.ts'
import { badRequest, listAlternatives } from '../errors.ts'
import { createMeta } from '../http/data-response.ts'
import { type ApiContext, createRequester, type HonoEnvironment } from '../http/request-context.ts'
import { sendJson } from '../http/response.ts'
import type { Scope } from '../ledger/api-key.ts'
import { readFilters, repeatable } from './catalog-filters.ts'
import { assertKnownParameters, readOption, readQuery } from './parameters.ts'

/** The lists that `of` can name. */
const lists = {
  users: { list: 'users', scope: 'users:read' },
  repos: { list: 'repositories', scope: 'repos:read' },
} as const satisfies Record<string, { list: ListName; scope: Scope }>
const listNames = ['users', 'repos'] as const

/** What lists have beside filters that all items may be counted for. */
const uncounted = ['changed_since', ...Object.keys(lookUps), 'exclude', 'sort', 'page', 'per_page', 'after']

/** The scope that a request for counts needs. Undefined: it doesn't say which list it means, so it is 400. */
export function scopeOfCounts(c: ApiContext): Scope | undefined {
  const asked = c.req.query('of') // the rest of the URL isn't parsed yet: it may be too long
  const of = listNames.find((name) => name === asked)
  return of && lists[of].scope
}

/** Adds `GET /counts`: the items that a filter matches, by country, language and so on. It is free. */
export function addCountRoute(
  app: Hono<HonoEnvironment>,
  meter: Meter,
  { countItems }: Pick<ReplicaRouting, 'countItems'>,
): void {
  app.get(
    '/counts',
    meter.free(async (c, url) => {
      const { version, items, total, others, none } = await countItems(
        readCountRequest(url),
        createRequester(c),
      )
      return sendJson(c, { data: items, total, others, none, meta: createMeta(c) }, version)
    }),
  )
}

function readCountRequest(url: URL) {
  const query = readQuery(url, repeatable)
  const of = readOption(query, 'of', listNames)
  if (of === undefined) throw badRequest('Invalid of: missing; send users or repos')
  const { list } = lists[of]
  for (const name of uncounted) {
    if (!query.has(name)) continue
    throw badRequest(`Invalid ${name}: all items that the filters match are counted; leave the parameter out`)
  }
  const names = listFilters(list).filter((name) => !uncounted.includes(name))
  assertKnownParameters(query, ['of', 'by', ...names])
  return { list, division: readDivision(query, list), filter: readFilters(query) }
}

function readDivision(query: URLSearchParams, list: ListName): Division {
  const divisions = listDivisions(list)
  const names = divisions.map(({ by }) => by)
  const by = readOption(query, 'by', names)
  const division = divisions.find((each) => each.by === by)
  if (division === undefined) throw badRequest(`Invalid by: missing; send ${listAlternatives(names)}`)
  return division
}
