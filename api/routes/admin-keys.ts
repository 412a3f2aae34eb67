/**
 * `/admin/keys`: what operators and their shops do with keys over HTTP (`decisions/0002-keys.md`). The functions are
 * those of the command line.
 */
import type { Handler, Hono } from 'hono'
import * as v from 'valibot'
import type { Meter } from '../checkout/meter.ts'
import { type Config, parsedText } from '../config.ts'
import type { Sql } from '../database/connect.ts'
import { insufficientPrivilege } from '../database/connection-error.ts'
import { countStatement } from '../database/statement-count.ts'
import { ApiError, badRequest, forbidden, keysOverHttpOff, notFound, readCode } from '../errors.ts'
import { readJsonObject } from '../http/json-body.ts'
import type { ApiContext, HonoEnvironment } from '../http/request-context.ts'
import { sendJson } from '../http/response.ts'
import { labelRule, parseLabel, parseRateLimit, scopes } from '../ledger/api-key.ts'
import {
  changeKey,
  createUserKey,
  getKey,
  grantCredits,
  KeyError,
  type KeyFilter,
  type KeySummary,
  listKeyPage,
  maxBalance,
  maxGraceSeconds,
  maxKeyId,
  restoreKey,
  revokeKey,
  rotateUserKey,
} from '../ledger/keys.ts'
import { type ListParameters, sendFreeList } from './lists.ts'
import { type Members, readMembers, type Values, wholeNumber } from './members.ts'
import {
  assertKnownParameters,
  emptyFilter,
  parseTime,
  readIdAfter,
  readInteger,
  readPathId,
  readSingle,
} from './parameters.ts'

const maxBodyBytes = 4_096

/** `after` is a key's id. */
const listParameters: ListParameters<KeyFilter, number> = {
  names: ['below', 'name'],
  readAfter: readIdAfter,
  readFilter: (query) => ({ below: readInteger(query, 'below', { min: 0 }), name: readNameFilter(query) }),
}

function readNameFilter(query: URLSearchParams): string | undefined {
  const text = readSingle(query, 'name')
  if (text?.trim() === '') throw emptyFilter('name')
  const name = text && parseLabel(text)
  if (name === 'invalid') throw badRequest(`Invalid name: ${labelRule}`)
  return name
}

const label = parsedText(parseLabel, labelRule)
const rateLimit = v.nullable(
  parsedText(
    (text) => parseRateLimit(text) ?? 'invalid',
    'must be REQUESTS/SECONDS, such as 100/60, or null for none',
  ),
)
const scopesRule = `must be an array of one or more of ${scopes.join(', ')}`
const expiryRule =
  'must be a date or a timestamp in the future, such as 2030-12-31 or 2030-12-31T18:00:00Z, or null for never'
const balanceRule = `must be a whole number from 0 to ${maxBalance}`
const thresholdRule = `must be a whole number from 1 to ${maxBalance}, or null for none`
const grantRule = `must be a whole number other than 0, from -${maxBalance} to ${maxBalance}`
const notifyBelow = v.nullable(wholeNumber([1, maxBalance], thresholdRule))

/** The members of bodies. */
const newKey = {
  reference: label,
  credits: v.optional(wholeNumber([0, maxBalance], balanceRule), 0),
  name: v.optional(v.nullable(label), null),
  scopes: v.optional(
    v.pipe(
      v.array(v.picklist(scopes, scopesRule), scopesRule),
      v.nonEmpty(scopesRule),
      v.transform((given) => scopes.filter((scope) => given.includes(scope))),
    ),
    [...scopes],
  ),
  rate_limit: v.optional(rateLimit),
  notify_below: v.optional(notifyBelow, null),
  expires_at: v.optional(v.nullable(parsedText(parseTime, expiryRule)), null),
}
const changes = {
  name: v.optional(v.nullable(label)),
  rate_limit: v.optional(rateLimit),
  notify_below: v.optional(notifyBelow),
}
const grant = {
  credits: v.pipe(wholeNumber([-maxBalance, maxBalance], grantRule), v.notValue(0, grantRule)),
  reference: label,
}
const rotation = {
  reference: v.optional(label),
  grace_seconds: v.optional(
    wholeNumber([0, maxGraceSeconds], `must be a whole number from 0 to ${maxGraceSeconds} (366 days)`),
    0,
  ),
}

/** Creates the handlers of endpoints that read, make or change keys. */
function createHandlers(meter: Meter, sql: Sql) {
  async function respond(c: ApiContext, work: () => Promise<object>): Promise<Response> {
    const body = await countStatement(sql, work).catch(async (error) => {
      throw await explainFailure(sql, error, c.req.param('id'))
    })
    return sendJson(c, body)
  }

  /** `act` returns the body of the response. */
  function write<Entries extends Members>(
    members: Entries,
    act: (c: ApiContext, values: Values<Entries>, body: Record<string, unknown>) => Promise<object>,
  ): Handler<HonoEnvironment> {
    return meter.free(async (c, url) => {
      assertKnownParameters(url.searchParams, [])
      const body = await readJsonObject(c, maxBodyBytes)
      const values = readMembers(body, members)
      return respond(c, () => act(c, values, body))
    })
  }

  return {
    write,
    read: (act: (id: number) => Promise<object>) =>
      meter.free((c, url) => {
        assertKnownParameters(url.searchParams, [])
        const id = readKeyId(c.req.param('id'))
        return respond(c, () => act(id))
      }),
    change: <Entries extends Members>(
      members: Entries,
      act: (id: number, values: Values<Entries>) => Promise<object>,
    ) => write(members, async (c, values) => act(readKeyId(c.req.param('id')), values)),
  }
}

/** Adds the routes. `GET` is for all admin keys, the other methods for those with `keys:write`. */
export function addAdminKeyRoutes(
  app: Hono<HonoEnvironment>,
  meter: Meter,
  { sql, defaultRateLimit }: { sql: Sql } & Pick<Config, 'defaultRateLimit'>,
): void {
  const { read, write, change } = createHandlers(meter, sql)
  app.get(
    '/admin/keys',
    meter.free((c, url) =>
      sendFreeList(c, url, listParameters, sql, ({ page, filter }) => listKeyPage(sql, page, filter)),
    ),
  )
  app.get(
    '/admin/keys/:id',
    read((id) => getKey(sql, id)),
  )
  app.post(
    '/admin/keys',
    write(newKey, async (c, { reference, rate_limit, notify_below, expires_at, ...values }, body) => {
      const rateLimit = rate_limit === undefined ? defaultRateLimit : rate_limit
      const request = { maker: c.get('caller').id, reference, request: writeCanonically(body) }
      return showSecret(
        await createUserKey(sql, request, {
          ...values,
          ...{ rateLimit, notifyBelow: notify_below, expiresAt: expires_at },
        }),
      )
    }),
  )
  app.patch(
    '/admin/keys/:id',
    change(changes, (id, { name, rate_limit: rateLimit, notify_below: notifyBelow }) =>
      changeKey(sql, id, { name, rateLimit, notifyBelow }, 'user'),
    ),
  )
  app.post(
    '/admin/keys/:id/grants',
    change(grant, async (id, { credits, reference }) => {
      return grantCredits(sql, id, credits, reference, 'user')
    }),
  )
  app.post(
    '/admin/keys/:id/rotate',
    change(rotation, async (id, { reference, grace_seconds: graceSeconds }) =>
      showSecret(await rotateUserKey(sql, id, { graceSeconds, reference })),
    ),
  )
  app.post(
    '/admin/keys/:id/revoke',
    change({}, (id) => revokeKey(sql, id, 'user')),
  )
  app.post(
    '/admin/keys/:id/restore',
    change({}, (id) => restoreKey(sql, id, 'user')),
  )
}

/** Returns the error that the client gets. `id` is that of the request's path. */
async function explainFailure(sql: Sql, error: unknown, id: string | undefined): Promise<unknown> {
  if (readCode(error) === insufficientPrivilege) return keysOverHttpOff(error)
  if (!(error instanceof KeyError)) return error
  const { problem, message } = error
  if (problem === 'conflict') return new ApiError(409, 'reference_conflict', message)
  if (problem === 'out_of_range') return new ApiError(409, 'balance_out_of_range', message)
  if (problem === 'expired') return badRequest(`Invalid expires_at: ${expiryRule}`)
  const key = await getKey(sql, readKeyId(id)).catch((failure) => {
    if (!(failure instanceof KeyError)) throw failure
  })
  if (key === undefined) return notFound('Key not found', 'key_not_found')
  return forbidden('user_keys_only', `Key ${key.id} is an admin key, which only the command line changes`)
}

function readKeyId(text: string | undefined): number {
  return readPathId(`the id of a key, from 1 to ${maxKeyId}, as GET /admin/keys lists it`, text)
}

/** Writes what was asked for, whatever the order and the spacing of its members. */
function writeCanonically(body: Record<string, unknown>): string {
  return JSON.stringify(Object.entries(body).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The body of a response with a secret. Null: it was shown before. */
function showSecret({ secret, key }: { secret: string | null; key: KeySummary }): object {
  return { id: key.id, secret, key }
}
