/** The service on Node.js: `node api/node.ts`. */
import { createServer } from 'node:http'
import { listen } from './runtime/listen.ts'
import { readMaxConnections, serverOptions } from './runtime/node-server.ts'
import { startService } from './runtime/service.ts'
import { startNodeTraceExport } from './telemetry/trace-export.ts'

await startService({
  environment: process.env,
  parameters: process.argv.slice(2),
  runtime: `node ${process.version}`,
  terminal: process.stdout.isTTY === true,
  startTraceExport: startNodeTraceExport,
  listen: (options) =>
    listen(createServer(serverOptions), options, {
      maxConnections: readMaxConnections(options.reservedFiles),
    }),
})
