/**
 * `/.well-known/api-catalog` (RFC 9727): a linkset (RFC 9264) to the API's descriptions, for machines.
 *
 * @module
 */
import { Hono } from 'hono'
import type { ApiContext, HonoEnvironment } from '../http/request-context.ts'
import { createEntityTag, matchesEntityTag, send, setHeader } from '../http/response.ts'

/** Path of the catalog at the root of a host. */
export const apiCatalogPath = '/.well-known/api-catalog'

const contentType = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'

/** The catalog of an API; `publicRoot` and `catalog` are the URLs of the API and of the catalog. */
function writeApiCatalog(publicRoot: string, catalog: string): string {
  return JSON.stringify({
    linkset: [
      { anchor: catalog, item: [{ href: publicRoot }] },
      {
        anchor: publicRoot,
        'service-desc': [
          { href: `${publicRoot}/openapi.yml`, type: 'application/yaml' },
          { href: `${publicRoot}/openapi.json`, type: 'application/json' },
        ],
        'service-doc': [
          { href: `${publicRoot}/docs`, type: 'text/html' },
          { href: `${publicRoot}/docs/llms.txt`, type: 'text/plain' },
          { href: `${publicRoot}/api-docs`, type: 'text/html' },
        ],
        status: [{ href: `${publicRoot}/health`, type: 'application/json' }],
      },
    ],
  })
}

/** The route of the catalog. RFC 9727 puts it at the root of the host; proxies may forward only the path of `BASE_URL`. */
export function createApiCatalogRoute(publicRoot: (c: ApiContext) => string): Hono<HonoEnvironment> {
  return new Hono<HonoEnvironment>().get('/', (c) => {
    const root = publicRoot(c)
    const catalog = new URL(apiCatalogPath, root).href
    const text = writeApiCatalog(root, catalog)
    const tag = createEntityTag(contentType, text)
    setHeader(c, 'ETag', tag)
    setHeader(c, 'Cache-Control', 'no-cache')
    setHeader(c, 'Link', `<${catalog}>; rel="api-catalog"`)
    if (matchesEntityTag(c.req.header('If-None-Match'), tag)) return send(c, null, { status: 304 })
    return send(c, text, { type: contentType })
  })
}
