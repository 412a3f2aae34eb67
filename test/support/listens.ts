/**
 * Whether a server of another process is there yet.
 *
 * @module
 */
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Whether a port of 127.0.0.1 accepts connections. A refusal takes 20 ms, so that callers can ask again immediately. */
export async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    return await new Promise((resolve) => {
      socket.once('connect', () => resolve(true))
      socket.once('error', () => resolve(sleep(20, false)))
    })
  } finally {
    socket.destroy()
  }
}
