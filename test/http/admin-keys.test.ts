/**
 * Keys over HTTP (decisions/0002-keys.md).
 *
 * @module-tag over-the-wire
 */
import * as v from 'valibot'
import { beforeAll, describe, expect, test } from 'vitest'
import { deleteKey, maxBalance } from '../../api/ledger/keys.ts'
import { verifyLedger } from '../../api/ledger/verify.ts'
import { listMessagesOfChanges } from '../support/contract.ts'
import { anyDatabase, describeOnOneDatabase, type RequestOptions, useService } from '../support/service.ts'

const keySchema = v.looseObject({
  id: v.number(),
  name: v.nullable(v.string()),
  remaining_credits: v.number(),
})
const createdSchema = v.object({ id: v.number(), secret: v.nullable(v.string()), key: keySchema })
const listSchema = v.object({ data: v.array(keySchema) })

describeOnOneDatabase('a shop', (kind) => {
  const service = useService(kind)
  let shop: string
  let shopId: number
  let admin: string
  let adminId: number
  beforeAll(async () => {
    const created = await service.createKey({ role: 'admin', scopes: ['keys:write'], credits: 0 })
    shop = created.secret
    shopId = created.id
    const full = await service.createKey({ role: 'admin', credits: 0 })
    admin = full.secret
    adminId = full.id
  })

  const post = (path: string, body?: unknown, options: RequestOptions = {}) =>
    service.request(path, { method: 'POST', key: shop, body, ...options })
  const patch = (id: number, body: unknown) =>
    service.request(`/admin/keys/${id}`, { method: 'PATCH', key: shop, body })

  async function create(body: Record<string, unknown>) {
    const response = await post('/admin/keys', body)
    expect([response.status, response.headers.get('Cache-Control')]).toEqual([200, 'no-store'])
    return v.parse(createdSchema, response.json())
  }

  /** What requests that are refused must not change. */
  const readState = () => service.sql`
    select (select json_agg(k order by id) from api_keys k where id <> ${shopId} and id <> ${adminId}) as keys,
      (select json_agg(s order by hash) from api_key_secrets s) as secrets,
      (select json_agg(r order by reference) from key_references r) as references,
      (select json_agg(b order by api_key_id) from balances b) as balances`

  test('creates a key that works at once, and sees it once', async () => {
    const { id, secret, key } = await create({
      ...{ reference: 'order 1', credits: 100, name: 'Ada', scopes: ['users:read'] },
      ...{ rate_limit: '7/60', notify_below: 20, expires_at: '2099-12-31' },
    })
    expect(key).toEqual({
      ...{
        id,
        name: 'Ada',
        role: 'user',
        scopes: ['users:read'],
        remaining_credits: 100,
        rate_limit: '7/60',
        notify_below: 20,
      },
      ...{
        status: 'active',
        created_at: expect.stringMatching(/Z$/),
        expires_at: '2099-12-31T00:00:00.000Z',
      },
      last_used_at: null,
    })
    const page = await service.request('/users?per_page=3', { key: secret ?? '' })
    expect([page.status, page.headers.get('X-Credits-Remaining')]).toEqual([200, '97'])
    expect((await service.request('/repos', { key: secret ?? '' })).status).toBe(403)
    expect(await service.readLedger(id)).toEqual({ balance: 97, granted: 100, charged: 3 })
    const read = await service.request(`/admin/keys/${id}`, { key: shop })
    expect(read.json()).toMatchObject({ id, remaining_credits: 97 })
    expect(read.text).not.toContain(secret)
  })

  test('creates a key with everything by default: no credits, both scopes, no name, no expiry', async () => {
    expect((await create({ reference: 'order 2' })).key).toMatchObject({
      ...{ name: null, role: 'user', scopes: ['users:read', 'repos:read'], remaining_credits: 0 },
      ...{ rate_limit: null, expires_at: null },
    })
  })

  test('gets the same key without its secret if it repeats a request, whatever the order of members', async () => {
    const first = await create({ reference: 'order 3', credits: 5, name: 'Bo' })
    const again = await create({ name: 'Bo', credits: 5, reference: 'order 3' })
    expect(again).toMatchObject({ id: first.id, secret: null, key: { remaining_credits: 5 } })
    const other = await post('/admin/keys', { reference: 'order 3', credits: 6, name: 'Bo' })
    expect([other.status, other.headers.get('X-Error-Code'), other.json()]).toEqual([
      409,
      'reference_conflict',
      {
        error: `Under the reference "order 3", key ${first.id} was made from another body; use another reference for another key`,
      },
    ])
    await deleteKey(service.sql, first.id)
    const gone = await post('/admin/keys', { reference: 'order 3', credits: 5, name: 'Bo' })
    expect([gone.status, gone.headers.get('X-Error-Code')]).toEqual([409, 'reference_conflict'])
  })

  test('gets the same key for a request that it repeats after the key has expired', async () => {
    const body = { reference: 'order 13', expires_at: '2020-01-01' }
    const { id } = await create({ ...body, expires_at: '2099-01-01' })
    const sorted = JSON.stringify(Object.entries(body).sort())
    await service.sql`update api_keys set expires_at = '2020-01-01T00:00:00Z' where id = ${id}`
    await service.sql`
      update key_references set request_digest = sha256(convert_to(${sorted}, 'UTF8')) where reference = ${body.reference}`
    expect(await create(body)).toMatchObject({ id, secret: null, key: { status: 'expired' } })
  })

  test('makes one key if it sends a request many times concurrently', async () => {
    const body = { reference: 'order 4', credits: 50 }
    const created = await Promise.all(Array.from({ length: 20 }, () => create(body)))
    expect(new Set(created.map(({ id }) => id)).size).toBe(1)
    expect(created.filter(({ secret }) => secret !== null)).toHaveLength(1)
    const id = created[0]?.id ?? 0
    expect(await service.readLedger(id)).toEqual({ balance: 50, granted: 50, charged: 0 })
  })

  test('has references of its own: another shop may use the same', async () => {
    const other = await service.createKey({ role: 'admin', scopes: ['keys:write'] })
    const body = { reference: 'order 5', credits: 1 }
    const own = await create(body)
    const theirs = v.parse(createdSchema, (await post('/admin/keys', body, { key: other.secret })).json())
    expect(theirs.id).not.toBe(own.id)
    expect(theirs.secret).not.toBeNull()
  })

  test('grants credits once under a reference, and withdraws them', async () => {
    const { id } = await create({ reference: 'order 6' })
    const grant = async (credits: number, reference: string) => {
      const { status, json } = await post(`/admin/keys/${id}/grants`, { credits, reference })
      return [status, json()]
    }
    const after = (outcome: string, remaining_credits: number) => [
      200,
      { outcome, key: expect.objectContaining({ id, remaining_credits }) },
    ]
    expect(await grant(100, 'top-up')).toEqual(after('granted', 100))
    expect(await grant(100, 'top-up')).toEqual(after('repeated', 100))
    expect(await grant(-30, 'refund')).toEqual(after('granted', 70))
    expect(await grant(-71, 'too much')).toEqual([
      409,
      { error: `Key ${id} has 70 credits: 71 can't be withdrawn; grant at least -70` },
    ])
    expect(await grant(maxBalance, 'far too much')).toEqual([409, expect.anything()])
    expect(await grant(99, 'top-up')).toEqual([409, expect.anything()])
    expect(await service.readLedger(id)).toEqual({ balance: 70, granted: 70, charged: 0 })
    expect((await verifyLedger(service.sql)).problems).toEqual([])
  })

  test('rotates, revokes, restores and changes a key', async () => {
    const { id, secret } = await create({ reference: 'order 7', credits: 10 })
    const ask = async (key: string | null) =>
      (await service.request('/api-key/credits', { key: key ?? '' })).status
    const rotated = v.parse(createdSchema, (await post(`/admin/keys/${id}/rotate`)).json())
    expect([await ask(secret), await ask(rotated.secret)]).toEqual([401, 200])
    const graceful = v.parse(
      createdSchema,
      (await post(`/admin/keys/${id}/rotate`, { grace_seconds: 3600 })).json(),
    )
    expect([await ask(rotated.secret), await ask(graceful.secret)]).toEqual([200, 200])

    expect((await post(`/admin/keys/${id}/revoke`)).json()).toMatchObject({ id, status: 'revoked' })
    expect((await post(`/admin/keys/${id}/revoke`, {})).json()).toMatchObject({ status: 'revoked' })
    expect(await ask(graceful.secret)).toBe(401)
    expect((await post(`/admin/keys/${id}/restore`)).json()).toMatchObject({ id, status: 'active' })
    expect(await ask(graceful.secret)).toBe(200)

    expect((await patch(id, { rate_limit: '1/3600' })).json()).toMatchObject({
      name: null,
      rate_limit: '1/3600',
    })
    expect([await ask(graceful.secret), await ask(graceful.secret)]).toEqual([200, 429])
    expect((await patch(id, { rate_limit: null, name: 'Cy' })).json()).toMatchObject({
      name: 'Cy',
      rate_limit: null,
    })
    expect((await patch(id, { notify_below: 9 })).json()).toMatchObject({ name: 'Cy', notify_below: 9 })
    expect((await patch(id, {})).json()).toMatchObject({ name: 'Cy', notify_below: 9, remaining_credits: 10 })
    expect((await patch(id, { notify_below: null })).json()).toMatchObject({ notify_below: null })
    expect((await patch(id, { name: null })).json()).toMatchObject({ name: null })
  })

  test('rotates a key once under a reference, however late or often the request arrives', async () => {
    const { id } = await create({ reference: 'order 14' })
    const rotate = async (body: Record<string, unknown>) => {
      const { status, json } = await post(`/admin/keys/${id}/rotate`, body)
      return status === 200 ? v.parse(createdSchema, json()).secret : [status, json()]
    }
    const rotations = await Promise.all(
      Array.from({ length: 10 }, () => rotate({ reference: 'first', grace_seconds: 0 })),
    )
    const [first, ...more] = rotations.filter((secret) => secret !== null)
    expect([first, more]).toEqual([expect.any(String), []])
    const ask = async () => (await service.request('/api-key/credits', { key: String(first) })).status
    expect(await rotate({ reference: 'first' })).toBeNull() // 0 seconds is the default
    expect(await ask()).toBe(200)
    expect(await rotate({ reference: 'first', grace_seconds: 60 })).toEqual([
      409,
      {
        error: `Under the reference "first", key ${id} was rotated with another grace_seconds; use another reference for another rotation`,
      },
    ])
    expect(await ask()).toBe(200)
    expect(await rotate({ reference: 'second', grace_seconds: 3600 })).toEqual(expect.any(String))
    expect(await ask()).toBe(200)
    expect(await rotate({ reference: 'third' })).toEqual(expect.any(String))
    expect(await ask()).toBe(401)
    expect(await rotate({ reference: 'first' })).toBeNull()

    // References belong to the key.
    const other = await create({ reference: 'order 15' })
    const { secret } = v.parse(
      createdSchema,
      (await post(`/admin/keys/${other.id}/rotate`, { reference: 'first' })).json(),
    )
    expect(secret).not.toBeNull()
  })

  test('finds keys by balance and name', async () => {
    const poor = await create({ reference: 'order 8', credits: 7, name: 'Poor client' })
    await create({ reference: 'order 9', credits: 8, name: 'Rich CLIENT' })
    await service.createKey({ role: 'admin', name: 'client of an operator' })
    const list = async (query: string) => {
      const response = await service.request(`/admin/keys?${query}`, { key: shop })
      const ids = v.parse(listSchema, response.json()).data.map(({ id }) => id)
      expect(response.headers.get('X-Total-Count')).toBe(String(ids.length))
      return ids
    }
    expect(await list('name=client&below=8')).toEqual([poor.id])
    expect(await list('name=CLIENT')).toHaveLength(3)
    const school = await create({ reference: 'school', credits: 1, name: 'ÉCOLE Straße' })
    for (const name of ['école', 'STRASSE']) {
      expect([name, await list(`name=${encodeURIComponent(name)}`)]).toEqual([name, [school.id]])
    }
    expect(await list('name=no+such+name')).toEqual([])
    const first = await service.request('/admin/keys?name=client&per_page=2', { key: shop })
    expect(first.headers.get('Link')).toMatch(/name=client&.*rel="next"/)
  })

  test('may do nothing else', async () => {
    for (const path of ['/users', '/repos', '/metrics', '/dependencies?prefix=r', '/removals?since=0']) {
      expect([path, (await service.request(path, { key: shop })).status]).toEqual([path, 403])
    }
  })

  const readSecrets = () => service.sql`
    select encode(hash, 'hex') as hash, expires_at is null as is_valid from api_key_secrets
    where api_key_id in (${shopId}, ${adminId}) order by 1`

  test('never changes an admin key, itself included', async () => {
    const before = await readSecrets()
    for (const id of [shopId, adminId]) {
      for (const [path, body] of [
        ['/grants', { credits: 1, reference: 'x' }],
        ['/rotate', {}],
        ['/revoke', {}],
        ['/restore', {}],
      ] as const) {
        const { status, headers, json } = await post(`/admin/keys/${id}${path}`, body)
        expect([path, status, headers.get('X-Error-Code'), json()]).toEqual([
          ...[path, 403, 'user_keys_only'],
          { error: `Key ${id} is an admin key, which only the command line changes` },
        ])
      }
      expect((await patch(id, { name: 'mine' })).status).toBe(403)
    }
    for (const more of [{ role: 'admin' }, { scopes: ['keys:write'] }, { scopes: ['metrics:read'] }]) {
      expect((await post('/admin/keys', { reference: 'x', ...more })).status).toBe(400)
    }
    expect(await readSecrets()).toEqual(before)
  })

  test('is refused unless its key has the scope', async () => {
    const user = await service.createKey()
    for (const [key, error] of [
      [user.secret, 'Admin access required'],
      [admin, 'Insufficient permissions'],
    ] as const) {
      for (const [method, path] of [
        ['POST', '/admin/keys'],
        ['PATCH', `/admin/keys/${user.id}`],
        ['POST', `/admin/keys/${user.id}/grants`],
        ['POST', `/admin/keys/${user.id}/rotate`],
      ] as const) {
        const response = await service.request(path, { method, key, body: { reference: 'x', credits: 1 } })
        expect([path, response.status, response.json()]).toEqual([path, 403, { error }])
      }
    }
    expect((await post('/admin/keys', {}, { key: '' })).status).toBe(401)
    expect(await service.readLedger(user.id)).toMatchObject({ balance: 1_000_000 })
  })

  test('is told that a key is unknown', async () => {
    const deleted = await create({ reference: 'order 10' })
    await deleteKey(service.sql, deleted.id)
    for (const id of [deleted.id, 2_147_483_647]) {
      for (const path of ['/rotate', '/revoke', '/restore']) {
        const { status, headers } = await post(`/admin/keys/${id}${path}`)
        expect([path, status, headers.get('X-Error-Code')]).toEqual([path, 404, 'key_not_found'])
      }
      expect((await service.request(`/admin/keys/${id}`, { key: shop })).status).toBe(404)
      expect((await patch(id, {})).status).toBe(404)
    }
  })

  test('isn’t told that a key is unknown if the database fails', async () => {
    await service.sql`alter table api_keys rename column notify_below to moved_away`
    const { status } = await post('/admin/keys/2147483647/revoke')
    const rotated = await post('/admin/keys/2147483647/rotate')
    await service.sql`alter table api_keys rename column moved_away to notify_below`
    expect([status, rotated.status]).toEqual([500, 500])
  })

  test('learns which member of a body breaks which rule, and nothing is changed', async () => {
    const { id } = await create({ reference: 'order 11', credits: 10 })
    const before = await readState()
    const rules: Record<string, unknown[]> = {
      reference: [undefined, null, 1, '', ' ', 'a\nb', 'x'.repeat(101), '\ud800', 'a\0', {}, []],
      credits: [null, '5', 1.5, -1, maxBalance + 1, 1e300, true, [5], {}],
      name: [1, '', 'x'.repeat(101), 'a\ttab', [], {}],
      scopes: [null, 'users:read', [], ['users:write'], ['users:read', 1], {}],
      notify_below: [0, '5', 1.5, -1, maxBalance + 1, {}],
      rate_limit: ['none', '', '0/60', '1/0', '1/99999999999', 60, {}],
      expires_at: ['2020-01-01', 'tomorrow', '2099-02-30', '2099-01-01T00:00', 4102444800, {}],
    }
    for (const [name, values] of Object.entries(rules)) {
      for (const value of values) {
        const { status, json } = await post('/admin/keys', { reference: 'bad', [name]: value })
        expect([name, value, status, json()]).toEqual([
          ...[name, value, 400],
          { error: expect.stringMatching(new RegExp(`^Invalid ${name}: (must|missing)`)) },
        ])
      }
    }
    for (const [path, body, error] of [
      ['/grants', { credits: 0, reference: 'x' }, /^Invalid credits: must be a whole number other than 0/],
      ['/grants', { credits: 5 }, /^Invalid reference: missing$/],
      ['/grants', { credits: '5', reference: 'x' }, /^Invalid credits: must/],
      ['/grants', {}, /^Invalid credits: missing$/],
      ['/grants', undefined, /^Invalid credits: missing$/],
      ['/rotate', { reference: '' }, /^Invalid reference: must/],
      ['/rotate', { grace_seconds: -1 }, /^Invalid grace_seconds: must/],
      ['/rotate', { grace_seconds: 31_622_401 }, /^Invalid grace_seconds: must/],
      ['/revoke', { credits: 5 }, /^Unknown member: credits; this body has no members$/],
      ['/grants', { credit: 5, reference: 'x' }, /^Unknown member: credit; did you mean credits\?$/],
      ['/grants', '{"credits":5,"reference":"x","__proto__":1}', /^Unknown member: __proto__; /],
      ['/grants', '{"credits":5,"reference":"x","toString":1}', /^Unknown member: toString; /],
      ['/grants', '[1]', /^Invalid body: must be a JSON object in UTF-8$/],
      ['/grants', 'null', /^Invalid body: must be a JSON object in UTF-8$/],
      ['/grants', '{"credits":5', /^Invalid body: must be a JSON object in UTF-8$/],
      ['/grants', '\ufeff{"credits":5}', /^Invalid/],
      ['/grants?credits=5', {}, /^Unknown parameter: credits; this endpoint has no parameters$/],
    ] as const) {
      const { status, json } = await post(`/admin/keys/${id}${path}`, body)
      expect([path, body, status, json()]).toEqual([path, body, 400, { error: expect.stringMatching(error) }])
    }
    for (const wrong of ['0', '01', '-1', '1e3', '2147483648', crypto.randomUUID(), 'x', '%201']) {
      const response = await post(`/admin/keys/${wrong}/revoke`)
      expect([wrong, response.status, response.json()]).toEqual([
        ...[wrong, 400],
        { error: 'Invalid id: must be the id of a key, from 1 to 2147483647, as GET /admin/keys lists it' },
      ])
    }
    expect(await readState()).toEqual(before)
  })

  test('may send 4,096 bytes, and nothing but JSON', async () => {
    const fits = JSON.stringify({ reference: 'order 12' }).padEnd(4_096)
    expect((await post('/admin/keys', fits)).status).toBe(200)
    const tooLong = await post('/admin/keys', `${fits} `)
    expect([tooLong.status, tooLong.json()]).toEqual([413, { error: 'Body too large: at most 4096 bytes' }])
    const hostile = `{"reference":${'['.repeat(4_000)}`
    expect((await post('/admin/keys', hostile)).status).toBe(400)
    // Were the letters replaced, Müller and Möller would be one reference.
    const latin1 = await service.fetch('/admin/keys', {
      method: 'POST',
      headers: { Authorization: `Bearer ${shop}`, 'Content-Type': 'application/json' },
      body: Buffer.from('{"reference":"Müller"}', 'latin1'),
    })
    expect([latin1.status, latin1.headers.get('X-Error-Code')]).toEqual([400, 'invalid_body'])
    const text = await service.fetch('/admin/keys', {
      method: 'POST',
      headers: { Authorization: `Bearer ${shop}`, 'Content-Type': 'text/plain' },
      body: fits,
    })
    expect(text.status).toBe(415)
  })

  test('is refused other methods with those that the path has', async () => {
    for (const [path, allow, methods] of [
      ['/admin/keys', 'GET, HEAD, POST, OPTIONS', ['PUT', 'PATCH', 'DELETE']],
      ['/admin/keys/1', 'GET, HEAD, PATCH, OPTIONS', ['POST', 'PUT', 'DELETE']],
      ['/admin/keys/1/grants', 'POST, OPTIONS', ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE']],
      ['/admin/keys/1/rotate', 'POST, OPTIONS', ['GET', 'DELETE']],
      ['/admin/keys/1/delete', 'GET, HEAD, OPTIONS', ['POST']],
    ] as const) {
      for (const method of methods) {
        const response = await service.request(path, { method, key: shop })
        expect([method, path, response.status, response.headers.get('Allow')]).toEqual([
          method,
          path,
          405,
          allow,
        ])
      }
      const options = await service.request(path, { method: 'OPTIONS' })
      expect([path, options.status, options.headers.get('Allow')]).toEqual([path, 204, allow])
    }
  })

  test('can’t be a page of another origin', async () => {
    for (const method of ['OPTIONS', 'GET', 'POST']) {
      for (const path of ['/admin/keys', '/admin/keys/1', '/admin/nothing']) {
        const { headers } = await service.request(path, { method, key: shop })
        expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([])
        expect(headers.get('Cross-Origin-Resource-Policy')).toBe('same-origin')
      }
    }
  })
})

describe('openapi.yml', () => {
  const service = useService(anyDatabase)

  test('shows only messages that changes of keys give', async () => {
    const shop = await service.createKey({ role: 'admin', scopes: ['keys:write'] })
    const admin = await service.createKey({ role: 'admin' })
    const given: string[] = []
    const send = async (path: string, body?: unknown, method = 'POST') => {
      const response = await service.request(path, { method, key: shop.secret, body })
      if (response.status < 400)
        return v.parse(v.looseObject({ id: v.optional(v.number()) }), response.json()).id ?? 0
      given.push(v.parse(v.object({ error: v.string() }), response.json()).error)
      return 0
    }
    const id = await send('/admin/keys', { reference: 'order 1842', credits: 10 })
    for (const wrong of [
      ...[{ reference: 'order 1842' }, { credit: 1 }, {}, '[]', { reference: '' }, ' '.repeat(4_097)],
      ...['credits', 'name', 'notify_below', 'rate_limit', 'scopes', 'expires_at'].map((name) => ({
        reference: 'x',
        [name]: '',
      })),
    ]) {
      await send('/admin/keys', wrong)
    }
    await send(`/admin/keys/${id}/rotate`, { grace_seconds: -1 })
    await send('/admin/keys/x/revoke')
    await send(`/admin/keys/${admin.id}/revoke`)
    await send(`/admin/keys/${id}/grants`, { credits: 0, reference: 'x' })
    await send(`/admin/keys/${id}/grants`, { credits: -11, reference: 'x' })
    await send(`/admin/keys/${id}/grants`, { credits: maxBalance - 10, reference: 'invoice 2026-0117' })
    await send(`/admin/keys/${id}/grants`, { credits: 1, reference: 'x' })
    await send(`/admin/keys/${id}/grants`, { credits: 600, reference: 'invoice 2026-0117' })
    for (const grace_seconds of [0, 1]) {
      await send(`/admin/keys/${id}/rotate`, { reference: 'rotation 1 of order 1842', grace_seconds })
    }
    await deleteKey(service.sql, id)
    await send('/admin/keys', { reference: 'order 1842', credits: 10 })
    const text = await service.request('/admin/keys', {
      ...{ method: 'POST', key: shop.secret, body: 'x' },
    })
    given.push(v.parse(v.object({ error: v.string() }), text.json()).error)
    // admin-keys-off.test.ts, and above
    given.push(
      'Keys over HTTP are off: the operator turns them on in the database with roles.sql and -v keys_over_http=on',
    )
    given.push('Unsupported Content-Type: must be application/json')
    const generalize = (messages: readonly string[]) =>
      [...new Set(messages.map((message) => message.replaceAll(/[Kk]ey \d+|granted \d+/g, 'N')))].sort()
    expect(generalize(given)).toEqual(generalize(listMessagesOfChanges()))
  })
})
