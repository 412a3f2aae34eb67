/**
 * The door: who comes while there is more to do than can be done is answered 503 at once (`decisions.md`, Requests and
 * answers).
 *
 * Refusing must cost next to nothing, or those who were let in starve: so it comes before all else, needs no more than
 * two headers of the request, makes no exception and no log line. `/metrics` counts it.
 *
 * @module
 */
import { overCapacity, type Refusal } from './errors.ts'

/** Who is refused, and what is said. */
export interface DoorRules {
  /** Requests under way at a time, with or without a key: each takes memory. */
  mostUnderWay: number
  /** Whether a request with that Authorization header would have to wait too long; asked for each, so it must be quick. */
  isHopeless(authorization: string | undefined): boolean
  /** What every answer carries. */
  headers: Record<string, string>
  /** Counts a refused request. */
  count(refused: { method: string; status: number; refusal: Refusal }): void
}

/** An answer for those who are not let in. The same for all, but for its request id. */
export interface ClosedAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

/** The door of an instance. */
export interface Door {
  /** The answer for a request that can't be let in, which is counted; undefined: there is room. */
  refuse(method: string, authorization: string | undefined): ClosedAnswer | undefined
  /** Lets a request in; what it returns must be called when it is answered. */
  enter(): () => void
}

/** Creates a door. */
export function createDoor({ mostUnderWay, isHopeless, headers, count }: DoorRules): Door {
  const { status, message, refusal = 'over_capacity', headers: own } = overCapacity()
  const body = JSON.stringify({ error: message })
  const common = {
    ...headers,
    ...own,
    'Content-Type': 'application/json',
    'Content-Length': String(body.length),
  }
  let underWay = 0
  const leave = () => {
    underWay--
  }
  return {
    refuse(method, authorization) {
      if (underWay < mostUnderWay && !isHopeless(authorization)) return undefined
      count({ method, status, refusal })
      return { status, headers: { ...common, 'X-Request-Id': crypto.randomUUID() }, body }
    },
    enter() {
      underWay++
      return leave
    },
  }
}
