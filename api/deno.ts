/**
 * The service on Deno: `deno task start`.
 *
 * @module
 */
import { createServer } from 'node:http'
import process from 'node:process'
import { dropRequestSpans, keepAccepting } from './server/deno-server.ts'
import { listen } from './server/listen.ts'
import { serverOptions } from './server/node-server.ts'
import { explainUnhandledRefusals } from './service/operator-message.ts'
import { startService } from './service/service.ts'
import { startDenoTraceExport } from './telemetry/trace-export.ts'

explainUnhandledRefusals()
await startService({
  environment: process.env,
  parameters: Deno.args,
  runtime: `deno ${Deno.version.deno}`,
  terminal: Deno.stdout.isTerminal(),
  startTraceExport: startDenoTraceExport,
  listen(options) {
    const server = createServer(serverOptions)
    keepAccepting(server, options)
    dropRequestSpans(server)
    return listen(server, options)
  },
})
