/**
 * The interactive viewer at `/api-docs`: Scalar's API reference on our own `openapi.json`. All scripts come from the
 * docs folder (decisions/0008-portal.md).
 *
 * @module
 */
import { Scalar } from '@scalar/hono-api-reference'
import { Hono, type Next } from 'hono'
import type { ApiContext, HonoEnvironment } from '../http/request-context.ts'
import { createEntityTag, matchesEntityTag, send, setHeader } from '../http/response.ts'
import { hashInlineScripts, viewerContentSecurityPolicy } from './content-security-policy.ts'
import { type BuiltDocs, type DocsFinder, docsUnavailable } from './docs-manifest.ts'
import { completeViewerPage, viewerFiles } from './viewer-page.ts'

/** Options of the viewer's routes. */
export interface ApiDocsRoutesOptions {
  findDocs: DocsFinder
  /** Origin of `BASE_URL`, to which the viewer sends requests; absent: the page's own. */
  apiOrigin?: string
  /** The demo key that the page offers on this machine; undefined outside a trial. */
  readDemoKey?: (() => string | undefined) | undefined
}

/** A rendered page with its headers' values. */
interface Rendered {
  docs: BuiltDocs
  demoKey: string | undefined
  html: string
  tag: string
  policy: string
}

/** Headers that proxies add: the client is then on another machine. */
const proxyHeaders = ['Forwarded', 'Via', 'X-Forwarded-For', 'X-Forwarded-Host', 'X-Real-IP']

/** Whether a request comes from this machine: it has a local host and no sign of a proxy. */
function isLocal(request: Request): boolean {
  return (
    /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(request.url).hostname) &&
    !proxyHeaders.some((name) => request.headers.has(name))
  )
}

/** Renders Scalar's page. `docs-site/viewer.ts`, the script in the folder `assets`, starts the viewer in the browser. */
function renderReference(assets: string) {
  return Scalar<HonoEnvironment>({
    pageTitle: 'API viewer | devdata',
    bundle: `${assets}/${viewerFiles.script}`,
    url: 'openapi.json',
    theme: 'none',
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    showDeveloperTools: 'never',
    hideClientButton: true,
    hideDarkModeToggle: true,
    defaultOpenAllTags: true,
    persistAuth: false,
    documentDownloadType: 'both',
  })
}

/**
 * The routes of the viewer, for `{basePath}/api-docs`. The page requests nothing from another host: no proxy, fonts,
 * telemetry, assistant or toolbar. Throws an `ApiError` (503) if no docs are built for this `BASE_URL`.
 */
export function createApiDocsRoutes(options: ApiDocsRoutesOptions): Hono<HonoEnvironment> {
  const { findDocs, apiOrigin, readDemoKey } = options

  /** The page depends only on the build and the demo key. */
  let last: Rendered | undefined

  async function render(c: ApiContext, next: Next, docs: BuiltDocs, demoKey: string | undefined) {
    if (last?.docs === docs && last.demoKey === demoKey) return last
    const assets = `./docs/${docs.viewer}`
    const page = await renderReference(assets)(c, next)
    if (page === undefined) throw new Error('Scalar rendered no page')
    const html = completeViewerPage(await page.text(), { assets, demoKey })
    const policy = viewerContentSecurityPolicy(hashInlineScripts(html), apiOrigin)
    last = { docs, demoKey, html, tag: createEntityTag(html), policy }
    return last
  }

  return new Hono<HonoEnvironment>().get('/', async (c, next) => {
    const docs = await findDocs()
    if (docs === undefined) throw docsUnavailable('not built')
    const demoKey = readDemoKey !== undefined && isLocal(c.req.raw) ? readDemoKey() : undefined
    const { html, tag, policy } = await render(c, next, docs, demoKey)
    setHeader(c, 'ETag', tag)
    setHeader(c, 'Cache-Control', demoKey ? 'no-store' : 'no-cache')
    setHeader(c, 'Content-Security-Policy', policy)
    if (matchesEntityTag(c.req.header('If-None-Match'), tag)) return send(c, null, { status: 304 })
    return send(c, html, { type: 'text/html; charset=UTF-8' })
  })
}
