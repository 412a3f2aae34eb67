/**
 * The paths that need no key, below the base path. A `*` at the end stands for any path below.
 *
 * @module
 */

/** Pages for people. Scripts of other origins can't read them. */
const pagePaths = ['', '/', '/docs/*', '/api-docs/*', '/favicon.ico', '/llms.txt', '/robots.txt']

/** All of them. */
export const publicPaths: readonly string[] = [
  ...pagePaths,
  '/health',
  '/version',
  '/openapi.yml',
  '/openapi.json',
  '/.well-known/api-catalog',
]

/** Whether a path leads to a page for people. */
export function isPagePath(path: string): boolean {
  return pagePaths.some((page) => {
    if (!page.endsWith('/*')) return path === page
    const directory = page.slice(0, -2)
    return path === directory || path.startsWith(`${directory}/`)
  })
}
