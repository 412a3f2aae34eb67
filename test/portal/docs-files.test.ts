/** The files of the docs, as HTTP has them: types, encodings, caching. */
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { hashInlineScripts } from '../../api/portal/content-security-policy.ts'
import type { BuiltDocs } from '../../api/portal/docs-manifest.ts'
import { serveDocs } from '../support/docs.ts'
import type { Instance } from '../support/instance.ts'
import { useStarted } from '../support/suite.ts'

const docs = useStarted(serveDocs)
let instance: Instance
let app: Instance['app']
let manifest: BuiltDocs
beforeAll(async () => {
  instance = docs.instance
  app = instance.app
  manifest = docs.manifest
})

function findFile(pattern: RegExp): string {
  const name = Object.keys(manifest.files).find((file) => pattern.test(file))
  if (!name) throw new Error(`the build has no file like ${pattern}`)
  return name
}

describe('GET /docs/*', () => {
  test('responds with 404 to a path without a file: to browsers with the site’s own page, to others with an error body', async () => {
    for (const path of [
      '/docs/no-such-page',
      '/docs/no-such-page/',
      '/docs/no/such/page',
      '/docs/404',
      '/docs/404.html',
      '/docs/manifest.json',
    ]) {
      const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
      const page = await instance.request(path, { headers: { Accept: accept } })
      expect([path, page.status]).toEqual([path, 404])
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(page.headers.get('vary')).toMatch(/\baccept\b/i)
      expect(page.text).toContain('<title>404')
      for (const headers of [{}, { Accept: '*/*' }, { Accept: 'application/json' }] as Record<
        string,
        string
      >[]) {
        const response = await instance.request(path, { headers })
        expect([path, response.status, response.json()]).toEqual([path, 404, { error: 'Not found' }])
        expect(response.headers.get('vary')).toMatch(/\baccept\b/i)
      }
    }
  })

  test('never leaves the folder, and refuses paths that no file could have', async () => {
    await writeFile(join(manifest.directory, '..', 'outside.txt'), 'not for readers')
    try {
      for (const path of [
        '/docs/../outside.txt',
        '/docs/%2e%2e/outside.txt',
        '/docs/..%2foutside.txt',
        '/docs/%2e%2e%2foutside.txt',
        '/docs/..%5coutside.txt',
        '/docs/..\\outside.txt',
        '/docs/_astro/..%2f..%2foutside.txt',
        '/docs/%252e%252e/outside.txt',
        '/docs//outside.txt',
        '/docs/constructor',
        '/docs/__proto__',
      ]) {
        const response = await app.request(path)
        expect([path, [400, 404].includes(response.status)]).toEqual([path, true])
        expect(await response.text()).not.toContain('not for readers')
      }
    } finally {
      await rm(join(manifest.directory, '..', 'outside.txt'))
    }
    for (const [path, error] of [
      ['/docs/%00', 'Invalid URL: NUL character'],
      ['/docs/index.html%00', 'Invalid URL: NUL character'],
      ['/docs/%', 'Invalid URL: malformed percent-encoding'],
      ['/docs/%zz', 'Invalid URL: malformed percent-encoding'],
      ['/docs/%c3%28', 'Invalid URL: malformed percent-encoding'],
      ['/docs/a%5cb', 'Invalid path'],
    ] as const) {
      const response = await instance.request(path)
      expect([path, response.status, response.json()]).toEqual([path, 400, { error }])
    }
  })

  test('gives each file its content type', async () => {
    const types = [
      [/^_astro\/.*\.js$/, 'text/javascript; charset=utf-8'],
      [/^_astro\/.*\.css$/, 'text/css; charset=utf-8'],
      [/^favicon\.svg$/, 'image/svg+xml; charset=utf-8'],
      [/^pagefind\/pagefind-entry\.json$/, 'application/json'],
      [/^pagefind\/wasm\..*$/, 'application/octet-stream'],
    ] as const
    for (const [pattern, type] of types) {
      const response = await app.request(`/docs/${findFile(pattern)}`)
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toBe(type)
    }
  })

  test('sends brotli or gzip where the reader takes it, and the plain file otherwise', async () => {
    const request = async (accepted: string) => {
      const response = await app.request('/docs/quickstart', { headers: { 'accept-encoding': accepted } })
      expect(response.status).toBe(200)
      expect(response.headers.get('vary')).toMatch(/accept-encoding/i)
      const body = Buffer.from(await response.arrayBuffer())
      expect(response.headers.get('content-length')).toBe(String(body.byteLength))
      return { body, encoding: response.headers.get('content-encoding'), etag: response.headers.get('etag') }
    }
    const plain = await request('identity')
    const brotli = await request('gzip, deflate, br, zstd')
    const gzip = await request('gzip, br;q=0')
    expect([plain.encoding, brotli.encoding, gzip.encoding]).toEqual([null, 'br', 'gzip'])
    expect((await request('deflate')).encoding).toBeNull()
    expect(brotliDecompressSync(brotli.body)).toEqual(plain.body)
    expect(gunzipSync(gzip.body)).toEqual(plain.body)
    expect(brotli.body.byteLength).toBeLessThan(plain.body.byteLength / 3)
    expect(new Set([plain.etag, brotli.etag, gzip.etag]).size).toBe(3)
  })

  test('responds with 304 to the ETag of the same encoding', async () => {
    const headers = { 'accept-encoding': 'br' }
    const etag = (await app.request('/docs/credits', { headers })).headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[^"]+"$/)
    for (const tags of [etag, `W/${etag}`, `"other", ${etag}`, etag.replace(/"$/, '-gzip"'), '*']) {
      const response = await app.request('/docs/credits', { headers: { ...headers, 'if-none-match': tags } })
      expect([tags, response.status]).toEqual([tags, 304])
      expect(response.headers.get('etag')).toBe(etag)
      expect(await response.text()).toBe('')
    }
    const gzip = await app.request('/docs/credits', { headers: { 'accept-encoding': 'gzip' } })
    const otherTag = gzip.headers.get('etag') ?? ''
    expect(otherTag).toMatch(/-gzip"$/)
    const other = await app.request('/docs/credits', { headers: { ...headers, 'if-none-match': otherTag } })
    expect(other.status).toBe(200)
  })

  test('lets caches keep hashed assets for a year, and makes them revalidate pages', async () => {
    const headers = { accept: 'text/html,*/*' }
    const cacheControl = async (path: string) =>
      (await app.request(path, { headers })).headers.get('cache-control')
    const year = 'public, max-age=31536000, immutable'
    expect(await cacheControl('/docs')).toBe('no-cache')
    expect(await cacheControl('/docs/no-such-page')).toBe('no-cache')
    expect(await cacheControl('/docs/favicon.svg')).toBe('no-cache')
    expect(await cacheControl(`/docs/${findFile(/^pagefind\/pagefind\.js$/)}`)).toBe('no-cache')
    expect(await cacheControl(`/docs/${findFile(/^_astro\/.*\.css$/)}`)).toBe(year)
    expect(await cacheControl(`/docs/${findFile(/^pagefind\/fragment\//)}`)).toBe(year)
    expect(await cacheControl('/api-docs')).toBe('no-cache')
  })

  test('responds to HEAD with the headers of GET and no body', async () => {
    const [head, get] = await Promise.all([app.request('/docs/', { method: 'HEAD' }), app.request('/docs/')])
    expect(head.status).toBe(200)
    expect(await head.text()).toBe('')
    const listHeaders = ({ headers }: Response) => [...headers].filter(([name]) => name !== 'x-request-id')
    expect(listHeaders(head)).toEqual(listHeaders(get))
  })

  test('names by hash every script that stands in a page', async () => {
    for (const name of Object.keys(manifest.files).filter((file) => file.endsWith('.html'))) {
      const response = await app.request(`/docs/${name}`)
      const policy = response.headers.get('content-security-policy') ?? ''
      expect(policy).toContain("default-src 'none'")
      expect(policy).not.toMatch(/script-src[^;]*'unsafe-inline'/)
      for (const hash of hashInlineScripts(await response.text())) expect(policy).toContain(hash)
    }
  })
})
