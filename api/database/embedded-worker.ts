/**
 * The thread in which the embedded database lives, so that a long statement never stops the HTTP server's own.
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
import { dataFiles } from './data-directory.ts'
import { openDatabaseFiles } from './embedded-files.ts'
import { serveEmbeddedSession } from './embedded-session.ts'

/** What the thread is started with. */
export interface EmbeddedWorkerData {
  dataDirectory: string
  /** Path of the Unix socket to listen on. */
  socketPath: string
}

/** What the thread is told, once: to stop, and for how long it waits for clients before. In milliseconds. */
export interface EmbeddedWorkerOrder {
  patience: number
}

/**
 * What the thread reports: `ready` once; `failed` with the reason, before it ends by itself; `waiting` for clients when that takes a while;
 * `stopped`, with the number of clients that were cut off.
 */
export type EmbeddedWorkerMessage =
  | { state: 'ready' }
  | { state: 'failed'; reason: string }
  | { state: 'waiting' }
  | { state: 'stopped'; cutOff: number }

/** Who waits for clients for so long says so, in milliseconds. */
const noticeTime = 10_000

function report(message: EmbeddedWorkerMessage): void {
  parentPort?.postMessage(message)
}

/** Ends the thread at once. */
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
  parentPort?.once('message', async ({ patience }: EmbeddedWorkerOrder) => {
    await waitForOthers(clients, patience)
    const closed = once(server, 'close')
    server.close()
    const cutOff = clients.size
    for (const client of clients) client.destroy()
    await closed
    await database.close()
    report({ state: 'stopped', cutOff })
  })
  report({ state: 'ready' })
}

/** Commands that other processes run through the socket may finish; this process has closed its own clients. */
async function waitForOthers(clients: ReadonlySet<Socket>, patience: number): Promise<void> {
  const notice = setTimeout(() => report({ state: 'waiting' }), noticeTime)
  const end = performance.now() + patience
  while (clients.size > 0 && performance.now() < end) await sleep(20)
  clearTimeout(notice)
}

main(workerData).catch((error: unknown) => fail(error instanceof Error ? error.message : String(error)))
