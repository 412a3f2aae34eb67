/** The service on Deno: `deno task start`. */
import { createServer } from 'node:http'
import process from 'node:process'
import { dropRequestSpans, keepAccepting } from './runtime/deno-server.ts'
import { listen } from './runtime/listen.ts'
import { serverOptions } from './runtime/node-server.ts'
import { explainUnhandledRefusals } from './runtime/operator-message.ts'
import { startService } from './runtime/service.ts'
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
