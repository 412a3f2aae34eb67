/** The demo key of a trial. The response with the viewer's page has it on this machine, and only there. */
import { apiUrl } from './api-request.ts'

let found: Promise<string | undefined> | undefined

/** Finds the demo key; undefined outside of a trial. */
export function findDemoKey(): Promise<string | undefined> {
  if (!/^(localhost|127\.[\d.]+|\[::1\])$/.test(location.hostname)) return Promise.resolve(undefined)
  found ??= fetch(`${apiUrl}/api-docs`, { method: 'HEAD', cache: 'no-store' })
    .then(({ headers }) => headers.get('X-Demo-Key') ?? undefined)
    .catch(() => {
      found = undefined // Another attempt follows a failed one.
      return undefined
    })
  return found
}
