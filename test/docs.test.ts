import { createHash } from 'node:crypto'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { settingNames } from '../api/config.ts'
import type { Database } from '../api/database/database.ts'

import { type BuiltDocs, docsDirectory, findDocs, nameDocsPointer } from '../api/docs/docs-manifest.ts'
import type { HonoEnvironment } from '../api/http/request-context.ts'
import { isTrial } from '../api/service/trial.ts'
import { createBaseUrlPlugin } from '../docs-site/base-url.ts'
import { buildDocs, hashInlineScripts } from '../docs-site/build.ts'
import { createInstance, type Instance, openAbsentDatabase } from './support/instance.ts'

/** The docs are there without a database. */
let database: Database
let instance: Instance
let app: Hono<HonoEnvironment>
let manifest: BuiltDocs
let scratch: string

beforeAll(async () => {
  await buildDocs({ ifStale: true })
  const built = await findDocs(docsDirectory)
  if (!built) throw new Error('the build left no docs')
  manifest = built
  scratch = await mkdtemp(join(tmpdir(), 'devdata-docs-'))
  database = await openAbsentDatabase()
  instance = createInstance(database)
  app = instance.app
})

afterAll(async () => {
  await database.close()
  await rm(scratch, { recursive: true, force: true })
})

function findFile(pattern: RegExp): string {
  const name = Object.keys(manifest.files).find((file) => pattern.test(file))
  if (!name) throw new Error(`the build has no file like ${pattern}`)
  return name
}

describe('GET /docs', () => {
  test('answers 200 itself with the home page, with and without a slash', async () => {
    const response = await app.request('/docs')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const home = await response.text()
    expect(home).toMatch(/<h1[^>]*>devdata<\/h1>/)
    expect(await (await app.request('/docs/')).text()).toBe(home)
  })

  test('answers every page with and without a slash', async () => {
    const pages = Object.keys(manifest.files).filter((name) => name.endsWith('/index.html'))
    expect(pages.length).toBeGreaterThanOrEqual(12)
    for (const page of pages) {
      const path = `/docs/${page.slice(0, -'/index.html'.length)}`
      const [bare, slashed] = await Promise.all([app.request(path), app.request(`${path}/`)])
      expect([path, bare.status, slashed.status]).toEqual([path, 200, 200])
      expect(await bare.text()).toBe(await slashed.text())
    }
  })

  test('has every page and anchor that its pages link to', async () => {
    const texts = new Map<string, string>()
    for (const name of Object.keys(manifest.files).filter((file) => file.endsWith('.html'))) {
      texts.set(name, await readFile(join(manifest.directory, name), 'utf8'))
    }
    const besideDocs = ['/api-docs', '/openapi.yml', '/openapi.json', '/.well-known/api-catalog']
    const dead: string[] = []
    let count = 0
    for (const [name, text] of texts) {
      for (const [, address = ''] of text.matchAll(/\s(?:href|src)="([^"]*)"/g)) {
        if (/^(https?:|mailto:|data:)/.test(address)) continue
        count += 1
        const url = new URL(address, `http://localhost/docs/${name}`)
        if (besideDocs.includes(url.pathname)) continue
        const file = url.pathname.replace(/^\/docs\//, '').replace(/(^|\/)$/, '$1index.html')
        const target = texts.get(file)
        const anchor = decodeURIComponent(url.hash.slice(1))
        const exists = url.pathname.startsWith('/docs/') && Object.hasOwn(manifest.files, file)
        if (!exists || (anchor && target && !target.includes(`id="${anchor}"`))) {
          dead.push(`${name}: ${address}`)
        }
      }
    }
    expect(count).toBeGreaterThan(200)
    expect(dead).toEqual([])
  })

  test('shows the origin by which it was asked, in pages, Markdown and llms.txt, compressed or not', async () => {
    const decode = { br: brotliDecompressSync, gzip: gunzipSync, identity: (body: Buffer) => body }
    for (const path of [
      '/docs/quickstart/',
      '/docs/quickstart.md',
      '/docs/llms.txt',
      '/docs/llms-full.txt',
    ]) {
      const tags = new Set<string>()
      for (const origin of ['http://127.0.0.1:4321', 'http://[::1]:8000', 'https://devdata.example']) {
        for (const [encoding, read] of Object.entries(decode)) {
          const headers = { 'accept-encoding': encoding }
          const answer = await app.request(`${origin}${path}`, { headers })
          expect([answer.status, answer.headers.get('content-encoding') ?? 'identity']).toEqual([
            200,
            encoding,
          ])
          const body = Buffer.from(await answer.arrayBuffer())
          expect(answer.headers.get('content-length')).toBe(String(body.byteLength))
          const text = read(body).toString()
          expect(text).toContain(
            path.includes('quickstart') ? `${origin}/users?location=berlin` : `${origin}/docs/`,
          )
          expect(text).not.toMatch(/\{base_url\}|origin\.invalid|127\.0\.0\.1:8000/)
          // The tag names this text in this encoding, and no other.
          const tag = answer.headers.get('etag') ?? ''
          tags.add(tag)
          const again = await app.request(`${origin}${path}`, {
            headers: { ...headers, 'if-none-match': tag },
          })
          expect(again.status).toBe(304)
        }
      }
      expect(tags.size).toBe(9)
    }
  })

  test('shows BASE_URL, whatever the request says, where that has no path and nothing was built for it', async () => {
    const baseUrl = 'https://api.example.com'
    const { app } = createInstance(database, { baseUrl })
    const text = await (await app.request('http://other.example/docs/quickstart.md')).text()
    expect(text).toContain(`"${baseUrl}/users?location=berlin`)
    expect(text).not.toContain('other.example')
  })

  test('leaves samples out of the search', async () => {
    const fragments = Object.keys(manifest.files).filter((name) => name.startsWith('pagefind/fragment/'))
    expect(fragments.length).toBeGreaterThan(50)
    for (const name of fragments) {
      const text = gunzipSync(await readFile(join(manifest.directory, name))).toString()
      expect([
        name,
        text.match(/origin\.invalid|Authorization: Bearer \$API_KEY|import requests/)?.[0],
      ]).toEqual([name, undefined])
    }
  })

  test('names each setting on the settings page, and no other', async () => {
    const page = await (await app.request('/docs/settings')).text()
    const rows = [...page.matchAll(/<tr>\s*<td><code[^>]*>([A-Z_]+)<\/code><\/td>/g)].map(([, name]) => name)
    expect(rows.sort()).toEqual([...settingNames].sort())
  })

  test('loads nothing from another host', async () => {
    for (const name of Object.keys(manifest.files).filter((file) => file.endsWith('.html'))) {
      const text = await readFile(join(manifest.directory, name), 'utf8')
      expect(text).not.toMatch(/<(script|img|iframe)[^>]+src="(https?:)?\/\//)
      expect(text).not.toMatch(
        /<link[^>]+rel="(stylesheet|preload|preconnect|icon|shortcut icon)"[^>]+href="(https?:)?\/\//,
      )
    }
  })
})

describe('GET /docs/*', () => {
  test('answers 404 for what is not there: browsers get the site’s own page, everybody else an error body', async () => {
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
        const answer = await instance.request(path, { headers })
        expect([path, answer.status, answer.json()]).toEqual([path, 404, { error: 'Not found' }])
        expect(answer.headers.get('vary')).toMatch(/\baccept\b/i)
      }
    }
  })

  test('never leaves the folder, and refuses addresses that no file could have', async () => {
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
      ['/docs/%', 'Invalid URL: broken percent-escape'],
      ['/docs/%zz', 'Invalid URL: broken percent-escape'],
      ['/docs/%c3%28', 'Invalid URL: broken percent-escape'],
      ['/docs/a%5cb', 'Invalid path'],
    ] as const) {
      const answer = await instance.request(path)
      expect([path, answer.status, answer.json()]).toEqual([path, 400, { error }])
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

  test('answers 304 to the ETag of the same encoding', async () => {
    const headers = { 'accept-encoding': 'br' }
    const etag = (await app.request('/docs/credits', { headers })).headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[^"]+"$/)
    for (const tags of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const response = await app.request('/docs/credits', { headers: { ...headers, 'if-none-match': tags } })
      expect([tags, response.status]).toEqual([tags, 304])
      expect(response.headers.get('etag')).toBe(etag)
      expect(await response.text()).toBe('')
    }
    const other = await app.request('/docs/credits', { headers: { 'if-none-match': etag } })
    expect(other.status).toBe(200)
  })

  test('lets hashed assets be kept for a year and has pages asked for again', async () => {
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
    expect(await cacheControl(`/docs/${findFile(/^_viewer\/.*\/standalone/)}`)).toBe(year)
  })

  test('answers HEAD with the headers of GET and no body', async () => {
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

/** Where a page's links and its scripts lead, seen from the page's own address. */
function readAddresses(html: string, page: string): Set<string> {
  const found = html.matchAll(/(?:src|href)="([^"#]+)"/g)
  return new Set([...found].map(([, link = '']) => new URL(link, page).href))
}

describe('the docs folder', () => {
  test('is 503 with an error body that says what to do while it is not built', async () => {
    const empty = createInstance(database, { docsDirectory: join(scratch, 'nothing-here') })
    for (const path of ['/docs', '/docs/quickstart', '/api-docs']) {
      const answer = await empty.request(path)
      expect([path, answer.status, answer.json()]).toEqual([
        path,
        503,
        { error: 'The documentation is not built; run: npm run docs' },
      ])
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    }
  })

  test('is served under the path of BASE_URL, and is 503 while it is built for others alone', async () => {
    const directory = join(scratch, 'docs')
    const name = basename(manifest.directory)
    await cp(manifest.directory, join(directory, name), { recursive: true })
    await writeFile(join(directory, nameDocsPointer(undefined)), name)
    const baseUrl = 'https://api.example.com/public-api'
    const prefixed = createInstance(database, { docsDirectory: directory, baseUrl })
    const other = await prefixed.request('/docs')
    expect([other.status, other.json()]).toEqual([
      503,
      { error: 'The documentation is not built; run: npm run docs' },
    ])

    // A build shows at once behind a running server.
    await writeFile(join(directory, nameDocsPointer(baseUrl)), name)
    expect((await prefixed.request('/docs')).status).toBe(200)
    expect((await prefixed.request('/docs/credits/')).status).toBe(200)
    expect((await prefixed.app.request('https://api.example.com/docs')).status).toBe(404)
    const viewer = await prefixed.request('/api-docs')
    const policy = viewer.headers.get('content-security-policy')
    expect(policy).toContain("connect-src 'self' https://api.example.com;")
    for (const url of readAddresses(viewer.text, `${baseUrl}/api-docs`)) {
      expect([url, url.startsWith(`${baseUrl}/`)]).toEqual([url, true])
      expect([url, (await prefixed.app.request(url)).status]).toEqual([url, 200])
    }
  })

  test('has builds side by side: those that run at the same time are all right, and old ones go', async () => {
    const directory = join(docsDirectory, '../docs-test')
    const old = join(directory, 'an-old-build')
    await rm(directory, { recursive: true, force: true })
    await mkdir(old, { recursive: true })
    await utimes(old, 0, 0)
    const baseUrl = 'https://a.example/api'
    const build = () => buildDocs({ baseUrl, directory, onProgress: () => {} })
    expect(await Promise.all([build(), build()])).toEqual([true, true])

    const names = await readdir(directory)
    expect(names).not.toContain('an-old-build')
    expect(names.filter((name) => name.startsWith('draft-'))).toEqual([])
    const docs = await findDocs(directory, baseUrl)
    if (!docs) throw new Error('there is no build')
    for (const [name, { hash }] of Object.entries(docs.files)) {
      const content = await readFile(join(docs.directory, name))
      const isSame = createHash('sha256').update(content).digest('base64url').startsWith(hash)
      expect([name, isSame]).toEqual([name, true])
    }
    // A build for one BASE_URL is none for another, and replaces none.
    expect(await findDocs(directory)).toBeUndefined()
    expect((await findDocs(docsDirectory))?.stamp).toBe(manifest.stamp)
    await rm(directory, { recursive: true, force: true })
  })

  test('is not built again while nothing has changed', async () => {
    const lines: string[] = []
    expect(await buildDocs({ ifStale: true, onProgress: (line) => lines.push(line) })).toBe(false)
    expect(lines).toEqual([])
  })

  test('holds no source map and no leftovers of a build', async () => {
    const names = await readdir(manifest.directory, { recursive: true })
    expect(names.filter((name) => name.endsWith('.map'))).toEqual([])
    for (const name of names.filter((name) => name.endsWith('.js'))) {
      expect(await readFile(join(manifest.directory, name), 'utf8')).not.toMatch(/^\/\/# sourceMappingURL/m)
    }
  })
})

describe('GET /docs/* in parts', () => {
  const path = '/docs/quickstart.md'
  const request = (headers: Record<string, string>, method = 'GET') =>
    instance.request(path, { method, headers })

  test('sends one range of a file, and says which', async () => {
    const whole = await request({})
    const bytes = Buffer.from(whole.text)
    expect(whole.headers.get('accept-ranges')).toBe('bytes')
    for (const [range, start, end] of [
      ['bytes=0-9', 0, 9],
      ['bytes=10-', 10, bytes.length - 1],
      ['bytes=-20', bytes.length - 20, bytes.length - 1],
      ['bytes=5-999999999', 5, bytes.length - 1],
      ['bytes=-999999999', 0, bytes.length - 1],
    ] as const) {
      const part = await request({ Range: range })
      expect([range, part.status, part.headers.get('content-range')]).toEqual([
        range,
        206,
        `bytes ${start}-${end}/${bytes.length}`,
      ])
      expect(part.text).toBe(bytes.subarray(start, end + 1).toString())
      expect(part.headers.get('content-length')).toBe(String(end - start + 1))
      expect(part.headers.get('etag')).toBe(whole.headers.get('etag'))
    }
  })

  test.each([path, '/docs/pagefind/pagefind.js', '/docs/'])(
    'sends a part of %s itself to readers who take it compressed',
    async (path) => {
      const headers = { 'Accept-Encoding': 'gzip, br' }
      const plain = await app.request(path)
      const bytes = Buffer.from(await plain.arrayBuffer())
      const part = await app.request(path, { headers: { ...headers, Range: 'bytes=4-19' } })
      expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 4-19/${bytes.length}`])
      expect(part.headers.get('content-encoding')).toBeNull()
      expect(part.headers.get('etag')).toBe(plain.headers.get('etag'))
      expect(Buffer.from(await part.arrayBuffer())).toEqual(bytes.subarray(4, 20))

      // A part of the file is of no use to a reader who has the beginning of a compressed form.
      const compressed = await app.request(path, { headers })
      const etag = compressed.headers.get('etag') ?? ''
      const whole = await app.request(path, {
        headers: { ...headers, Range: 'bytes=4-19', 'If-Range': etag },
      })
      expect([whole.status, whole.headers.get('etag')]).toEqual([200, etag])
      expect(whole.headers.get('content-encoding')).toBe(compressed.headers.get('content-encoding'))
    },
  )

  test('is 416 with the length where no byte lies', async () => {
    const { length } = Buffer.from((await request({})).text)
    for (const range of [`bytes=${length}-`, 'bytes=-0']) {
      const answer = await request({ Range: range })
      expect([range, answer.status, answer.json()]).toEqual([
        range,
        416,
        { error: `Range not satisfiable: the file has ${length} bytes` },
      ])
      expect(answer.headers.get('content-range')).toBe(`bytes */${length}`)
    }
  })

  test('sends the whole file for what is no single range of bytes, to HEAD, and when If-Range does not hold', async () => {
    const whole = await request({})
    const etag = whole.headers.get('etag') ?? ''
    for (const headers of [
      { Range: 'bytes=0-1,4-5' },
      { Range: 'bytes=9-3' },
      { Range: 'bytes=-' },
      { Range: 'lines=1-2' },
      { Range: 'bytes=0-9', 'If-Range': '"other"' },
      { Range: 'bytes=0-9', 'If-Range': `W/${etag}` },
      { Range: 'bytes=0-9', 'If-Range': 'Sat, 01 Jan 2028 00:00:00 GMT' },
    ] as Record<string, string>[]) {
      const answer = await request(headers)
      expect([headers, answer.status, answer.text]).toEqual([headers, 200, whole.text])
    }
    const head = await request({ Range: 'bytes=0-9' }, 'HEAD')
    expect([head.status, head.headers.get('content-length')]).toEqual([
      200,
      String(Buffer.byteLength(whole.text)),
    ])
    expect((await request({ Range: 'bytes=0-9', 'If-Range': etag })).status).toBe(206)
    expect((await request({ Range: 'bytes=0-9', 'If-None-Match': etag })).status).toBe(304)
  })
})

describe('GET /api-docs', () => {
  test('answers a page that loads its scripts from this server, and nothing from another', async () => {
    const response = await app.request('/api-docs')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toMatch(/^text\/html/)
    const html = await response.text()
    expect(html).not.toMatch(/https?:\/\//)
    const addresses = readAddresses(html, 'http://localhost/api-docs')
    expect(addresses.size).toBeGreaterThanOrEqual(7)
    for (const url of addresses) expect([url, (await app.request(url)).status]).toEqual([url, 200])
  })

  test('has no script of its own: its policy allows files of this server alone', async () => {
    const response = await app.request('/api-docs')
    expect(hashInlineScripts(await response.text())).toEqual([])
    expect(response.headers.get('content-security-policy')).toContain("script-src 'self';")
  })

  test('answers 304 to its ETag', async () => {
    const { headers } = await instance.request('/api-docs')
    const etag = headers.get('etag') ?? ''
    const again = await instance.request('/api-docs', { headers: { 'If-None-Match': etag } })
    expect([again.status, again.headers.get('etag')]).toEqual([304, etag])
  })

  test('offers the demo key on a local start, to a reader on this machine', async () => {
    const demoKey = '7e1f0c1e-2f4b-4c58-9f0e-0a6b1c2d3e4f'
    const local = createInstance(database, { readDemoKey: () => demoKey })
    const ask = async (host: string, headers: Record<string, string> = {}) => {
      const response = await local.app.request(`http://${host}/api-docs`, { headers })
      return { text: await response.text(), cache: response.headers.get('cache-control') }
    }
    for (const host of ['localhost:8000', '127.0.0.1:8000', '[::1]:8000']) {
      const { text, cache } = await ask(host)
      expect([host, text.includes(`data-demo-key="${demoKey}"`), cache]).toEqual([host, true, 'no-store'])
    }
    for (const host of ['devdata.example', '192.0.2.7:8000', 'localhost.example']) {
      expect([host, (await ask(host)).text.includes(demoKey)]).toEqual([host, false])
    }
    for (const name of ['X-Forwarded-For', 'Forwarded', 'Via']) {
      expect((await ask('localhost', { [name]: '192.0.2.7' })).text).not.toContain(demoKey)
    }
    expect((await instance.request('/api-docs')).text).not.toContain('data-demo-key')
  })

  test('has no demo key to offer on a deployment', () => {
    const trial = { baseUrl: undefined, host: '127.0.0.1' }
    expect(isTrial(trial, 'embedded')).toBe(true)
    expect(isTrial(trial, 'postgresql')).toBe(false)
    expect(isTrial({ ...trial, baseUrl: 'https://api.example.com' }, 'embedded')).toBe(false)
    for (const host of ['0.0.0.0', '::', '192.0.2.7'])
      expect(isTrial({ ...trial, host }, 'embedded')).toBe(false)
  })
})

test('a file of the docs that is missing is not taken for a database that is away', async () => {
  const directory = join(scratch, 'incomplete')
  await cp(docsDirectory, directory, { recursive: true })
  await rm(join(directory, basename(manifest.directory), 'quickstart', 'index.html'))
  const incomplete = createInstance(database, { docsDirectory: directory })
  const response = await incomplete.request('/docs/quickstart', { headers: { Accept: 'text/html' } })
  expect([response.status, response.json()]).toEqual([
    503,
    { error: 'The documentation is incomplete; run: npm run docs' },
  ])
  expect(response.headers.get('X-Error-Code')).toBe('docs_unavailable')
  await incomplete.close()
})

test('the base URL is put into texts, samples and links of a page', () => {
  const plugin = createBaseUrlPlugin('https://api.example.com/public-api')
  const changes: unknown[] = []
  const context = {
    setProperty: (_node: object, key: string, value: string) => void changes.push([key, value]),
  }
  plugin.code({ type: 'code', value: 'curl {base_url}/users' }, context)
  plugin.text({ type: 'text', value: 'nothing to complete in {login}' }, context)
  plugin.link({ type: 'link', url: '/docs/errors/' }, context)
  plugin.link({ type: 'link', url: 'https://other.example/' }, context)
  plugin.link({ type: 'link', url: '#anchor' }, context)
  expect(changes).toEqual([
    ['value', 'curl https://api.example.com/public-api/users'],
    ['url', '/public-api/docs/errors/'],
  ])
})
