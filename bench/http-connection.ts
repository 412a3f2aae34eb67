/**
 * A keep-alive connection that sends one request at a time, for load generators.
 *
 * Written on `node:net` because the generator shares the machine with what it measures. For look-ups at 32 connections
 * it took 35 µs of CPU time a request, undici's Pool 95 and autocannon 125 (Node 24, responses of 450 bytes).
 *
 * @module
 */
import { connect } from 'node:net'

/** What happens on a connection. Either may send the next request immediately. */
export interface ConnectionEvents {
  /** A response has been received completely. */
  responded(status: number): void
  /** It ended, or its response can't be read: nothing more comes. Not called after `close`. */
  lost(reason: string): void
}

/** A connection with at most one request in progress. */
export interface Connection {
  /** Sends a request, as HTTP writes it. */
  send(request: string): void
  close(): void
}

/** Opens a connection to a port of this machine. What is sent before it is open goes when it is. */
export function openConnection(port: number, events: ConnectionEvents): Connection {
  /** What has come of the response, a character a byte, and how long all of it is; -1 until its head says so. */
  let received = ''
  let length = -1
  let isClosed = false

  function lose(reason: string): void {
    if (isClosed) return
    isClosed = true
    socket.destroy()
    events.lost(reason)
  }

  function read(text: string): void {
    received = received === '' ? text : received + text
    if (length < 0) {
      const end = received.indexOf('\r\n\r\n')
      if (end < 0) return
      const [, body] = /\r\ncontent-length: *(\d+)/i.exec(received.slice(0, end)) ?? []
      if (body === undefined) {
        lose(`a response without Content-Length: ${received.slice(0, end)}`)
        return
      }
      length = end + 4 + Number(body)
    }
    if (received.length < length) return
    if (received.length > length) {
      lose('more than one response came')
      return
    }
    const status = Number(received.slice(9, 12)) // HTTP/1.1 200
    received = ''
    length = -1
    events.responded(status)
  }

  const buffer = Buffer.allocUnsafe(16_384)
  const socket = connect({
    host: '127.0.0.1',
    port,
    noDelay: true,
    // Spares a buffer and an event for each response.
    onread: {
      buffer,
      callback(bytes) {
        read(buffer.toString('latin1', 0, bytes))
        return true
      },
    },
  })
  socket.on('error', (error) => lose(error.message))
  socket.on('close', () => lose('the connection was closed'))
  return {
    send: (request) => socket.write(request, 'latin1'),
    close() {
      isClosed = true
      socket.destroy()
    },
  }
}
