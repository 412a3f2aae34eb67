/** The origin of the forge's pages and clones. */

/**
 * Finds the origin by the API's URL: `https://github.com` for `https://api.github.com`, and likewise on ghe.com. An
 * enterprise server has one host for all, and the API under a path.
 */
export function findWebOrigin(apiUrl: string): string {
  const { protocol, host, pathname } = new URL(apiUrl)
  return `${protocol}//${pathname === '/' ? host.replace(/^api\./, '') : host}`
}
