/** `BASE_URL`: where routes are, and which URLs links have (decisions/0005-http.md). */
import { describe, expect, test } from 'vitest'
import { createInstance, type Instance } from '../support/instance.ts'
import { anyDatabase, useService } from '../support/service.ts'

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

describe('the service', () => {
  const service = useService(anyDatabase, { key: {} })

  /** Reads the targets of Link, the redirect of /, and the servers of the document. */
  async function readUrls(instance: Instance, origin: string, headers: Record<string, string> = {}) {
    const authorization = { Authorization: `Bearer ${service.key}` }
    const list = await instance.app.request(`${origin}/users?per_page=100`, {
      headers: { ...authorization, ...headers },
    })
    const targets = [...(list.headers.get('Link') ?? '').matchAll(/<([^>]*)>/g)].map(([, url]) => url)
    const home = await instance.app.request(`${origin}/`, { headers })
    const document = await instance.app.request(`${origin}/openapi.json`, { headers })
    const { servers } = (await document.json()) as { servers: unknown }
    return { targets, home: home.headers.get('Location'), servers }
  }

  test.each(['http://localhost', 'http://127.0.0.1:8123', 'https://other.example:8443'])(
    'links to the request’s own scheme and host without BASE_URL: %s',
    async (origin) => {
      const instance = createInstance(service)
      const forwarded = {
        'X-Forwarded-Host': 'evil.example',
        'X-Forwarded-Proto': 'gopher',
        'X-Forwarded-Port': '666',
        'X-Forwarded-Prefix': '/evil',
        'X-Original-Host': 'evil.example',
        Forwarded: 'host=evil.example;proto=gopher',
      }
      for (const headers of [{}, forwarded]) {
        const urls = await readUrls(instance, origin, headers)
        expect(urls.targets).toEqual([
          `${origin}/users?page=1&per_page=100`,
          `${origin}/users?page=2&per_page=100&after=100`,
          `${origin}/users?page=3&per_page=100`,
        ])
        expect(urls.home).toBe(`${origin}/docs`)
        expect(urls.servers).toEqual([expect.objectContaining({ url: origin })])
      }
    },
  )

  const baseUrl = 'https://api.example.com/public-api'

  test('links to the origin and path of BASE_URL, whatever Host a request has', async () => {
    const instance = createInstance(service, { baseUrl })
    const urls = await readUrls(instance, 'http://10.0.0.1:8000/public-api', {
      'X-Forwarded-Host': 'evil.example',
    })
    expect(urls.targets).toEqual([
      `${baseUrl}/users?page=1&per_page=100`,
      `${baseUrl}/users?page=2&per_page=100&after=100`,
      `${baseUrl}/users?page=3&per_page=100`,
    ])
    expect(urls.home).toBe(`${baseUrl}/docs`)
    expect(urls.servers).toEqual([expect.objectContaining({ url: baseUrl })])
  })

  test('has every route below the path of BASE_URL, and nothing beside it', async () => {
    const instance = createInstance(service, { baseUrl })
    for (const [path, status] of [
      ['/users', 200],
      ['/users/ngoldberg', 200],
      ['/repos', 200],
      ['/api-key/credits', 200],
      ['/health', 200],
      ['/version', 200],
      ['/openapi.yml', 200],
      ['/openapi.json', 200],
      ['/metrics', 403],
      ['/admin/keys', 403],
      ['/', 302],
      ['/no-such-path', 404],
    ] as const) {
      const response = await instance.request(path, { key: service.key })
      expect([path, response.status]).toEqual([path, status])
      const beside = await instance.app.request(`https://api.example.com${path}`, {
        headers: { Authorization: `Bearer ${service.key}` },
      })
      expect([path, beside.status, await beside.json()]).toEqual([path, 404, { error: 'Not found' }])
      expect(beside.headers.get('X-Request-Id')).toMatch(uuid)
    }
    const yaml = await instance.request('/openapi.yml')
    expect(yaml.text).toContain(`- url: ${baseUrl}\n`)
    expect(yaml.text).not.toContain('http://127.0.0.1:8000')
  })

  test('redirects from BASE_URL to the docs, with and without a slash', async () => {
    const instance = createInstance(service, { baseUrl })
    for (const url of [baseUrl, `${baseUrl}/`, `${baseUrl}?from=a-mail`]) {
      const response = await instance.app.request(url)
      expect([url, response.status, response.headers.get('Location')]).toEqual([url, 302, `${baseUrl}/docs`])
    }
  })

  test('tells browsers to use HTTPS from then on if BASE_URL does', async () => {
    const response = await createInstance(service, { baseUrl }).request('/health')
    expect(response.headers.get('Strict-Transport-Security')).toMatch(/^max-age=\d+/)
  })
})
