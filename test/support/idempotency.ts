/** Requests with an `Idempotency-Key`, through two instances on one database. */
import * as v from 'valibot'
import { createInstance, type Instance, openSameDatabase } from './instance.ts'
import { type DatabaseKind, type TestResponse, useService } from './service.ts'
import { useStarted } from './suite.ts'

/** What a request is sent with beside its idempotency key. */
export interface AskOptions {
  /** The instance. Default: the service. */
  through?: Pick<Instance, 'request'>
  method?: string
  headers?: Record<string, string>
}

/** Starts a service for a suite, and another instance on its database. On the embedded one they share its connections. */
export function useTwoInstances(kind: DatabaseKind) {
  const service = useService(kind)
  const database = kind === 'postgresql' ? useStarted(() => openSameDatabase(service)) : service
  const other = useStarted(async () => createInstance(database))
  /** Sends a request with an idempotency key. */
  const ask = (
    secret: string,
    path: string,
    idempotencyKey: string,
    { through = service, method = 'GET', headers = {} }: AskOptions = {},
  ): Promise<TestResponse> =>
    through.request(path, {
      method,
      key: secret,
      headers: { 'Idempotency-Key': idempotencyKey, ...headers },
    })
  return { service, other, ask }
}

/** The status and price of a response. */
export function readPrice({ status, headers }: TestResponse) {
  return {
    status,
    cost: Number(headers.get('X-Credits-Cost')),
    remaining: Number(headers.get('X-Credits-Remaining')),
    isReplayed: headers.get('Idempotency-Replayed') === 'true',
  }
}

const listSchema = v.object({ data: v.array(v.unknown()) })

/** The data of a response: without `meta`, which is each request's own. */
export function readData({ json }: TestResponse): unknown {
  const body = json()
  return v.is(listSchema, body) ? body.data : body
}
