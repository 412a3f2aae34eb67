/**
 * The thread in which the embedded database lives, so that a long statement never stops the HTTP server's own.
 *
 * @module
 */
import type { Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { serveEmbeddedSession } from './embedded-session.ts'

/** What the thread is started with. */
export interface EmbeddedWorkerData {
  /** Folder of the database's files. */
  databaseDirectory: string
  /** Path of the Unix socket to listen on. */
  socketPath: string
}

/** What the thread reports: `ready` once, or `failed` with the reason. */
export type EmbeddedWorkerMessage =
  | { state: 'ready' }
  | { state: 'failed'; reason: string }
  | { state: 'stopped' }

function report(message: EmbeddedWorkerMessage): void {
  parentPort?.postMessage(message)
}

async function main({ databaseDirectory, socketPath }: EmbeddedWorkerData): Promise<void> {
  const database = await PGlite.create(databaseDirectory)
  const server = await serveEmbeddedSession(database, socketPath)
  parentPort?.once('message', async () => {
    await waitForOthers(server)
    server.close()
    await database.close()
    report({ state: 'stopped' })
  })
  report({ state: 'ready' })
}

/** Commands that other processes run through the socket are let finish; this process has closed its own clients. */
async function waitForOthers(server: Server): Promise<void> {
  const countConnections = promisify(server.getConnections.bind(server))
  while ((await countConnections()) > 0) await sleep(20)
}

main(workerData).catch((error: unknown) => {
  report({ state: 'failed', reason: error instanceof Error ? error.message : String(error) })
})
