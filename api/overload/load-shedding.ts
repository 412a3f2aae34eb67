/**
 * The door: who comes while there is more to do than can be done is answered 503 at once (`decisions.md`, Requests and
 * answers).
 *
 * Refusing must cost next to nothing, or those who were let in starve: so it comes before all else, needs no more than
 * two headers of the request, makes no exception and no log line. `/metrics` counts it.
 *
 * @module
 */

import { type ApiError, overCapacity } from '../errors.ts'
import type { PlainResponse } from '../http/error-handler.ts'

/** Who is refused, and what is said. */
export interface LoadShedderOptions {
  /** Requests under way at a time, with or without a key: each takes memory. */
  maxInProgress: number
  /** Whether a request with that Authorization header would have to wait too long; asked for each, so it must be quick. */
  isHopeless(authorization: string | undefined): boolean
  /** Renders the response of a refused request, and counts it. */
  refuse(method: string, error: ApiError): PlainResponse
}

/** The door of an instance. */
export interface LoadShedder {
  /** The answer for a request that can't be let in, which is counted; undefined: there is room. */
  refuse(method: string, authorization: string | undefined): PlainResponse | undefined
  /** Lets a request in; what it returns must be called when its response is closed. */
  enter(): () => void
  /** Requests under way. */
  countUnderWay(): number
}

/** Creates a door. */
export function createLoadShedder({ maxInProgress, isHopeless, refuse }: LoadShedderOptions): LoadShedder {
  const error = overCapacity() // once: its stack trace costs more than a response
  let underWay = 0
  const leave = () => {
    underWay--
  }
  return {
    refuse(method, authorization) {
      if (underWay < maxInProgress && !isHopeless(authorization)) return undefined
      return refuse(method, error)
    },
    enter() {
      underWay++
      return leave
    },
    countUnderWay: () => underWay,
  }
}
