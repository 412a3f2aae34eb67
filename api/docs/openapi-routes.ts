import type { Hono } from 'hono'
import type { ApiContext, HonoEnvironment } from '../http/request-context.ts'
import { matchesEntityTag, send, setHeader, takeHeaders } from '../http/response.ts'
import { loadOpenApiDocument, type RenderedDocument } from './openapi-document.ts'

/** Adds `/openapi.yml` and `/openapi.json`. `publicRoot` returns the public URL of the API, without a slash at its end. */
export function addOpenApiRoutes(app: Hono<HonoEnvironment>, publicRoot: (c: ApiContext) => string): void {
  const document = loadOpenApiDocument()
  app.get('/openapi.yml', (c) => sendDocument(c, document.yaml(publicRoot(c))))
  app.get('/openapi.json', (c) => sendDocument(c, document.json(publicRoot(c))))
}

async function sendDocument(c: ApiContext, { type, tag, read }: RenderedDocument): Promise<Response> {
  setHeader(c, 'ETag', tag)
  setHeader(c, 'Cache-Control', 'no-cache')
  setHeader(c, 'Vary', 'Accept-Encoding')
  if (matchesEntityTag(c.req.header('If-None-Match'), tag)) return send(c, null, { status: 304 })
  const [body, encoding] = await read(c.req.header('Accept-Encoding'))
  setHeader(c, 'Content-Type', type)
  if (encoding !== 'identity') setHeader(c, 'Content-Encoding', encoding)
  return new Response(body, { headers: takeHeaders(c) })
}
