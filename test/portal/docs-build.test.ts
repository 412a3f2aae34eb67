/**
 * Builds of the docs: one beside another, and what is served without one.
 *
 * @module-tag longest
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BuiltDocs, docsDirectory, findDocs, nameDocsPointer } from '../../api/portal/docs-manifest.ts'
import { buildDocs } from '../../docs-site/build.ts'
import { deno, unset } from '../support/deno.ts'
import { copyDocs, listPages, serveDocs } from '../support/docs.ts'
import { createInstance, type Instance } from '../support/instance.ts'
import { useStarted } from '../support/suite.ts'

const docs = useStarted(serveDocs)
let manifest: BuiltDocs
beforeAll(async () => {
  manifest = docs.manifest
})

let scratch: string
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'devdata-docs-'))
})
afterAll(() => rm(scratch, { recursive: true, force: true }))

const baseUrl = 'https://api.example.com/public-api'

describe('the docs folder', () => {
  test('is 503 with an error body that says what to do while it is not built', async () => {
    const empty = createInstance(docs.database, { docsDirectory: join(scratch, 'nothing-here') })
    for (const path of ['/docs', '/docs/quickstart', '/api-docs']) {
      const response = await empty.request(path)
      expect([path, response.status, response.json()]).toEqual([
        path,
        503,
        { error: 'The documentation is missing; run: npm run docs' },
      ])
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    }
  })

  test('is served under the path of BASE_URL, and is 503 while it is built for others alone', async () => {
    const directory = join(scratch, 'docs')
    const name = basename(manifest.directory)
    await cp(manifest.directory, join(directory, name), { recursive: true })
    await writeFile(join(directory, nameDocsPointer(undefined)), name)
    const prefixed = createInstance(docs.database, { docsDirectory: directory, baseUrl })
    const other = await prefixed.request('/docs')
    expect([other.status, other.json()]).toEqual([
      503,
      { error: 'The documentation is missing; run: npm run docs' },
    ])

    // A build shows at once behind a running server.
    await writeFile(join(directory, nameDocsPointer(baseUrl)), name)
    expect((await prefixed.request('/docs')).status).toBe(200)
    expect((await prefixed.request('/docs/credits/')).status).toBe(200)
    const moved = await prefixed.request('/docs/alerts/')
    expect(moved.headers.get('location')).toBe('/public-api/docs/observing/#alerts')
    expect((await prefixed.app.request('https://api.example.com/docs')).status).toBe(404)
    const viewer = await prefixed.request('/api-docs')
    const policy = viewer.headers.get('content-security-policy')
    expect(policy).toContain("connect-src 'self' https://api.example.com;")
  })

  test('has builds side by side: one on Node and one of `deno task docs` at the same time are right, and old ones go', async () => {
    const old = join(docsDirectory, 'an-old-build')
    await mkdir(old, { recursive: true })
    await utimes(old, 0, 0)
    const before = await findDocs(docsDirectory, baseUrl)
    const { PATH, HOME } = process.env
    const options = {
      cwd: resolve(import.meta.dirname, '../..'),
      env: { PATH, HOME, ...unset, BASE_URL: baseUrl },
    }
    const builds = await Promise.all([
      promisify(execFile)(process.execPath, ['docs-site/build.ts'], options),
      promisify(execFile)(deno, ['task', '--quiet', 'docs'], options),
    ])
    for (const { stderr } of builds) expect(stderr).toContain(`The documentation is in ${docsDirectory}`)

    expect(await readdir(docsDirectory)).not.toContain('an-old-build')
    // Other tests may build too, and end.
    const listDrafts = async () => (await readdir(docsDirectory)).filter((name) => name.startsWith('draft-'))
    await expect.poll(listDrafts).toEqual([])
    const docs = await findDocs(docsDirectory, baseUrl)
    if (!docs) throw new Error('there is no build')
    expect(docs.directory).not.toBe(before?.directory)
    expect(Object.keys(docs.files).length).toBeGreaterThan(100)
    for (const [name, { hash }] of Object.entries(docs.files)) {
      const content = await readFile(join(docs.directory, name))
      const isSame = createHash('sha256').update(content).digest('base64url').startsWith(hash)
      expect([name, isSame]).toEqual([name, true])
    }
    // A build for one BASE_URL is none for another, and replaces none.
    expect(await findDocs(docsDirectory, 'https://other.example/public-api')).toBeUndefined()
    expect((await findDocs(docsDirectory))?.stamp).toBe(manifest.stamp)
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

describe('a build for a BASE_URL with a path', () => {
  let built: string
  let prefixed: Instance

  beforeAll(async () => {
    await buildDocs({ baseUrl, ifStale: true })
    const found = await findDocs(docsDirectory, baseUrl)
    if (!found) throw new Error('the build left no docs')
    built = found.directory
    prefixed = createInstance(docs.database, { baseUrl })
  })

  test('has canonical URLs, a picture and a sitemap of every page', async () => {
    const page = (await prefixed.request('/docs/credits')).text
    expect(page).toContain(`<link rel="canonical" href="${baseUrl}/docs/credits/"`)
    expect(page).toContain(`<meta property="og:url" content="${baseUrl}/docs/credits/"`)
    expect(page).toContain(`<meta property="og:image" content="${baseUrl}/docs/picture.png"`)
    expect((await prefixed.app.request(`${baseUrl}/docs/picture.png`)).headers.get('content-type')).toBe(
      'image/png',
    )
    expect((await prefixed.request('/robots.txt')).text).toContain(
      `Sitemap: ${baseUrl}/docs/sitemap-index.xml\n`,
    )
    expect((await prefixed.request('/docs/sitemap-index.xml')).text).toContain(
      `${baseUrl}/docs/sitemap-0.xml`,
    )
    const sitemap = (await prefixed.request('/docs/sitemap-0.xml')).text
    const listed = [...sitemap.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, url]) => url)
    const pages = listPages(manifest).map((name) => `${baseUrl}/docs/${name}${name && '/'}`)
    expect(listed.sort()).toEqual([...pages, `${baseUrl}/api-docs`].sort())
  })

  test('shows that URL in samples, links and Markdown, and no other', async () => {
    for (const name of Object.keys(manifest.files).filter((file) => /\.(html|md|txt)$/.test(file))) {
      const text = await readFile(join(built, name), 'utf8')
      expect([
        name,
        text.match(/origin\.invalid|127\.0\.0\.1:8000|(\]\(|href="|src=")\/(docs|api-docs)/)?.[0],
      ]).toEqual([name, undefined])
    }
    const asked = await prefixed.app.request('https://other.example/public-api/docs/quickstart.md')
    const quickstart = (await prefixed.request('/docs/quickstart.md')).text
    expect(await asked.text()).toBe(quickstart)
    expect(quickstart).toContain(`"${baseUrl}/users?location=berlin&per_page=1"`)
    expect(quickstart).toContain(`](${baseUrl}/docs/filtering.md)`)
  })
})

test('a file of the docs that is missing is not taken for an unreachable database', async () => {
  const directory = join(scratch, 'incomplete')
  await copyDocs(directory)
  const copied = await findDocs(directory) // other tests may have built the docs meanwhile
  await rm(join(copied?.directory ?? '', 'quickstart', 'index.html'))
  const incomplete = createInstance(docs.database, { docsDirectory: directory })
  const response = await incomplete.request('/docs/quickstart', { headers: { Accept: 'text/html' } })
  expect([response.status, response.json()]).toEqual([
    503,
    { error: 'The documentation is incomplete; run: npm run docs' },
  ])
  expect(response.headers.get('X-Error-Code')).toBe('docs_unavailable')
})
