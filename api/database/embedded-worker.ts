/**
 * The worker thread of the embedded database: a long statement doesn't block the HTTP server's thread.
 *
 * @module
 */
import { once } from 'node:events'
import { chmodSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { getMessage } from '../errors.ts'
import { dataFiles } from './data-directory.ts'
import { openDatabaseFiles } from './embedded-files.ts'
import { serveEmbeddedSession } from './embedded-session.ts'

/** Data of the thread. */
export interface EmbeddedWorkerData {
  dataDirectory: string
  /** Path of the Unix socket to listen on. */
  socketPath: string
}

/** The only message to the thread: stop, once all clients have disconnected or the timeout is over. */
export interface EmbeddedWorkerStop {
  clientsTimeoutMs: number
}

/**
 * Messages of the thread: `ready` once; `failed` before it exits by itself; `waiting` if clients take long to
 * disconnect; `stopped` with the number of clients that it disconnected.
 */
export type EmbeddedWorkerMessage =
  | { state: 'ready' }
  | { state: 'failed'; reason: string }
  | { state: 'waiting' }
  | { state: 'stopped'; disconnected: number }

/** A stop that waits longer for clients is reported. */
const waitingNoticeMs = 10_000

function report(message: EmbeddedWorkerMessage): void {
  parentPort?.postMessage(message)
}

/** Exits immediately. */
function fail(reason: string): never {
  report({ state: 'failed', reason })
  process.exit(1)
}

async function main({ dataDirectory, socketPath }: EmbeddedWorkerData): Promise<void> {
  const database = await openDatabaseFiles(
    {
      directory: join(dataDirectory, dataFiles.database),
      newDirectory: join(dataDirectory, dataFiles.newDatabase),
    },
    fail,
  )
  const server = await serveEmbeddedSession(database, socketPath)
  chmodSync(socketPath, 0o600)
  const clients = new Set<Socket>()
  server.on('connection', (client) => {
    clients.add(client)
    client.once('close', () => clients.delete(client))
  })
  parentPort?.once('message', async ({ clientsTimeoutMs }: EmbeddedWorkerStop) => {
    await waitForClients(clients, clientsTimeoutMs)
    const closed = once(server, 'close')
    server.close()
    const disconnected = clients.size
    for (const client of clients) client.destroy()
    await closed
    await database.close()
    report({ state: 'stopped', disconnected })
  })
  report({ state: 'ready' })
}

/** Lets commands of other processes finish. This process has closed its own clients. */
async function waitForClients(clients: ReadonlySet<Socket>, timeoutMs: number): Promise<void> {
  const notice = setTimeout(() => report({ state: 'waiting' }), waitingNoticeMs)
  const deadline = performance.now() + timeoutMs
  while (clients.size > 0 && performance.now() < deadline) await sleep(20)
  clearTimeout(notice)
}

main(workerData).catch((error: unknown) => fail(getMessage(error)))
