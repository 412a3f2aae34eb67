/**
 * Serves one PGlite database to several PostgreSQL clients over a Unix socket.
 *
 * PGlite is a single backend with a single session. PostgreSQL's extended protocol keeps state between messages (the
 * unnamed statement, the portal), and transactions keep state between statements. Therefore a connection holds the
 * session from its first message until the backend reports "ready for query, idle". The others queue, first in, first
 * out.
 */
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import type { PGlite } from '@electric-sql/pglite'

const sslRequestCode = 80877103
const gssRequestCode = 80877104
const cancelRequestCode = 80877102
const maxMessageBytes = 256 * 1024 * 1024

/** A client of the socket. */
interface Connection {
  socket: Socket
  received: Buffer
  isStarted: boolean
  /** Complete messages that have not run yet. */
  messages: Uint8Array[]
  /** Names of its prepared statements. */
  statements: Set<string>
  /** A COPY from the client, and its rows so far. */
  copy: Uint8Array[]
}

/** The types of client messages that are inspected. */
const types = { query: 0x51, parse: 0x50, copyData: 0x64, copyDone: 0x63, copyFail: 0x66, terminate: 0x58 }
/** CopyInResponse: text, and a number of columns that clients don't look at. */
const copyInResponse = Buffer.from([0x47, 0, 0, 0, 7, 0, 0, 0])

/**
 * Listens on a Unix socket, and resolves when clients can connect. It is long because its functions share the queue and
 * the holder of the session.
 */
export async function serveEmbeddedSession(database: PGlite, path: string): Promise<Server> {
  const queue: Connection[] = []
  let holder: Connection | undefined
  let isRunning = false

  /** Runs messages until the queue is empty, or until the holder of the session must send more. */
  async function runQueue(): Promise<void> {
    if (isRunning) return
    isRunning = true
    for (;;) {
      holder ??= queue.shift()
      if (holder === undefined) break
      if (holder.socket.destroyed) {
        await resetSession(holder)
        holder = undefined
        continue
      }
      const message = holder.messages.shift()
      if (message === undefined) break
      const isIdle = await run(holder, message)
      if (isIdle) {
        if (holder.messages.length > 0) queue.push(holder)
        holder = undefined
      }
    }
    isRunning = false
  }

  /** Runs one message and sends the response. Returns whether the session is idle afterwards. */
  async function run(connection: Connection, message: Uint8Array): Promise<boolean> {
    noteStatement(connection, message)
    let tail = Buffer.alloc(0)
    let isCopy = isCopyFromClient(message)
    try {
      await database.runExclusive(() =>
        database.execProtocolRawStream(message, {
          onRawData: (received) => {
            const data = isCopy ? withoutCopyInResponse(received) : received
            isCopy = false // its response comes first
            if (data.length === 0) return
            tail = Buffer.concat([tail, data.subarray(-6)]).subarray(-6)
            // PGlite reuses its buffer for the next response.
            if (connection.socket.writable) connection.socket.write(Buffer.from(data))
          },
        }),
      )
    } catch (error) {
      // PGlite itself failed: disconnect this client, and reset the session for the others.
      connection.socket.destroy(error instanceof Error ? error : new Error(String(error)))
      return false
    }
    return isReadyAndIdle(tail)
  }

  /** Ends the open transaction of a closed connection, and drops its prepared statements. */
  async function resetSession(connection: Connection): Promise<void> {
    const statements = [...connection.statements].map((name) => `DEALLOCATE "${name.replaceAll('"', '""')}"`)
    connection.statements.clear()
    // Without a transaction ROLLBACK only warns. The next client sees any other error.
    for (const statement of ['ROLLBACK', ...statements]) await database.exec(statement).catch(() => {})
  }

  function enqueue(connection: Connection): void {
    if (connection !== holder && !queue.includes(connection)) queue.push(connection)
    void runQueue()
  }

  function accept(socket: Socket): void {
    const connection: Connection = {
      socket,
      received: Buffer.alloc(0),
      isStarted: false,
      messages: [],
      statements: new Set(),
      copy: [],
    }
    socket.on('data', (data) => {
      connection.received =
        connection.received.length === 0 ? data : Buffer.concat([connection.received, data])
      const complete = takeMessages(connection)
      if (complete.length === 0) return
      connection.messages.push(...complete)
      enqueue(connection)
    })
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      connection.messages.length = 0
      enqueue(connection)
    })
  }

  const server = createServer(accept)
  server.listen(path)
  await once(server, 'listening') // rejects with the server's error
  return server
}

/** Takes the complete messages out of the received bytes. Messages for the server itself are handled here. */
function takeMessages(connection: Connection): Uint8Array[] {
  const complete: Uint8Array[] = []
  for (;;) {
    const { received } = connection
    const lengthOffset = connection.isStarted ? 1 : 0
    if (received.length < lengthOffset + 4) return complete
    const end = lengthOffset + received.readInt32BE(lengthOffset)
    if (end < lengthOffset + 4 || end > maxMessageBytes) {
      connection.socket.destroy(new Error('malformed PostgreSQL message'))
      return []
    }
    if (received.length < end) return complete
    const message = received.subarray(0, end)
    connection.received = received.subarray(end)

    if (!connection.isStarted) {
      const code = message.length >= 8 ? message.readInt32BE(4) : 0
      if (code === sslRequestCode || code === gssRequestCode) {
        connection.socket.write('N')
        continue
      }
      if (code === cancelRequestCode) {
        connection.socket.end() // can't interrupt the single session
        return []
      }
      connection.isStarted = true
    } else if (message[0] === types.terminate) {
      connection.socket.end() // ends this connection, not the backend
      return complete
    }
    const statement = holdCopy(connection, message)
    if (statement !== undefined) complete.push(statement)
  }
}

/**
 * Buffers a COPY from the client until its last row has arrived. PGlite must get a statement with all its rows in one
 * message: it treats the end of its input as a disconnect. Returns the message to run, or undefined while rows are
 * missing.
 */
function holdCopy(connection: Connection, message: Uint8Array): Uint8Array | undefined {
  const { copy, socket } = connection
  const [type] = message
  if (copy.length === 0) {
    if (isCopyFromClient(message)) {
      copy.push(message)
      socket.write(copyInResponse)
      return undefined
    }
    return type === types.copyData || type === types.copyDone || type === types.copyFail ? undefined : message
  }
  copy.push(message)
  const bytes = copy.reduce((sum, part) => sum + part.length, 0)
  if (bytes > maxMessageBytes) {
    connection.copy = []
    socket.destroy() // as after a message that is too long
    return undefined
  }
  if (type === types.copyData) return undefined
  connection.copy = []
  return Buffer.concat(copy)
}

function isCopyFromClient(message: Uint8Array): boolean {
  if (message[0] !== types.query) return false
  return /^\s*copy\b[^;]*\bfrom\s+stdin\b/i.test(Buffer.from(message.subarray(5)).toString())
}

/** Leaves out CopyInResponse, which the client of a COPY has got already. */
function withoutCopyInResponse(data: Uint8Array): Uint8Array {
  return data[0] === copyInResponse[0] ? data.subarray(1 + Buffer.from(data).readInt32BE(1)) : data
}

/** Notes the name of a prepared statement, which lives as long as its connection. */
function noteStatement(connection: Connection, message: Uint8Array): void {
  if (message[0] !== types.parse) return
  const name = Buffer.from(message.subarray(5, message.indexOf(0, 5))).toString()
  if (name !== '') connection.statements.add(name)
}

/** ReadyForQuery is `Z`, a length of 5 and a status; `I` is idle, outside any transaction. */
function isReadyAndIdle(tail: Buffer): boolean {
  return tail.length === 6 && tail[0] === 0x5a && tail.readInt32BE(1) === 5 && tail[5] === 0x49
}
