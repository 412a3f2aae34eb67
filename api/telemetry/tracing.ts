/**
 * OpenTelemetry traces: a span for each request, with a span for each statement. OpenTelemetry is loaded only if the
 * environment turns tracing on. Spans have the route's pattern, like the log, never a URL or a key.
 */
import type { MiddlewareHandler } from 'hono'
import { createMiddleware } from 'hono/factory'
import { describeRoute, type HonoEnvironment } from '../http/request-context.ts'
import { describeMethod } from './metrics.ts'

/** A started export of spans. Each runtime has its own. */
export interface TraceExport {
  /** Whether the runtime itself creates the spans of requests. */
  createsRequestSpans: boolean
  /** Sends the remaining spans. */
  stop(): Promise<void>
}

/** Runs work of the database in a span of the request. */
export type TraceDatabase = <T>(operation: string, work: () => Promise<T>) => Promise<T>

export interface Tracing {
  traceRequest: MiddlewareHandler<HonoEnvironment>
  traceDatabase: TraceDatabase
}

/** Creates the tracing for a started export. */
export async function createTracing({ createsRequestSpans }: TraceExport): Promise<Tracing> {
  const { SpanKind, SpanStatusCode, context, propagation, trace } = await import('@opentelemetry/api')
  const tracer = trace.getTracer('devdata')
  return {
    traceRequest: createMiddleware<HonoEnvironment>(async function traceRequest(c, next) {
      const method = describeMethod(c.req.method)
      const own = createsRequestSpans
        ? undefined
        : tracer.startSpan(
            method,
            { kind: SpanKind.SERVER, attributes: { 'http.request.method': method } },
            propagation.extract(context.active(), c.req.header()),
          )
      try {
        if (own === undefined) await next()
        else await context.with(trace.setSpan(context.active(), own), next)
      } finally {
        const span = own ?? trace.getActiveSpan()
        const route = describeRoute(c)
        span?.updateName(`${method} ${route}`)
        span?.setAttributes({
          'http.route': route,
          // Deno sets the status itself, and would send it twice.
          ...(own !== undefined && { 'http.response.status_code': c.res.status }),
          'devdata.request_id': c.get('requestId'),
          'devdata.credits': c.get('charged') ?? 0,
        })
        if (c.res.status >= 500) span?.setStatus({ code: SpanStatusCode.ERROR })
        own?.end()
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
