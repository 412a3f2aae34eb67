/** Traces for OpenTelemetry, as a collector receives them from an instance. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { startNodeTraceExport } from '../../api/telemetry/trace-export.ts'
import { type RuntimeName, startInstanceProcess } from '../support/process.ts'
import { describeOnServer } from '../support/server.ts'
import { useService } from '../support/service.ts'

const attributesSchema = v.pipe(
  v.array(v.object({ key: v.string(), value: v.record(v.string(), v.unknown()) })),
  v.check((list) => new Set(list.map(({ key }) => key)).size === list.length, 'an attribute is there twice'),
  v.transform((list) => Object.fromEntries(list.map(({ key, value }) => [key, Object.values(value)[0]]))),
)
const spanSchema = v.object({
  traceId: v.string(),
  spanId: v.string(),
  parentSpanId: v.optional(v.string(), ''),
  name: v.string(),
  kind: v.number(),
  attributes: attributesSchema,
})
const resourceSchema = v.object({ attributes: attributesSchema })
const tracesSchema = v.object({
  resourceSpans: v.array(
    v.object({
      resource: resourceSchema,
      scopeSpans: v.array(v.object({ spans: v.array(spanSchema) })),
    }),
  ),
})
/** Takes what is sent by OTLP over HTTP. What it reads of it has to be JSON. */
async function startCollector() {
  const received: { path: string; type: string | undefined; body: string }[] = []
  const server = createServer(async (request, response) => {
    const type = request.headers['content-type']
    received.push({ path: request.url ?? '', type, body: await text(request) })
    response.setHeader('Content-Type', type ?? '').end(type === 'application/json' ? '{}' : '')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the collector has no address')
  const bodiesOf = (path: string) => received.filter((each) => each.path === path).map(({ body }) => body)
  return {
    url: `http://127.0.0.1:${address.port}`,
    received,
    /** Waits for what an instance sent before it ended: it may still be on its way. */
    async waitForTraces() {
      await expect.poll(() => received.map(({ path }) => path)).toContain('/v1/traces')
    },
    readResourceSpans: () =>
      bodiesOf('/v1/traces').flatMap((body) => v.parse(tracesSchema, JSON.parse(body)).resourceSpans),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const serverKind = 2 // SPAN_KIND_SERVER, of opentelemetry-proto
const clientKind = 3

describeOnServer('telemetry', () => {
  const service = useService('postgresql')
  const start = (settings: Record<string, string>, runtime: RuntimeName = 'node') =>
    startInstanceProcess(
      service.location.databaseUrl,
      { SHUTDOWN_DELAY_SECONDS: '0', ...settings },
      { runtime },
    )

  test('a collector receives a span for each request, with the database within it, and nothing else', async () => {
    const { secret } = await service.createKey()
    await using collector = await startCollector()
    await using instance = await start({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    })
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
    const response = await fetch(`${instance.url}/users?location=berlin%40example.org&per_page=2`, {
      headers: { Authorization: `Bearer ${secret}`, traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
    })
    expect(response.status).toBe(200)
    const other = await fetch(`${instance.url}/users/ngoldberg`, {
      headers: { Authorization: `Bearer ${secret}` },
    })
    expect(other.status).toBe(200)
    expect(await instance.stop()).toBe(0) // what was not sent yet is sent now
    await collector.waitForTraces()

    const resources = collector.readResourceSpans()
    expect(resources[0]?.resource.attributes).toMatchObject({
      'service.name': 'devdata',
      'deployment.environment.name': 'test',
    })
    const spans = resources.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans))
    const request = spans.find((span) => span.traceId === traceId && span.kind === serverKind)
    expect(request).toMatchObject({
      name: 'GET /users',
      parentSpanId: '00f067aa0ba902b7',
      attributes: {
        'http.route': '/users',
        'http.response.status_code': 200,
        'devdata.request_id': response.headers.get('X-Request-Id'),
      },
    })
    const within = spans.filter(({ parentSpanId }) => parentSpanId === request?.spanId)
    expect(within.map(({ name, kind, attributes }) => [name, kind, attributes['db.system.name']])).toEqual([
      ['read and settle', clientKind, 'postgresql'],
    ])
    expect(spans.map(({ name }) => name)).toContain('GET /users/{login}')
    expect(new Set(collector.received.map(({ path }) => path))).toEqual(new Set(['/v1/traces']))
    const sent = collector.received.map(({ body }) => body).join('\n')
    expect([secret, 'berlin', 'example.org', 'ngoldberg'].filter((each) => sent.includes(each))).toEqual([])
  })

  test('traces are sent as protobuf unless the settings say JSON', async () => {
    const { secret } = await service.createKey()
    await using collector = await startCollector()
    await using instance = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
    const headers = { Authorization: `Bearer ${secret}` }
    expect((await fetch(`${instance.url}/users/ngoldberg`, { headers })).status).toBe(200)
    expect(await instance.stop()).toBe(0)
    await collector.waitForTraces()
    const traces = collector.received.find(({ path }) => path === '/v1/traces')
    expect(traces?.type).toBe('application/x-protobuf')
    for (const name of ['GET /users/{login}', 'settle', 'devdata']) expect(traces?.body).toContain(name)
  })

  test('on Deno, too, a span of a request has the database within it, and nothing is sent twice', async () => {
    const { secret } = await service.createKey()
    await using collector = await startCollector()
    await using instance = await start(
      {
        OTEL_DENO: 'true',
        OTEL_DENO_CONSOLE: 'ignore',
        OTEL_SERVICE_NAME: 'devdata',
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      },
      'deno',
    )
    const headers = { Authorization: `Bearer ${secret}` }
    const response = await fetch(`${instance.url}/users?per_page=1`, { headers })
    expect(response.status).toBe(200)
    await response.text()
    expect(await instance.stop()).toBe(0)
    await collector.waitForTraces()
    const spans = collector
      .readResourceSpans()
      .flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans))
    const requests = spans.filter(({ kind }) => kind === serverKind)
    expect(requests).toEqual([
      expect.objectContaining({
        name: 'GET /users',
        attributes: expect.objectContaining({
          'http.route': '/users',
          'devdata.request_id': response.headers.get('X-Request-Id'),
        }),
      }),
    ])
    const within = spans.filter(({ parentSpanId }) => parentSpanId === requests[0]?.spanId)
    expect(within.map(({ name }) => name)).toEqual(['read and settle'])
    expect(collector.received.map(({ path }) => path)).not.toContain('/v1/logs')
    const sent = collector.received.map(({ body }) => body).join('\n')
    for (const each of [secret, instance.url, 'per_page']) expect(sent).not.toContain(each)
  })

  test('an unreachable collector neither fails a request nor keeps the instance from stopping', async () => {
    const { secret } = await service.createKey()
    await using instance = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' })
    const response = await fetch(`${instance.url}/users`, { headers: { Authorization: `Bearer ${secret}` } })
    expect(response.status).toBe(200)
    expect(await instance.stop()).toBe(0)
  })
})

test.each([
  ['nothing is set', {}],
  ['it is disabled', { OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }],
  [
    'traces are turned off',
    { OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' },
  ],
])('nothing is traced when %s', async (_, environment) => {
  expect(await startNodeTraceExport(environment)).toBeUndefined()
})

test('a protocol that is not spoken is refused with the setting and its rule', async () => {
  const environment = { OTEL_TRACES_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }
  await expect(startNodeTraceExport(environment)).rejects.toThrow(
    'OTEL_EXPORTER_OTLP_PROTOCOL "grpc" is invalid: it must be http/protobuf or http/json',
  )
})
