/** The OpenAPI document, with the service's public URL as its server. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Hono } from 'hono'
import { parse } from 'yaml'
import type { Config } from '../config.ts'
import { encodings } from '../http/compression.ts'
import { createEntityTag } from '../http/entity-tag.ts'
import { type KeptDocument, keepDocument, sendKeptDocument } from '../http/kept-document.ts'
import type { ApiContext, HonoEnvironment } from '../http/request-context.ts'
import { setHeader } from '../http/response.ts'
import { createTemplate, fillTemplate, type IsCachedUrl, type PageTemplate } from './page-template.ts'

const documentPath = join(import.meta.dirname, '..', '..', 'openapi.yml')
/** The server's URL in the file. */
const placeholder = 'http://127.0.0.1:8000'
/** The contact in the file. */
const contactLines = '  contact:\n    name: The operator of this service\n'

/** The document in one format. */
interface DocumentFormat {
  type: string
  /** Entity tag of the text without the URL. */
  tag: string
  template: PageTemplate
  /** By public URL. */
  documents: Map<string, KeptDocument>
}

/**
 * Adds `/openapi.yml` and `/openapi.json`. Throws if the document is missing, or doesn't have exactly one server and
 * one contact.
 *
 * @param publicRoot returns the public URL of the API, without a slash at its end
 */
export function addOpenApiRoutes(
  app: Hono<HonoEnvironment>,
  publicRoot: (c: ApiContext) => string,
  isCachedUrl: IsCachedUrl,
  operator: Config['operator'],
): void {
  const file = readFileSync(documentPath, 'utf8')
  for (const [part, what] of [
    [placeholder, 'server'],
    [contactLines, 'contact'],
  ] as const) {
    if (file.split(part).length !== 2) throw new Error(`openapi.yml must have one ${what}: ${part}`)
  }
  const text = file.replace(contactLines, (lines) => writeContact(operator) ?? lines)
  const yaml = createFormat(text, 'application/yaml')
  let json: DocumentFormat | undefined
  app.get('/openapi.yml', (c) => sendDocumentFormat(c, yaml, publicRoot(c), isCachedUrl))
  app.get('/openapi.json', (c) => {
    // Parsing takes longer than the rest of a start, so it waits for the first request.
    json ??= createFormat(JSON.stringify(parse(text)), 'application/json')
    return sendDocumentFormat(c, json, publicRoot(c), isCachedUrl)
  })
}

/** The contact and the terms of the settings; undefined if they have none. JSON is YAML, too. */
function writeContact({ name, contactUrl, termsUrl }: Config['operator']): string | undefined {
  if (name === undefined && contactUrl === undefined && termsUrl === undefined) return undefined
  const contact = {
    name: name ?? 'The operator of this service',
    ...(contactUrl?.startsWith('mailto:') && { email: new URL(contactUrl).pathname }),
    ...(contactUrl?.startsWith('http') && { url: contactUrl }),
  }
  const terms = termsUrl === undefined ? '' : `  termsOfService: ${JSON.stringify(termsUrl)}\n`
  return `  contact: ${JSON.stringify(contact)}\n${terms}`
}

/** Valid URLs need no escaping in YAML and JSON. */
function createFormat(text: string, type: string): DocumentFormat {
  return {
    type,
    tag: createEntityTag(text),
    template: createTemplate(text, [placeholder]),
    documents: new Map(),
  }
}

async function sendDocumentFormat(
  c: ApiContext,
  { type, tag: textTag, template, documents }: DocumentFormat,
  publicRoot: string,
  isCachedUrl: IsCachedUrl,
): Promise<Response> {
  const isKept = isCachedUrl(publicRoot)
  const create = () =>
    keepDocument(
      fillTemplate(template, () => publicRoot),
      type,
      [textTag, publicRoot],
    )
  const document = documents.get(publicRoot) ?? create()
  if (isKept) documents.set(publicRoot, document)
  setHeader(c, 'Vary', 'Accept-Encoding')
  return sendKeptDocument(c, document, { offered: isKept ? encodings : [] })
}
