/**
 * The answer of a single resource: its document as it is.
 *
 * @module
 */
import type { Found } from '../catalog/lookup.ts'
import { createEntityTag } from '../http/entity-tag.ts'
import { documentCost, type MeteredResponse } from './checkout.ts'

/** Makes the answer of a document that was found under its public address. It costs 1 credit (`service.md` §8.2). */
export function createDocumentResponse(url: string, { document, version }: Found): MeteredResponse {
  return {
    cost: documentCost,
    tag: createEntityTag(url, document),
    headers: {},
    body: document,
    version,
    render: () => document,
  }
}
