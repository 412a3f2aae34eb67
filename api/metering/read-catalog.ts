/**
 * Reading the catalog for a request.
 *
 * @module
 */

import type { ReplicaRouting, Source } from '../catalog/replica-routing.ts'
import type { Requester } from '../catalog/stored-list.ts'
import type { ApiContext } from '../http/request-context.ts'

/** Reads for a request, and remembers with it whether a replica answered. */
export async function readCatalog<T>(
  c: ApiContext,
  sources: ReplicaRouting,
  run: (source: Source) => Promise<T | undefined>,
): Promise<T | undefined> {
  const { found, isReplicated } = await sources.read(run, { fresh: c.get('source') === 'primary' })
  if (isReplicated) c.set('source', 'replica')
  return found
}

/** Who asks for a list: it gives up its place among those that are worked on before it waits for one to be computed. */
export function requesterOf(c: ApiContext): Requester {
  return { caller: c.get('caller').id, onWait: c.get('leave') }
}
