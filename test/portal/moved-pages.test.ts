/** URLs of pages that have become a part of another one. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { movedPages } from '../../docs-site/moved-pages.ts'
import { serveDocs } from '../support/docs.ts'
import { useStarted } from '../support/suite.ts'

const docs = useStarted(serveDocs)

/** The anchors that links from elsewhere may name. A browser keeps them when it follows the redirect. */
const anchors: Record<string, string> = {
  'billing-guarantees':
    'handle-a-failed-request retry-without-paying-twice set-a-price-limit read-your-ledger verification',
  'clone-records': 'repository-urls repository-ids users-from-commits',
  clusters: 'create-a-cluster guarantees try-it-on-one-machine',
  countries: 'texts-without-a-country accuracy',
  'deletion-lists': 'the-list the-report later-lists',
  'deno-deploy': 'database-round-trips untested-parts',
  'devdata-mcp':
    'claude-desktop-cursor-windsurf-and-gemini-cli claude-code vs-code codex zed other-assistants troubleshooting',
  'disk-and-memory': 'disk memory-of-the-database memory-of-an-instance source-of-the-figures',
  'find-names': 'names-of-dependencies locations companies',
  'github-records': 'content-of-records omitted-items repositories-that-are-gone',
  'github-requests': 'points rules duration-and-memory',
  metrics: 'metrics-of-an-instance dashboard outages-and-overload',
  poolers: 'pgbouncer long-transactions',
  'python-errors': 'errors options',
  'read-a-whole-list':
    'learn-the-price follow-the-links continue-after-an-interruption limit-the-cost next-steps',
  'refresh-jobs': 'compose ci-job',
  tracing: 'tracing-on-deno',
}

test('the URL of a page that has become a part of another leads there, and that has its anchors', async () => {
  const { app } = docs.instance
  for (const [page, target] of Object.entries(movedPages)) {
    const [path = '', section] = target.split('#')
    for (const url of [`/docs/${page}`, `/docs/${page}/`, `/docs/${page}/index.html`]) {
      const { status, headers } = await app.request(url)
      expect([url, status, headers.get('Location')]).toEqual([url, 301, `/docs/${target}`])
    }
    const text = await readFile(join(docs.manifest.directory, path, 'index.html'), 'utf8')
    const expected = anchors[page]?.split(' ') ?? [section]
    expect([page, expected.filter((anchor) => !text.includes(`id="${anchor}"`))]).toEqual([page, []])
  }
  expect(Object.keys(anchors).filter((page) => movedPages[page] === undefined)).toEqual([])
})

test('the Markdown of such a page leads to Markdown', async () => {
  const { app } = docs.instance
  for (const path of ['refresh-jobs.md', 'refresh-jobs/index.md']) {
    const { status, headers } = await app.request(`/docs/${path}`)
    expect([status, headers.get('Location')]).toEqual([301, '/docs/keeping-fresh.md'])
  }
  const section = await docs.instance.request('/docs/reference/get-health.md')
  expect(section.headers.get('Location')).toBe('/docs/reference/service.md#get-health')
  const followed = await app.request('/docs/keeping-fresh.md')
  expect(followed.headers.get('content-type')).toMatch(/^text\/markdown/)
})

test('files of a folder with the name of such a page stay where they are', async () => {
  const { status } = await docs.instance.app.request('/docs/clients/sha256sums.txt')
  expect(status).toBe(200)
})
