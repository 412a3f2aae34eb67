/**
 * OpenTelemetry's SDK on Node.js, with its standard settings: `OTEL_*` of the environment.
 *
 * @module
 */
import { ConfigError } from './config.ts'
import { readVersion } from './program.ts'
import type { TelemetryExport } from './telemetry.ts'

/** Between two exports of metrics, in milliseconds, as the specification has it. */
const metricInterval = 60_000

type Variables = Record<string, string | undefined>
type Signal = 'TRACES' | 'METRICS'

/** Whether traces or metrics are to be exported. */
function isWanted(environment: Variables, signal: Signal): boolean {
  const exporter = environment[`OTEL_${signal}_EXPORTER`] ?? ''
  if (exporter !== '') return exporter === 'otlp'
  return ['OTEL_EXPORTER_OTLP_ENDPOINT', `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`].some(
    (name) => (environment[name] ?? '') !== '',
  )
}

/** Ways to write what is sent over HTTP, the specification's default first. */
const protocols = ['http/protobuf', 'http/json'] as const

/** How a signal is to be written. Throws `ConfigError`. */
function readProtocol(environment: Variables, signal: Signal): (typeof protocols)[number] {
  const names = [`OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`, 'OTEL_EXPORTER_OTLP_PROTOCOL']
  const name = names.find((each) => (environment[each] ?? '') !== '')
  if (name === undefined) return protocols[0]
  const value = environment[name]
  const protocol = protocols.find((each) => each === value)
  if (protocol === undefined) {
    throw new ConfigError(
      `${name}: ${JSON.stringify(value)} is wrong: it must be ${protocols.join(' or ')} (port 4318 of a collector)`,
    )
  }
  return protocol
}

/**
 * Starts the SDK where the environment asks for it: with an endpoint of OTLP, or with `otlp` as exporter. Undefined where it
 * does not, and then nothing was loaded. Throws `ConfigError`.
 */
export async function startTelemetry(environment: Variables): Promise<TelemetryExport | undefined> {
  if (environment.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return undefined
  const tracesProtocol = isWanted(environment, 'TRACES') ? readProtocol(environment, 'TRACES') : undefined
  const metricsProtocol = isWanted(environment, 'METRICS') ? readProtocol(environment, 'METRICS') : undefined
  if (tracesProtocol === undefined && metricsProtocol === undefined) return undefined
  const [
    { metrics },
    { defaultResource, detectResources, envDetector, resourceFromAttributes },
    tracing,
    measuring,
    traceExporters,
    metricExporters,
  ] = await loadPackages()
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'devdata', 'service.version': readVersion() }))
    .merge(detectResources({ detectors: [envDetector] }))
  const tracerProvider = tracesProtocol
    ? new tracing.NodeTracerProvider({
        resource,
        spanProcessors: [
          new tracing.BatchSpanProcessor(new traceExporters[tracesProtocol].OTLPTraceExporter()),
        ],
      })
    : undefined
  tracerProvider?.register()
  const meterProvider = metricsProtocol
    ? new measuring.MeterProvider({
        resource,
        readers: [
          new measuring.PeriodicExportingMetricReader({
            exporter: new metricExporters[metricsProtocol].OTLPMetricExporter(),
            exportIntervalMillis: Number(environment.OTEL_METRIC_EXPORT_INTERVAL) || metricInterval,
          }),
        ],
      })
    : undefined
  if (meterProvider) metrics.setGlobalMeterProvider(meterProvider)
  return {
    measuresRequests: false,
    async stop() {
      await Promise.allSettled([tracerProvider?.shutdown(), meterProvider?.shutdown()])
    },
  }
}

/** By protocol. */
async function loadTraceExporters() {
  return {
    'http/protobuf': await import('@opentelemetry/exporter-trace-otlp-proto'),
    'http/json': await import('@opentelemetry/exporter-trace-otlp-http'),
  }
}

/** By protocol. */
async function loadMetricExporters() {
  return {
    'http/protobuf': await import('@opentelemetry/exporter-metrics-otlp-proto'),
    'http/json': await import('@opentelemetry/exporter-metrics-otlp-http'),
  }
}

/** They are optional: an installation that leaves them out is smaller by 29 MB. */
async function loadPackages() {
  try {
    return await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/sdk-trace-node'),
      import('@opentelemetry/sdk-metrics'),
      loadTraceExporters(),
      loadMetricExporters(),
    ])
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) throw error
    throw new ConfigError(
      'OTEL_*: OpenTelemetry is not installed; install without --omit=optional, or set OTEL_SDK_DISABLED=true',
    )
  }
}
