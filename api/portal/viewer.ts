/**
 * The interactive viewer at `/api-docs`: Scalar's API reference on our own `openapi.json`. All scripts come from the
 * docs folder (decisions/0008-portal.md).
 */
import { Scalar } from '@scalar/hono-api-reference'
import type { Hono } from 'hono'
import type { Config } from '../config.ts'
import { type KeptDocument, keepDocument, sendKeptDocument } from '../http/kept-document.ts'
import type { ApiContext, HonoEnvironment } from '../http/request-context.ts'
import { setHeader } from '../http/response.ts'
import { isLoopback } from '../names/loopback.ts'
import { hashInlineScripts, viewerContentSecurityPolicy } from './content-security-policy.ts'
import { type DocsFinder, type DocsManifest, viewerFiles } from './docs-manifest.ts'
import { writeKeySource } from './operator-slots.ts'
import { completeViewerPage } from './viewer-page.ts'

/** Headers that proxies add: the client is then on another machine. */
const proxyHeaders = ['Forwarded', 'Via', 'X-Forwarded-For', 'X-Forwarded-Host', 'X-Real-IP']

/** Whether a request comes from this machine: it has a local host and no sign of a proxy. */
function isLocal(request: Request): boolean {
  return isLoopback(new URL(request.url).hostname) && !proxyHeaders.some((name) => request.headers.has(name))
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
    documentDownloadType: 'none',
  })
}

/**
 * Adds `/api-docs`. The page requests nothing from another host: no proxy, fonts, telemetry, assistant or toolbar. The
 * route throws an `ApiError` (503) if no docs are built for this `BASE_URL`.
 */
export function addViewerRoute(
  app: Hono<HonoEnvironment>,
  options: {
    findDocs: DocsFinder
    /** Origin of `BASE_URL`, to which the viewer sends requests; undefined: the page's own. */
    publicOrigin: string | undefined
    operator: Config['operator']
    /** The demo key that the page offers on this machine; undefined outside a trial. */
    readDemoKey: (() => string | undefined) | undefined
  },
): void {
  const keySource = writeKeySource(options.operator).html
  /** The pages of a build, by demo key. */
  let pages:
    | { viewer: DocsManifest['viewer']; byKey: Map<string | undefined, Promise<ViewerPage>> }
    | undefined

  async function renderPage(
    viewer: DocsManifest['viewer'],
    demoKey: string | undefined,
    c: ApiContext,
  ): Promise<ViewerPage> {
    const assets = `./docs/${viewer.directory}`
    const page = await renderReference(assets)(c, async () => {})
    if (page === undefined) throw new Error('Scalar rendered no page')
    const html = completeViewerPage(await page.text(), { ...viewer, assets, demoKey, keySource })
    return {
      document: keepDocument(html, 'text/html; charset=UTF-8', [html]),
      policy: viewerContentSecurityPolicy(hashInlineScripts(html), options.publicOrigin),
    }
  }

  app.get('/api-docs', async (c) => {
    const { viewer } = await options.findDocs()
    const demoKey = isLocal(c.req.raw) ? options.readDemoKey?.() : undefined
    if (pages?.viewer !== viewer) pages = { viewer, byKey: new Map() }
    const pending = pages.byKey.get(demoKey) ?? renderPage(viewer, demoKey, c)
    const { byKey } = pages
    byKey.set(demoKey, pending)
    pending.catch(() => byKey.delete(demoKey))
    const { document, policy } = await pending
    setHeader(c, 'Content-Security-Policy', policy)
    return sendKeptDocument(c, document, { cacheControl: demoKey ? 'no-store' : 'no-cache' })
  })
}

/** The page as it is served. */
interface ViewerPage {
  document: KeptDocument
  /** Its Content-Security-Policy. */
  policy: string
}
