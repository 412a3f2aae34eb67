/** Parses manifests in a thread of its own. See `bounded-parser.ts`. */
import { parentPort } from 'node:worker_threads'
import { type ManifestContent, parseManifest } from './manifest.ts'

/** A manifest to parse. */
export interface ManifestRequest {
  format: string
  content: string
  /** Of the repository, if it is known. */
  url: string | undefined
}

/** What it declares, or the reason why it can't be read. */
export type ManifestResponse = { content: ManifestContent } | { reason: string }

// Libraries make an error for each problem, and its stack, which nobody reads, takes longer than all else.
Error.stackTraceLimit = 0

parentPort?.on('message', (request: ManifestRequest) => {
  parentPort?.postMessage(parse(request))
})

function parse({ format, content, url }: ManifestRequest): ManifestResponse {
  try {
    return { content: parseManifest(format, content, url) }
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) }
  }
}
