/**
 * OpenTelemetry on Deno, which makes spans and figures of requests by itself, and exports what is made with
 * OpenTelemetry's API beside its own.
 *
 * @module
 */
import type { TelemetryExport } from './telemetry.ts'

/** Nothing is to be started: Deno has done it where its own setting asks for it. Undefined where it does not. */
export async function startTelemetry({
  OTEL_DENO: setting,
}: Record<string, string | undefined>): Promise<TelemetryExport | undefined> {
  return setting === 'true' || setting === '1' ? { measuresRequests: true, stop: async () => {} } : undefined
}
