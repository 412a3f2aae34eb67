import type { Hono } from 'hono'
import { isLonger, maxFilterTextLength } from '../catalog/attribute-values.ts'
import { type Discovery, discoverDependencies, discoverTexts } from '../catalog/discovery.ts'
import { filters } from '../catalog/filters.ts'
import type { MatchCache } from '../catalog/matches.ts'
import { createNameFinder } from '../catalog/name-list.ts'
import { createUseHistory } from '../catalog/use-history.ts'
import type { Meter } from '../checkout/meter.ts'
import type { Sql } from '../database/connect.ts'
import { countStatement } from '../database/statement-count.ts'
import { badRequest } from '../errors.ts'
import { createMeta } from '../http/data-response.ts'
import { type ApiContext, createRequester, type HonoEnvironment } from '../http/request-context.ts'
import { sendJson } from '../http/response.ts'
import { searchableTexts, textNames } from '../names/searchable-texts.ts'
import {
  assertKnownParameters,
  readEntries,
  readInteger,
  readQuery,
  readSingle,
  readTime,
} from './parameters.ts'

const maxItems = 20

/**
 * Adds `GET /dependencies`, `GET /locations` and the like, which say what filters can name, and `GET
 * /dependencies/history`. All are free, but wait for the caller's turn.
 */
export function addDiscoveryRoutes(
  app: Hono<HonoEnvironment>,
  meter: Meter,
  sql: Sql,
  { takeTurn }: Pick<MatchCache, 'takeTurn'>,
): void {
  const names = createNameFinder(sql)
  const readUseHistory = createUseHistory(sql, { takeTurn })
  async function sendDiscovery<Item>(
    c: ApiContext,
    discover: () => Promise<Discovery<Item>>,
  ): Promise<Response> {
    const { version, items } = await takeTurn(createRequester(c), () => countStatement(sql, discover))
    return sendJson(c, { data: items, meta: createMeta(c) }, version)
  }

  app.get(
    '/dependencies',
    meter.free((c, url) => {
      const query = readQuery(url, ['dependency_files'], ['dependency_files', 'prefix', 'contains'])
      assertKnownParameters(query, ['prefix', 'contains', 'dependency_files', 'limit'])
      const search = {
        prefix: readText(query, 'prefix'),
        contains: readText(query, 'contains'),
        files: readEntries(query, 'dependency_files', filters.dependency_files),
        limit: readLimit(query),
      }
      if ((search.prefix === undefined) === (search.contains === undefined)) {
        throw badRequest('Invalid query: send either prefix or contains, not both')
      }
      return sendDiscovery(c, () => discoverDependencies(sql, names, search))
    }),
  )

  app.get(
    '/dependencies/history',
    meter.free(async (c, url) => {
      const query = readQuery(url, [], ['dependency_name', 'dependency_file'])
      assertKnownParameters(query, ['dependency_name', 'dependency_file', 'since', 'until'])
      const name = readText(query, 'dependency_name')
      if (name === undefined)
        throw badRequest('Invalid dependency_name: missing; send the name of a dependency')
      const search = {
        name,
        file: readText(query, 'dependency_file'),
        since: readTime(query, 'since'),
        until: readTime(query, 'until'),
        now: Math.floor(Date.now() / 1_000),
      }
      const { version, months, unknown } = await readUseHistory(search, createRequester(c))
      return sendJson(c, { data: months, unknown, meta: createMeta(c) }, version)
    }),
  )

  for (const name of textNames) {
    app.get(
      `/${searchableTexts[name].table}`,
      meter.free((c, { searchParams: query }) => {
        assertKnownParameters(query, ['contains', 'limit'])
        const contains = readText(query, 'contains', searchableTexts[name].fold)
        const limit = readLimit(query)
        if (contains === undefined) throw badRequest(`Invalid contains: missing; send part of a ${name}`)
        return sendDiscovery(c, () => discoverTexts(sql, name, { contains, limit }))
      }),
    )
  }
}

/** Reads a text whose folded form isn't empty. */
function readText(query: URLSearchParams, name: string, fold = (text: string) => text): string | undefined {
  const text = readSingle(query, name)?.trim()
  if (text !== undefined && fold(text) === '')
    throw badRequest(`Invalid ${name}: is empty; send at least one character`)
  if (text !== undefined && isLonger(text, maxFilterTextLength)) {
    throw badRequest(`Invalid ${name}: longer than ${maxFilterTextLength} characters`)
  }
  return text
}

function readLimit(query: URLSearchParams): number {
  return readInteger(query, 'limit', { max: maxItems }) ?? maxItems
}
