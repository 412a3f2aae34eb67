import type { Hono } from 'hono'
import type { Meter } from '../answer/metered.ts'
import type { Sources } from '../catalog/sources.ts'
import type { Environment } from '../environment.ts'
import type { PublicUrl } from './lists.ts'

/** What the routes of the catalog need. */
export interface CatalogRoutes {
  /** The app to add to, under the base path. Callers are authenticated and throttled before these routes. */
  app: Hono<Environment>
  sources: Sources
  meter: Meter
  publicUrl: PublicUrl
}
