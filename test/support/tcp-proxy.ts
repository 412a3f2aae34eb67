/** A TCP proxy before a PostgreSQL server, as a frame for those that do something to what passes. */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** One connection of a client, and the one that is opened to the server for it. */
export interface ProxiedConnection {
  client: Socket
  database: Socket
  /** Ends both. */
  cut(): void
}

/** A running proxy, on a free port of 127.0.0.1. */
export interface TcpProxy extends AsyncDisposable {
  /** The URL of a database of the server, through the proxy. */
  urlOf(databaseUrl: string): string
  /** Cuts all connections. */
  cutAll(): void
}

/** Starts a proxy before the server of a URL. `relay` passes on what it wants to; what `isShut` is not let in. */
export async function startTcpProxy(
  serverUrl: string,
  relay: (connection: ProxiedConnection) => void,
  isShut = () => false,
): Promise<TcpProxy> {
  const upstream = new URL(serverUrl)
  const cuts = new Set<() => void>()
  const server = createServer((client) => {
    if (isShut()) return client.destroy()
    const database = connect(Number(upstream.port), upstream.hostname)
    const cut = () => {
      client.destroy()
      database.destroy()
      cuts.delete(cut)
    }
    cuts.add(cut)
    for (const socket of [client, database]) socket.on('error', cut)
    client.on('close', cut)
    relay({ client, database, cut })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  const cutAll = () => {
    for (const cut of [...cuts]) cut()
  }
  return {
    urlOf(databaseUrl) {
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
