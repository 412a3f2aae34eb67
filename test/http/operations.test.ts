/**
 * The operators' endpoints (decisions/0002-keys.md).
 *
 * @module-tag over-the-wire
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import { beforeAll, describe, expect, test } from 'vitest'
import { readDataset } from '../../api/catalog/dataset.ts'
import { deleteKey, grantCredits, revokeKey, setRateLimit } from '../../api/ledger/keys.ts'
import { createInstance, type InstanceOptions } from '../support/instance.ts'
import { load } from '../support/ndjson.ts'
import { describeOnOneDatabase, testInside, useService } from '../support/service.ts'

const keysSchema = v.object({
  data: v.array(v.looseObject({ id: v.number(), last_used_at: v.nullable(v.string()) })),
  pagination: v.looseObject({ has_more: v.boolean() }),
})

describeOnOneDatabase('an operator’s endpoint', (kind) => {
  const service = useService(kind)
  let admin: string
  beforeAll(async () => {
    admin = (await service.createKey({ role: 'admin', name: 'operator' })).secret
  })

  async function readKeys(query = '?per_page=100') {
    const response = await service.request(`/admin/keys${query}`, { key: admin })
    expect(response.status).toBe(200)
    return { ...v.parse(keysSchema, response.json()), headers: response.headers, text: response.text }
  }

  /** What no response to operators may contain. */
  async function listSecrets(keys: readonly string[]): Promise<string[]> {
    const hashes = await service.sql<{ hex: string; base64: string }[]>`
      select encode(hash, 'hex') as hex, encode(hash, 'base64') as base64 from api_key_secrets`
    return [...keys, ...hashes.flatMap(({ hex, base64 }) => [hex, base64])]
  }

  describe('GET /admin/keys', () => {
    test('lists keys with their balances and last use, never a key or its hash', async () => {
      const { secret, id } = await service.createKey({
        credits: 100,
        name: 'a dashboard',
        scopes: ['users:read'],
        rateLimit: { requests: 9, seconds: 60 },
        expiresAt: new Date('2099-01-01T00:00:00Z'),
      })
      const unused = (await readKeys()).data.find((key) => key.id === id)
      expect(unused).toEqual({
        id,
        name: 'a dashboard',
        role: 'user',
        scopes: ['users:read'],
        remaining_credits: 100,
        rate_limit: '9/60',
        notify_below: null,
        status: 'active',
        created_at: expect.stringMatching(/Z$/),
        expires_at: '2099-01-01T00:00:00.000Z',
        last_used_at: null,
      })
      await service.request('/users?per_page=7', { key: secret })
      await grantCredits(service.sql, id, 50)
      await setRateLimit(service.sql, id, null)
      await revokeKey(service.sql, id)
      const { data, text } = await readKeys()
      expect(data.find((key) => key.id === id)).toEqual({
        ...unused,
        remaining_credits: 143,
        rate_limit: null,
        status: 'revoked',
        last_used_at: expect.stringMatching(/Z$/),
      })
      const secrets = await listSecrets([secret, admin])
      expect(secrets.filter((each) => text.includes(each))).toEqual([])
    })

    test('says that a key has expired, and lists no deleted one', async () => {
      const expired = await service.createKey({ expiresAt: new Date(Date.now() - 1000) })
      const deleted = await service.createKey()
      await deleteKey(service.sql, deleted.id)
      const { data, headers } = await readKeys()
      expect(data.find(({ id }) => id === expired.id)).toMatchObject({ status: 'expired' })
      expect(data.find(({ id }) => id === deleted.id)).toBeUndefined()
      expect(headers.get('X-Total-Count')).toBe(String(data.length))
    })

    test('is a list like the others, with pages and Link, oldest first', async () => {
      for (let count = 0; count < 5; count++) await service.createKey()
      const { data } = await readKeys()
      const listed: number[] = []
      let next: string | undefined = '/admin/keys?per_page=2'
      while (next !== undefined) {
        const page = await readKeys(next.replace('/admin/keys', ''))
        listed.push(...page.data.map(({ id }) => id))
        expect(page.headers.get('X-Total-Count')).toBe(String(data.length))
        next = /<http:\/\/localhost([^>]*)>; rel="next"/.exec(page.headers.get('Link') ?? '')?.[1]
        expect(page.pagination.has_more).toBe(next !== undefined)
      }
      expect(listed).toEqual(data.map(({ id }) => id))
      expect(listed).toEqual([...listed].sort((a, b) => a - b))
      expect(new Set(listed).size).toBe(listed.length)
    })

    test('has each key once by next while keys are created and deleted', async () => {
      const keys: number[] = []
      for (let count = 0; count < 12; count++) keys.push((await service.createKey()).id)
      const met: number[] = []
      let next: string | undefined = `?per_page=3&after=${(keys[0] ?? 0) - 1}`
      for (let step = 0; next !== undefined && step < 50; step++) {
        const page = await readKeys(next)
        met.push(...page.data.map(({ id }) => id))
        next = /<[^>]*(\?[^>]*)>; rel="next"/.exec(page.headers.get('Link') ?? '')?.[1]
        if (step > 1) continue
        for (const id of met.slice(-2)) await deleteKey(service.sql, id)
        keys.push((await service.createKey()).id)
      }
      expect(met).toEqual(keys)
    })

    test('refuses invalid pages as every list does', async () => {
      for (const [query, error] of [
        [
          '?page=0',
          'Invalid page: must be an integer from 1 to 9007199254740991, digits only, no leading zeros',
        ],
        [
          '?per_page=101',
          'Invalid per_page: must be an integer from 1 to 100, digits only, no leading zeros',
        ],
        ['?after=0', 'Invalid after: must be an integer from 1 to 2147483647, digits only, no leading zeros'],
      ]) {
        const response = await service.request(`/admin/keys${query}`, { key: admin })
        expect([query, response.status, response.json()]).toEqual([query, 400, { error }])
      }
    })

    test('is not cached', async () => {
      expect((await readKeys()).headers.get('Cache-Control')).toBe('no-store')
    })
  })

  describe('GET /metrics', () => {
    async function readMetrics() {
      const response = await service.request('/metrics', { key: admin })
      expect(response.status).toBe(200)
      expect(response.headers.get('Content-Type')).toMatch(/^text\/plain/)
      return response.text
    }

    /** The value of a sample; 0 when there is none yet. */
    function findSample(text: string, sample: string): number {
      const line = text.split('\n').find((each) => each.startsWith(`${sample} `))
      return Number(line?.slice(sample.length) ?? 0)
    }

    test('counts requests by method, route and status, and the credits charged', async () => {
      const { secret } = await service.createKey({ credits: 100 })
      const before = await readMetrics()
      await service.request('/users?per_page=7', { key: secret })
      await service.request('/users/ngoldberg', { key: secret })
      await service.request('/users/GraceAbara', { key: secret })
      await service.request('/users/nobody-has-this-login', { key: secret })
      await service.request('/users/ngoldberg', { method: 'HEAD', key: secret })
      await service.request('/users/ngoldberg')
      const after = await readMetrics()
      const sample = (method: string, route: string, status: number) =>
        `devdata_requests_total{method="${method}",route="${route}",status="${status}"}`
      for (const [name, count] of [
        [sample('GET', '/users', 200), 1],
        [sample('GET', '/users/{login}', 200), 2],
        [sample('GET', '/users/{login}', 404), 1],
        [sample('HEAD', '/users/{login}', 200), 1],
        [sample('GET', '/users/{login}', 401), 1],
        ['devdata_credits_charged_total', 10],
        ['devdata_request_duration_seconds_count{route="/users/{login}"}', 5],
      ] as const) {
        expect([name, findSample(after, name) - findSample(before, name)]).toEqual([name, count])
      }
    })

    testInside('counts unknown methods as one', async () => {
      const before = await readMetrics()
      for (const method of ['BREW', 'FETCH-ME', 'users']) await service.request('/users', { method })
      const after = await readMetrics()
      const sample = 'devdata_requests_total{method="_OTHER",route="/users/*",status="405"}'
      expect(findSample(after, sample) - findSample(before, sample)).toBe(3)
      expect(after).not.toMatch(/BREW|FETCH-ME|method="users"/)
    })

    test('counts every error response by its code', async () => {
      const poor = (await service.createKey({ credits: 1 })).secret
      const narrow = (await service.createKey({ scopes: ['users:read'] })).secret
      const slow = (await service.createKey({ rateLimit: { requests: 1, seconds: 3600 } })).secret
      const before = await readMetrics()
      await service.request('/users')
      await service.request('/users', { key: crypto.randomUUID() })
      await service.request('/repos', { key: narrow })
      await service.request('/users', { key: poor })
      await service.request('/users', { key: narrow, headers: { 'Max-Credits': '2' } })
      for (let time = 0; time < 3; time++) await service.request('/users/ngoldberg', { key: slow })
      await service.request('/users?page=0', { key: narrow })
      await service.request('/users/nobody-has-this-login', { key: narrow })
      const after = await readMetrics()
      for (const [code, count] of [
        ['missing_authorization', 1],
        ['invalid_api_key', 1],
        ['insufficient_permissions', 1],
        ['insufficient_credits', 1],
        ['max_credits_exceeded', 1],
        ['rate_limit_exceeded', 2],
        ['invalid_parameter', 1],
        ['user_not_found', 1],
        ['over_capacity', 0],
        ['database_unavailable', 0],
      ] as const) {
        const sample = `devdata_errors_total{code="${code}"}`
        expect([code, findSample(after, sample) - findSample(before, sample)]).toEqual([code, count])
      }
    })

    test('has the ledger, the queue, the dataset and the process', async () => {
      const { secret } = await service.createKey()
      expect((await service.request('/users?per_page=1', { key: secret })).status).toBe(200)
      const after = await readMetrics()
      expect(findSample(after, 'devdata_requests_in_progress')).toBe(1)
      expect(after).toMatch(/^devdata_healthy 1$/m)
      expect(after).toMatch(/^devdata_queue_requests\{state="running"\} 0$/m) // a scrape doesn't wait for a turn
      expect(after).toMatch(/^devdata_queue_requests\{state="queued"\} 0$/m)
      expect(after).toMatch(/^devdata_ledger_requests\{state="queued"\} 0$/m)
      const dataset = await readDataset(service.sql)
      expect(findSample(after, 'devdata_dataset_version')).toBe(dataset.version)
      expect(findSample(after, 'devdata_dataset_updated_timestamp_seconds')).toBeCloseTo(
        Date.parse(dataset.updated_at) / 1000,
        2,
      )
      expect(findSample(after, 'process_resident_memory_bytes')).toBeGreaterThan(1e7)
      expect(after).toMatch(/^devdata_event_loop_delay_seconds\{quantile="0\.99"\} [\d.]+/m)
    })

    test('has the times of the last load and of the last refresh, even of one that changed nothing', async () => {
      const name = 'devdata_dataset_last_load_timestamp_seconds'
      await service.sql`delete from loads`
      const never = await readMetrics()
      expect(never).toContain(`# TYPE ${name} gauge`)
      expect(never).not.toMatch(new RegExp(`^${name} `, 'm'))
      await load(service, {})
      const after = await readMetrics()
      const loaded = await readDataset(service.sql)
      expect(findSample(after, name)).toBeCloseTo(Date.parse(loaded.loaded_at ?? '') / 1000, 2)
      const refresh = 'devdata_refresh_last_success_timestamp_seconds'
      expect(after).not.toMatch(new RegExp(`^${refresh} `, 'm'))
      await service.sql`update loads set covers_all = true`
      expect(findSample(await readMetrics(), refresh)).toBe(findSample(after, name))
      for (const unchanged of ['devdata_dataset_version', 'devdata_dataset_updated_timestamp_seconds']) {
        expect(findSample(after, unchanged)).toBe(findSample(never, unchanged))
      }
    })

    testInside('has how many notices wait for the webhook, and since when, if there is one', async () => {
      const scrape = async (options: InstanceOptions = {}) =>
        (await createInstance(service, options).request('/metrics', { key: admin })).text
      const webhook = { url: 'http://127.0.0.1:9/', secrets: [] }
      await service.sql`delete from notices`
      const none = await scrape({ webhook })
      expect(none).toMatch(/^devdata_notices_waiting 0$/m)
      expect(none).toMatch(/^devdata_notices_oldest_age_seconds 0$/m)
      await service.sql`
        insert into notices (kind, data, created_at, outcome)
        select 'load.applied', '{}', now() - make_interval(mins => minutes), outcome
        from (values (-5, null), (30, null), (60, 'delivered'), (10080, null)) rows (minutes, outcome)`
      const some = await scrape({ webhook })
      expect(some).toMatch(/^devdata_notices_waiting 2$/m) // not those of a week ago, which nobody sends
      expect(findSample(some, 'devdata_notices_oldest_age_seconds')).toBeGreaterThanOrEqual(1_800)
      await service.sql`delete from notices where created_at < now()`
      expect(await scrape({ webhook })).toMatch(/^devdata_notices_oldest_age_seconds 0$/m) // the clock was set back
      expect(await scrape()).not.toMatch(/^devdata_notices/m)
      await service.sql`delete from notices`
    })

    test('describes each metric, and the docs list them all', async () => {
      const text = await readMetrics()
      const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name)
      const page = await readFile(
        join(import.meta.dirname, '../../docs-site/src/content/docs/observing.md'),
        'utf8',
      )
      expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
      const promised = [...page.matchAll(/`((?:devdata|process)_[a-z_]+)`/g)].map(([, name = '']) => name)
      expect(promised.filter((name) => !names.includes(name))).toEqual([])
    })

    test('contains no key, no hash, no login, no address, and no unknown path', async () => {
      const { secret } = await service.createKey()
      const paths = [
        `/users/${secret}`,
        '/users/ngoldberg@example.org',
        '/repos/ngoldberg/x',
        `/${secret}`,
        '/made-up-path',
      ]
      for (const path of paths) await service.request(path, { key: secret })
      const text = await readMetrics()
      const secrets = await listSecrets([secret, admin, 'ngoldberg', '@example', 'made-up-path'])
      expect(secrets.filter((each) => text.includes(each))).toEqual([])
    })
  })
})
