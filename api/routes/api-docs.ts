/**
 * The interactive viewer at `/api-docs` (`service.md` §4.6): Scalar's API reference, fed by our own
 * `openapi.yml` and with its script from our own docs folder.
 *
 * @module
 */
import { Scalar } from '@scalar/hono-api-reference'
import { Hono } from 'hono'
import { createManifestReader, docsUnavailable, hashInlineScripts } from './docs.ts'

/**
 * The Content-Security-Policy of the viewer. Everything is `'self'`, and:
 * - the one script in the page itself, which starts the viewer, is named by hash;
 * - inline styles are allowed, because the viewer sets `style` attributes and adds `style` elements while
 *   it runs, and neither hash nor nonce can name the former;
 * - pictures may be `data:` and `blob:`, which is how the viewer shows a picture that an answer holds;
 * - requests may go to the API itself, also when the page was opened by another of its addresses.
 */
export function viewerContentSecurityPolicy(scriptHashes: readonly string[], apiOrigin?: string): string {
  return [
    "default-src 'none'",
    ["script-src 'self'", ...scriptHashes].join(' '),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    ["connect-src 'self'", ...(apiOrigin ? [apiOrigin] : [])].join(' '),
    "worker-src 'self' blob:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** Where the viewer's script lies and what it is fed with. */
export interface ApiDocsRoutesOptions {
  /** The folder that `docs-site/build.ts` filled. */
  directory: string
  /** The path of `BASE_URL` without a slash at its end: `''`, or for example `/public-api`. */
  basePath: string
  /** The origin of `BASE_URL`, when it is set: where the viewer's requests go. */
  apiOrigin?: string
}

/**
 * The routes of the viewer, to be mounted at `{basePath}/api-docs`. It fetches nothing from another
 * host: no proxy, fonts, telemetry, assistant or toolbar. Throws an `ApiError` (503) while the docs
 * are not built for this `basePath`.
 */
export function createApiDocsRoutes({ directory, basePath, apiOrigin }: ApiDocsRoutesOptions): Hono {
  const readManifest = createManifestReader(directory)

  return new Hono().get('/', async (c, next) => {
    const manifest = await readManifest()
    if (manifest?.base !== `${basePath}/docs`) throw docsUnavailable(manifest, basePath)
    const render = Scalar({
      pageTitle: 'devdata API reference',
      url: `${basePath}/openapi.yml`,
      cdn: `${basePath}/docs/${manifest.viewerScript}`,
      favicon: `${basePath}/docs/favicon.svg`,
      theme: 'default',
      withDefaultFonts: false,
      telemetry: false,
      agent: { disabled: true },
      mcp: { disabled: true },
      showDeveloperTools: 'never',
      hideClientButton: true,
      defaultOpenAllTags: true,
    })
    const page = await render(c, next)
    if (!page) return c.notFound()
    const html = await page.text()
    c.header('Cache-Control', 'no-cache')
    c.header('Content-Security-Policy', viewerContentSecurityPolicy(hashInlineScripts(html), apiOrigin))
    return c.html(html)
  })
}
