/**
 * The OpenAPI document, with the service's public URL as its server.
 *
 * @module
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Hono } from 'hono'
import { parse } from 'yaml'
import { chooseEncoding, compress, type Encoding } from '../http/compression.ts'
import type { ApiContext, HonoEnvironment } from '../http/request-context.ts'
import { createEntityTag, matchesEntityTag, send, setHeader, takeHeaders } from '../http/response.ts'

const documentPath = join(import.meta.dirname, '..', '..', 'openapi.yml')
/** The server's URL in the file. */
const placeholder = 'http://127.0.0.1:8000'

/**
 * Public URLs whose documents are cached and compressed. Without `BASE_URL`, clients can invent any number of hosts: for
 * further ones, the document is written for each request and not compressed.
 */
const maxCached = 8

/** The document in one format, for one public URL. */
interface RenderedDocument {
  tag: string
  body: Uint8Array<ArrayBuffer>
  /** Compressed bodies; undefined: the document isn't cached. */
  compressed: Map<Encoding, Promise<Uint8Array<ArrayBuffer>>> | undefined
}

/**
 * Adds `/openapi.yml` and `/openapi.json`. Throws if the document is missing, or doesn't have exactly one server.
 *
 * @param publicRoot returns the public URL of the API, without a slash at its end
 */
export function addOpenApiRoutes(app: Hono<HonoEnvironment>, publicRoot: (c: ApiContext) => string): void {
  const yaml = readFileSync(documentPath, 'utf8')
  if (yaml.split(placeholder).length !== 2) {
    throw new Error(`openapi.yml must have one server, ${placeholder}`)
  }
  const renderYaml = createRenderer(yaml)
  let renderJson: typeof renderYaml | undefined
  app.get('/openapi.yml', (c) => sendRendered(c, renderYaml(publicRoot(c)), 'application/yaml'))
  app.get('/openapi.json', (c) => {
    // Parsing takes longer than the rest of a start, so it waits for the first request.
    renderJson ??= createRenderer(JSON.stringify(parse(yaml)))
    return sendRendered(c, renderJson(publicRoot(c)), 'application/json')
  })
}

/** Creates a function that puts a public URL into the text. Valid URLs need no escaping in YAML and JSON. */
function createRenderer(text: string): (publicRoot: string) => RenderedDocument {
  const cache = new Map<string, RenderedDocument>()
  return (publicRoot) => {
    const cached = cache.get(publicRoot)
    if (cached !== undefined) return cached
    const complete = text.replace(placeholder, () => publicRoot)
    const isCached = cache.size < maxCached
    const rendered = {
      body: new TextEncoder().encode(complete),
      tag: createEntityTag(complete),
      compressed: isCached ? new Map() : undefined,
    }
    if (isCached) cache.set(publicRoot, rendered)
    return rendered
  }
}

async function sendRendered(
  c: ApiContext,
  { tag, body, compressed }: RenderedDocument,
  type: string,
): Promise<Response> {
  setHeader(c, 'ETag', tag)
  setHeader(c, 'Cache-Control', 'no-cache')
  setHeader(c, 'Vary', 'Accept-Encoding')
  if (matchesEntityTag(c.req.header('If-None-Match'), tag)) return send(c, null, { status: 304 })
  setHeader(c, 'Content-Type', type)
  const encoding = chooseEncoding(c.req.header('Accept-Encoding'), ['br', 'gzip'])
  if (compressed === undefined || encoding === 'identity') {
    return new Response(body, { headers: takeHeaders(c) })
  }
  const pending = compressed.get(encoding) ?? compress(body, encoding, 'small')
  compressed.set(encoding, pending)
  setHeader(c, 'Content-Encoding', encoding)
  return new Response(await pending, { headers: takeHeaders(c) })
}
