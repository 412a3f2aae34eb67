/**
 * Metrics for operators, in Prometheus's text format. A request increments a few counters; everything else is read when
 * Prometheus scrapes.
 *
 * @module
 */
import process from 'node:process'
import type { MiddlewareHandler } from 'hono'
import { createMiddleware } from 'hono/factory'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Dataset } from '../catalog/dataset.ts'
import { shareRead } from '../concurrency/batcher.ts'
import type { ApiError } from '../errors.ts'
import { errorCodeHeader } from '../http/error-handler.ts'
import type { HonoEnvironment } from '../http/request-context.ts'
import { describeRoute } from '../http/url.ts'
import type { GroupCommitState } from '../ledger/group-commit.ts'
import { createLoopMonitor } from './event-loop-delay.ts'

/** The route of requests that are refused before they are routed. */
const anyRoute = '*'

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
  readDataset(): Promise<Dataset>
}

/** The metrics of an instance, and the middleware that feeds them. */
export interface Metrics {
  /** Middleware: counts and times requests. */
  measure: MiddlewareHandler<HonoEnvironment>
  /** Counts an error response that is made outside the app. */
  countError(method: string, error: ApiError): void
  contentType: string
  /** Renders the current values. Metrics of the dataset are left out while it can't be read. */
  render(): Promise<string>
}

/** Creates the metrics of an instance. */
export function createMetrics(sources: MetricsSources): Metrics {
  const registry = new Registry()
  const measures = addRequestMetrics(registry, sources)
  addLedgerMetrics(registry, sources)
  addReplicaMetrics(registry, sources)
  addDatasetMetrics(registry, sources)
  addProcessMetrics(registry)
  return { ...measures, contentType: registry.contentType, render: () => registry.metrics() }
}

function addRequestMetrics(registry: Registry, sources: MetricsSources) {
  const requests = new Counter({
    name: 'devdata_requests_total',
    help: 'Requests by method, route and status.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  })
  const durations = new Histogram({
    name: 'devdata_request_duration_seconds',
    help: 'Response times by route.',
    labelNames: ['route'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  const credits = new Counter({
    name: 'devdata_credits_charged_total',
    help: 'Credits charged.',
    registers: [registry],
  })
  const errors = new Counter({
    name: 'devdata_errors_total',
    help: 'Error responses by X-Error-Code.',
    labelNames: ['code'],
    registers: [registry],
  })
  new Gauge({
    name: 'devdata_requests_in_progress',
    help: 'Requests in progress, with or without a key.',
    registers: [registry],
    collect() {
      this.set(sources.countInProgress())
    },
  })
  new Gauge({
    name: 'devdata_queue_requests',
    help: 'Requests with a key: running, and queued.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      for (const [state, count] of Object.entries(sources.readQueue())) this.set({ state }, count)
    },
  })
  return {
    countError(method: string, { status, code }: ApiError) {
      requests.inc({ method: describeMethod(method), route: anyRoute, status })
      errors.inc({ code })
    },
    measure: createMiddleware<HonoEnvironment>(async function measure(c, next) {
      await next()
      const { status, headers } = c.res
      const route = describeRoute(c)
      requests.inc({ method: describeMethod(c.req.method), route, status })
      durations.observe({ route }, (performance.now() - c.get('startedAt')) / 1000)
      const code = status < 400 ? null : headers.get(errorCodeHeader)
      if (code !== null) errors.inc({ code })
      const charged = c.get('charged')
      if (charged !== undefined && charged > 0) credits.inc(charged)
    }),
  }
}

function addLedgerMetrics(registry: Registry, { readLedger }: MetricsSources): void {
  new Gauge({
    name: 'devdata_ledger_requests',
    help: 'Requests that wait for the ledger: queued for the next group, or waiting for a locked key.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { queued, waitingForLock } = readLedger()
      this.set({ state: 'queued' }, queued)
      this.set({ state: 'waiting_for_lock' }, waitingForLock)
    },
  })
  new Gauge({
    name: 'devdata_ledger_groups_in_progress',
    help: 'Statements in progress that settle a group of requests.',
    registers: [registry],
    collect() {
      this.set(readLedger().running)
    },
  })
  new Counter({
    name: 'devdata_ledger_groups_total',
    help: 'Groups of requests settled, one statement each.',
    registers: [registry],
    collect() {
      this.reset()
      this.inc(readLedger().batches)
    },
  })
  new Counter({
    name: 'devdata_ledger_grouped_requests_total',
    help: 'Requests settled in groups; divided by the number of groups, the average size of a group.',
    registers: [registry],
    collect() {
      this.reset()
      this.inc(readLedger().inputs)
    },
  })
}

function addReplicaMetrics(registry: Registry, { listReplicas }: MetricsSources): void {
  new Gauge({
    name: 'devdata_replica_usable',
    help: 'Whether reads go to a replica (1), or not (0).',
    labelNames: ['replica'],
    registers: [registry],
    collect() {
      for (const { name, isUsable } of listReplicas()) this.set({ replica: name }, Number(isUsable))
    },
  })
  new Counter({
    name: 'devdata_replica_failed_reads_total',
    help: 'Reads that failed on a replica; the primary did them instead.',
    labelNames: ['replica'],
    registers: [registry],
    collect() {
      this.reset()
      for (const { name, failedReads } of listReplicas()) this.inc({ replica: name }, failedReads)
    },
  })
}

function addDatasetMetrics(registry: Registry, sources: MetricsSources): void {
  const readDataset = shareRead(sources.readDataset)
  async function collect(gauge: Gauge, read: (dataset: Dataset) => number): Promise<void> {
    try {
      gauge.set(read(await readDataset()))
    } catch {
      gauge.remove()
    }
  }
  new Gauge({
    name: 'devdata_dataset_version',
    help: 'Version of the dataset; each load that changes something makes a new one.',
    registers: [registry],
    collect() {
      return collect(this, ({ version }) => version)
    },
  })
  new Gauge({
    name: 'devdata_dataset_updated_timestamp_seconds',
    help: 'Unix timestamp of the last change of the dataset.',
    registers: [registry],
    collect() {
      return collect(this, ({ updated_at }) => updated_at.getTime() / 1000)
    },
  })
}

/** The names of `process_…` are Prometheus's own. */
function addProcessMetrics(registry: Registry): void {
  new Gauge({
    name: 'process_resident_memory_bytes',
    help: 'Resident memory of the process, including the embedded database.',
    registers: [registry],
    collect() {
      this.set(process.memoryUsage.rss())
    },
  })
  new Gauge({
    name: 'process_start_time_seconds',
    help: 'Unix timestamp of the start of the process.',
    registers: [registry],
    collect() {
      this.set(performance.timeOrigin / 1000)
    },
  })
  const monitor = createLoopMonitor()
  new Gauge({
    name: 'devdata_event_loop_delay_seconds',
    help: 'Event loop delay since the last scrape, by quantile; 1 is the maximum.',
    labelNames: ['quantile'],
    registers: [registry],
    collect() {
      for (const [quantile, seconds] of monitor.read()) this.set({ quantile }, seconds)
    },
  })
}
