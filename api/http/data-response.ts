/** Responses with data: a document, or a list with its meta object. */
import { Buffer } from 'node:buffer'
import type { Body, CompressedBeginning } from './compression.ts'
import type { ApiContext } from './request-context.ts'
import { setHeader } from './response.ts'

/** A response with data. */
export interface DataResponse {
  headers: Readonly<Record<string, string>>
  /** JSON in UTF-8: a document, or the items of a list with commas between them. */
  data: Uint8Array<ArrayBuffer>
  /** JSON text of a list's pagination object; undefined: the response is a document. */
  pagination?: string
  /** Of a list in the response cache: its items as they have been compressed. */
  compressed?: CompressedBeginning
  /** The version of the dataset that the data was read at; undefined: the data isn't part of the dataset. */
  version: number | undefined
}

const listStart = Buffer.from('{"data":[')

/** Creates the meta object of a list. */
export function createMeta(c: ApiContext) {
  return {
    request_id: c.get('requestId'),
    timestamp: Math.floor(Date.now() / 1000), // seconds
    execution_time: Math.round(performance.now() - c.get('startedAt')), // milliseconds
  }
}

/** Renders the body: a list gets the request's meta object. */
export function renderBody(c: ApiContext, { data, pagination, compressed }: DataResponse): Body {
  if (pagination === undefined) return data
  const end = Buffer.from(`],"meta":${JSON.stringify(createMeta(c))},"pagination":${pagination}}`)
  return { start: listStart, data, compressed, end }
}

/** Sets the headers of a response with data. */
export function setDataHeaders(c: ApiContext, { headers, version }: DataResponse): void {
  for (const [name, value] of Object.entries(headers)) setHeader(c, name, value)
  if (version !== undefined) setHeader(c, 'X-Dataset-Version', String(version))
}
