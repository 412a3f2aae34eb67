/** The page of the viewer, as HTTP has it. */
import { fromHtml } from 'hast-util-from-html'
import { selectAll } from 'hast-util-select'
import { toString as textOf } from 'hast-util-to-string'
import { beforeAll, describe, expect, test } from 'vitest'
import { hashInlineScripts } from '../../api/portal/content-security-policy.ts'
import { isTrial } from '../../api/runtime/trial.ts'
import { loadReference } from '../../docs-site/reference.ts'
import { readUrls, serveDocs } from '../support/docs.ts'
import { createInstance, type Instance } from '../support/instance.ts'
import { useStarted } from '../support/suite.ts'

const docs = useStarted(serveDocs)
let instance: Instance
let app: Instance['app']
beforeAll(async () => {
  instance = docs.instance
  app = instance.app
})

describe('GET /api-docs', () => {
  test('responds with a page that loads its scripts from this server, and nothing from another', async () => {
    const response = await app.request('/api-docs')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toMatch(/^text\/html/)
    const html = await response.text()
    expect(html.replace(/xmlns(:\w+)?="[^"]*"/g, '')).not.toMatch(/https?:\/\/(?!localhost)/)
    const urls = readUrls(html, 'http://localhost/api-docs')
    expect(urls.size).toBeGreaterThanOrEqual(7)
    for (const url of urls) expect([url, (await app.request(url)).status]).toEqual([url, 200])
  })

  test('allows by hash the scripts that stand in the page, and the styles that Scalar adds', async () => {
    const response = await app.request('/api-docs')
    const policy = response.headers.get('content-security-policy')
    const hashes = hashInlineScripts(await response.text())
    expect(hashes.length).toBeGreaterThan(0)
    for (const hash of hashes) expect(policy).toContain(hash)
    expect(policy).toContain("style-src 'self' 'unsafe-inline';")
    const { headers } = await app.request('/docs/quickstart')
    expect(headers.get('content-security-policy')).toContain("style-src 'self';")
  })

  test('lists every endpoint of the reference without scripts, with its place in the viewer', async () => {
    const page = fromHtml(await (await app.request('/api-docs')).text())
    const places = [...loadReference().endpoints].map(
      ({ tag, operationId }) => `#tag/${tag.toLowerCase()}/${operationId}`,
    )
    const rows = selectAll('main .rows li', page)
    const links = rows.flatMap((row) => selectAll('a', row).map(({ properties }) => properties.href))
    expect(links.sort()).toEqual([...places].sort())
    expect(rows.map(({ properties }) => `#${properties.id}`).sort()).toEqual(places.sort())
    const sidebar = selectAll('#starlight__sidebar .top-level a', page)
    expect(sidebar.map(({ properties }) => properties.href).sort()).toEqual(places)
  })

  test('has the tabs of the docs', async () => {
    const readTabs = async (path: string, root: string) => {
      const page = fromHtml(await (await app.request(path)).text())
      const links = selectAll('header .tabs a', page)
      const url = ({ properties }: (typeof links)[number]) => new URL(String(properties.href), root).pathname
      return links.map((link) => [textOf(link), url(link)])
    }
    const tabs = await readTabs('/api-docs', 'http://localhost/api-docs')
    expect(tabs).toEqual(await readTabs('/docs', 'http://localhost/docs/'))
    expect(tabs).toHaveLength(3)
  })

  test('responds with 304 to its ETag', async () => {
    const { headers } = await instance.request('/api-docs')
    const etag = headers.get('etag') ?? ''
    const again = await instance.request('/api-docs', { headers: { 'If-None-Match': etag } })
    expect([again.status, again.headers.get('etag')]).toEqual([304, etag])
  })

  test('offers the demo key on a local start, to a reader on this machine', async () => {
    const demoKey = '7e1f0c1e-2f4b-4c58-9f0e-0a6b1c2d3e4f'
    const local = createInstance(docs.database, { readDemoKey: () => demoKey })
    const ask = async (host: string, others: Record<string, string> = {}) => {
      const { headers } = await local.app.request(`http://${host}/api-docs`, { headers: others })
      return [headers.get('x-demo-key'), headers.get('cache-control')]
    }
    for (const host of ['localhost:8000', '127.0.0.1:8000', '[::1]:8000']) {
      expect([host, ...(await ask(host))]).toEqual([host, demoKey, 'no-store'])
    }
    for (const host of ['devdata.example', '192.0.2.7:8000', 'localhost.example']) {
      expect([host, ...(await ask(host))]).toEqual([host, null, 'no-cache'])
    }
    for (const name of ['X-Forwarded-For', 'Forwarded', 'Via']) {
      expect(await ask('localhost', { [name]: '192.0.2.7' })).toEqual([null, 'no-cache'])
    }
    expect((await instance.request('/api-docs')).headers.has('x-demo-key')).toBe(false)
  })

  test('offers no demo key on a deployment', () => {
    const trial = { baseUrl: undefined, host: '127.0.0.1' }
    expect(isTrial(trial, 'embedded')).toBe(true)
    expect(isTrial(trial, 'postgresql')).toBe(false)
    expect(isTrial({ ...trial, baseUrl: 'https://api.example.com' }, 'embedded')).toBe(false)
    for (const id of [process.pid, process.ppid]) {
      expect(isTrial(trial, 'embedded', { SYSTEMD_EXEC_PID: String(id) })).toBe(false)
    }
    expect(isTrial(trial, 'embedded', { SYSTEMD_EXEC_PID: '1', INVOCATION_ID: 'a' })).toBe(true)
    for (const host of ['0.0.0.0', '::', '192.0.2.7'])
      expect(isTrial({ ...trial, host }, 'embedded')).toBe(false)
  })
})
