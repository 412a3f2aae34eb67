/**
 * A proxy before a PostgreSQL server or an embedded database that breaks a connection at a chosen point of a chosen statement. It knows as
 * much of the protocol as that takes: where a message ends, which statement a client runs, and when its response ends.
 */
import type { Socket } from 'node:net'
import { type ProxiedConnection, type ProxiedServer, startTcpProxy, type TcpProxy } from './tcp-proxy.ts'

/**
 * Where a statement is broken, in the order in which it passes:
 * - `unsent`: the server gets nothing of it
 * - `half sent`: the server gets the first half of the message that starts it
 * - `sent`: the server has it all; the connection is cut at once
 * - `uncommitted`: the server has run it and responded, but gets no order to commit; nothing is cut
 * - `committed`: the server has committed and responded; the client gets nothing of that
 * - `half received`: the same, but the client gets the first row of the response
 */
export type BreakingPoint = 'unsent' | 'half sent' | 'sent' | 'uncommitted' | 'committed' | 'half received'

/** A running proxy. */
export interface FaultyProxy extends TcpProxy {
  /**
   * Breaks the next statement that contains `text` (default: that of the proxy). Resolves when that is done, with the id of
   * the server's process.
   */
  breakNext(point: BreakingPoint, text?: string): Promise<number>
  /** Cuts all connections, and cuts new ones as soon as they are there, until `restore`. */
  shut(): void
  /** Passes nothing on, either way, and says nothing of it, until `restore` cuts what was held up. */
  silence(): void
  restore(): void
}

interface Order {
  point: BreakingPoint
  /** Of the statement. */
  text: string
  fulfil(processId: number): void
}

/** Starts a proxy before a server. It breaks statements that contain `text`, if an order names no other one. */
export async function startFaultyProxy(server: ProxiedServer, text: string): Promise<FaultyProxy> {
  const orders: Order[] = []
  let mode: 'open' | 'shut' | 'silent' = 'open'
  const proxy = await startTcpProxy(
    server,
    (connection) => relay({ ...connection, orders, isSilent: () => mode === 'silent' }),
    () => mode === 'shut',
  )
  return {
    ...proxy,
    breakNext: (point, chosen = text) =>
      new Promise((fulfil) => orders.push({ point, text: chosen, fulfil })),
    shut() {
      mode = 'shut'
      proxy.cutAll()
    },
    silence() {
      mode = 'silent'
    },
    restore() {
      if (mode === 'silent') proxy.cutAll()
      mode = 'open'
    },
  }
}

interface Relay extends ProxiedConnection {
  /** The first is next. */
  orders: Order[]
  isSilent(): boolean
}

/** Passes one connection's messages on, whole, until it is to be broken. */
function relay({ client, database, cut, orders, isSilent }: Relay): void {
  /** Texts of prepared statements, by name. */
  const statements = new Map<string, string>()
  /** Requests whose ReadyForQuery is still to come, oldest first: the order that their responses are broken for, if any. */
  const pending: (Order | undefined)[] = [undefined] // the start of the session
  let processId = 0
  /** The order that the statement at hand is broken for. */
  let current: Order | undefined
  /** What this connection has taken on, and not done yet. */
  let taken: Order | undefined
  /** A statement waits for its commit: the next one's would be its too. */
  let isStuck = false

  /** Takes the first order for a statement, if there is one. */
  function takeOrder(statement: string): Order | undefined {
    const place = orders.findIndex(({ text }) => statement.includes(text))
    if (place >= 0) taken = orders.splice(place, 1)[0]
    return taken
  }

  function fulfil(): void {
    const order = taken
    taken = undefined
    order?.fulfil(processId)
  }

  function cutAfterWriting(side: Socket, passed: readonly Buffer[]): void {
    // Written, not only queued: what is destroyed forgets what it has not written.
    side.write(Buffer.concat(passed), () => {
      fulfil()
      cut()
    })
  }

  const fromClient = createMessageReader({ startsUntyped: true })
  client.on('data', (chunk) => {
    if (isSilent() || isStuck) return
    const passed: Buffer[] = []
    for (const { type, message } of fromClient(chunk)) {
      if (type === 'P') statements.set(readText(message, 0), readText(message, 1))
      if (type === 'B' && taken === undefined) {
        current = takeOrder(statements.get(readText(message, 1)) ?? '')
        if (current?.point === 'unsent') return cutAfterWriting(database, passed)
        if (current?.point === 'half sent') {
          return cutAfterWriting(database, [...passed, message.subarray(0, message.length / 2)])
        }
      }
      if (type === 'S' && current?.point === 'uncommitted') {
        passed.push(flush) // the response comes, the commit does not
        isStuck = true
        break
      }
      passed.push(message)
      if (type === 'S' && current?.point === 'sent') return cutAfterWriting(database, passed)
      if (type === 'S' || type === 'Q') {
        pending.push(current)
        current = undefined
      }
    }
    if (passed.length > 0) database.write(Buffer.concat(passed))
  })

  const fromDatabase = createMessageReader({ startsUntyped: false })
  database.on('data', (chunk) => {
    if (isSilent()) return
    const passed: Buffer[] = []
    for (const { type, message } of fromDatabase(chunk)) {
      if (type === 'K') processId = message.readUInt32BE(5)
      // A response that is held back may begin before all of the statement was sent.
      const order = pending[0] ?? (pending.length === 0 ? current : undefined)
      const isHeld = order?.point === 'committed' || order?.point === 'sent'
      if (!isHeld) passed.push(message)
      if (order?.point === 'half received' && type === 'D') return cutAfterWriting(client, passed)
      if (order?.point === 'uncommitted' && (type === 'C' || type === 'E')) fulfil()
      if (type !== 'Z') continue
      pending.shift()
      if (order?.point === 'committed') {
        if (passed.length > 0) client.write(Buffer.concat(passed))
        fulfil()
        return cut()
      }
    }
    if (passed.length > 0) client.write(Buffer.concat(passed))
  })

  client.on('close', () => {
    if (taken !== undefined) orders.unshift(taken) // something else came before: another connection's turn
    taken = undefined
  })
  // What the server said before it closed is still to arrive.
  database.on('end', () => client.end())
  database.on('close', () => (client.writableEnded ? undefined : cut()))
}

/** The message by which a client requests the responses to what it has sent so far. */
const flush = Buffer.from([0x48, 0, 0, 0, 4])

/** The server takes no longer message for the start of a session, in bytes. */
const longestStart = 10_000

interface Message {
  /** The letter that names it; '' for the one that starts a session. */
  type: string
  /** All of it. */
  message: Buffer
}

/** Creates a function that is given what arrives, and returns the messages that are complete with it. */
function createMessageReader({ startsUntyped }: { startsUntyped: boolean }): (chunk: Buffer) => Message[] {
  let rest: Buffer = Buffer.alloc(0)
  let header = startsUntyped ? 0 : 1
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    const messages: Message[] = []
    while (rest.length >= header + 4) {
      let length = header + rest.readUInt32BE(header)
      if (header === 0 && length > longestStart) length = rest.length // no start: the server is to refuse it
      if (rest.length < length) break
      messages.push({ type: rest.toString('latin1', 0, header), message: rest.subarray(0, length) })
      rest = rest.subarray(length)
      header = 1
    }
    return messages
  }
}

/** The text at a place among those that a message begins with. */
function readText(message: Buffer, place: number): string {
  let start = 5
  for (let skipped = 0; skipped < place; skipped++) start = message.indexOf(0, start) + 1
  return message.toString('utf8', start, message.indexOf(0, start))
}
