import type { Logger } from '@logtape/logtape'
import { createMiddleware } from 'hono/factory'
import { routePath } from 'hono/route'
import type { ApiContext, Environment } from '../environment.ts'

/**
 * Writes one log line a request: never a key, and the route's pattern instead of the path, since paths name people.
 */
export function accessLog(logger: Logger) {
  return createMiddleware<Environment>(async function accessLog(c, next) {
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

/** The pattern of the route that answered, as openapi.yml writes it: `/users/{login}`. */
export function describeRoute(c: ApiContext): string {
  const pattern = routePath(c, -1)
  const known = descriptions.get(pattern)
  if (known !== undefined) return known
  const description = pattern.replace(/:(\w+)\{[^}]*\}/g, '{$1}')
  descriptions.set(pattern, description)
  return description
}

/** By pattern: as many as there are routes. */
const descriptions = new Map<string, string>()
