/**
 * The interactive viewer at `/api-docs` (`service.md` §4.6): Scalar's API reference on our own `openapi.json`, with
 * every script from our own docs folder.
 *
 * @module
 */
import { Scalar } from '@scalar/hono-api-reference'
import { Hono } from 'hono'
import { createEntityTag, matchesEntityTag } from '../answer/entity-tag.ts'
import { hashInlineScripts, viewerContentSecurityPolicy } from './content-security-policy.ts'
import { createManifestReader, docsUnavailable } from './docs-manifest.ts'
import { completeViewerPage, viewerFiles } from './viewer-page.ts'

/** Where the viewer lies and what it is told. */
export interface ApiDocsRoutesOptions {
  /** The folder that `docs-site/build.ts` filled. */
  directory: string
  /** The path of `BASE_URL` without a slash at its end: `''`, or for example `/public-api`. */
  basePath: string
  /** The origin of `BASE_URL`, when it is set: where the viewer's requests go. */
  apiOrigin?: string
  /** The demo key of a local start, to be offered to readers on this machine; `undefined` on a deployment. */
  readDemoKey?: (() => string | undefined) | undefined
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
  return Scalar({
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
 * host: no proxy, fonts, telemetry, assistant or toolbar. Throws an `ApiError` (503) while the docs
 * are not built for this `basePath`.
 */
export function createApiDocsRoutes(options: ApiDocsRoutesOptions): Hono {
  const { directory, basePath, apiOrigin, readDemoKey } = options
  const readManifest = createManifestReader(directory)

  return new Hono().get('/', async (c, next) => {
    const manifest = await readManifest()
    if (manifest?.base !== `${basePath}/docs`) throw docsUnavailable(manifest, basePath)
    const demoKey = isLocal(c.req.raw) ? readDemoKey?.() : undefined
    const assets = `./docs/${manifest.viewer}`
    const page = await renderReference(assets)(c, next)
    if (page === undefined) throw new Error('Scalar has rendered no page')
    const html = completeViewerPage(await page.text(), { assets, demoKey })
    const tag = createEntityTag(html)
    c.header('ETag', tag)
    c.header('Cache-Control', demoKey ? 'no-store' : 'no-cache')
    c.header('Content-Security-Policy', viewerContentSecurityPolicy(hashInlineScripts(html), apiOrigin))
    if (matchesEntityTag(c.req.header('If-None-Match'), tag)) return c.body(null, 304)
    return c.html(html)
  })
}
