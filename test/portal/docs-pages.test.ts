/** The pages of the docs: where they are, what they link to, and which origin they show. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { settingNames } from '../../api/config.ts'
import { compress } from '../../api/http/compression.ts'
import { maxContentBytes, maxTemplateBytes } from '../../api/portal/docs-file.ts'
import type { BuiltDocs } from '../../api/portal/docs-manifest.ts'
import { createBaseUrlPlugin } from '../../docs-site/base-url.ts'
import { serveDocs } from '../support/docs.ts'
import { createInstance, type Instance } from '../support/instance.ts'
import { proxyNames, readProxyFile } from '../support/reverse-proxies.ts'
import { useStarted } from '../support/suite.ts'

const docs = useStarted(serveDocs)
let app: Instance['app']
let manifest: BuiltDocs
beforeAll(async () => {
  app = docs.instance.app
  manifest = docs.manifest
})

describe('GET /docs', () => {
  test('responds with the home page, without a redirect, with and without a slash', async () => {
    const response = await app.request('/docs')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const home = await response.text()
    expect(home).toMatch(/<h1[^>]*>Ask who uses a package\./)
    expect(await (await app.request('/docs/')).text()).toBe(home)
  })

  test('responds with every page, with and without a slash', async () => {
    const pages = Object.keys(manifest.files).filter((name) => name.endsWith('/index.html'))
    expect(pages.length).toBeGreaterThanOrEqual(12)
    for (const page of pages) {
      const path = `/docs/${page.slice(0, -'/index.html'.length)}`
      const [bare, slashed] = await Promise.all([app.request(path), app.request(`${path}/`)])
      expect([path, bare.status, slashed.status]).toEqual([path, 200, 200])
      expect(await bare.text()).toBe(await slashed.text())
    }
  })

  test('has a title for each page that no other page has, with the name of the site once', async () => {
    const names = Object.keys(manifest.files).filter((name) => name.endsWith('.html'))
    const titles = await Promise.all(
      names.map(async (name) => {
        const text = await readFile(join(manifest.directory, name), 'utf8')
        return /<title>([^<]*)<\/title>/.exec(text)?.[1] ?? ''
      }),
    )
    expect(titles.filter((title) => !/^(?!.*devdata.*devdata).+ \| devdata$/.test(title))).toEqual([])
    expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([])
    expect(titles).toContain('Ask who uses a package | devdata')
  })

  test('shows the files of deploy/proxies as they are', async () => {
    const page = await (await app.request('/docs/proxies.md')).text()
    for (const name of proxyNames) {
      const file = (await readProxyFile(name)).trim()
      expect(page).toContain(file.replaceAll('\t', '  ')) // as all samples
    }
  })

  test('has every page and anchor that its pages link to', async () => {
    const texts = new Map<string, string>()
    for (const name of Object.keys(manifest.files).filter((file) => file.endsWith('.html'))) {
      texts.set(name, await readFile(join(manifest.directory, name), 'utf8'))
    }
    const besideDocs = [
      '/api-docs',
      '/openapi.yml',
      '/openapi.json',
      '/.well-known/api-catalog',
      '/docs/coverage.json',
    ]
    const dead: string[] = []
    let count = 0
    for (const [name, text] of texts) {
      for (const [, link = ''] of text.matchAll(/\s(?:href|src)="([^"]*)"/g)) {
        if (/^(https?:|mailto:|data:)/.test(link)) continue
        count += 1
        const url = new URL(link, `http://localhost/docs/${name}`)
        if (besideDocs.includes(url.pathname)) continue
        const file = url.pathname.replace(/^\/docs\//, '').replace(/(^|\/)$/, '$1index.html')
        const target = texts.get(file)
        const anchor = decodeURIComponent(url.hash.slice(1))
        const exists = url.pathname.startsWith('/docs/') && Object.hasOwn(manifest.files, file)
        if (!exists || (anchor && target && !target.includes(`id="${anchor}"`))) {
          dead.push(`${name}: ${link}`)
        }
      }
    }
    expect(count).toBeGreaterThan(200)
    expect(dead).toEqual([])
  })

  test('shows the origin of the request in pages, Markdown and llms.txt, compressed or not', async () => {
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
          const response = await app.request(`${origin}${path}`, { headers })
          expect([response.status, response.headers.get('content-encoding') ?? 'identity']).toEqual([
            200,
            encoding,
          ])
          const body = Buffer.from(await response.arrayBuffer())
          expect(response.headers.get('content-length')).toBe(String(body.byteLength))
          const text = read(body).toString()
          expect(text).toContain(
            path.includes('quickstart') ? `${origin}/users?location=berlin` : `${origin}/docs/`,
          )
          expect(text).not.toMatch(/\{base_url\}|origin\.invalid|127\.0\.0\.1:8000/)
          // The tag names this text in this encoding, and no other.
          const tag = response.headers.get('etag') ?? ''
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

  test('shows any origin, and compresses for the first eight: inventing hosts takes little work', async () => {
    const { app } = createInstance(docs.database)
    const hosts = Array.from({ length: 20 }, (_, index) => `x${index}.example`)
    const read = async (host: string, path: string) => {
      const response = await app.request(`http://${host}${path}`, { headers: { 'accept-encoding': 'gzip' } })
      const encoding = response.headers.get('content-encoding')
      const body = Buffer.from(await response.arrayBuffer())
      const text = (encoding === 'gzip' ? gunzipSync(body) : body).toString()
      expect(text).toContain(`http://${host}`)
      return { encoding, shape: text.replaceAll(host, 'host') }
    }
    const first = await read('x0.example', '/docs/llms-full.txt')
    for (const path of ['/docs/llms-full.txt', '/docs/quickstart/', '/openapi.yml', '/openapi.json']) {
      for (const [index, host] of hosts.entries()) {
        const { encoding, shape } = await read(host, path)
        // The docs and the document share the eight.
        expect([path, host, encoding]).toEqual([path, host, index < 8 ? 'gzip' : null])
        if (path === '/docs/llms-full.txt') expect(shape).toBe(first.shape)
      }
    }
    // Files that don't show the origin are compressed for all.
    const [compressed] = Object.entries(manifest.files).filter(
      ([, { encodings, isTemplate }]) => encodings.includes('gzip') && !isTemplate,
    )
    const response = await app.request(`http://x19.example/docs/${compressed?.[0]}`, {
      headers: { 'accept-encoding': 'gzip' },
    })
    expect([response.status, response.headers.get('content-encoding')]).toEqual([200, 'gzip'])
  })

  test('fits into memory in all its forms: compressed for eight origins, and as it is', async () => {
    let bytes = 0
    let templateBytes = 0
    for (const [name, { encodings, isTemplate }] of Object.entries(manifest.files)) {
      const content = await readFile(join(manifest.directory, name))
      if (isTemplate) {
        templateBytes += content.length
        for (const encoding of encodings) bytes += 8 * (await compress(content, encoding, 'fast')).length
      } else {
        bytes += content.length
        for (const encoding of encodings) bytes += (await compress(content, encoding, 'fast')).length
      }
    }
    expect(bytes).toBeLessThan(0.9 * maxContentBytes)
    expect(templateBytes).toBeLessThan(0.9 * maxTemplateBytes)
  })

  test('shows BASE_URL, whatever the request says, where that has no path and nothing was built for it', async () => {
    const baseUrl = 'https://api.example.com'
    const { app } = createInstance(docs.database, { baseUrl })
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
        text.match(/origin\.invalid|Authorization: Bearer \$DEVDATA_API_KEY|import requests/)?.[0],
      ]).toEqual([name, undefined])
    }
  })

  test('has a feed of the changelog, which every page names', async () => {
    const response = await app.request('http://a.example/docs/changelog.xml')
    expect(response.headers.get('content-type')).toMatch(/^application\/xml/)
    const feed = await response.text()
    const [, link = ''] = /<item>.*?<link>([^<]+)<\/link>/s.exec(feed) ?? []
    expect(link).toMatch(/^http:\/\/a\.example\/docs\/changelog\/#\w/)
    const page = await (await app.request('http://a.example/docs/changelog/')).text()
    expect(page).toContain(`id="${link.split('#')[1]}"`)
    expect(page).toMatch(
      /<link rel="alternate" type="application\/rss\+xml"[^>]* href="\/docs\/changelog\.xml"/,
    )
  })

  test('names each setting on the settings page, and no other', async () => {
    const page = await (await app.request('/docs/settings')).text()
    const rows = [...page.matchAll(/<tr>\s*<td><code[^>]*>([A-Z_]+)<\/code><\/td>/g)].map(([, name]) => name)
    // The token is only the command line's.
    expect(rows.sort()).toEqual([...settingNames, 'GITHUB_TOKEN'].sort())
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
