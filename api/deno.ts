/**
 * The service on Deno: `deno task start`.
 *
 * @module
 */
import process from 'node:process'
import { startService } from './service.ts'
import { startTelemetry } from './telemetry-deno.ts'

await startService({
  environment: process.env,
  runtime: `deno ${Deno.version.deno}`,
  terminal: Deno.stdout.isTerminal(),
  startTelemetry,
  async listen({ fetch, answerDefect, port, hostname }) {
    const server = Deno.serve({ port, hostname, onListen: () => {}, onError: answerDefect }, (request) =>
      fetch(request),
    )
    return { port: server.addr.port, close: () => server.shutdown() }
  },
})
