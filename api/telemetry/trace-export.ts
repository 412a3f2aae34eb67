/** Trace export, which the standard `OTEL_*` variables turn on. */
import { readVersion } from '../build-info.ts'
import { ConfigError } from '../config.ts'
import { isInstalled } from '../devdata-command.ts'
import type { TraceExport } from './tracing.ts'

type Variables = Record<string, string | undefined>

/** Protocols of OTLP over HTTP, the default first. */
const protocols = ['http/protobuf', 'http/json'] as const

/**
 * On Deno: returns its own export if `OTEL_DENO` turns it on. Deno exports the spans that are created with
 * OpenTelemetry's API. Its own server (`Deno.serve`) also creates the spans of requests.
 */
export async function startDenoTraceExport(
  { OTEL_DENO }: Variables,
  { createsRequestSpans = false } = {},
): Promise<TraceExport | undefined> {
  if (OTEL_DENO !== 'true' && OTEL_DENO !== '1') return undefined
  return { createsRequestSpans, stop: async () => {} }
}

/**
 * On Node: starts OpenTelemetry's SDK if the environment turns tracing on, with an OTLP endpoint or with
 * `OTEL_TRACES_EXPORTER=otlp`. Otherwise loads nothing and returns undefined. Throws `ConfigError`.
 */
export async function startNodeTraceExport(environment: Variables): Promise<TraceExport | undefined> {
  if (!wantsTraces(environment)) return undefined
  const { resources, tracing, exporter } = await loadPackages(readProtocol(environment))
  const resource = resources
    .defaultResource()
    .merge(resources.resourceFromAttributes({ 'service.name': 'devdata', 'service.version': readVersion() }))
    .merge(resources.detectResources({ detectors: [resources.envDetector] }))
  const provider = new tracing.NodeTracerProvider({
    resource,
    spanProcessors: [new tracing.BatchSpanProcessor(new exporter.OTLPTraceExporter())],
  })
  provider.register()
  return {
    createsRequestSpans: false,
    stop: () => provider.shutdown().catch(() => {}), // the collector may be unreachable
  }
}

function wantsTraces(environment: Variables): boolean {
  if (environment.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return false
  if (environment.OTEL_TRACES_EXPORTER) return environment.OTEL_TRACES_EXPORTER === 'otlp'
  const { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT } = environment
  return Boolean(OTEL_EXPORTER_OTLP_ENDPOINT || OTEL_EXPORTER_OTLP_TRACES_ENDPOINT)
}

/** Throws `ConfigError`. */
function readProtocol(environment: Variables): (typeof protocols)[number] {
  const names = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL']
  const name = names.find((each) => environment[each])
  if (name === undefined) return protocols[0]
  const protocol = protocols.find((each) => each === environment[name])
  if (protocol === undefined) {
    const value = JSON.stringify(environment[name])
    throw new ConfigError(
      `${name} ${value} is invalid: it must be ${protocols.join(' or ')} (port 4318 of a collector)`,
    )
  }
  return protocol
}

/** Loads the packages, which are optional (29 MB). Throws `ConfigError`. */
async function loadPackages(protocol: (typeof protocols)[number]) {
  try {
    const [resources, tracing, exporter] = await Promise.all([
      import('@opentelemetry/resources'),
      import('@opentelemetry/sdk-trace-node'),
      protocol === 'http/json'
        ? import('@opentelemetry/exporter-trace-otlp-http')
        : import('@opentelemetry/exporter-trace-otlp-proto'),
    ])
    return { resources, tracing, exporter }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) throw error
    throw new ConfigError(
      isInstalled()
        ? 'OTEL_*: OpenTelemetry is not in the packed file; run a clone, or set OTEL_SDK_DISABLED=true'
        : 'OTEL_*: OpenTelemetry is not installed; install without --omit=optional, or set OTEL_SDK_DISABLED=true',
    )
  }
}
