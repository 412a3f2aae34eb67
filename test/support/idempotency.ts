/** Requests with an `Idempotency-Key`, through two instances on one database. */
import * as v from 'valibot'
import { createInstance, type Instance, openSameDatabase } from './instance.ts'
import { type DatabaseKind, startTestService, type TestResponse, type TestService } from './service.ts'

/** What a request is sent with beside its idempotency key. */
export interface AskOptions {
  /** The instance. Default: the service. */
  through?: Pick<Instance, 'request'>
  method?: string
  headers?: Record<string, string>
}

/** Two instances: on the embedded database they share its connections. */
export interface TwoInstances {
  service: TestService
  other: Pick<Instance, 'request'>
  /** Sends a request with an idempotency key. */
  ask(secret: string, path: string, idempotencyKey: string, options?: AskOptions): Promise<TestResponse>
  close(): Promise<void>
}

/** Starts a service, and another instance on its database. */
export async function startTwoInstances(kind: DatabaseKind): Promise<TwoInstances> {
  const service = await startTestService(kind)
  const database = kind === 'postgresql' ? await openSameDatabase(service) : undefined
  return {
    service,
    other: createInstance(database ?? service),
    ask: (secret, path, idempotencyKey, { through = service, method = 'GET', headers = {} } = {}) =>
      through.request(path, {
        method,
        key: secret,
        headers: { 'Idempotency-Key': idempotencyKey, ...headers },
      }),
    async close() {
      await database?.close()
      await service.close()
    },
  }
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
