/**
 * The service on Deno: `deno task start`.
 *
 * @module
 */
import process from 'node:process'
import { startService } from './service.ts'

await startService({
  environment: process.env,
  runtime: `deno ${Deno.version.deno}`,
  terminal: Deno.stdout.isTerminal(),
  // Deno makes spans and figures of requests by itself, and exports what is made with OpenTelemetry's API.
  startTelemetry: async ({ OTEL_DENO }) =>
    OTEL_DENO === 'true' || OTEL_DENO === '1' ? { measuresRequests: true, stop: async () => {} } : undefined,
  async listen({ fetch, port, hostname }) {
    const server = Deno.serve({ port, hostname, onListen: () => {} }, (request) => fetch(request))
    return { port: server.addr.port, close: () => server.shutdown() }
  },
})
