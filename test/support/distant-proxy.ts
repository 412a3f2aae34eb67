/** A TCP proxy that puts a database far away: every round trip takes some milliseconds more, and is counted. */
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts'

/** A running proxy, on a free port of 127.0.0.1. */
export interface DistantProxy extends TcpProxy {
  /** Counts from zero from here on. */
  reset(): void
  /**
   * Round trips that had to be waited for one after the other: the longest chain in which something was sent, or a
   * connection opened, after the response to what came before had arrived, on whichever connection. What goes on side
   * by side counts once. A slow client can make it look longer than it had to be, and never shorter.
   */
  countTrips(): number
}

/** Starts a proxy before the server of a URL. `delay` is what a round trip takes more, in milliseconds. */
export async function startDistantProxy(serverUrl: string, delay: number): Promise<DistantProxy> {
  /** The longest chain whose last response has arrived. */
  let received = 0
  let longest = 0
  /** How often counting began anew: what connections remember from before counts no more. */
  let resets = 0

  const proxy = await startTcpProxy(serverUrl, ({ client, database, cut }) => {
    /** Where in the chain this connection is, and where its last response was. To open it was a trip too. */
    let trip = received + 1
    let last = trip
    let seenResets = resets
    longest = Math.max(longest, trip)
    client.pause()
    setTimeout(() => client.resume(), delay)
    client.on('data', (chunk) => {
      if (seenResets < resets) last = 0
      seenResets = resets
      trip = Math.max(received, last) + 1
      longest = Math.max(longest, trip)
      setTimeout(() => database.write(chunk), delay) // timers of equal length end in order
    })
    database.on('data', (chunk) => {
      if (seenResets < resets) trip = 0
      last = trip
      received = Math.max(received, trip)
      client.write(chunk)
    })
    client.setNoDelay(true)
    database.setNoDelay(true)
    database.on('close', cut)
  })
  return {
    ...proxy,
    reset() {
      received = 0
      longest = 0
      resets++
    },
    countTrips: () => longest,
  }
}
