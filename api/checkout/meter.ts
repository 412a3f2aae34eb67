/**
 * The meter of endpoints that need a key: it settles each request, and lets those that may cost credits check out.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Handler } from 'hono'
import { isDatabaseError } from '../database/connection-error.ts'
import type { ApiContext, HonoEnvironment } from '../http/request-context.ts'
import { assertReadableUrl } from '../http/url.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Settlement } from '../ledger/settlement.ts'
import type { TraceDatabase } from '../telemetry/tracing.ts'
import { createCheckout, type Validate } from './checkout.ts'
import { createRequestSettling, type MeterOptions, type RequestSettling } from './request-settling.ts'

/** Settles and sends the responses of endpoints that need a key. */
export interface Meter {
  settle: RequestSettling['settle']
  /** An endpoint whose responses cost credits. An `ApiError` that `validate` throws is a free response. */
  metered(validate: Validate): Handler<HonoEnvironment>
  /** An endpoint that costs nothing. */
  free(
    respond: (c: ApiContext, url: URL, settlement: Settlement) => Response | Promise<Response>,
  ): Handler<HonoEnvironment>
  /**
   * The same, but admin keys that the database has accepted lately don't need its decision while it is unavailable or
   * slow (`ledger/accepted-admins.ts`).
   */
  freeWithoutDatabase(respond: (c: ApiContext, url: URL) => Promise<Response>): Handler<HonoEnvironment>
}

/** How long the database may take to decide about a request that can do without. Prometheus waits 10 seconds. */
const decisionTimeoutMs = 2_000

/** Creates the meter of a ledger. */
export function createMeter(
  ledger: Pick<Ledger, 'settle' | 'prepare' | 'noteSettlement' | 'findAcceptedAdmin'>,
  {
    traceDatabase = (_, work) => work(),
    ...others
  }: Omit<MeterOptions, 'traceDatabase'> & { traceDatabase?: TraceDatabase | undefined },
): Meter {
  const options = { traceDatabase, ...others }
  const settling = createRequestSettling(ledger, options)
  const checkOut = createCheckout(ledger, settling, options)
  const { settle } = settling
  const { publicUrl } = options

  /** Settles a request that is free. The key of an accepted admin passes if the database can't decide in time. */
  async function settleIfAvailable(c: ApiContext): Promise<void> {
    const settled = settle(c)
    const hasPass = ledger.findAcceptedAdmin(c.get('caller').secret) !== undefined
    try {
      await (hasPass ? Promise.race([settled, sleep(decisionTimeoutMs, undefined, { ref: false })]) : settled)
    } catch (error) {
      if (!hasPass || !isDatabaseError(error)) throw error
    }
  }

  return {
    settle,
    metered: (validate) => (c) => checkOut(c, validate),
    free: (respondFree) => async (c) => {
      const settlement = await settle(c)
      assertReadableUrl(c.req.url)
      return respondFree(c, publicUrl(c), settlement)
    },
    freeWithoutDatabase: (respondFree) => async (c) => {
      await settleIfAvailable(c)
      assertReadableUrl(c.req.url)
      return respondFree(c, publicUrl(c))
    },
  }
}
