/**
 * Idempotency keys of the tools. They depend on what is requested alone, so a request that any process makes again
 * under the same API key is free, as long as the service remembers the payment.
 */
import { createHash } from 'node:crypto'

/** What the idempotency keys of pages begin with. The client adds a hash of the page's URL. */
export const pageKeyPrefix = 'devdata-mcp'

/** Returns the idempotency key of a look-up. */
export function createLookUpKey(...names: readonly string[]): string {
  return `${pageKeyPrefix}.${createHash('sha256').update(names.join('/')).digest('hex').slice(0, 32)}`
}
