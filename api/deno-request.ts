/**
 * What Deno's server leaves to be looked at before a request is what it seems to be.
 *
 * @module
 */
import { answerUnreadable } from './answer/error.ts'

/** Most hosts there are, so that no URL has to be made of them. */
const plain = /^[a-z\d.-]+(:\d{1,4})?$/i

/**
 * Deno puts the Host header before the path as it is, so that what stands behind a slash in it would become part of the
 * path, and takes an absolute address that is none: both are answered 400, as on Node.
 */
export function refuseUnreadable(
  fetch: (request: Request) => Response | Promise<Response>,
): (request: Request) => Response | Promise<Response> {
  return (request) =>
    isHost(request.headers.get('Host')) && URL.canParse(request.url) ? fetch(request) : answerUnreadable()
}

/** Without the header the server itself names the host. */
function isHost(value: string | null): boolean {
  if (value === null || plain.test(value)) return true
  return !/[/?#@\\]/.test(value) && URL.canParse(`http://${value}`)
}
