/**
 * The service on Deno: `deno task start`.
 *
 * @module
 */
import process from 'node:process'
import { refuseUnreadable } from './deno-request.ts'
import { startService } from './service.ts'
import { startTelemetry } from './telemetry-deno.ts'

await startService({
  environment: process.env,
  runtime: `deno ${Deno.version.deno}`,
  terminal: Deno.stdout.isTerminal(),
  startTelemetry,
  async listen({ fetch, answerDefect, port, hostname }) {
    const answer = refuseUnreadable(fetch)
    const options = { port, hostname, onListen: () => {}, onError: answerDefect }
    const server = Deno.serve(options, (request) => answer(request))
    return { port: server.addr.port, close: () => server.shutdown() }
  },
})
