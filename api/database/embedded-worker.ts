/**
 * The thread in which the embedded database lives, so that a long statement never stops the HTTP server's own.
 *
 * @module
 */
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
    server.close()
    await database.close()
    report({ state: 'stopped' })
  })
  report({ state: 'ready' })
}

main(workerData).catch((error: unknown) => {
  report({ state: 'failed', reason: error instanceof Error ? error.message : String(error) })
})
