/**
 * Authentication and permissions (decisions/0002-keys.md).
 *
 * @module-tag over-the-wire
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { deleteKey, KeyError, restoreKey, revokeKey, rotateKey } from '../../api/ledger/keys.ts'
import { contract } from '../support/contract.ts'
import { createInstance, openSameDatabase } from '../support/instance.ts'
import { describeOnOneDatabase, testInside, useService } from '../support/service.ts'

/** Every path of the document that asks for a key, with a user and a repository of the sample data. */
const authenticatedPaths = Object.entries(contract.paths)
  .filter(([, { get }]) => get !== undefined && get.security?.length !== 0)
  .map(([path]) =>
    path
      .replace('{login}', 'ngoldberg')
      .replace('{owner}', 'ngoldberg')
      .replace('{name}', 'no-such-repository')
      .replace('/removals', '/removals?since=0')
      .replace('{id}', '1')
      .replace(/^\/dependencies$/, '/dependencies?prefix=a')
      .replace(/^\/dependencies\/history$/, '/dependencies/history?dependency_name=a')
      .replace(/^\/(locations|companies)$/, '/$1?contains=a')
      .replace(/^\/counts$/, '/counts?of=users&by=type'),
  )
/** Below those paths, but no endpoint: without a key nobody learns even that. */
const otherGuardedPaths = ['/users/', '/users/a/b', '/repos/', '/repos/a', '/repos/a/b/c', '/admin/nothing']

const key = randomUUID()
const wrongFormat = "Invalid authorization format. Use 'Bearer <API_KEY>'"
/** Authorization headers and the messages that refuse them, in the order of decisions/0002-keys.md. */
const refusals: [header: string | undefined, error: string][] = [
  [undefined, 'Authorization header required'],
  ['', 'Authorization header required'],
  ['Basic bmdvbGRiZXJnOnNlY3JldA==', wrongFormat],
  [`Token ${key}`, wrongFormat],
  [key, wrongFormat],
  [`bearer ${key}`, wrongFormat],
  [`Bearer${key}`, wrongFormat],
  [`Bearer\t${key}`, wrongFormat],
  [`Basic Bearer ${key}`, wrongFormat],
  ['Bearer', 'API key required'],
  ['Bearer ', 'API key required'],
  ['Bearer not-a-key', 'Invalid API key format'],
  [`Bearer  ${key}`, 'Invalid API key format'],
  [`Bearer ${key} ${key}`, 'Invalid API key format'],
  [`Bearer ${key}0`, 'Invalid API key format'],
  [`Bearer ${key.slice(1)}`, 'Invalid API key format'],
  [`Bearer ${key.toUpperCase()}`, 'Invalid API key format'],
  [`Bearer ${key.replaceAll('-', '')}`, 'Invalid API key format'],
  [`Bearer {${key}}`, 'Invalid API key format'],
  [`Bearer urn:uuid:${key}`, 'Invalid API key format'],
  [`Bearer g${key.slice(1)}`, 'Invalid API key format'],
  [`Bearer ${key}`, 'Invalid API key'],
  ['Bearer 00000000-0000-0000-0000-000000000000', 'Invalid API key'],
  ['Bearer c232ab00-9414-11ec-b3c8-9f6bdeced846', 'Invalid API key'], // a UUID v1
]

describeOnOneDatabase('the service', (kind) => {
  const service = useService(kind)

  /** The statuses that one key gets on some paths. */
  async function readStatuses(secret: string, paths: readonly string[]): Promise<number[]> {
    const responses = await Promise.all(paths.map((path) => service.request(path, { key: secret })))
    return responses.map(({ status }) => status)
  }

  test('has twenty documented paths that need a key', () => {
    expect(authenticatedPaths).toHaveLength(20)
  })

  test.each([...authenticatedPaths, ...otherGuardedPaths])(
    'responds to GET and HEAD %s without a valid key with 401, the documented message and a challenge',
    async (path) => {
      for (const [header, error] of refusals) {
        const headers: Record<string, string> = header === undefined ? {} : { Authorization: header }
        const response = await service.request(path, { headers })
        expect([header, response.status, response.json()]).toEqual([header, 401, { error }])
        expect(response.headers.get('WWW-Authenticate')).toBe('Bearer')
        const head = await service.request(path, { method: 'HEAD', headers })
        expect([header, head.status, head.text]).toEqual([header, 401, ''])
        expect(head.headers.get('WWW-Authenticate')).toBe('Bearer')
      }
    },
  )

  test('reads the key from the Authorization header only', async () => {
    const { secret } = await service.createKey()
    for (const path of [`/users?api_key=${secret}`, `/users?access_token=${secret}`]) {
      expect((await service.request(path)).status).toBe(401)
    }
    const headers = { 'X-Api-Key': secret, Cookie: `api_key=${secret}` }
    expect((await service.request('/users', { headers })).status).toBe(401)
  })

  test('creates keys that are lowercase UUIDs v4 of 36 characters', async () => {
    const { secret } = await service.createKey()
    expect(secret).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  })

  test('accepts a new key on every path of its role', async () => {
    const { secret } = await service.createKey()
    const admin = await service.createKey({ role: 'admin' })
    for (const path of authenticatedPaths) {
      const found = path.includes('no-such-repository') ? 404 : 200
      const isOperators = /^\/(metrics|admin\/)/.test(path)
      expect([path, await readStatuses(secret, [path])]).toEqual([path, [isOperators ? 403 : found]])
      expect([path, await readStatuses(admin.secret, [path])]).toEqual([path, [found]])
    }
  })

  test('refuses user keys on the operators’ endpoints', async () => {
    const { secret } = await service.createKey()
    for (const path of ['/metrics', '/admin/keys', '/admin/nothing', '/admin/keys?page=0']) {
      const response = await service.request(path, { key: secret })
      expect([path, response.status, response.json()]).toEqual([
        path,
        403,
        { error: 'Admin access required' },
      ])
    }
  })

  test('lets a narrowed key read what its scopes name, and nothing else', async () => {
    const users = ['/users', '/users/ngoldberg']
    const repositories = [
      '/repos',
      '/repos/a/b',
      '/repos/a/b/commits',
      '/repos/a/b/dependencies',
      '/repos/a/b/dependencies/blame',
      '/repos/a',
      '/repos/',
    ]
    const reader = await service.createKey({ scopes: ['users:read'] })
    const browser = await service.createKey({ scopes: ['repos:read'] })
    const nothing = await service.createKey({ scopes: [] })
    expect(await readStatuses(reader.secret, users)).toEqual([200, 200])
    expect(await readStatuses(browser.secret, repositories)).toEqual([200, 404, 404, 404, 404, 400, 400])
    for (const [secret, paths] of [
      [reader.secret, repositories],
      [browser.secret, users],
      [nothing.secret, [...users, ...repositories]],
    ] as const) {
      for (const path of paths) {
        const response = await service.request(path, { key: secret })
        expect([path, response.status, response.json()]).toEqual([
          path,
          403,
          { error: 'Insufficient permissions' },
        ])
      }
      expect(await readStatuses(secret, ['/api-key/credits'])).toEqual([200])
    }
    expect(await service.readLedger(nothing.id)).toMatchObject({ charged: 0 })
  })

  test('lets an admin key read everything, whatever its scopes', async () => {
    const { secret } = await service.createKey({ role: 'admin', scopes: [] })
    expect(await readStatuses(secret, ['/users', '/repos', '/metrics', '/admin/keys'])).toEqual([
      200, 200, 200, 200,
    ])
  })

  test('checks in order: key, permission, rate limit, parameters, balance', async () => {
    const wrong = ['/users?page=0', '/users?per_page=101', '/users/%zz', '/users/%00', '/users/a%20b']
    const narrow = await service.createKey({
      scopes: ['repos:read'],
      rateLimit: { requests: 1, seconds: 3600 },
    })
    for (const path of wrong) {
      const stranger = await service.request(path)
      expect([path, stranger.status, stranger.json()]).toEqual([
        path,
        401,
        { error: 'Authorization header required' },
      ])
      // The limit of one request is not touched by what the key may not do at all.
      const unpermitted = await service.request(path, { key: narrow.secret })
      expect([path, unpermitted.status, unpermitted.json()]).toEqual([
        path,
        403,
        { error: 'Insufficient permissions' },
      ])
    }
    expect(await readStatuses(narrow.secret, ['/repos?page=0'])).toEqual([400])
    expect(await readStatuses(narrow.secret, ['/repos?page=0', '/users?page=0'])).toEqual([429, 403])

    const poor = await service.createKey({ credits: 0 })
    expect(await readStatuses(poor.secret, [...wrong, '/users'])).toEqual([400, 400, 400, 400, 400, 403])
  })

  test('refuses a revoked key from the next request on, and accepts it once restored', async () => {
    const { secret, id } = await service.createKey({ credits: 10 })
    const paths = ['/users/ngoldberg', '/api-key/credits']
    expect(await readStatuses(secret, paths)).toEqual([200, 200])
    expect(await revokeKey(service.sql, id)).toMatchObject({ id, status: 'revoked' })
    const refused = await service.request('/users/ngoldberg', { key: secret })
    expect([refused.status, refused.json()]).toEqual([401, { error: 'Invalid API key' }])
    expect(await readStatuses(secret, paths)).toEqual([401, 401])
    expect(await restoreKey(service.sql, id)).toMatchObject({ id, status: 'active' })
    expect(await readStatuses(secret, paths)).toEqual([200, 200])
    expect(await service.readLedger(id)).toEqual({ balance: 8, granted: 10, charged: 2 })
  })

  test('refuses a deleted key from the next request on, and retains its ledger', async () => {
    const { secret, id } = await service.createKey({ credits: 10 })
    expect(await readStatuses(secret, ['/users/ngoldberg'])).toEqual([200])
    await deleteKey(service.sql, id)
    const refused = await service.request('/users/ngoldberg', { key: secret })
    expect([refused.status, refused.json()]).toEqual([401, { error: 'Invalid API key' }])
    await expect(restoreKey(service.sql, id)).rejects.toThrow(
      new KeyError('unknown_key', `There is no key ${id}`),
    )
    expect(await readStatuses(secret, ['/api-key/credits'])).toEqual([401])
    expect(await service.readLedger(id)).toEqual({ balance: 9, granted: 10, charged: 1 })
  })

  test('refuses an expired key from the next request on', async () => {
    const expired = await service.createKey({ expiresAt: new Date(Date.now() - 1000) })
    expect(await readStatuses(expired.secret, ['/api-key/credits'])).toEqual([401])
    const { secret, id } = await service.createKey({ expiresAt: new Date(Date.now() + 3_600_000) })
    expect(await readStatuses(secret, ['/users/ngoldberg'])).toEqual([200])
    await service.sql`update api_keys set expires_at = now() where id = ${id}`
    const refused = await service.request('/users/ngoldberg', { key: secret })
    expect([refused.status, refused.json()]).toEqual([401, { error: 'Invalid API key' }])
  })

  test('refuses a rotated key without grace immediately, and its successor has the same balance', async () => {
    const old = await service.createKey({ credits: 10 })
    expect(await readStatuses(old.secret, ['/users/ngoldberg'])).toEqual([200])
    const { secret, key: rotated } = await rotateKey(service.sql, old.id, 0)
    expect(rotated.id).toBe(old.id)
    expect(secret).not.toBe(old.secret)
    expect(await readStatuses(old.secret, ['/users/ngoldberg'])).toEqual([401])
    const response = await service.request('/api-key/credits', { key: secret })
    expect(response.json()).toEqual({ api_key: secret, remaining_credits: 9, role: 'user' })
  })

  test('accepts a rotated key with grace beside its successor, on one balance', async () => {
    const old = await service.createKey({ credits: 10 })
    const { secret } = await rotateKey(service.sql, old.id, 3600)
    expect(await readStatuses(old.secret, ['/users/ngoldberg'])).toEqual([200])
    expect(await readStatuses(secret, ['/users/ngoldberg'])).toEqual([200])
    expect(await service.readLedger(old.id)).toEqual({ balance: 8, granted: 10, charged: 2 })
    // A second rotation cuts the grace of the first key short, and does not lengthen it.
    const third = await rotateKey(service.sql, old.id, 0)
    expect(await readStatuses(old.secret, ['/api-key/credits'])).toEqual([401])
    expect(await readStatuses(secret, ['/api-key/credits'])).toEqual([401])
    expect(await readStatuses(third.secret, ['/api-key/credits'])).toEqual([200])
    await rotateKey(service.sql, old.id, 3600)
    expect(await readStatuses(secret, ['/api-key/credits'])).toEqual([401])
  })

  test('refuses a rotated key after its grace', async () => {
    const old = await service.createKey()
    const { secret } = await rotateKey(service.sql, old.id, 1)
    while ((await service.request('/api-key/credits', { key: old.secret })).status !== 401) await sleep(100)
    expect(await readStatuses(secret, ['/api-key/credits'])).toEqual([200])
  })

  test('refuses both secrets of a rotated key once it is revoked', async () => {
    const old = await service.createKey()
    const { secret } = await rotateKey(service.sql, old.id, 3600)
    await revokeKey(service.sql, old.id)
    expect(await readStatuses(old.secret, ['/api-key/credits'])).toEqual([401])
    expect(await readStatuses(secret, ['/api-key/credits'])).toEqual([401])
  })

  test('accepts one key after concurrent rotations without grace', async () => {
    const old = await service.createKey()
    const rotated = await Promise.all(Array.from({ length: 5 }, () => rotateKey(service.sql, old.id, 0)))
    const secrets = [old.secret, ...rotated.map(({ secret }) => secret)]
    const responses = await Promise.all(
      secrets.map((secret) => service.request('/api-key/credits', { key: secret })),
    )
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  const testOnServer = kind === 'postgresql' ? testInside : () => {} // the embedded database has one instance
  // Over the wire, several-instances.test.ts tells.
  testOnServer(
    'refuses a revoked, deleted, expired or rotated key on another instance immediately',
    async () => {
      const database = await openSameDatabase(service)
      try {
        const other = createInstance(database)
        const { secret, id } = await service.createKey()
        const status = async () => (await other.request('/users/ngoldberg', { key: secret })).status
        expect(await status()).toBe(200)
        await revokeKey(service.sql, id)
        expect(await status()).toBe(401)
        await restoreKey(service.sql, id)
        expect(await status()).toBe(200)
        await deleteKey(service.sql, id)
        expect(await status()).toBe(401)
      } finally {
        await database.close()
      }
    },
  )

  test('stores no key, only its SHA-256', async () => {
    const { secret } = await service.createKey({ name: 'hashed' })
    const rows = await service.sql`
      select to_jsonb(k)::text || encode(s.hash, 'escape') || encode(s.hash, 'hex') as text
      from api_keys k join api_key_secrets s on s.api_key_id = k.id where k.name = 'hashed'`
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(secret)
  })
})
