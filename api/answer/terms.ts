/**
 * The terms on which a client asks: at most so many credits, and charged once however often it is sent.
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

/** Reads the terms. Throws 400 when one of the headers breaks its rule. */
export function readTerms(c: ApiContext): Terms {
  const mostCredits = c.req.header('Max-Credits')
  const key = c.req.header('Idempotency-Key')
  if (
    mostCredits !== undefined &&
    !(/^\d+$/.test(mostCredits) && Number.isSafeInteger(Number(mostCredits)))
  ) {
    throw badRequest('Invalid Max-Credits: must be a whole number of credits')
  }
  if (key !== undefined && !/^[!-~]{1,255}$/.test(key)) {
    throw badRequest('Invalid Idempotency-Key: must be 1 to 255 visible ASCII characters')
  }
  return {
    mostCredits: mostCredits === undefined ? null : Number(mostCredits),
    idempotency: key === undefined ? null : digestIdempotency(key, readTarget(c)),
  }
}

/** Path and query, as they identify a request. */
function readTarget(c: ApiContext): string {
  const { pathname, search } = new URL(c.req.url)
  return pathname + search
}
