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

/** Whether traces or metrics are to be exported. */
function isWanted(environment: Record<string, string | undefined>, signal: 'TRACES' | 'METRICS'): boolean {
  const exporter = environment[`OTEL_${signal}_EXPORTER`] ?? ''
  if (exporter !== '') return exporter === 'otlp'
  return ['OTEL_EXPORTER_OTLP_ENDPOINT', `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`].some(
    (name) => (environment[name] ?? '') !== '',
  )
}

/**
 * Starts the SDK where the environment asks for it: with an endpoint of OTLP, or with `otlp` as exporter. Undefined where it
 * does not, and then nothing was loaded. Throws `ConfigError`.
 */
export async function startTelemetry(
  environment: Record<string, string | undefined>,
): Promise<TelemetryExport | undefined> {
  if (environment.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return undefined
  const wantsTraces = isWanted(environment, 'TRACES')
  const wantsMetrics = isWanted(environment, 'METRICS')
  if (!wantsTraces && !wantsMetrics) return undefined
  if (environment.OTEL_EXPORTER_OTLP_PROTOCOL === 'grpc') {
    throw new ConfigError(
      'OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" is wrong: it must be http/json (port 4318 of a collector)',
    )
  }
  const [
    { metrics },
    { defaultResource, detectResources, envDetector, resourceFromAttributes },
    tracing,
    measuring,
    traceExport,
    metricExport,
  ] = await loadPackages()
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'devdata', 'service.version': readVersion() }))
    .merge(detectResources({ detectors: [envDetector] }))
  const tracerProvider = wantsTraces
    ? new tracing.NodeTracerProvider({
        resource,
        spanProcessors: [new tracing.BatchSpanProcessor(new traceExport.OTLPTraceExporter())],
      })
    : undefined
  tracerProvider?.register()
  const meterProvider = wantsMetrics
    ? new measuring.MeterProvider({
        resource,
        readers: [
          new measuring.PeriodicExportingMetricReader({
            exporter: new metricExport.OTLPMetricExporter(),
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

/** They are optional: an installation that leaves them out is smaller by 28 MB. */
async function loadPackages() {
  try {
    return await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/sdk-trace-node'),
      import('@opentelemetry/sdk-metrics'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/exporter-metrics-otlp-http'),
    ])
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) throw error
    throw new ConfigError(
      'OTEL_*: OpenTelemetry is not installed; install without --omit=optional, or set OTEL_SDK_DISABLED=true',
    )
  }
}
