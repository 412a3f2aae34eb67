/**
 * What a response costs: a credit for each item. A quote (`HEAD`), a 304, and nearly all errors are free
 * (`decisions/0001-billing.md`).
 */
import type { Body } from '../http/compression.ts'
import { renderBody } from '../http/data-response.ts'
import { matchesEntityTag } from '../http/entity-tag.ts'
import type { ApiContext } from '../http/request-context.ts'
import type { MeteredError, MeteredResponse } from './metered-response.ts'

/** What the 404 of an unknown user costs, in credits. */
export const unknownUserPrice = 1

/** Whether the request asks only for the cost of a response: `HEAD` does, and is free. */
export function isQuote(c: ApiContext): boolean {
  return c.req.method === 'HEAD'
}

/**
 * Whether a response with data costs a credit for each item. A quote is free, and so is a conditional request whose tag
 * matches: it has to be compared first.
 */
export function isPricedByItems(c: ApiContext): boolean {
  return !isQuote(c) && c.req.header('If-None-Match') === undefined
}

/** A response that isn't settled yet. */
export interface PreparedResponse {
  response: MeteredResponse | MeteredError
  /** Null: the request is a quote, the response is a 304, or it is an error. */
  body: Body | null
  /** In credits. */
  cost: number
  /** Whether the request is a quote, the response is a 304, or it is an error without a price. */
  isFree: boolean
  isNotModified: boolean
}

/** Prices and renders a response. One that isn't settled yet is rendered before its charge. */
export function prepareResponse(c: ApiContext, response: MeteredResponse | MeteredError): PreparedResponse {
  if ('error' in response) {
    const { cost } = response
    return { response, body: null, cost, isFree: isQuote(c) || cost === 0, isNotModified: false }
  }
  const isNotModified = matchesEntityTag(c.req.header('If-None-Match'), response.tag)
  const cost = isNotModified ? 0 : response.cost
  const isFree = isQuote(c) || isNotModified
  return { response, body: isFree ? null : renderBody(c, response), cost, isFree, isNotModified }
}
