/** What a client requires of a charge: the headers `Max-Credits` and `Idempotency-Key`. */
import { badRequest } from '../errors.ts'
import type { ApiContext } from '../http/request-context.ts'
import { digestIdempotency } from '../ledger/idempotency-keys.ts'
import type { Charge } from '../ledger/settlement.ts'
import { isQuote } from './price.ts'

/** What the client requires of a charge. */
export type Conditions = Pick<Charge, 'maxCredits' | 'idempotency'>

/** Reads `Max-Credits` and `Idempotency-Key`. A quote has no conditions. Throws 400 when a header breaks its rule. */
export function readConditions(c: ApiContext, { pathname, search }: URL): Conditions {
  if (isQuote(c)) return { maxCredits: null, idempotency: null }
  const maxCredits = readMaxCredits(c)
  const key = c.req.header('Idempotency-Key')
  if (key !== undefined && !/^[!-~]{1,255}$/.test(key)) {
    throw badRequest('Invalid Idempotency-Key: must be 1 to 255 visible ASCII characters')
  }
  return {
    maxCredits,
    idempotency: key === undefined ? null : digestIdempotency(key, pathname + search),
  }
}

/** Reads `Max-Credits`; null: the client sends none. Throws 400 when it breaks its rule. */
export function readMaxCredits(c: ApiContext): number | null {
  const header = c.req.header('Max-Credits')
  if (header === undefined) return null
  if (/^\d+$/.test(header) && Number.isSafeInteger(Number(header))) return Number(header)
  throw badRequest(
    `Invalid Max-Credits: must be an integer from 0 to ${Number.MAX_SAFE_INTEGER}, digits only`,
  )
}
