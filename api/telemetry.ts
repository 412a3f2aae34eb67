/**
 * Traces and metrics for OpenTelemetry: a span for each request, and within it one for each time that it waits for the
 * database. Nothing of this is loaded unless the settings ask for it.
 *
 * What a span says is what the log says: the route's pattern, no address, no key.
 *
 * @module
 */
import type { MiddlewareHandler } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { Environment } from './environment.ts'
import { describeMethod, describeRoute } from './request-names.ts'

/** Where spans and figures go; each runtime has its own. */
export interface TelemetryExport {
  /** Whether the runtime makes a span and figures for each request by itself. */
  measuresRequests: boolean
  /** Sends what is left. */
  stop(): Promise<void>
}

/** Runs work that waits for the database, as a span within the request's. */
export type TraceDatabase = <T>(operation: string, work: () => Promise<T>) => Promise<T>

/** What requests are traced with. */
export interface Telemetry {
  traceRequest: MiddlewareHandler<Environment>
  traceDatabase: TraceDatabase
}

/** Where nothing is traced. */
export const untraced: TraceDatabase = (_, work) => work()

/** Creates the tracing of requests, for an export that has been started. */
export async function createTelemetry({ measuresRequests }: TelemetryExport): Promise<Telemetry> {
  const { SpanKind, SpanStatusCode, context, metrics, propagation, trace } = await import(
    '@opentelemetry/api'
  )
  const tracer = trace.getTracer('devdata')
  const meter = metrics.getMeter('devdata')
  const credits = meter.createCounter('devdata.credits.charged', {
    description: 'Credits taken from balances for answers.',
    unit: '{credit}',
  })
  const seconds = measuresRequests
    ? undefined
    : meter.createHistogram('http.server.request.duration', {
        description: 'Duration of HTTP server requests.',
        unit: 's',
        advice: {
          explicitBucketBoundaries: [
            0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
          ],
        },
      })
  const headerNames = {
    get: (headers: Headers, name: string) => headers.get(name) ?? undefined,
    keys: (headers: Headers) => [...headers.keys()],
  }

  return {
    traceRequest: createMiddleware<Environment>(async function traceRequest(c, next) {
      const method = describeMethod(c.req.method)
      const own = measuresRequests
        ? undefined
        : tracer.startSpan(
            method,
            { kind: SpanKind.SERVER, attributes: { 'http.request.method': method } },
            propagation.extract(context.active(), c.req.raw.headers, headerNames),
          )
      try {
        if (own === undefined) await next()
        else await context.with(trace.setSpan(context.active(), own), next)
      } finally {
        const span = own ?? trace.getActiveSpan()
        const attributes = {
          'http.request.method': method,
          'http.route': describeRoute(c),
          'http.response.status_code': c.res.status,
        }
        const charged = c.get('charged') ?? 0
        span?.updateName(`${method} ${attributes['http.route']}`)
        span?.setAttributes({
          // Deno adds method and status by itself, and would send both twice.
          ...(measuresRequests ? { 'http.route': attributes['http.route'] } : attributes),
          'devdata.request_id': c.get('requestId'),
          'devdata.credits': charged,
        })
        if (c.res.status >= 500) span?.setStatus({ code: SpanStatusCode.ERROR })
        own?.end()
        seconds?.record((performance.now() - c.get('startedAt')) / 1000, attributes)
        credits.add(charged)
      }
    }),

    traceDatabase: (operation, work) =>
      tracer.startActiveSpan(
        operation,
        {
          kind: SpanKind.CLIENT,
          attributes: { 'db.system.name': 'postgresql', 'db.operation.name': operation },
        },
        async (span) => {
          try {
            return await work()
          } finally {
            span.end()
          }
        },
      ),
  }
}
