/**
 * Figures for operators, in Prometheus' text form.
 *
 * @module
 */
import type { MiddlewareHandler } from 'hono'
import { createMiddleware } from 'hono/factory'
import { Counter, Histogram, Registry } from 'prom-client'
import type { ApiContext, Environment } from './environment.ts'
import { describeRoute } from './middleware/access-log.ts'

/** A registry of this service's figures, and the middleware that feeds it. */
export interface Metrics {
  registry: Registry
  /** Middleware: counts and times what passes through. */
  measure: MiddlewareHandler<Environment>
  /** Counts a request that does not. */
  count(c: ApiContext, status: number): void
}

/** Creates the figures: requests by route and status, their seconds, and credits charged. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  const requests = new Counter({
    name: 'devdata_requests_total',
    help: 'Requests answered, by method, route and status.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  })
  const seconds = new Histogram({
    name: 'devdata_request_seconds',
    help: 'Seconds from a request to its answer, by route.',
    labelNames: ['route'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  const credits = new Counter({
    name: 'devdata_credits_charged_total',
    help: 'Credits taken from balances for answers.',
    registers: [registry],
  })
  function count(c: ApiContext, status: number): void {
    requests.inc({ method: c.req.method, route: describeRoute(c), status })
  }
  return {
    registry,
    count,
    measure: createMiddleware<Environment>(async function measure(c, next) {
      await next()
      count(c, c.res.status)
      seconds.observe({ route: describeRoute(c) }, (performance.now() - c.get('startedAt')) / 1000)
      credits.inc(c.get('charged') ?? 0)
    }),
  }
}
