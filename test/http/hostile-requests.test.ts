/**
 * No request of an HTTP client, however odd, is more than an error of the client (decisions/0005-http.md).
 *
 * @module-tag over-the-wire
 */
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { anyText, headerValue } from '../support/arbitraries.ts'
import { describeOnOneDatabase, liveRuntime, useService } from '../support/service.ts'

/** Parts of paths that are there, parts that never could be, and escapes that end nowhere. */
const segment = fc.oneof(
  fc.constantFrom('users', 'repos', 'commits', 'dependencies', 'yarrow-collective', 'monolith', 'ngoldberg'),
  fc.constantFrom(
    'docs',
    'api-docs',
    'api-key',
    'credits',
    'health',
    'version',
    'openapi.yml',
    'metrics',
    'admin',
    'keys',
  ),
  fc.constantFrom(
    '',
    '.',
    '..',
    '%2e%2e',
    '%2F',
    '%5C..',
    '%00',
    'a%00b',
    '%',
    '%2',
    '%zz',
    '%ff',
    '%c0%af',
    '%ed%a0%80',
    '%u0041',
  ),
  fc.constantFrom(
    ':login',
    '*',
    '{login}',
    '[^/]*',
    ';',
    '@',
    ':80',
    '&',
    '+',
    '__proto__',
    'constructor',
    'toString',
  ),
  anyText,
  anyText.map(encodeURIComponent),
  fc.integer({ min: 90, max: 5000 }).map((length) => 'a'.repeat(length)),
)

const anyPath = fc.oneof(
  fc.array(segment, { maxLength: 6 }).map((segments) => `/${segments.join('/')}`),
  fc.constantFrom(
    '/users',
    '/repos',
    '/repos/yarrow-collective/monolith/commits',
    '/repos/yarrow-collective/platform/dependencies',
    '/repos/yarrow-collective/platform/dependencies/blame',
    '/users/ngoldberg',
    '/repos/yarrow-collective/monolith',
  ),
)

const parameterName = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom('page', 'per_page', 'location', 'dependency_names', 'dependency_files'),
  },
  fc.constantFrom(
    '__proto__',
    'page[]',
    'page%5B0%5D',
    'location[]',
    'dependency_names%5B7%5D',
    '',
    '%',
    '%00',
  ),
  anyText,
)

const parameterValue = fc.oneof(
  anyText,
  anyText.map(encodeURIComponent),
  segment,
  fc.integer().map(String),
  fc.array(anyText, { maxLength: 60 }).map((entries) => entries.map(encodeURIComponent).join()),
  fc.integer({ min: 200, max: 40_000 }).map((length) => 'a'.repeat(length)),
  fc.constantFrom(
    "'; drop table users; --",
    '$1',
    '{}',
    '{"a"}',
    '\\',
    '%5C',
    '%27',
    '%22',
    'NULL',
    '1e400',
    '%F0%9F%8C%8D',
  ),
)

const anyQuery = fc
  .array(fc.tuple(parameterName, parameterValue), { maxLength: 5 })
  .map((pairs) => (pairs.length === 0 ? '' : `?${pairs.map((pair) => pair.join('=')).join('&')}`))

const headerName = fc.constantFrom(
  ...['Accept', 'Accept-Encoding', 'Accept-Language', 'Access-Control-Request-Method', 'Cache-Control'],
  ...['Content-Type', 'Cookie', 'Forwarded', 'Host', 'If-Match', 'If-Modified-Since', 'If-None-Match'],
  ...['Origin', 'Range', 'Upgrade', 'User-Agent', 'X-Forwarded-For', 'X-Forwarded-Host', 'X-Request-Id'],
)

const anyHeaders = fc.dictionary(
  headerName,
  fc.oneof(
    headerValue,
    fc.constantFrom(
      '*',
      'W/"',
      '"a',
      'gzip;q=x',
      'br;q=0, *',
      ';;q=1',
      'bytes=0-',
      'text/html',
      'null',
      '-1',
    ),
    fc.constantFrom('a'.repeat(10_000), '","'.repeat(3000), 'gzip,'.repeat(2000)),
  ),
  { maxKeys: 4 },
)

const anyMethod = fc.oneof(
  { weight: 6, arbitrary: fc.constant('GET') },
  fc.constantFrom('HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'x'),
)

/** Fewer runs over the wire, where each takes longer. */
const share = liveRuntime === undefined ? 1 : 0.1

describeOnOneDatabase('the service', (kind) => {
  const service = useService(kind)
  let keys: (string | undefined)[]
  beforeAll(async () => {
    keys = [
      (await service.createKey({ credits: 10_000_000 })).secret,
      (await service.createKey({ role: 'admin' })).secret,
      (await service.createKey({ credits: 0 })).secret,
      undefined,
    ]
  })

  test('responds to any path, query and headers as openapi.yml declares, never with a 5xx', async () => {
    const docsResponse = await service.request('/docs')
    const anyKey = fc.constantFrom(0, 0, 0, 1, 2, 3)
    await fc.assert(
      fc.asyncProperty(
        fc.record({ path: anyPath, query: anyQuery, headers: anyHeaders, method: anyMethod, key: anyKey }),
        async ({ path, query, headers, method, key }) => {
          // As it goes over the wire: what a URL can't hold is escaped, and dots are resolved.
          const url = new URL(`http://localhost${path.replaceAll(/[?#]/g, '')}${query.replaceAll('#', '')}`)
          const sent = `${url.pathname}${url.search}`
          const response = await service.request(sent, { method, headers, key: keys[key] })
          // Docs that are not built are unavailable (503), and this machine may not have built them.
          const isUnbuilt =
            response.status === 503 && docsResponse.status === 503 && /^\/(api-)?docs/.test(sent)
          expect([sent, response.status < 500 || isUnbuilt]).toEqual([sent, true])
        },
      ),
      { numRuns: 800 * share },
    )
  })

  test('responds with 401 to any Authorization header without a valid key', async () => {
    const scheme = fc.constantFrom('', 'Bearer ', 'bearer ', 'Bearer', 'Bearer  ', 'Basic ', 'Bearer\t')
    await fc.assert(
      fc.asyncProperty(scheme, headerValue, async (start, value) => {
        const response = await service.request('/users', { headers: { Authorization: `${start}${value}` } })
        expect(response.status).toBe(401)
      }),
      { numRuns: 150 * share },
    )
  })

  test('refuses a path that lacks a name with 400, says which, and responds to other unknown paths with 404, for free', async () => {
    const { secret, id } = await service.createKey({ credits: 10 })
    const errors = {
      'Login is missing': ['/users/', '/users/?page=2'],
      'Owner is missing': [
        '/repos/',
        '/repos//',
        '/repos//monolith',
        '/repos//a/commits',
        '/repos///dependencies',
      ],
      'Repository name is missing': ['/repos/a', '/repos/a/', '/repos/a//commits', '/repos/a//dependencies'],
      'Not found': [
        '/users/a/',
        '/users//',
        '/repos/a/b/',
        '/repos//a/b',
        '/repos/a//b',
        '/repos/a/b/commits/',
      ],
    }
    for (const [error, paths] of Object.entries(errors)) {
      for (const path of paths) {
        const { status, json } = await service.request(path, { key: secret })
        expect([path, status, json()]).toEqual([path, error === 'Not found' ? 404 : 400, { error }])
      }
    }
    expect((await service.readLedger(id)).charged).toBe(0)
  })

  test('refuses a NUL or malformed percent-encoding anywhere in the URL with 400, for free', async () => {
    const { secret, id } = await service.createKey({ credits: 10 })
    for (const [part, error] of [
      ['%00', 'Invalid URL: NUL character'],
      ['a%00b', 'Invalid URL: NUL character'],
      ['%', 'Invalid URL: malformed percent-encoding'],
      ['%2', 'Invalid URL: malformed percent-encoding'],
      ['%zz', 'Invalid URL: malformed percent-encoding'],
      ['%ff', 'Invalid URL: malformed percent-encoding'],
      ['%c0%af', 'Invalid URL: malformed percent-encoding'],
      ['%ed%a0%80', 'Invalid URL: malformed percent-encoding'],
    ] as const) {
      for (const url of [
        `/users/${part}`,
        `/repos/${part}/monolith`,
        `/repos/yarrow-collective/${part}`,
        `/repos/yarrow-collective/${part}/commits`,
        `/repos/yarrow-collective/monolith/${part}`,
        `/users?location=${part}`,
        `/users?unknown=${part}`,
        `/users?${part}`,
        `/users/ngoldberg?${part}=1`,
        `/repos?dependency_names=${part}`,
        `/repos/yarrow-collective/monolith/dependencies?page=${part}`,
        `/api-key/credits?${part}`,
        `/no/such/path/${part}`,
        `/no/such/path?${part}`,
        `/health?${part}`,
        `/version?x=${part}`,
        `/openapi.yml?${part}`,
      ]) {
        const response = await service.request(url, { key: secret })
        expect([url, response.status, response.json()]).toEqual([url, 400, { error }])
      }
    }
    expect((await service.readLedger(id)).charged).toBe(0)
  })
})
