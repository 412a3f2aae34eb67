/**
 * Figures for operators, in Prometheus' text form. A request costs little more than a few increments; everything else
 * is looked up when it is asked for.
 *
 * @module
 */
import process from 'node:process'
import type { MiddlewareHandler } from 'hono'
import { createMiddleware } from 'hono/factory'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Dataset } from '../catalog/dataset.ts'
import type { PoolState } from '../database/pool-state.ts'
import type { ApiError } from '../errors.ts'
import { errorCodeHeader } from '../http/error-handler.ts'
import type { ApiContext, HonoEnvironment } from '../http/request-context.ts'
import { describeMethod, describeRoute } from '../http/request-labels.ts'
import type { GroupCommitState } from '../ledger/group-commit.ts'
import { createLoopMonitor } from './event-loop-delay.ts'

/** Where requests are counted that are refused before their route is looked for. */
const anyRoute = '*'

/** Where figures come from that others keep. */
export interface MetricsSources {
  countInProgress(): number
  readQueue(): { running: number; queued: number }
  readLedger(): GroupCommitState
  /** By name of the pool. */
  readPools(): Record<string, PoolState>
  listReplicas(): readonly { name: string; isFit: boolean; failedReads: number }[]
  readDataset(): Promise<Dataset>
}

/** The figures of an instance, and the middleware that feeds them. */
export interface Metrics {
  /** Middleware: counts and times what passes through. */
  measure: MiddlewareHandler<HonoEnvironment>
  /** Counts an error response that is made outside the app. */
  countError(method: string, error: ApiError): void
  contentType: string
  /** All of them as they are now. Those of the data are left out while it can't be read. */
  render(): Promise<string>
}

/** Creates the figures. */
export function createMetrics(sources: MetricsSources): Metrics {
  const registry = new Registry()
  const readers = [
    readLedger(registry, sources),
    readQueue(registry, sources),
    readPools(registry, sources),
    readReplicas(registry, sources),
    readDataset(registry, sources),
    readProcess(registry),
  ]
  return {
    ...measureRequests(registry, sources),
    contentType: registry.contentType,
    async render() {
      for (const read of readers) await read()
      return registry.metrics()
    },
  }
}

function measureRequests(registry: Registry, { countInProgress }: MetricsSources) {
  const requests = createRequestCounts()
  new Counter({
    name: 'devdata_requests_total',
    help: 'Requests answered, by method, route and status.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
    collect() {
      this.reset()
      for (const { count, ...labels } of requests.list()) this.inc(labels, count)
    },
  })
  const seconds = new Histogram({
    name: 'devdata_request_seconds',
    help: 'Seconds from a request to its answer, by route.',
    labelNames: ['route'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  const credits = new Counter({
    name: 'devdata_credits_charged_total',
    help: 'Credits taken from balances for answers.',
    registers: [registry],
  })
  const errors = new Counter({
    name: 'devdata_errors_total',
    help: 'Error responses, by their X-Error-Code.',
    labelNames: ['code'],
    registers: [registry],
  })
  new Gauge({
    name: 'devdata_requests_in_progress',
    help: 'Requests whose response is not sent yet, with or without a key.',
    registers: [registry],
    collect() {
      this.set(countInProgress())
    },
  })
  function count(c: ApiContext, status: number): void {
    requests.add(describeMethod(c.req.method), describeRoute(c), status)
    const code = status < 400 ? null : c.res.headers.get(errorCodeHeader)
    if (code !== null) errors.inc({ code })
  }
  return {
    countError(method: string, { status, code }: ApiError) {
      requests.add(describeMethod(method), anyRoute, status)
      errors.inc({ code })
    },
    measure: createMiddleware<HonoEnvironment>(async function measure(c, next) {
      await next()
      count(c, c.res.status)
      seconds.observe({ route: describeRoute(c) }, (performance.now() - c.get('startedAt')) / 1000)
      const charged = c.get('charged')
      if (charged !== undefined && charged > 0) credits.inc(charged)
    }),
  }
}

/** Counts of requests. The library's own counter sorts, joins and checks the labels with each request. */
function createRequestCounts() {
  const counts = new Map<string, { method: string; route: string; status: number; count: number }>()
  return {
    add(method: string, route: string, status: number): void {
      const name = `${method} ${status} ${route}`
      const known = counts.get(name)
      if (known === undefined) counts.set(name, { method, route, status, count: 1 })
      else known.count++
    },
    list: () => counts.values(),
  }
}

/** A counter whose count is kept elsewhere. */
function createOutsideCounter(registry: Registry, name: string, help: string) {
  const counter = new Counter({ name, help, registers: [registry] })
  return (count: number) => {
    counter.reset()
    counter.inc(count)
  }
}

function readLedger(registry: Registry, sources: MetricsSources) {
  const claims = new Gauge({
    name: 'devdata_ledger_claims',
    help: 'Requests before the ledger: queued for the next group, or waiting for a key that is in other hands.',
    labelNames: ['state'],
    registers: [registry],
  })
  const groups = new Gauge({
    name: 'devdata_ledger_groups_under_way',
    help: 'Statements under way that settle a group of requests.',
    registers: [registry],
  })
  const countGroups = createOutsideCounter(
    registry,
    'devdata_ledger_groups_total',
    'Groups of requests that were settled, a statement each.',
  )
  const countSettled = createOutsideCounter(
    registry,
    'devdata_ledger_grouped_requests_total',
    'Requests in those groups; divided by their number, the size of a group.',
  )
  return () => {
    const { queued, waitingForKey, running, batches, inputs } = sources.readLedger()
    claims.set({ state: 'queued' }, queued)
    claims.set({ state: 'waiting_for_key' }, waitingForKey)
    groups.set(running)
    countGroups(batches)
    countSettled(inputs)
  }
}

function readQueue(registry: Registry, sources: MetricsSources) {
  const requests = new Gauge({
    name: 'devdata_queue_requests',
    help: 'Requests with a key: running, and queued.',
    labelNames: ['state'],
    registers: [registry],
  })
  return () => {
    for (const [state, count] of Object.entries(sources.readQueue())) requests.set({ state }, count)
  }
}

function readPools(registry: Registry, sources: MetricsSources) {
  const connections = new Gauge({
    name: 'devdata_database_connections',
    help: 'Connections to the database: busy (a statement or transaction under way), idle, connecting.',
    labelNames: ['pool', 'state'],
    registers: [registry],
  })
  const waiting = new Gauge({
    name: 'devdata_database_waiting_statements',
    help: 'Statements for which there is no connection yet.',
    labelNames: ['pool'],
    registers: [registry],
  })
  return () => {
    for (const [pool, { waiting: statements, ...states }] of Object.entries(sources.readPools())) {
      waiting.set({ pool }, statements)
      for (const [state, count] of Object.entries(states)) connections.set({ pool, state }, count)
    }
  }
}

function readReplicas(registry: Registry, sources: MetricsSources) {
  const fit = new Gauge({
    name: 'devdata_replica_fit',
    help: 'Whether a replica is read from (1), or left out (0).',
    labelNames: ['replica'],
    registers: [registry],
  })
  const failed = new Counter({
    name: 'devdata_replica_failed_reads_total',
    help: 'Reads that failed on a replica, and were done on the primary instead.',
    labelNames: ['replica'],
    registers: [registry],
  })
  return () => {
    failed.reset()
    for (const { name, isFit, failedReads } of sources.listReplicas()) {
      fit.set({ replica: name }, Number(isFit))
      failed.inc({ replica: name }, failedReads)
    }
  }
}

function readDataset(registry: Registry, sources: MetricsSources) {
  const version = new Gauge({
    name: 'devdata_dataset_version',
    help: 'Version of the data; each load that changes something makes a new one.',
    registers: [registry],
  })
  const updated = new Gauge({
    name: 'devdata_dataset_updated_timestamp_seconds',
    help: 'When the data was last changed, in seconds since 1970.',
    registers: [registry],
  })
  return async () => {
    try {
      const dataset = await sources.readDataset()
      version.set(dataset.version)
      updated.set(dataset.updated_at.getTime() / 1000)
    } catch {
      version.remove()
      updated.remove()
    }
  }
}

/** Named as all programs name theirs. */
function readProcess(registry: Registry) {
  const memory = new Gauge({
    name: 'process_resident_memory_bytes',
    help: 'Memory of the process, the embedded database included.',
    registers: [registry],
  })
  const started = new Gauge({
    name: 'process_start_time_seconds',
    help: 'When the process was started, in seconds since 1970.',
    registers: [registry],
  })
  const delay = new Gauge({
    name: 'devdata_event_loop_delay_seconds',
    help: 'How late the event loop came to its work since the last scrape: quantiles of samples; 1 is the longest.',
    labelNames: ['quantile'],
    registers: [registry],
  })
  const monitor = createLoopMonitor()
  return () => {
    memory.set(process.memoryUsage.rss())
    started.set(performance.timeOrigin / 1000)
    for (const [quantile, seconds] of monitor.read()) delay.set({ quantile }, seconds)
  }
}
