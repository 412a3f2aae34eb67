/**
 * The service on Deno: `deno task start`.
 *
 * @module
 */
import process from 'node:process'
import { listen } from './server/listen.ts'
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
  listen: (options) => listen(options),
})
