/**
 * The conditions of a request: the most credits that it may cost, and the idempotency key under which it is paid once.
 *
 * @module
 */
import type { ApiContext } from '../environment.ts'
import { badRequest } from '../errors.ts'
import { digestIdempotency } from '../ledger/idempotency.ts'
import type { Idempotency } from '../ledger/settle.ts'

/** What the headers `Max-Credits` and `Idempotency-Key` say. */
export interface Terms {
  /** In credits; null: any cost. */
  mostCredits: number | null
  idempotency: Idempotency | null
}

/** No such headers. */
export const noTerms: Terms = { mostCredits: null, idempotency: null }

/** Reads the terms; path and query identify the request. Throws 400 when one of the headers breaks its rule. */
export function readTerms(c: ApiContext, { pathname, search }: URL): Terms {
  const mostCredits = c.req.header('Max-Credits')
  const key = c.req.header('Idempotency-Key')
  if (
    mostCredits !== undefined &&
    !(/^\d+$/.test(mostCredits) && Number.isSafeInteger(Number(mostCredits)))
  ) {
    throw badRequest(
      `Invalid Max-Credits: must be an integer from 0 to ${Number.MAX_SAFE_INTEGER}, digits only`,
    )
  }
  if (key !== undefined && !/^[!-~]{1,255}$/.test(key)) {
    throw badRequest('Invalid Idempotency-Key: must be 1 to 255 visible ASCII characters')
  }
  return {
    mostCredits: mostCredits === undefined ? null : Number(mostCredits),
    idempotency: key === undefined ? null : digestIdempotency(key, pathname + search),
  }
}
