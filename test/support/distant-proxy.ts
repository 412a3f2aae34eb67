/**
 * A TCP proxy that puts a database far away: every round trip takes some milliseconds more, and is counted.
 *
 * @module
 */
import { once } from 'node:events'
import { connect, createServer } from 'node:net'

/** A running proxy, on a free port of 127.0.0.1. */
export interface DistantProxy extends AsyncDisposable {
  /** The URL of a database of the server, through the proxy. */
  urlOf(databaseUrl: string): string
  /** Counts from zero from here on. */
  reset(): void
  /**
   * Round trips that had to be waited for one after the other: the longest chain in which something was sent, or a
   * connection opened, after the answer to what came before had arrived, on whichever connection. What goes on side by
   * side counts once. A slow client can make it look longer than it had to be, and never shorter.
   */
  countTrips(): number
}

/** Starts a proxy before the server of a URL. `delay` is what a round trip takes more, in milliseconds. */
export async function startDistantProxy(serverUrl: string, delay: number): Promise<DistantProxy> {
  const upstream = new URL(serverUrl)
  const cuts = new Set<() => void>()
  /** The longest chain whose end has been answered. */
  let answered = 0
  let longest = 0
  /** How often counting began anew: what connections remember from before counts no more. */
  let resets = 0

  const server = createServer((client) => {
    const database = connect(Number(upstream.port), upstream.hostname)
    const cut = () => {
      client.destroy()
      database.destroy()
      cuts.delete(cut)
    }
    cuts.add(cut)
    /** Where in the chain this connection is, and where its last answer was. To open it was a trip too. */
    let trip = answered + 1
    let last = trip
    let seenResets = resets
    longest = Math.max(longest, trip)
    client.pause()
    setTimeout(() => client.resume(), delay)
    client.on('data', (chunk) => {
      if (seenResets < resets) last = 0
      seenResets = resets
      trip = Math.max(answered, last) + 1
      longest = Math.max(longest, trip)
      setTimeout(() => database.write(chunk), delay) // timers of equal length end in order
    })
    database.on('data', (chunk) => {
      if (seenResets < resets) trip = 0
      last = trip
      answered = Math.max(answered, trip)
      client.write(chunk)
    })
    for (const socket of [client, database]) {
      socket.setNoDelay(true)
      socket.on('error', cut)
      socket.on('close', cut)
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')

  return {
    urlOf(databaseUrl) {
      const url = new URL(databaseUrl)
      url.host = `127.0.0.1:${address.port}`
      return url.href
    },
    reset() {
      answered = 0
      longest = 0
      resets++
    },
    countTrips: () => longest,
    async [Symbol.asyncDispose]() {
      server.close()
      for (const cut of [...cuts]) cut()
      await once(server, 'close')
    },
  }
}
