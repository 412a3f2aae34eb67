/** Settles requests with a key, whatever they ask for. */
import type { ReplicaRouting } from '../catalog/replica-routing.ts'
import type { Replicas } from '../database/replica-checks.ts'
import type { ApiContext } from '../http/request-context.ts'
import type { KeyRequest, Ledger } from '../ledger/ledger.ts'
import type { Settlement, Stale } from '../ledger/settlement.ts'
import type { TraceDatabase } from '../telemetry/tracing.ts'
import { reportSettlement } from './quota-headers.ts'
import type { ResponseCache } from './response-cache.ts'

/** Settles requests. */
export interface RequestSettling {
  createRequest(c: ApiContext, request: Partial<Omit<KeyRequest, 'signal'>>): KeyRequest
  /** Settles a request. Its dataset may have another version by now. */
  settleRequest(c: ApiContext, request: KeyRequest): Promise<Settlement | Stale>
  /** Settles a request that is free. Throws as `reportSettlement` does. */
  settle(c: ApiContext, options?: { isCounted?: boolean }): Promise<Settlement>
  /** Notes which version of the dataset a settlement has seen. */
  noteVersion(settlement: { version: number }): void
}

/** What a meter works with besides the ledger. */
export interface MeterOptions {
  /** The path under which the API is mounted. */
  basePath: string
  publicUrl: (c: ApiContext) => URL
  responseCache: ResponseCache
  replicas: Pick<Replicas, 'noteVersion'>
  routing: ReplicaRouting
  traceDatabase: TraceDatabase
}

/** Settles requests in a ledger. */
export function createRequestSettling(
  ledger: Pick<Ledger, 'settle'>,
  { responseCache, replicas, traceDatabase }: MeterOptions,
): RequestSettling {
  const settling: RequestSettling = {
    createRequest(c, { charge = null, version = null, isCounted = true }) {
      return { charge, version, isCounted, signal: c.req.raw.signal }
    },
    async settleRequest(c, request) {
      const settlement = await traceDatabase('settle', () =>
        ledger.settle(c.get('caller'), request, c.get('onWait')),
      )
      settling.noteVersion(settlement)
      return settlement
    },
    async settle(c, options = {}) {
      const settlement = await settling.settleRequest(c, settling.createRequest(c, options))
      if (settlement.outcome === 'stale') throw new Error('a request of any version is never stale')
      reportSettlement(c, settlement)
      return settlement
    },
    noteVersion({ version }) {
      responseCache.noteVersion(version)
      replicas.noteVersion(version)
    },
  }
  return settling
}
