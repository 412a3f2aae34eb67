/**
 * The OpenAPI document with the service's public URL as its server.
 *
 * @module
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { chooseEncoding, compress, createEntityTag, type Encoding } from '../http/response.ts'

const documentPath = join(import.meta.dirname, '..', '..', 'openapi.yml')
/** The server's URL in the file. */
const placeholder = 'http://127.0.0.1:8000'

/** The OpenAPI document in one format, for one public URL. */
export interface RenderedDocument {
  type: string
  tag: string
  /** The body and its encoding. Cached documents are compressed if the client accepts it. */
  read(
    acceptEncoding: string | undefined,
  ): Promise<[body: Uint8Array<ArrayBuffer>, encoding: Encoding | 'identity']>
}

/** The OpenAPI document in both formats. */
export interface OpenApiDocument {
  yaml(publicRoot: string): RenderedDocument
  json(publicRoot: string): RenderedDocument
}

/**
 * Maximum number of public URLs with cached documents. Without `BASE_URL`, clients can invent any number of hosts: for
 * further ones, the document is written for each request and not compressed.
 */
const maxCached = 8

/** Reads the document. Throws if it is missing, or doesn't have exactly one server. */
export function loadOpenApiDocument(): OpenApiDocument {
  const yaml = readFileSync(documentPath, 'utf8')
  let json: OpenApiDocument['json'] | undefined
  return {
    yaml: createFormat('application/yaml', yaml, `- url: ${placeholder}\n`, (root) => `- url: ${root}\n`),
    json(publicRoot) {
      // Parsing takes longer than the rest of a start, so it waits for the first request.
      json ??= createFormat(
        'application/json',
        JSON.stringify(parse(yaml)),
        `"url":"${placeholder}"`,
        (root) => `"url":${JSON.stringify(root)}`,
      )
      return json(publicRoot)
    },
  }
}

function createFormat(type: string, text: string, server: string, write: (publicRoot: string) => string) {
  const [before, after, ...more] = text.split(server)
  if (before === undefined || after === undefined || more.length > 0) {
    throw new Error(`openapi.yml must have one server, "${server.trim()}"`)
  }
  const textTag = createEntityTag(type, text)
  const cache = new Map<string, RenderedDocument>()
  return (publicRoot: string) => {
    const cached = cache.get(publicRoot)
    if (cached !== undefined) return cached
    const isCached = cache.size < maxCached
    const body = new TextEncoder().encode(before + write(publicRoot) + after)
    const compressed = new Map<Encoding, Promise<Uint8Array<ArrayBuffer>>>()
    const document: RenderedDocument = {
      type,
      tag: createEntityTag(textTag, publicRoot),
      async read(acceptEncoding) {
        const encoding = isCached ? chooseEncoding(acceptEncoding, ['br', 'gzip']) : 'identity'
        if (encoding === 'identity') return [body, encoding]
        const pending = compressed.get(encoding) ?? compress(body, encoding, 'small')
        compressed.set(encoding, pending)
        return [await pending, encoding]
      },
    }
    if (isCached) cache.set(publicRoot, document)
    return document
  }
}
