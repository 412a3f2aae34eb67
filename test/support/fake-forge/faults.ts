/** Faults that the fake forge is told to have: the next ones, in order, or some at random. */
import type { Random } from '../../../sample/random.ts'

/** What can go wrong with a query. */
export const queryFaults = [
  /** 502 with the page of a proxy. */
  'bad gateway',
  /** 502 with JSON, when a query takes too long. */
  'query timeout 502',
  /** 200 with the same error. */
  'query timeout 200',
  'service unavailable',
  'gateway timeout',
  /** The connection ends in the middle of the body. The points are gone. */
  'cut body',
  /** A body that ends in the middle, as a proxy may leave it. The points are gone. */
  'cut JSON',
  /** The connection is reset without a response. */
  'reset',
  /** There is no response. */
  'silence',
  /** 200 with half of the first list, and an error for each item of the other half. */
  'partial data',
  'secondary limit 403',
  'secondary limit 429',
  /** 200 with an error. */
  'secondary limit 200',
  /** Without `retry-after`: a minute. */
  'secondary limit without retry-after',
  /** 200 with an error of the type `RATE_LIMITED`. Nothing is left until the budget resets. */
  'primary limit 200',
  /** The same under the type `RATE_LIMIT`, which has been seen since 2026. */
  'primary limit 200 RATE_LIMIT',
  'primary limit 403',
  'primary limit 429',
] as const

/** Why the forge may refuse a query permanently. */
const queryRefusals = [
  /** 200 with an error of an older enterprise server, which lacks a field. */
  'undefined field',
  /** 403 with a message. */
  'suspended account',
] as const
export type QueryFault = (typeof queryFaults)[number] | (typeof queryRefusals)[number]

/** What can go wrong with a request of git. */
export const gitFaults = ['bad gateway', 'service unavailable', 'cut body', 'reset', 'silence'] as const
/** Those, and the limit of fetches, after which git has to wait. */
export type GitFault = (typeof gitFaults)[number] | 'too many requests'

/** Faults to come. */
export class FaultPlan<Fault extends string> {
  #next: (Fault | null)[] = []
  #draw: () => Fault | null = () => null

  /** Gives the next requests these faults, one each; null is none. */
  next(...faults: (Fault | null)[]): void {
    this.#next.push(...faults)
  }

  /** Gives this share of the requests one of the faults. */
  randomly(random: Random, share: number, faults: readonly Fault[]): void {
    this.#draw = () => (random.chance(share) ? random.pick(faults) : null)
  }

  /** The fault of a request. */
  take(): Fault | null {
    return this.#next.shift() ?? this.#draw()
  }
}

/** Takes the second half of the first list from a response, as when a query runs out of resources. */
export function makePartial(body: unknown): unknown {
  const copy: unknown = structuredClone(body)
  if (typeof copy !== 'object' || copy === null || !('data' in copy)) return copy
  const found = findList(copy.data, [])
  if (found === undefined) return copy
  const from = Math.floor(found.list.length / 2)
  const errors = found.list.slice(from).map((_, index) => ({
    type: 'RESOURCE_LIMITS_EXCEEDED',
    path: [...found.path, from + index],
    message: 'Resource limits for this query exceeded.',
  }))
  found.list.fill(null, from)
  return {
    ...copy,
    errors: [...('errors' in copy && Array.isArray(copy.errors) ? copy.errors : []), ...errors],
  }
}

function findList(
  value: unknown,
  path: readonly string[],
): { list: unknown[]; path: readonly string[] } | undefined {
  if (Array.isArray(value)) return { list: value, path }
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, child] of Object.entries(value)) {
    const found = findList(child, [...path, name])
    if (found !== undefined) return found
  }
  return undefined
}
