/** Whether a server of another process is there yet. */
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunningProgram } from './program.ts'

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

/** Waits until a program accepts connections at a port of 127.0.0.1. Throws with its output if it ends before. */
export async function waitForPort(
  port: number,
  program: Pick<RunningProgram, 'isRunning' | 'readOutput'>,
): Promise<void> {
  while (!(await listens(port))) {
    if (!program.isRunning()) throw new Error(`the program ended: ${program.readOutput()}`)
  }
}
