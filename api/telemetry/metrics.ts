/**
 * Metrics for operators, in Prometheus's text format. A request increments a few counters; everything else is read when
 * Prometheus scrapes.
 */
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import process from 'node:process'
import { setInterval } from 'node:timers'
import type { MiddlewareHandler } from 'hono'
import { createMiddleware } from 'hono/factory'
import { Counter, type CounterConfiguration, Gauge, Histogram, Registry } from 'prom-client'
import type { Dataset } from '../catalog/dataset.ts'
import { type ApiError, errorCodes } from '../errors.ts'
import { errorCodeHeader } from '../http/error-handler.ts'
import { describePattern, describeRoute, type HonoEnvironment } from '../http/request-context.ts'
import type { GroupCommitState } from '../ledger/group-commit.ts'
import type { WaitingNotices } from '../ledger/webhook-notices.ts'

/** The methods of HTTP (RFC 9110 and 5789). */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT'])

/** The method, or `_OTHER` as in OpenTelemetry's conventions: Deno accepts any word as a method. */
export function describeMethod(method: string): string {
  return methods.has(method) ? method : '_OTHER'
}

/** State that other parts of the service keep, read at each scrape. */
export interface MetricsSources {
  countInProgress(): number
  readQueue(): { running: number; queued: number }
  readLedger(): GroupCommitState
  listReplicas(): readonly { name: string; isUsable: boolean; failedReads: number }[]
  readDataset(): Promise<Dataset | 'timed_out'>
  /** Undefined without a webhook: no notice waits then. */
  readNotices: (() => Promise<WaitingNotices | 'timed_out'>) | undefined
  /** Throws if the instance can't serve paid requests, as `/health` says. */
  checkHealth(): Promise<void>
}

/** The metrics of an instance, and the middleware that feeds them. */
export interface Metrics {
  /** Lets the durations of routes begin at 0. Takes Hono's patterns. */
  addRoutes(patterns: readonly string[]): void
  /** Middleware: counts and times requests. */
  measure: MiddlewareHandler<HonoEnvironment>
  /** Counts an error response that is made outside the app. */
  countError(method: string, error: ApiError): void
  contentType: string
  /** Renders the current values. Metrics of the dataset and of notices are left out while they can't be read. */
  render(): Promise<string>
}

/** Creates the metrics of an instance. */
export function createMetrics(sources: MetricsSources): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const requests = new Counter({
    name: 'devdata_requests_total',
    help: 'Requests by method, route and status.',
    labelNames: ['method', 'route', 'status'],
    registers,
  })
  const durations = new Histogram({
    name: 'devdata_request_duration_seconds',
    help: 'Response times by route.',
    labelNames: ['route'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  })
  const credits = new Counter({ name: 'devdata_credits_charged_total', help: 'Credits charged.', registers })
  const errors = new Counter({
    name: 'devdata_errors_total',
    help: 'Error responses by X-Error-Code.',
    labelNames: ['code'],
    registers,
  })
  // For Prometheus, a counter that appears with 1 hasn't increased, so the first error would raise no alert.
  for (const code of errorCodes) errors.inc({ code }, 0)
  addReadings(registry, sources)
  return {
    contentType: registry.contentType,
    render: () => registry.metrics(),
    addRoutes(patterns) {
      for (const pattern of patterns) durations.zero({ route: describePattern(pattern) })
    },
    countError(method, { status, code }) {
      requests.inc({ method: describeMethod(method), route: '*', status }) // it wasn't routed
      errors.inc({ code })
    },
    measure: createMiddleware<HonoEnvironment>(async function measure(c, next) {
      await next()
      const { res } = c
      const { status } = res
      const route = describeRoute(c)
      requests.inc({ method: describeMethod(c.req.method), route, status })
      durations.observe({ route }, (performance.now() - c.get('startedAt')) / 1000)
      // Node's adapter converts a response whose headers were read: 10 % of the time of a page.
      const code = status < 400 ? null : res.headers.get(errorCodeHeader)
      if (code !== null) errors.inc({ code })
      credits.inc(c.get('charged') ?? 0)
    }),
  }
}

/** What a metric reads: a number, or one for each value of its label. Undefined: the metric is left out. */
type Reading = number | Record<string, number> | undefined

/** Adds the metrics that are read at each scrape. */
function addReadings(registry: Registry, sources: MetricsSources): void {
  const { countInProgress, readQueue, readLedger, listReplicas, checkHealth } = sources
  const gauge = createAdder(registry, (options) => new Gauge(options))
  const counter = createAdder(registry, (options) => new Counter(options))

  gauge('devdata_healthy', 'Whether /health is 200 (1), or 503 (0).', () =>
    checkHealth().then(
      () => 1,
      () => 0,
    ),
  )
  gauge('devdata_requests_in_progress', 'Requests in progress, with or without a key.', countInProgress)
  gauge('devdata_queue_requests', 'Requests with a key: running, and queued.', readQueue, 'state')
  gauge(
    'devdata_ledger_requests',
    'Requests that wait for the ledger: queued for the next group, or waiting for a locked key.',
    () => ({ queued: readLedger().queued, waiting_for_lock: readLedger().waitingForLock }),
    'state',
  )
  gauge(
    'devdata_replica_usable',
    'Whether reads go to a replica (1), or not (0).',
    () => Object.fromEntries(listReplicas().map(({ name, isUsable }) => [name, Number(isUsable)])),
    'replica',
  )
  counter(
    'devdata_replica_failed_reads_total',
    'Reads that failed on a replica; the primary did them instead.',
    () => Object.fromEntries(listReplicas().map(({ name, failedReads }) => [name, failedReads])),
    'replica',
  )
  addDatabaseReadings(gauge, sources)
  gauge(
    'devdata_event_loop_delay_seconds',
    'Event loop delay since the last scrape, by quantile; 1 is the maximum.',
    createLoopMonitor(),
    'quantile',
  )
  // The names of `process_…` are Prometheus's own.
  gauge(
    'process_resident_memory_bytes',
    'Resident memory of the process, including the embedded database.',
    process.memoryUsage.rss,
  )
  gauge(
    'process_start_time_seconds',
    'Unix timestamp of the start of the process.',
    () => performance.timeOrigin / 1000,
  )
}

/** Adds those that the database knows. They are left out while it can't be read. */
function addDatabaseReadings(gauge: ReturnType<typeof createAdder>, sources: MetricsSources): void {
  async function find<Value extends object>(
    read: () => Promise<Value | 'timed_out'>,
  ): Promise<Value | undefined> {
    const value = await read().catch(() => undefined)
    return value === 'timed_out' ? undefined : value
  }
  const findDataset = () => find(sources.readDataset)
  const findNotices = async () => sources.readNotices && find(sources.readNotices)

  const readSeconds = (time: string | null | undefined) => (time ? Date.parse(time) / 1000 : undefined)
  gauge(
    'devdata_dataset_version',
    'Version of the dataset; each load that changes something makes a new one.',
    async () => (await findDataset())?.version,
  )
  gauge(
    'devdata_dataset_updated_timestamp_seconds',
    'Unix timestamp of the last change of the dataset.',
    async () => readSeconds((await findDataset())?.updated_at),
  )
  gauge(
    'devdata_dataset_last_load_timestamp_seconds',
    'Unix timestamp of the last load that succeeded, even if it changed nothing.',
    async () => readSeconds((await findDataset())?.loaded_at),
  )
  gauge(
    'devdata_refresh_last_success_timestamp_seconds',
    'Unix timestamp of the last refresh or mirror that was applied: it had looked at everything.',
    async () => readSeconds((await findDataset())?.refreshed_at),
  )
  gauge(
    'devdata_notices_waiting',
    'Notices that wait for the webhook.',
    async () => (await findNotices())?.count,
  )
  gauge(
    'devdata_notices_oldest_age_seconds',
    'For how long the oldest notice has waited for the webhook; 0 if none waits.',
    async () => (await findNotices())?.oldestSeconds,
  )
}

/** Creates a function that adds metrics of one type. */
function createAdder(registry: Registry, create: (options: CounterConfiguration<string>) => Counter | Gauge) {
  return (name: string, help: string, read: () => Reading | Promise<Reading>, label?: string): void => {
    const labelNames = label === undefined ? [] : [label]
    const metric = create({ name, help, labelNames, registers: [registry], collect })
    async function collect(): Promise<void> {
      const reading = await read()
      metric.reset()
      if (reading === undefined) metric.remove()
      else if (typeof reading === 'number') metric.inc(reading)
      else for (const [value, number] of Object.entries(reading)) metric.labels(value).inc(number)
    }
  }
}

const sampleIntervalMs = 20

/**
 * Creates a function that reads how late timers ran since its last call that had a sample: seconds by quantile. The
 * first call starts the sampling, so it costs nothing where nobody scrapes. On Deno, `monitorEventLoopDelay` misses
 * what blocks the event loop.
 */
export function createLoopMonitor(): () => Record<string, number> {
  let delays: RecordableHistogram | undefined
  let seconds: Record<string, number> = {}
  return function readDelays() {
    if (delays === undefined) {
      delays = createHistogram()
      sample(delays)
    }
    if (delays.count === 0) return seconds
    seconds = {
      '0.5': delays.percentile(50) / 1e9,
      '0.99': delays.percentile(99) / 1e9,
      '1': delays.max / 1e9,
    }
    delays.reset()
    return seconds
  }
}

function sample(delays: RecordableHistogram): void {
  let last = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    delays.record(Math.max(1, Math.round((now - last - sampleIntervalMs) * 1e6))) // in nanoseconds, at least 1
    last = now
  }, sampleIntervalMs)
  timer.unref()
}
