/** Responses that cost credits: how they are read, and what they are made of. */

import type { Requester } from '../catalog/matches.ts'
import type { ReadOptions } from '../catalog/page-reader.ts'
import type { Catalog } from '../catalog/replica-routing.ts'
import type { ApiError } from '../errors.ts'
import type { DataResponse } from '../http/data-response.ts'
import type { Settlement } from '../ledger/settlement.ts'

/** A response with data. */
export interface MeteredResponse extends DataResponse {
  /** In credits: the number of items in the body. */
  cost: number
  /** The entity tag of the data, and of everything else that the response depends on. */
  tag: string
  /** Of the request, if the statement that read the data has settled it. */
  settlement?: Settlement | undefined
}

/** An error response. One of them costs something: the 404 of an unknown user. */
export interface MeteredError {
  /** In credits. */
  cost: number
  error: ApiError
  version?: undefined
  settlement?: undefined
}

/** What a valid request asks of the catalog. */
export interface MeteredQuery {
  /**
   * Reads the response, and settles its request as `ReadPage` does. `not_found`: the resource doesn't exist, or a
   * replica doesn't have it yet.
   */
  read(
    catalog: Catalog,
    requester: Requester & ReadOptions,
  ): Promise<MeteredResponse | MeteredError | 'not_found'>
  /** Creates the response for a resource that doesn't exist. */
  createError(): MeteredError
}
