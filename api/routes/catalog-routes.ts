import type { Hono } from 'hono'
import type { Meter } from '../answer/metered.ts'
import type { ListingStore } from '../catalog/listing.ts'
import type { Sql } from '../database/connect.ts'
import type { Environment } from '../environment.ts'
import type { PublicUrl } from './lists.ts'

/** What the routes of the catalog need. */
export interface CatalogRoutes {
  /** The app to add to, under the base path. Callers are authenticated and throttled before these routes. */
  app: Hono<Environment>
  sql: Sql
  listings: ListingStore
  meter: Meter
  publicUrl: PublicUrl
}
