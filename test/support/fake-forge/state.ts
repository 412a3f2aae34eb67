/** What the parts of the fake forge share. */
import type { FaultPlan, GitFault, QueryFault } from './faults.ts'
import type { ForgeModel } from './model.ts'
import type { Token, Violation } from './token.ts'

/** A request that got a response. */
export interface ForgeRequest {
  kind: 'query' | 'git'
  /** The operation's name, or `owner/name` and what git asked for. */
  what: string
  token: string | undefined
  status: number
  points: number
}

/** A fake forge that runs. */
export interface ForgeState {
  readonly model: ForgeModel
  /** `http://127.0.0.1:PORT` */
  readonly origin: string
  readonly tokens: ReadonlyMap<string, Token>
  readonly faults: FaultPlan<QueryFault>
  readonly gitFaults: FaultPlan<GitFault>
  /** All requests that got a response, in order. */
  readonly requests: ForgeRequest[]
  /** Whether a query with these variables, in this body, takes the forge too long. Default: none does. */
  isTooHeavy: (variables: Readonly<Record<string, unknown>>, body: string) => boolean
  /** Changes the values of responses to queries, as the reviver of `JSON.parse` does. Default: nothing is changed. */
  reviveValue: ((name: string, value: unknown) => unknown) | undefined
  /** How long a query takes at least. */
  responseDelayMs: number
  report(violation: Violation): void
}
