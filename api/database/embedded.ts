/**
 * The embedded database: PGlite on a Unix socket in the data folder, spoken to like any PostgreSQL server.
 * One process runs it; others of the same machine (the command line beside a running server) go through its
 * socket.
 *
 * @module
 */
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { join, relative, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import {
  type DataDirectoryLock,
  dataFiles,
  EmbeddedDatabaseError,
  lockDataDirectory,
  openDataDirectory,
  reasonOf,
  restrictDataFiles,
} from './data-directory.ts'
import type { EmbeddedWorkerData, EmbeddedWorkerMessage, EmbeddedWorkerOrder } from './embedded-worker.ts'

/** The operating systems' limit for the path of a Unix socket, in bytes (108 with the ending NUL on Linux, 104 on macOS). */
const maxSocketPathLength = 103
/** How long another process may take from its lock to its socket. */
const startTimeoutMs = 30_000
/** Other processes' commands may take so long when this one is told to stop, in milliseconds. */
const stopTimeoutMs = 3_000
/** After them the database may take so long to stop, in milliseconds: it can't in the middle of a statement. */
const endTimeoutMs = 2_000

/** An embedded database that clients can connect to. */
export interface EmbeddedDatabase {
  /** The Unix socket to connect to. */
  socketPath: string
  /** Whether this process runs the database (and stops it with `close`), or another one does. */
  owned: boolean
  /**
   * Stops the database if this process runs it. Close the clients first. Those of other processes are cut off after
   * `patience` milliseconds, by default 3,000, and standard error says so.
   */
  close(options?: { patience?: number | undefined }): Promise<void>
}

/** Where the embedded database of a data folder listens. Throws `EmbeddedDatabaseError` when the path is too long. */
export function embeddedSocketPath(dataDirectory: string): string {
  const absolute = resolve(dataDirectory, dataFiles.socket)
  const fromHere = relative(process.cwd(), absolute)
  const path = fromHere.length < absolute.length ? fromHere : absolute
  if (Buffer.byteLength(path) > maxSocketPathLength) {
    throw new EmbeddedDatabaseError(
      `DATA_DIR is too deep for a Unix socket (${path} is longer than ${maxSocketPathLength} bytes); choose a shorter path`,
    )
  }
  return path
}

/**
 * Runs the embedded database of `dataDirectory`, or finds the process that already does.
 * Throws `EmbeddedDatabaseError` when the folder can't be used.
 */
export async function openEmbeddedDatabase(dataDirectory: string): Promise<EmbeddedDatabase> {
  const socketPath = embeddedSocketPath(dataDirectory)
  openDataDirectory(dataDirectory)
  const lock = await waitForLock(dataDirectory, socketPath)
  if (lock === undefined) return { socketPath, owned: false, close: async () => {} }
  try {
    restrictDataFiles(dataDirectory)
    refuseForeignFiles(join(dataDirectory, dataFiles.database))
    rmSync(socketPath, { force: true })
    const worker = await startWorker({ dataDirectory, socketPath })
    return {
      socketPath,
      owned: true,
      async close({ patience = stopTimeoutMs } = {}) {
        await stopWorker(worker, patience)
        rmSync(socketPath, { force: true })
        lock.release()
      },
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** A folder with files that are not a complete database is never written over. */
function refuseForeignFiles(directory: string): void {
  if (!existsSync(directory) || existsSync(join(directory, 'PG_VERSION'))) return
  if (readdirSync(directory).length === 0) return
  throw new EmbeddedDatabaseError(
    `${directory} has no PG_VERSION, so it is not a complete database, and it is not empty, so none is created in it; ` +
      'restore it from a backup, or move it away to start with a new database',
  )
}

/** Starts the database. If it ends by itself later, it takes the process with it: a new start repairs what is broken. */
function startWorker(workerData: EmbeddedWorkerData): Promise<Worker> {
  const { promise, resolve, reject } = Promise.withResolvers<Worker>()
  const worker = new Worker(new URL('./embedded-worker.ts', import.meta.url), { workerData })
  let reason = 'it stopped'
  function refuseStart(): void {
    reject(new EmbeddedDatabaseError(`The database in ${workerData.dataDirectory} did not start: ${reason}`))
  }
  worker.on('message', (message: EmbeddedWorkerMessage) => {
    if (message.state === 'failed') reason = message.reason
    if (message.state !== 'ready') return
    worker.off('exit', refuseStart)
    worker.once('exit', () => {
      console.error(`The embedded database stopped unexpectedly: ${reason}`)
      process.exit(1)
    })
    resolve(worker)
  })
  worker.on('error', (error) => {
    reason = reasonOf(error) // 'exit' follows
  })
  worker.once('exit', refuseStart)
  return promise
}

/** Lets other processes finish what they do, for so many milliseconds, and stops the database if that is possible. */
async function stopWorker(worker: Worker, patience: number): Promise<void> {
  const seconds = patience / 1000
  worker.removeAllListeners('exit')
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(() => {
    console.error(
      `The embedded database was ended in the middle of a statement of another process, after ${seconds} seconds; ` +
        'the next start undoes it',
    )
    resolve()
  }, patience + endTimeoutMs)
  worker.on('message', (message: EmbeddedWorkerMessage) => {
    if (message.state === 'waiting') {
      console.error(
        'Waiting for other commands that use the embedded database through this one, ' +
          `for ${seconds} seconds at most`,
      )
    }
    if (message.state !== 'stopped') return
    if (message.cutOff > 0) {
      console.error(
        `Commands that used the embedded database through this process were cut off after ${seconds} seconds; ` +
          'what they had not finished is undone',
      )
    }
    resolve()
  })
  worker.once('exit', () => resolve())
  worker.postMessage({ patience } satisfies EmbeddedWorkerOrder)
  await promise
  clearTimeout(timer)
  await worker.terminate()
}

/**
 * Waits until this process has the lock of the data folder, or until another process has it and accepts connections.
 * Returns undefined for the latter.
 */
async function waitForLock(
  dataDirectory: string,
  socketPath: string,
): Promise<DataDirectoryLock | undefined> {
  const deadline = performance.now() + startTimeoutMs
  for (;;) {
    const lock = await lockDataDirectory(dataDirectory)
    if (lock !== undefined) return lock
    if (await acceptsConnections(socketPath)) return undefined
    if (performance.now() > deadline) {
      throw new EmbeddedDatabaseError(
        `DATA_DIR ${dataDirectory} is in use by another process, which accepts no connections at ${socketPath}; ` +
          'end that process, or set another DATA_DIR',
      )
    }
    await sleep(100)
  }
}

/** Whether a process listens on a Unix socket. */
export function acceptsConnections(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
