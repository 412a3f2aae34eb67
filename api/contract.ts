/**
 * The OpenAPI document as it is served: the file at the top, with the server's public address in it.
 *
 * @module
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

const documentPath = join(import.meta.dirname, '..', 'openapi.yml')
/** The address that the file itself names. */
const placeholder = 'http://127.0.0.1:8000'

/** The OpenAPI document under a public address. */
export interface Contract {
  toYaml(publicRoot: string): string
  toJson(publicRoot: string): string
}

/** Reads the document. Throws when it is missing or names no server that could be replaced. */
export function loadContract(): Contract {
  const yaml = readFileSync(documentPath, 'utf8')
  const toYaml = createTemplate(yaml, `- url: ${placeholder}\n`, (publicRoot) => `- url: ${publicRoot}\n`)
  let toJson: ((publicRoot: string) => string) | undefined
  return {
    toYaml,
    toJson(publicRoot) {
      // Not at the start, most of which it would take.
      toJson ??= createTemplate(
        JSON.stringify(parse(yaml)),
        `"url":"${placeholder}"`,
        (address) => `"url":${JSON.stringify(address)}`,
      )
      return toJson(publicRoot)
    },
  }
}

function createTemplate(text: string, server: string, write: (publicRoot: string) => string) {
  const [before, after, ...more] = text.split(server)
  if (before === undefined || after === undefined || more.length > 0) {
    throw new Error(`openapi.yml must have one server, "${server.trim()}"`)
  }
  return (publicRoot: string) => before + write(publicRoot) + after
}
