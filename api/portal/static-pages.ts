/**
 * Serves the documentation under `/docs` from the folder of a build.
 *
 * Only files of the build's manifest are served, so no path leads out of the folder. Pages built without `BASE_URL`
 * show the origin of the request, so that readers can copy and run their samples.
 */
import type { Hono } from 'hono'
import { parseAccept } from 'hono/utils/accept'
import { invalidUrl, notFound } from '../errors.ts'
import type { HonoEnvironment } from '../http/request-context.ts'
import { readTarget } from '../http/url.ts'
import { isLoopback } from '../names/loopback.ts'
import { createDocsFileSender, type DocsFillings } from './docs-file.ts'
import { type BuiltDocs, type DocsFinder, viewerPage } from './docs-manifest.ts'

/** Files that crawlers and agents expect at the root, too. */
const rootFiles = ['favicon.ico', 'llms.txt', 'robots.txt']

/** The requested path inside the docs; undefined if no file can have it. */
function readDocsPath(url: string, base: string): string | undefined {
  try {
    const [pathname = ''] = readTarget(url).split(/[?#]/, 1)
    if (!pathname.startsWith(base)) return undefined
    const path = decodeURIComponent(pathname.slice(base.length))
    return /[\\\0]|(^|\/)\.{1,2}(\/|$)/.test(path) ? undefined : path.replace(/^\//, '')
  } catch {
    return undefined
  }
}

/**
 * The name of the requested file. `/docs/quickstart`, `/docs/quickstart/` and `/docs/quickstart/index.html` are one
 * page; `/docs/quickstart.md` and `/docs/quickstart/index.md` are its Markdown.
 */
function findDocsFile({ files }: BuiltDocs, path: string): string | undefined {
  const page = path.replace(/\/$/, '')
  const candidates = [
    path,
    page ? `${page}/index.html` : 'index.html',
    path.replace(/(?<=.)\/index\.md$/, '.md'),
  ]
  return candidates.find((name) => name !== '404.html' && Object.hasOwn(files, name))
}

/** Where a page of an earlier build is now, in the form that was asked for; undefined if there was none. */
function findMovedPage({ movedPages }: BuiltDocs, path: string): string | undefined {
  const page = path.replace(/(?:\/index)?\.md$|\/(?:index\.html)?$/, '')
  const target = Object.hasOwn(movedPages, page) ? movedPages[page] : undefined
  return path.endsWith('.md') ? target?.replace(/\/(?=#|$)/, '.md') : target
}

/** The Markdown file of a page; undefined for other files. */
function findMarkdown({ files }: BuiltDocs, name: string): string | undefined {
  const markdown = name.replace(/(?:(?<=.)\/index)?\.html$/, '.md')
  return markdown !== name && Object.hasOwn(files, markdown) ? markdown : undefined
}

/** Headers that proxies add: the client is then on another machine. */
const proxyHeaders = ['Forwarded', 'Via', 'X-Forwarded-For', 'X-Forwarded-Host', 'X-Real-IP']

/** Whether a request comes from this machine: it has a local host and no sign of a proxy. */
function isLocal(request: Request): boolean {
  return isLoopback(new URL(request.url).hostname) && !proxyHeaders.some((name) => request.headers.has(name))
}

/** Longer `Accept` headers are cut. */
const maxAcceptLength = 8_192

/** Whether a client prefers Markdown to HTML (RFC 9110 §12.5.1). The most specific range decides; a tie means HTML. */
function prefersMarkdown(accept: string | undefined): boolean {
  if (!accept) return false
  const accepted = parseAccept(accept.slice(0, maxAcceptLength))
  const qualities = new Map(accepted.map(({ type, q }) => [type.toLowerCase(), q]))
  const qualityOf = (type: string) =>
    qualities.get(type) ?? qualities.get('text/*') ?? qualities.get('*/*') ?? 0
  return qualityOf('text/markdown') > qualityOf('text/html')
}

/**
 * Adds `/docs`, `/docs/*`, `/api-docs`, `/llms.txt`, `/robots.txt` and `/favicon.ico`. Pages have URLs with and without
 * a final slash; clients that prefer Markdown get it.
 *
 * The routes throw an `ApiError`: 400 for an invalid path, 404 for an unknown one (browsers get the site's page), and
 * those of `createDocsFileSender` and `DocsFinder`.
 */
export function addDocsRoutes(
  app: Hono<HonoEnvironment>,
  {
    findDocs,
    basePath,
    readDemoKey,
    ...fillings
  }: DocsFillings & {
    findDocs: DocsFinder
    /** The demo key that pages offer on this machine; undefined outside a trial. */
    readDemoKey: (() => string | undefined) | undefined
    /** Path of `BASE_URL`: empty, or for example `/public-api`. */
    basePath: string
  },
): void {
  const sendFile = createDocsFileSender(fillings)
  for (const name of rootFiles) {
    app.get(`/${name}`, async (c) => sendFile(c, await findDocs(), name, 200))
  }
  app.get('/api-docs', async (c) => {
    const response = await sendFile(c, await findDocs(), viewerPage, 200)
    const demoKey = isLocal(c.req.raw) ? readDemoKey?.() : undefined
    if (demoKey !== undefined) {
      response.headers.set('X-Demo-Key', demoKey)
      response.headers.set('Cache-Control', 'no-store')
    }
    return response
  })
  app.get('/docs/*', async (c) => {
    const docs = await findDocs()
    const path = readDocsPath(c.req.url, `${basePath}/docs`)
    if (path === undefined) throw invalidUrl('Invalid path')
    const page = findDocsFile(docs, path)
    const markdown = page && findMarkdown(docs, page)
    // Accept decides between HTML and Markdown, and for unknown paths between the site's 404 page and the API's error.
    if (!page || markdown) c.header('Vary', 'Accept', { append: true })
    const name = markdown && prefersMarkdown(c.req.header('Accept')) ? markdown : page
    if (name) return sendFile(c, docs, name, 200)
    const moved = findMovedPage(docs, path)
    if (moved !== undefined) {
      c.header('Cache-Control', 'no-cache')
      return c.redirect(`${basePath}/docs/${moved}`, 301)
    }
    if (!c.req.header('Accept')?.includes('text/html')) throw notFound('Not found')
    return sendFile(c, docs, '404.html', 404)
  })
}
