/**
 * Trace export on Deno. Deno itself creates the spans of requests, and exports them with those that are created with
 * OpenTelemetry's API.
 *
 * @module
 */
import type { TraceExport } from './tracing.ts'

/** Returns Deno's own export if `OTEL_DENO` turned it on, otherwise undefined. */
export async function startTraceExport({
  OTEL_DENO: setting,
}: Record<string, string | undefined>): Promise<TraceExport | undefined> {
  return setting === 'true' || setting === '1'
    ? { createsRequestSpans: true, stop: async () => {} }
    : undefined
}
