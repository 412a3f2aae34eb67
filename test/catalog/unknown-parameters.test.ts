/**
 * Parameters that an endpoint doesn't have are refused, because a filter that is ignored would cost the caller a list
 * of everything (decisions/0003-lists.md).
 */
import { expect, test } from 'vitest'
import { describeOnOneDatabase, useService } from '../support/service.ts'

const repository = '/repos/yarrow-collective/monolith'
const ofUsers =
  'location, company, country, dependency_names, dependency_match, without_dependency_names, dependency_files, dependency_status, first_use_since, first_use_until, last_use_since, last_use_until, type, has, email_domain, min_followers, active_since, contributed_to, changed_since, logins, forge_rest_ids, sort, page, per_page, after'
const ofRepositories =
  'owner, contributor, dependency_names, dependency_match, without_dependency_names, dependency_files, dependency_status, first_use_since, first_use_until, last_use_since, last_use_until, language, license, min_stars, min_forks, fork, archived, pushed_since, changed_since, full_names, forge_rest_ids, sort, exclude, page, per_page, after'

describeOnOneDatabase('an unknown parameter', (kind) => {
  const service = useService(kind, { key: { credits: 1_000 } })

  const readError = async (url: string) => {
    const response = await service.request(url, { key: service.key })
    return [response.status, response.headers.get('X-Error-Code'), response.json()]
  }

  test.for<[name: string, nearest: string]>([
    ['dependency_name', 'dependency_names'],
    ['dependency_names[a]', 'dependency_names'],
    ['dependency_names[0][1]', 'dependency_names'],
    ['dependency_status[]', 'dependency_status'],
    ['dependencyNames', 'dependency_names'],
    ['dependency-names', 'dependency_names'],
    ['DEPENDENCY_NAMES', 'dependency_names'],
    ['depedency_names', 'dependency_names'],
    ['dependancy_names', 'dependency_names'],
    ['dependency_file', 'dependency_files'],
    ['dependency_statuses', 'dependency_status'],
    ['perPage', 'per_page'],
    ['per-page', 'per_page'],
    ['perpage', 'per_page'],
    ['per_pages', 'per_page'],
    ['Page', 'page'],
    ['page[]', 'page'],
    ['per_page[0]', 'per_page'],
    ['paeg', 'page'],
    ['Location', 'location'],
    ['locations', 'location'],
    ['location ', 'location'],
    ['locaiton', 'location'],
    ['Company', 'company'],
    ['changedSince', 'changed_since'],
    ['change_since', 'changed_since'],
    ['After', 'after'],
  ])('that is nearly one of the endpoint is 400, which names it: %s, %s', async ([name, nearest]) => {
    const query = new URLSearchParams({ per_page: '5', [name]: 'react' })
    expect(await readError(`/users?${query}`)).toEqual([
      400,
      'invalid_parameter',
      { error: `Unknown parameter: ${name}; did you mean ${nearest}?` },
    ])
  })

  test.for<[path: string, name: string, all: string]>([
    ['/users', 'order', ofUsers],
    ['/users', 'limit', ofUsers],
    ['/users', 'offset', ofUsers],
    ['/users', 'q', ofUsers],
    ['/users', 'dependency', ofUsers],
    ['/users', 'names', ofUsers],
    ['/users', 'owner', ofUsers],
    ['/users', 'exclude', ofUsers],
    ['/users', '', ofUsers],
    ['/users', '東京', ofUsers],
    ['/repos', 'location', ofRepositories],
    ['/repos', 'lang', ofRepositories],
    [`${repository}/commits`, 'since', 'page, per_page, after'],
    [`${repository}/dependencies`, 'dependency_names', 'page, per_page, after'],
    [`${repository}/dependencies/blame`, 'dependency_names', 'page, per_page, after'],
    ['/removals', 'id', 'since, page, per_page, after'],
    ['/api-key/usage', 'id', 'day, page, per_page, after'],
    ['/api-key/usage/days', 'from', 'day, page, per_page, after'],
    ['/users/ngoldberg', 'page', 'no parameters'],
    [repository, 'fields', 'no parameters'],
    ['/api-key/credits', 'page', 'no parameters'],
    ['/api-key/connections', 'page', 'no parameters'],
  ])('that is none of the endpoint is 400, which lists all: %s?%s', async ([path, name, all]) => {
    const query = new URLSearchParams([[name, '1']])
    expect(await readError(`${path}?${query}`)).toEqual([
      400,
      'invalid_parameter',
      { error: `Unknown parameter: ${name}; this endpoint has ${all}` },
    ])
  })

  test('is named in the message, up to 50 characters', async () => {
    for (const [name, shown] of [
      ['x'.repeat(50), 'x'.repeat(50)],
      ['x'.repeat(51), `${'x'.repeat(50)}…`],
      ['🌍'.repeat(50), '🌍'.repeat(50)],
      ['🌍'.repeat(51), `${'🌍'.repeat(50)}…`],
      ['é'.repeat(5_000), `${'é'.repeat(50)}…`],
    ] as const) {
      const [, , body] = await readError(`/users?${encodeURIComponent(name)}=1`)
      expect(body).toEqual({ error: `Unknown parameter: ${shown}; this endpoint has ${ofUsers}` })
    }
  })

  test('is the first thing that the message says of a query with several mistakes', async () => {
    const [, , body] = await readError('/users?page=0&location=a&limit=3&per_page=1000&dependency_name=x')
    expect(body).toEqual({ error: `Unknown parameter: limit; this endpoint has ${ofUsers}` })
  })

  test('costs nothing, and quotes are refused like requests', async () => {
    const before = await service.readLedger(service.keyId)
    for (const path of ['/users', '/users/ngoldberg', '/repos', repository, `${repository}/commits`]) {
      for (const method of ['GET', 'HEAD']) {
        const response = await service.request(`${path}?dependency_name=react`, { key: service.key, method })
        expect([path, method, response.status]).toEqual([path, method, 400])
        expect(response.headers.get('X-Credits-Cost')).toBe('0')
        expect(response.headers.get('X-Credits-Remaining')).toBe('1000')
        expect(response.headers.get('Link')).toBeNull()
      }
    }
    expect(await service.readLedger(service.keyId)).toEqual(before)
  })

  test('is refused after authentication and permission, and counts against the rate limit', async () => {
    expect((await service.request('/users?limit=1')).status).toBe(401)
    const narrow = await service.createKey({ scopes: ['repos:read'] })
    expect((await service.request('/users?limit=1', { key: narrow.secret })).status).toBe(403)
    const { secret } = await service.createKey({ rateLimit: { requests: 3, seconds: 600 } })
    for (const [path, status] of [
      ['/users?limit=1', 400],
      ['/api-key/credits?limit=1', 400],
      ['/users/ngoldberg?limit=1', 400],
      ['/users?limit=1', 429],
    ]) {
      expect((await service.request(String(path), { key: secret })).status).toBe(status)
    }
  })

  test('does not matter on public paths, as probes and caches need it', async () => {
    for (const path of ['/health', '/version', '/openapi.json']) {
      const plain = await service.request(path)
      const response = await service.request(`${path}?cache=1&page=x&page=y&perPage=3`)
      expect([path, response.status]).toEqual([path, plain.status])
    }
  })

  test('is refused for operators too', async () => {
    const admin = await service.createKey({ role: 'admin' })
    for (const path of ['/metrics', '/admin/keys', '/users']) {
      expect((await service.request(`${path}?limit=1`, { key: admin.secret })).status).toBe(400)
    }
  })
})
