/** What Deno's `node:http` does differently from Node's. */
import type { Server, ServerResponse } from 'node:http'
import { connect, Server as NetServer } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { ListenOptions } from './service.ts'

const checkIntervalMs = 1_000
/** With fewer connections, a process has room for more open files. */
const manyConnections = 100

/**
 * Keeps a server accepting connections. When the process has too many open files, Deno stops accepting without an
 * error, for good. So once many connections were open, this connects to the server, and listens again if nothing
 * arrives.
 */
export function keepAccepting(
  server: Server,
  { warn, hostname }: Pick<ListenOptions, 'warn' | 'hostname'>,
): void {
  let open = 0
  let accepted = 0
  let isDoubtful = false
  /** It doesn't listen, because listening again has failed. */
  let isDown = false
  server.on('connection', (socket) => {
    accepted++
    open++
    if (open >= manyConnections) isDoubtful = true
    socket.once('close', () => open--)
  })

  /** Whether the server accepts a connection. */
  async function accepts(port: number): Promise<boolean> {
    const before = accepted
    const probe = connect(port, hostname).on('error', () => {}) // no file may be left for it
    await sleep(checkIntervalMs)
    await nextTurn() // a blocked event loop has now accepted what arrived
    probe.destroy()
    return accepted > before
  }

  server.once('listening', async () => {
    const address = server.address()
    if (typeof address !== 'object' || address === null) return
    const { port } = address
    server.on('listening', () => {
      isDown = false
    })
    server.on('error', (error) => {
      isDown = true
      warn(`Listening failed: ${error.message}`)
    })
    for (; server.listening || isDown; await sleep(checkIntervalMs, undefined, { ref: false })) {
      if (!isDoubtful) continue
      if (!isDown && (await accepts(port))) {
        isDoubtful = open >= manyConnections
        continue
      }
      if (!server.listening && !isDown) return // the service has stopped
      if (server.listening) {
        warn('Listening again: no connections were accepted, probably because of too many open files')
        NetServer.prototype.close.call(server) // keeps the connections that are open
      }
      isDown = true
      server.listen(port, hostname)
    }
  })
}

/**
 * Drops the span that Deno creates for each request when it exports traces. It contains the URL, which can name people,
 * and it is never the active span. The service creates its own.
 */
export function dropRequestSpans(server: Server): void {
  const drop = (_: unknown, response: ServerResponse) => {
    const key = Object.getOwnPropertySymbols(response).find(({ description }) => description === 'kOtelSpan')
    if (key !== undefined) Reflect.set(response, key, undefined)
  }
  server.on('request', drop)
  server.on('checkExpectation', drop)
}
