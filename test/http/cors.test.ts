/**
 * Which responses scripts of other origins may read (decisions/0005-http.md).
 *
 * @module-tag over-the-wire
 */
import { describe, expect, test } from 'vitest'
import { contract } from '../support/contract.ts'
import { requestEachStatus } from '../support/each-response.ts'
import { createInstance } from '../support/instance.ts'
import { anyDatabase, testInside, useService } from '../support/service.ts'

describe('another origin', () => {
  const service = useService(anyDatabase, { key: {} })

  test('may read every response of the API, errors included, and no page', async () => {
    for (const { status, headers } of await requestEachStatus(service, service.key)) {
      const isPage = status === 302 // the redirect to the docs
      expect([status, headers.get('Access-Control-Allow-Origin')]).toEqual([status, isPage ? null : '*'])
      expect(headers.has('Access-Control-Allow-Credentials')).toBe(false)
    }
  })

  test.each([
    '/',
    '/docs',
    '/docs/',
    '/docs/quickstart',
    '/docs/no-such-page',
    '/docs/llms.txt',
    '/docs/a%5Cb',
    '/%64ocs',
    '/api-docs',
    '/api-docs/',
    '/llms.txt',
    '/robots.txt',
  ])('may not read the page %s', async (path) => {
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST']) {
      const { headers } = await service.request(path, { method })
      const crossOrigin = [...headers.keys()].filter((name) => name.startsWith('access-control-'))
      expect([method, crossOrigin]).toEqual([method, []])
      expect(headers.get('Cross-Origin-Resource-Policy')).toBe('same-origin')
    }
  })

  testInside('may not read a page under an escaped path either', async () => {
    const response = await createInstance(service).app.request('/%61pi-docs')
    expect([response.status, response.headers.get('Access-Control-Allow-Origin')]).toEqual([200, null])
  })

  test('may read all headers that openapi.yml names', async () => {
    const names: Record<string, string> = {
      FileETag: 'ETag',
      LinkOfPages: 'Link',
      RedirectLocation: 'Location',
    }
    const named = Object.keys(contract.components.headers).map((name) => names[name] ?? name)
    const safelisted = ['cache-control', 'location'] // location: redirects are followed by the browser itself
    const wanted = named.map((name) => name.toLowerCase()).filter((name) => !safelisted.includes(name))
    for (const path of ['/users', '/no-such-path']) {
      const { headers } = await service.request(path, { key: service.key })
      const exposed = (headers.get('Access-Control-Expose-Headers') ?? '').toLowerCase().split(/\s*,\s*/)
      expect(exposed).toEqual(expect.arrayContaining(wanted))
    }
  })

  test.each(['/users', '/repos/a/b', '/api-key/credits', '/health', '/no-such-path'])(
    'gets a preflight of %s without a key',
    async (path) => {
      const response = await service.request(path, {
        method: 'OPTIONS',
        headers: {
          Origin: 'https://elsewhere.example',
          'Access-Control-Request-Method': 'GET',
          'Access-Control-Request-Headers': 'authorization,if-none-match',
        },
      })
      expect([response.status, response.text]).toEqual([204, ''])
      expect(response.headers.get('Allow')).toBe('GET, HEAD, OPTIONS')
      expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
      const methods = response.headers.get('Access-Control-Allow-Methods') ?? ''
      expect(methods.split(',').sort()).toEqual(['GET', 'HEAD', 'OPTIONS'])
      const allowed = (response.headers.get('Access-Control-Allow-Headers') ?? '').toLowerCase().split(',')
      expect(allowed.sort()).toEqual(['authorization', 'idempotency-key', 'if-none-match', 'max-credits'])
    },
  )
})
