import type { Hono } from 'hono'
import type { Meter } from '../answer/metered.ts'
import type { Source, Sources } from '../catalog/sources.ts'
import type { ApiContext, Environment } from '../environment.ts'
import type { PublicUrl } from './lists.ts'

/** What the routes of the catalog need. */
export interface CatalogRoutes {
  /** The app to add to, under the base path. Callers are authenticated and throttled before these routes. */
  app: Hono<Environment>
  sources: Sources
  meter: Meter
  publicUrl: PublicUrl
}

/** Reads for a request, and remembers with it whether a replica answered. */
export async function readCatalog<T>(
  c: ApiContext,
  sources: Sources,
  run: (source: Source) => Promise<T | undefined>,
): Promise<T | undefined> {
  const { found, isReplicated } = await sources.read(run, { fresh: c.get('source') === 'primary' })
  if (isReplicated) c.set('source', 'replica')
  return found
}
