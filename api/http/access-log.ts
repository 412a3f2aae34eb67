import type { Logger } from '@logtape/logtape'
import { createMiddleware } from 'hono/factory'
import type { HonoEnvironment } from './request-context.ts'
import { describeRoute } from './telemetry-labels.ts'

/** Writes a log line for each request, without keys, and with the route's pattern instead of the path. */
export function accessLog(logger: Logger) {
  return createMiddleware<HonoEnvironment>(async function accessLog(c, next) {
    await next()
    const { method } = c.req
    const { status } = c.res
    const route = describeRoute(c)
    const milliseconds = Math.round(performance.now() - c.get('startedAt'))
    logger.info('{method} {route} {status} {milliseconds} ms', {
      request_id: c.get('requestId'),
      method,
      route,
      status,
      milliseconds,
      credits: c.get('charged') ?? 0,
      key_id: c.get('caller')?.id ?? null,
    })
  })
}
