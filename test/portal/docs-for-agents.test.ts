/**
 * What agents and tools find: every page as Markdown, `llms.txt`, the API catalog, and with a `BASE_URL` a sitemap and
 * canonical URLs.
 *
 * @module-tag later
 */
import { beforeAll, describe, expect, test } from 'vitest'
import type { BuiltDocs } from '../../api/portal/docs-manifest.ts'
import { convertPage } from '../../docs-site/markdown.ts'
import { listPages, serveDocs } from '../support/docs.ts'
import { createInstance, type Instance } from '../support/instance.ts'
import { useStarted } from '../support/suite.ts'

const docs = useStarted(serveDocs)
let instance: Instance
let manifest: BuiltDocs
beforeAll(async () => {
  instance = docs.instance
  manifest = docs.manifest
})

describe('a page as Markdown', () => {
  test('is at its URL with .md, for every page', async () => {
    const pages = listPages(manifest)
    expect(pages.length).toBeGreaterThan(50)
    for (const page of pages) {
      const path = `/docs/${page || 'index'}.md`
      const response = await instance.request(path)
      expect([path, response.status]).toEqual([path, 200])
      expect(response.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
      expect(response.text).toMatch(/^# \S.*\n\n> \S/)
      // Nothing of the page's machinery, and no link that only works inside the page.
      expect(response.text).not.toMatch(/<(div|span|svg|button|starlight-)|\]\((?!https?:|\/|#)|\{base_url\}/)
    }
  })

  test('is sent to readers who prefer it, and HTML to all others', async () => {
    const ask = async (path: string, accept: string) => {
      const { headers } = await instance.request(path, { headers: { Accept: accept } })
      expect(headers.get('vary')).toMatch(/\baccept\b(?!-)/i)
      return headers.get('content-type')
    }
    const markdown = 'text/markdown; charset=utf-8'
    const html = 'text/html; charset=utf-8'
    for (const path of [
      '/docs',
      '/docs/',
      '/docs/quickstart',
      '/docs/quickstart/',
      '/docs/reference/list-users',
    ]) {
      expect(await ask(path, 'text/markdown')).toBe(markdown)
      expect(await ask(path, 'text/markdown, text/html;q=0.9, */*;q=0.8')).toBe(markdown)
      expect(await ask(path, 'text/markdown, */*;q=0.8')).toBe(markdown)
      expect(await ask(path, 'text/*;q=0.5, text/markdown')).toBe(markdown)
      expect(await ask(path, 'text/markdown;q=0.5, */*;q=0.1')).toBe(markdown)
      expect(await ask(path, 'Text/Markdown; charset=utf-8')).toBe(markdown)
      expect(await ask(path, 'text/html, text/markdown')).toBe(html)
      expect(await ask(path, 'text/markdown, text/html')).toBe(html)
      expect(await ask(path, 'text/markdown, text/*')).toBe(html)
      expect(await ask(path, 'text/markdown, */*')).toBe(html)
      expect(await ask(path, 'text/markdown;q=0.5, text/*;q=0.7')).toBe(html)
      expect(await ask(path, 'application/json')).toBe(html)
      expect(await ask(path, 'text/html, text/markdown;q=0.5')).toBe(html)
      expect(await ask(path, 'text/markdown;q=0, */*')).toBe(html)
      expect(await ask(path, 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8')).toBe(html)
      expect(await ask(path, '*/*')).toBe(html)
    }
    const asked = await instance.request('/docs/quickstart', { headers: { Accept: 'text/markdown' } })
    const named = await instance.request('/docs/quickstart/index.md')
    expect(asked.text).toBe(named.text)
    expect(asked.headers.get('etag')).toBe(named.headers.get('etag'))
  })

  test('has the samples, the responses and the tables of the page', async () => {
    const { text } = await instance.request('/docs/quickstart.md')
    expect(text).toContain('**curl**\n\n```sh\ncurl -i -H "Authorization: Bearer $DEVDATA_API_KEY"')
    expect(text).toContain('**Python**\n\n```python\nimport json')
    expect(text).toContain('Response:\n\n```http\nHTTP/1.1 200 OK')
    expect((await instance.request('/docs/settings.md')).text).toMatch(/^\| `PORT` +\| `8000`/m)
    expect((await instance.request('/docs/reference/list-users.md')).text).toContain('GET /users')
  })

  test('is named in the page', async () => {
    const html = (await instance.request('/docs/credits')).text
    expect(html).toContain('<link rel="alternate" type="text/markdown" href="/docs/credits.md"')
    expect((await instance.request('/docs')).text).toContain('href="/docs/index.md"')
  })

  test('links to Markdown with complete URLs where the base URL is known', () => {
    const html = `<meta name="description" content="About"><h1>Title</h1><div class="sl-markdown-content">
      <p><a href="/api/docs/errors/#not-found">errors</a> <a href="/api/openapi.yml">document</a> <a href="https://other.example/a">other</a> <a href="#here">here</a></p></div>`
    const page = convertPage(html, 'guide/index.html', { base: '/api/docs', origin: 'https://example.com' })
    expect(page).toMatchObject({
      name: 'guide.md',
      title: 'Title',
      description: 'About',
      text: `# Title

> About

[errors](https://example.com/api/docs/errors.md#not-found) [document](https://example.com/api/openapi.yml) [other](https://other.example/a) [here](https://example.com/api/docs/guide.md#here)
`,
    })
  })
})

test('Markdown has what stands beside the text of a page, and nothing that is empty', async () => {
  const read = async (path: string) => (await instance.request(path)).text
  expect(await read('/docs/index.md')).toContain(
    'An HTTP API with the people and repositories of a code host',
  )
  expect(await read('/docs/pricing.md')).not.toContain('Response to `HEAD`')
  // The caption of a picture speaks of it.
  expect(await read('/docs/data.md')).toMatch(/^Picture: A repository declares zod/m)
  expect(await read('/docs/llms-full.txt')).toContain('Authorization header required')
})

describe('llms.txt', () => {
  test('leads to every page with a line about it', async () => {
    const { text, headers } = await instance.request('/docs/llms.txt')
    expect(headers.get('content-type')).toMatch(/^text\/plain/)
    expect(text).toMatch(/^# devdata\n\n> \S.*\n\nRules for .*:\n\n(- \S.*\n)+\n## Start here\n/)
    const links = [...text.matchAll(/^- \[[^\]]+\]\((\S+)\): (\S.*)$/gm)].map(([, path = '']) => path)
    for (const page of listPages(manifest))
      expect(links).toContain(`http://localhost/docs/${page || 'index'}.md`)
    for (const url of links) expect([url, (await instance.app.request(url)).status]).toEqual([url, 200])
  })

  test('is at the root too, with an icon and what crawlers may read', async () => {
    for (const [path, type] of [
      ['/llms.txt', 'text/plain; charset=utf-8'],
      ['/robots.txt', 'text/plain; charset=utf-8'],
      ['/favicon.ico', 'image/x-icon'],
    ] as const) {
      const [top, below] = await Promise.all([instance.request(path), instance.request(`/docs${path}`)])
      expect([path, top.status, top.headers.get('content-type')]).toEqual([path, 200, type])
      expect(top.text).toBe(below.text)
      expect(top.headers.get('etag')).toBe(below.headers.get('etag'))
    }
    expect((await instance.request('/robots.txt')).text).toBe('User-agent: *\nDisallow:\n')
  })

  test('has a full form with the text of every page', async () => {
    const { text } = await instance.request('/docs/llms-full.txt')
    for (const page of listPages(manifest))
      expect(text).toContain(`Source: http://localhost/docs/${page || 'index'}.md\n`)
    // One language a sample: the first that has it.
    expect(text).toContain('curl -i -H "Authorization: Bearer $DEVDATA_API_KEY"')
    expect(text).not.toMatch(/^import requests$/m)
    const sizes = listPages(manifest).map(
      async (page) => (await instance.request(`/docs/${page || 'index'}.md`)).text.length,
    )
    const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
    expect(text.length).toBeLessThan(0.8 * total)
  })
})

describe('/.well-known/api-catalog', () => {
  const readLinks = (text: string): string[] =>
    [...text.matchAll(/"href":"([^"]+)"/g)].map(([, href = '']) => href)

  test('leads to the document, the docs and the health check', async () => {
    const response = await instance.request('/.well-known/api-catalog')
    expect(response.headers.get('link')).toBe('<http://localhost/.well-known/api-catalog>; rel="api-catalog"')
    const links = readLinks(response.text)
    expect(links).toContain('http://localhost/openapi.yml')
    expect(links).toContain('http://localhost/docs/llms.txt')
    for (const link of links) {
      const { status } = await instance.app.request(link)
      // The database is unavailable in this test.
      const others = new Map([
        ['/health', 503],
        ['', 302],
        ['/mcp', 405],
      ])
      expect([link, status]).toEqual([link, others.get(link.replace('http://localhost', '')) ?? 200])
    }
  })

  test('is at the top of the host under a BASE_URL with a path, and below it', async () => {
    const baseUrl = 'https://api.example.com/public-api'
    const { app } = createInstance(docs.database, { baseUrl })
    const [top, below] = await Promise.all(
      ['https://api.example.com', baseUrl].map((root) => app.request(`${root}/.well-known/api-catalog`)),
    )
    expect([top?.status, below?.status]).toEqual([200, 200])
    const text = (await top?.text()) ?? ''
    expect(await below?.text()).toBe(text)
    for (const link of readLinks(text)) expect(link.startsWith(baseUrl)).toBe(true)
    expect(JSON.parse(text).linkset[0].anchor).toBe('https://api.example.com/.well-known/api-catalog')
  })
})

describe('a build without BASE_URL', () => {
  const promises = /rel="canonical"|rel="sitemap"|og:image|og:url|twitter:card|Sitemap:/

  test('promises no picture, canonical URL or sitemap while the URL is unknown', async () => {
    for (const path of ['/docs', '/docs/credits', '/robots.txt']) {
      const { text } = await instance.request(path)
      expect([path, text.match(promises)?.[0]]).toEqual([path, undefined])
      expect(text).toMatch(/<title>|User-agent/)
    }
  })

  test('has them with the BASE_URL of the service', async () => {
    const baseUrl = 'https://api.example.com'
    const { app } = createInstance(docs.database, { baseUrl })
    const read = async (path: string) => (await app.request(`${baseUrl}${path}`)).text()
    const page = await read('/docs/credits')
    expect(page).toContain(`<link rel="canonical" href="${baseUrl}/docs/credits/"`)
    expect(page).toContain(`<meta property="og:image" content="${baseUrl}/docs/picture.png"`)
    expect(page).toContain('<meta name="twitter:card" content="summary_large_image"')
    expect(await read('/robots.txt')).toContain(`Sitemap: ${baseUrl}/docs/sitemap-index.xml\n`)
    expect(await read('/docs/sitemap-index.xml')).toContain(`<loc>${baseUrl}/docs/sitemap-0.xml</loc>`)
    expect(await read('/docs/sitemap-0.xml')).toContain(`<loc>${baseUrl}/docs/credits/</loc>`)
  })
})
