/**
 * Serves one PGlite database to several PostgreSQL clients over a Unix socket.
 *
 * PGlite is a single backend: one session, whoever speaks. PostgreSQL's extended protocol keeps state between
 * messages (the unnamed statement, the portal) and transactions keep state between statements, so a connection
 * that has begun must be let finish: it holds the session from its first message until the backend reports
 * "ready for query, idle". Everybody else waits in line, first come first served.
 *
 * @module
 */
import { createServer, type Server, type Socket } from 'node:net'
import type { PGlite } from '@electric-sql/pglite'

const sslRequestCode = 80877103
const gssRequestCode = 80877104
const cancelRequestCode = 80877102
const largestMessage = 256 * 1024 * 1024

/** One client of the socket, with the messages that it has sent and that were not run yet. */
interface Connection {
  socket: Socket
  received: Buffer
  started: boolean
  closed: boolean
  messages: Uint8Array[]
  statements: Set<string>
}

/**
 * Listens on a Unix socket at `path` and resolves when clients can connect.
 * The returned server's `close` ends the listening; end the sockets by closing the clients.
 */
export async function serveEmbeddedSession(database: PGlite, path: string): Promise<Server> {
  const waiting: Connection[] = []
  let holder: Connection | undefined
  let running = false

  /** Runs messages in turn until nobody waits, or until the one who holds the session has nothing to say yet. */
  async function runInTurn(): Promise<void> {
    if (running) return
    running = true
    try {
      for (;;) {
        holder ??= waiting.shift()
        if (holder === undefined) return
        if (holder.closed) {
          await forget(holder)
          holder = undefined
          continue
        }
        const message = holder.messages.shift()
        if (message === undefined) return
        const idle = await run(holder, message)
        if (idle) {
          if (holder.messages.length > 0) waiting.push(holder)
          holder = undefined
        }
      }
    } finally {
      running = false
    }
  }

  /** Runs one message and passes the answer on. Tells whether the session is idle after it. */
  async function run(connection: Connection, message: Uint8Array): Promise<boolean> {
    rememberStatement(connection, message)
    let tail = Buffer.alloc(0)
    try {
      await database.runExclusive(() =>
        database.execProtocolRawStream(message, {
          onRawData: (data) => {
            if (data.length === 0) return
            tail = Buffer.concat([tail, data.subarray(-6)]).subarray(-6)
            // PGlite reuses its buffer for the next answer.
            if (connection.socket.writable) connection.socket.write(Buffer.from(data))
          },
        }),
      )
    } catch (error) {
      // The backend itself broke down: only this client learns of it, and the session is set right for the others.
      connection.socket.destroy(error instanceof Error ? error : new Error(String(error)))
      connection.closed = true
      return false
    }
    return isReadyAndIdle(tail)
  }

  /** Leaves the session as if the connection had never been: no open transaction, no statement of its own. */
  async function forget(connection: Connection): Promise<void> {
    try {
      await database.exec('ROLLBACK')
      for (const name of connection.statements) {
        await database.exec(`DEALLOCATE "${name.replaceAll('"', '""')}"`).catch(() => {})
      }
    } catch {
      // ROLLBACK without a transaction is only a warning; anything else shows itself to the next client.
    }
    connection.statements.clear()
  }

  function accept(socket: Socket): void {
    const connection: Connection = {
      socket,
      received: Buffer.alloc(0),
      started: false,
      closed: false,
      messages: [],
      statements: new Set(),
    }
    socket.on('data', (data) => {
      connection.received =
        connection.received.length === 0 ? data : Buffer.concat([connection.received, data])
      const complete = takeMessages(connection)
      if (complete.length === 0) return
      const alreadyInLine = connection === holder || connection.messages.length > 0
      connection.messages.push(...complete)
      if (!alreadyInLine) waiting.push(connection)
      void runInTurn()
    })
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      connection.closed = true
      connection.messages.length = 0
      const inLine = connection === holder || waiting.includes(connection)
      if (!inLine) waiting.push(connection)
      void runInTurn()
    })
  }

  const server = createServer(accept)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  return server
}

/** Cuts what was received into complete messages, and answers those that never reach the backend. */
function takeMessages(connection: Connection): Uint8Array[] {
  const complete: Uint8Array[] = []
  for (;;) {
    const { received } = connection
    const lengthAt = connection.started ? 1 : 0
    if (received.length < lengthAt + 4) return complete
    const end = lengthAt + received.readInt32BE(lengthAt)
    if (end < lengthAt + 4 || end > largestMessage) {
      connection.socket.destroy(new Error('malformed PostgreSQL message'))
      return []
    }
    if (received.length < end) return complete
    const message = received.subarray(0, end)
    connection.received = received.subarray(end)

    if (!connection.started) {
      const code = message.length >= 8 ? message.readInt32BE(4) : 0
      if (code === sslRequestCode || code === gssRequestCode) {
        connection.socket.write('N')
        continue
      }
      if (code === cancelRequestCode) {
        connection.socket.end() // a single session has nobody else to cancel
        return []
      }
      connection.started = true
    } else if (message[0] === 0x58 /* Terminate: for this connection, not for the backend */) {
      connection.socket.end()
      return complete
    }
    complete.push(message)
  }
}

/** Parse messages name prepared statements, which live as long as their connection does. */
function rememberStatement(connection: Connection, message: Uint8Array): void {
  if (message[0] !== 0x50 /* Parse */) return
  const name = Buffer.from(message.subarray(5, message.indexOf(0, 5))).toString()
  if (name !== '') connection.statements.add(name)
}

/** ReadyForQuery is `Z`, a length of 5 and a status; `I` is idle, outside any transaction. */
function isReadyAndIdle(tail: Buffer): boolean {
  return tail.length === 6 && tail[0] === 0x5a && tail.readInt32BE(1) === 5 && tail[5] === 0x49
}
