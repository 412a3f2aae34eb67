import type { NotFoundHandler } from 'hono'
import type { Meter } from '../checkout/meter.ts'
import { badRequest, notFound } from '../errors.ts'
import type { HonoEnvironment } from '../http/request-context.ts'
import { assertReadablePublicUrl, assertReadableUrl } from '../http/url.ts'

/** Paths of a resource whose name is missing. */
const namelessPaths: readonly [path: RegExp, name: string][] = [
  [/^\/users\/$/, 'Login'],
  [/^\/repos\/(\/[^/]*(\/(commits|dependencies(\/blame)?))?)?$/, 'Owner'],
  [/^\/repos\/[^/]+(\/(\/(commits|dependencies(\/blame)?))?)?$/, 'Repository name'],
  [/^\/admin\/keys\/$/, 'Key id'],
]

/** Creates the handler of paths without a route: throws 400 where only a name is missing, or else 404. */
export function createUnknownPathHandler(
  meter: Pick<Meter, 'settle'>,
  basePath: string,
): NotFoundHandler<HonoEnvironment> {
  return async function respondToUnknownPath(c) {
    if (c.get('caller') === undefined) {
      assertReadablePublicUrl(c.req.url)
      throw notFound('Not found')
    }
    await meter.settle(c)
    assertReadableUrl(c.req.url)
    const path = c.req.path.slice(basePath.length)
    const [, name] = namelessPaths.find(([pattern]) => pattern.test(path)) ?? []
    throw name === undefined ? notFound('Not found') : badRequest(`${name} is missing`)
  }
}
