/** Single resources: looks one up, and responds with its document. */
import type { LookUp } from '../catalog/document-lookup.ts'
import type { MeteredQuery } from '../checkout/metered-response.ts'
import type { ApiError } from '../errors.ts'
import { createEntityTag } from '../http/entity-tag.ts'

/** Creates the query of a single resource with this public URL. `missing` is the response if there is none. */
export function createDocumentQuery(
  { origin, pathname }: URL,
  lookUp: LookUp,
  missing: { cost: number; createError: () => ApiError },
): MeteredQuery {
  return {
    async read(catalog, requester) {
      const found = await catalog.lookUp(lookUp, requester)
      if (found === 'not_found') return found
      const { count, digest = '', items, version, settlement } = found
      const tag = createEntityTag(origin + pathname, digest)
      return { cost: count, tag, headers: {}, data: items, version, settlement }
    },
    createError: () => ({ cost: missing.cost, error: missing.createError() }),
  }
}
