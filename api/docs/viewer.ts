/**
 * The interactive viewer at `/api-docs` (`service.md` §4.6): Scalar's API reference on our own `openapi.json`, with
 * every script from our own docs folder.
 *
 * @module
 */
import { Scalar } from '@scalar/hono-api-reference'
import { Hono, type Next } from 'hono'
import { createEntityTag, matchesEntityTag } from '../http/entity-tag.ts'
import type { ApiContext, HonoEnvironment } from '../http/request-context.ts'
import { send, setHeader } from '../http/send.ts'
import { hashInlineScripts, viewerContentSecurityPolicy } from './content-security-policy.ts'
import { type BuiltDocs, type DocsFinder, docsUnavailable } from './docs-manifest.ts'
import { completeViewerPage, viewerFiles } from './viewer-page.ts'

/** Where the viewer lies and what it is told. */
export interface ApiDocsRoutesOptions {
  findDocs: DocsFinder
  /** The origin of `BASE_URL`, when it is set: where the viewer's requests go. */
  apiOrigin?: string
  /** The demo key of a local start, to be offered to readers on this machine; `undefined` on a deployment. */
  readDemoKey?: (() => string | undefined) | undefined
}

/** The page for one build of the docs, with what goes with it. */
interface Rendered {
  docs: BuiltDocs
  demoKey: string | undefined
  html: string
  tag: string
  policy: string
}

/** Headers that a proxy adds: with one of them the reader is elsewhere. */
const proxyHeaders = ['Forwarded', 'Via', 'X-Forwarded-For', 'X-Forwarded-Host', 'X-Real-IP']

/** Whether a request was made on this machine, to its own address: neither through a proxy nor under a public name. */
function isLocal(request: Request): boolean {
  return (
    /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(request.url).hostname) &&
    !proxyHeaders.some((name) => request.headers.has(name))
  )
}

/** Renders Scalar's page around the script in the folder `assets`; what only the browser knows is in `viewer.ts`. */
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
 * The routes of the viewer, to be mounted at `{basePath}/api-docs`. It fetches nothing from another
 * host: no proxy, fonts, telemetry, assistant or toolbar. Throws an `ApiError` (503) while there are
 * no docs for this `BASE_URL`.
 */
export function createApiDocsRoutes(options: ApiDocsRoutesOptions): Hono<HonoEnvironment> {
  const { findDocs, apiOrigin, readDemoKey } = options

  /** What was rendered last; the page depends on nothing else. */
  let last: Rendered | undefined

  async function render(c: ApiContext, next: Next, docs: BuiltDocs, demoKey: string | undefined) {
    if (last?.docs === docs && last.demoKey === demoKey) return last
    const assets = `./docs/${docs.viewer}`
    const page = await renderReference(assets)(c, next)
    if (page === undefined) throw new Error('Scalar has rendered no page')
    const html = completeViewerPage(await page.text(), { assets, demoKey })
    const policy = viewerContentSecurityPolicy(hashInlineScripts(html), apiOrigin)
    last = { docs, demoKey, html, tag: createEntityTag(html), policy }
    return last
  }

  return new Hono<HonoEnvironment>().get('/', async (c, next) => {
    const docs = await findDocs()
    if (docs === undefined) throw docsUnavailable()
    const demoKey = readDemoKey !== undefined && isLocal(c.req.raw) ? readDemoKey() : undefined
    const { html, tag, policy } = await render(c, next, docs, demoKey)
    setHeader(c, 'ETag', tag)
    setHeader(c, 'Cache-Control', demoKey ? 'no-store' : 'no-cache')
    setHeader(c, 'Content-Security-Policy', policy)
    if (matchesEntityTag(c.req.header('If-None-Match'), tag)) return send(c, null, { status: 304 })
    return send(c, html, { type: 'text/html; charset=UTF-8' })
  })
}
