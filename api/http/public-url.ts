/**
 * The public URL of the service: `BASE_URL`, or without one the scheme and host of each request. `X-Forwarded-*` headers
 * are never trusted.
 *
 * @module
 */
import { readBasePath } from '../config.ts'
import type { ApiContext } from './request-context.ts'

/** Public URLs of an instance. */
export interface PublicUrls {
  /** The path under which routes are mounted: empty, or for example `/public-api`. */
  basePath: string
  /** The public origin; undefined: that of each request. */
  publicOrigin: string | undefined
  /** A request's public URL. It is parsed once: don't change it. */
  publicUrl(c: ApiContext): URL
  /** The public URL of the API's root, without a slash at its end. */
  publicRoot(c: ApiContext): string
}

/** Reads a `BASE_URL` that has no slash at its end; undefined: it is not set. */
export function createPublicUrls(baseUrl: string | undefined): PublicUrls {
  const publicOrigin = baseUrl === undefined ? undefined : new URL(baseUrl).origin

  function publicUrl(c: ApiContext): URL {
    const known = c.get('url')
    if (known !== undefined) return known
    const { url } = c.req
    const parsed = new URL(publicOrigin === undefined ? url : publicOrigin + readTarget(url))
    c.set('url', parsed)
    return parsed
  }

  return {
    basePath: readBasePath(baseUrl),
    publicOrigin,
    publicUrl,
    publicRoot: (c) => baseUrl ?? publicUrl(c).origin,
  }
}

/** What follows the host in a URL: path, query and fragment. */
export function readTarget(url: string): string {
  return url.replace(/^[^/]*\/\/[^/?#]*/, '')
}
