/** `/.well-known/api-catalog` (RFC 9727): a linkset (RFC 9264) to the API's descriptions, for machines. */
import type { Hono } from 'hono'
import { mcpPath } from '../http/paths.ts'
import type { ApiContext, HonoEnvironment } from '../http/request-context.ts'
import { sendDocument, setHeader } from '../http/response.ts'

const path = '/.well-known/api-catalog'
const contentType = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'

/**
 * Adds the catalog. RFC 9727 puts it at the root of the host; proxies may forward only the path of `BASE_URL`.
 *
 * @param publicRoot returns the public URL of the API, without a slash at its end
 */
export function addApiCatalogRoute(app: Hono<HonoEnvironment>, publicRoot: (c: ApiContext) => string): void {
  app.get(path, (c) => {
    const root = publicRoot(c)
    const catalog = new URL(path, root).href
    setHeader(c, 'Link', `<${catalog}>; rel="api-catalog"`)
    return sendDocument(c, writeCatalog(root, catalog), contentType)
  })
}

function writeCatalog(root: string, catalog: string): string {
  return JSON.stringify({
    linkset: [
      { anchor: catalog, item: [{ href: root }, { href: root + mcpPath }] },
      {
        anchor: root,
        'service-desc': [
          { href: `${root}/openapi.yml`, type: 'application/yaml' },
          { href: `${root}/openapi.json`, type: 'application/json' },
        ],
        'service-doc': [
          { href: `${root}/docs`, type: 'text/html' },
          { href: `${root}/docs/llms.txt`, type: 'text/plain' },
          { href: `${root}/api-docs`, type: 'text/html' },
        ],
        status: [{ href: `${root}/health`, type: 'application/json' }],
      },
    ],
  })
}
