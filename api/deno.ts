/**
 * The service on Deno: `deno task start`.
 *
 * @module
 */
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { internalError } from './errors.ts'
import { toResponse } from './http/error-handler.ts'
import { checkRequests } from './server/deno-request.ts'
import { explainUnhandledRefusals } from './service/operator-message.ts'
import { startService } from './service/service.ts'
import { startDenoTraceExport } from './telemetry/trace-export.ts'

const relistenIntervalMs = 200

explainUnhandledRefusals()
await startService({
  environment: process.env,
  parameters: Deno.args,
  runtime: `deno ${Deno.version.deno}`,
  terminal: Deno.stdout.isTerminal(),
  startTraceExport: startDenoTraceExport,
  async listen({ app, warn, port, hostname }) {
    const respond = checkRequests(app)
    const onError = (error: unknown) => toResponse(app.refuse('', internalError(error)), '')
    const serve = (port: number) =>
      Deno.serve({ port, hostname, onListen: () => {}, onError }, (request, { completed }) =>
        respond(request, { onClosed: (act) => void completed.then(act, act) }),
      )
    let server = serve(port)
    let isClosing = false
    const { port: ownPort } = server.addr
    void keepListening()
    return {
      port: ownPort,
      close() {
        isClosing = true
        return server.shutdown()
      },
    }

    /** Deno's server stops when it can't accept a connection, because the process has too many open files. */
    async function keepListening(): Promise<void> {
      while (!isClosing) {
        try {
          await server.finished
        } catch (error) {
          warn(`Listening again: ${error instanceof Error ? error.message : error}`)
        }
        await sleep(relistenIntervalMs)
        try {
          if (!isClosing) server = serve(ownPort)
        } catch {} // `finished` of the last server is still settled: the loop tries again
      }
    }
  },
})
