/**
 * The OpenAPI document, with the service's public URL as its server.
 *
 * @module
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Hono } from 'hono'
import { parse } from 'yaml'
import type { ApiContext, HonoEnvironment } from '../http/request-context.ts'
import { sendDocument } from '../http/send.ts'

const documentPath = join(import.meta.dirname, '..', '..', 'openapi.yml')
/** The server's URL in the file. */
const placeholder = 'http://127.0.0.1:8000'

/**
 * Adds `/openapi.yml` and `/openapi.json`. Throws if the document is missing, or doesn't have exactly one server.
 *
 * @param publicRoot returns the public URL of the API, without a slash at its end
 */
export function addOpenApiRoutes(app: Hono<HonoEnvironment>, publicRoot: (c: ApiContext) => string): void {
  const yaml = readFileSync(documentPath, 'utf8')
  if (yaml.split(placeholder).length !== 2)
    throw new Error(`openapi.yml must have one server, ${placeholder}`)
  let json: string | undefined
  app.get('/openapi.yml', (c) =>
    sendDocument(
      c,
      yaml.replace(placeholder, () => publicRoot(c)),
      'application/yaml',
    ),
  )
  app.get('/openapi.json', (c) => {
    // Parsing takes longer than the rest of a start, so it waits for the first request.
    json ??= JSON.stringify(parse(yaml))
    const text = json.replace(JSON.stringify(placeholder), () => JSON.stringify(publicRoot(c)))
    return sendDocument(c, text, 'application/json')
  })
}
