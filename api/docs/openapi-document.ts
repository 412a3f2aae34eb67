/**
 * The OpenAPI document as it is served: the file at the top, with the server's public address in it.
 *
 * @module
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { chooseEncoding, compress, type Encoding } from '../http/compression.ts'
import { createEntityTag } from '../http/entity-tag.ts'

const documentPath = join(import.meta.dirname, '..', '..', 'openapi.yml')
/** The address that the file itself names. */
const placeholder = 'http://127.0.0.1:8000'

/** The OpenAPI document under a public address, in one of its formats. */
export interface ContractDocument {
  type: string
  tag: string
  /** The body as it is, or compressed if it is kept; with the coding that it has. */
  read(
    acceptEncoding: string | undefined,
  ): Promise<[body: Uint8Array<ArrayBuffer>, encoding: Encoding | 'identity']>
}

/** The OpenAPI document in its formats. */
export interface Contract {
  yaml(publicRoot: string): ContractDocument
  json(publicRoot: string): ContractDocument
}

/**
 * Public addresses for which the document is kept. Without a `BASE_URL` it has the host of the request, of which anybody
 * may make up any number: for others it is written with each request, and not compressed.
 */
const maxCached = 8

/** Reads the document. Throws when it is missing or names no server that could be replaced. */
export function loadContract(): Contract {
  const yaml = readFileSync(documentPath, 'utf8')
  let json: Contract['json'] | undefined
  return {
    yaml: createFormat('application/yaml', yaml, `- url: ${placeholder}\n`, (root) => `- url: ${root}\n`),
    json(publicRoot) {
      // Not at the start, most of which it would take.
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
  const kept = new Map<string, ContractDocument>()
  return (publicRoot: string) => {
    const known = kept.get(publicRoot)
    if (known !== undefined) return known
    const isKept = kept.size < maxCached
    const body = new TextEncoder().encode(before + write(publicRoot) + after)
    const compressed = new Map<Encoding, Promise<Uint8Array<ArrayBuffer>>>()
    const document: ContractDocument = {
      type,
      tag: createEntityTag(textTag, publicRoot),
      async read(acceptEncoding) {
        const encoding = isKept ? chooseEncoding(acceptEncoding, ['br', 'gzip']) : 'identity'
        if (encoding === 'identity') return [body, encoding]
        const made = compressed.get(encoding) ?? compress(body, encoding, 'small')
        compressed.set(encoding, made)
        return [await made, encoding]
      },
    }
    if (isKept) kept.set(publicRoot, document)
    return document
  }
}
