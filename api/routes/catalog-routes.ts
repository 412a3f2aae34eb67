import type { Hono } from 'hono'
import type { ReplicaRouting } from '../catalog/replica-routing.ts'
import type { HonoEnvironment } from '../http/request-context.ts'
import type { Meter } from '../metering/checkout.ts'
import type { PublicUrl } from './lists.ts'

/** What the routes of the catalog need. */
export interface CatalogRoutes {
  /** The app to add to, under the base path. Callers are authenticated and throttled before these routes. */
  app: Hono<HonoEnvironment>
  sources: ReplicaRouting
  meter: Meter
  publicUrl: PublicUrl
}
