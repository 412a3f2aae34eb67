/** A proxy before a PostgreSQL server or an embedded database, as a frame for those that do something to what passes. */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** One connection of a client, and the one that is opened to the server for it. */
export interface ProxiedConnection {
  client: Socket
  database: Socket
  /** Ends both. */
  cut(): void
}

/** What a proxy is before: the URL of a server, or the socket of an embedded database, and the one to listen on in its place. */
export type ProxiedServer = string | { socketPath: string; listenPath: string }

/** A running proxy, on a free port of 127.0.0.1, or on a socket. */
export interface TcpProxy extends AsyncDisposable {
  /** The URL of a database of the server, through the proxy. */
  urlOf(databaseUrl: string): string
  /** Cuts all connections. */
  cutAll(): void
}

/** Starts a proxy before a server. `relay` passes on what it wants to; what `isShut` is not let in. */
export async function startTcpProxy(
  proxied: ProxiedServer,
  relay: (connection: ProxiedConnection) => void,
  isShut = () => false,
): Promise<TcpProxy> {
  const open = createOpener(proxied)
  const cuts = new Set<() => void>()
  const server = createServer((client) => {
    if (isShut()) return client.destroy()
    const database = open()
    const cut = () => {
      client.destroy()
      database.destroy()
      cuts.delete(cut)
    }
    cuts.add(cut)
    for (const socket of [client, database]) socket.on('error', cut)
    client.on('close', cut)
    relay({ client, database, cut })
  })
  if (typeof proxied === 'string') server.listen(0, '127.0.0.1')
  else server.listen(proxied.listenPath)
  await once(server, 'listening')
  const address = server.address()
  const cutAll = () => {
    for (const cut of [...cuts]) cut()
  }
  return {
    urlOf(databaseUrl) {
      if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
      const url = new URL(databaseUrl)
      url.host = `127.0.0.1:${address.port}`
      return url.href
    },
    cutAll,
    async [Symbol.asyncDispose]() {
      server.close()
      cutAll()
      await once(server, 'close')
    },
  }
}

function createOpener(proxied: ProxiedServer): () => Socket {
  if (typeof proxied !== 'string') return () => connect(proxied.socketPath)
  const { port, hostname } = new URL(proxied)
  return () => connect(Number(port), hostname)
}
