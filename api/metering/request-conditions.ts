/**
 * Request conditions: the most credits that a request may cost, and the idempotency key under which it is charged once.
 *
 * @module
 */
import { badRequest } from '../errors.ts'
import type { ApiContext } from '../http/request-context.ts'
import { digestIdempotency, type Idempotency } from '../ledger/settle.ts'

/** The values of the headers `Max-Credits` and `Idempotency-Key`. */
export interface RequestConditions {
  /** In credits; null: any cost. */
  maxCredits: number | null
  idempotency: Idempotency | null
}

/** Reads the conditions. The URL identifies the request. Throws 400 when a header breaks its rule. */
export function readRequestConditions(c: ApiContext, { pathname, search }: URL): RequestConditions {
  const maxCredits = c.req.header('Max-Credits')
  const key = c.req.header('Idempotency-Key')
  if (maxCredits !== undefined && !(/^\d+$/.test(maxCredits) && Number.isSafeInteger(Number(maxCredits)))) {
    throw badRequest(
      `Invalid Max-Credits: must be an integer from 0 to ${Number.MAX_SAFE_INTEGER}, digits only`,
    )
  }
  if (key !== undefined && !/^[!-~]{1,255}$/.test(key)) {
    throw badRequest('Invalid Idempotency-Key: must be 1 to 255 visible ASCII characters')
  }
  return {
    maxCredits: maxCredits === undefined ? null : Number(maxCredits),
    idempotency: key === undefined ? null : digestIdempotency(key, pathname + search),
  }
}
