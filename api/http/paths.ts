/** The paths that differ from others: which need no key, are for their own origin alone, or do more than read. */
import { postMethods, readMethods } from '../errors.ts'

/**
 * Paths of pages for people, below the base path. Scripts of other origins can't read them. `*` matches any path below.
 */
const pagePaths = ['', '/', '/docs/*', '/api-docs/*', '/favicon.ico', '/llms.txt', '/robots.txt']

/** All paths that need no key. */
export const publicPaths: readonly string[] = [
  ...pagePaths,
  '/health',
  '/version',
  '/openapi.yml',
  '/openapi.json',
  '/.well-known/api-catalog',
]

/** The path for assistants. */
export const mcpPath = '/mcp'
/** The page that connects them. Below it is what their programs request. */
export const signInPath = '/sign-in'

/** Under `/docs`, but an endpoint as others: scripts of any origin may read it. */
const coveragePath = '/docs/coverage.json'

/** Whether a path leads to a page for people, or to what admins do: scripts of other origins can't read it. */
export function isSameOriginPath(path: string): boolean {
  if (path === coveragePath) return false
  return [...pagePaths, '/admin/*', signInPath].some((page) => {
    if (!page.endsWith('/*')) return path === page
    const directory = page.slice(0, -2)
    return path === directory || path.startsWith(`${directory}/`)
  })
}

/** Paths that have other methods than `GET` and `HEAD`. */
const writtenPaths: readonly [pattern: RegExp, methods: readonly string[]][] = [
  [new RegExp(`^${mcpPath}$`), postMethods],
  [new RegExp(`^${signInPath}$`), ['GET', 'HEAD', 'POST', 'OPTIONS']],
  [new RegExp(`^${signInPath}/[a-z]+$`), postMethods],
  [/^\/api-key\/connections\/[^/]+$/, ['DELETE', 'OPTIONS']],
  [/^\/admin\/keys$/, ['GET', 'HEAD', 'POST', 'OPTIONS']],
  [/^\/admin\/keys\/[^/]+$/, ['GET', 'HEAD', 'PATCH', 'OPTIONS']],
  [/^\/admin\/keys\/[^/]+\/(?:grants|rotate|revoke|restore)$/, ['POST', 'OPTIONS']],
]

/** Returns the methods of a path. */
export function findMethods(path: string, basePath: string): readonly string[] {
  const own = path.startsWith(basePath) ? path.slice(basePath.length) : ''
  const [, methods] = writtenPaths.find(([pattern]) => pattern.test(own)) ?? []
  return methods ?? readMethods
}
