/**
 * The embedded database: PGlite on a Unix socket in the data folder, spoken to like any PostgreSQL server.
 * One process runs it; others of the same machine (the command line beside a running server) go through its
 * socket.
 *
 * @module
 */
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname, join, relative, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { EmbeddedWorkerData, EmbeddedWorkerMessage, EmbeddedWorkerOrder } from './embedded-worker.ts'

/** The operating systems' limit for the path of a Unix socket, in bytes (108 with the ending NUL on Linux, 104 on macOS). */
const longestSocketPath = 103
/** How long another process may take from its lock to its socket, in milliseconds. */
const startUpPatience = 30_000
/** Other processes' commands may take so long when this one is told to stop, in milliseconds. */
const stopPatience = 3_000
/** After them the database may take so long to stop, in milliseconds: it can't in the middle of a statement. */
const endPatience = 2_000

/** The data folder can't be used as it is. The message says what to do. */
export class EmbeddedDatabaseError extends Error {
  override name = 'EmbeddedDatabaseError'
}

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
  const absolute = resolve(dataDirectory, 'postgres.sock')
  const fromHere = relative(process.cwd(), absolute)
  const path = fromHere.length < absolute.length ? fromHere : absolute
  if (Buffer.byteLength(path) > longestSocketPath) {
    throw new EmbeddedDatabaseError(
      `DATA_DIR is too deep for a Unix socket (${path} is longer than ${longestSocketPath} bytes); choose a shorter path`,
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
  try {
    makeDirectory(resolve(dataDirectory))
  } catch (error) {
    throw new EmbeddedDatabaseError(`DATA_DIR ${dataDirectory} can't be created: ${reasonOf(error)}`)
  }
  const release = await takeLock(dataDirectory, socketPath)
  if (release === undefined) return { socketPath, owned: false, close: async () => {} }
  try {
    rmSync(socketPath, { force: true })
    const worker = await startWorker({ databaseDirectory: join(dataDirectory, 'database'), socketPath })
    worker.once('exit', endProcess)
    return {
      socketPath,
      owned: true,
      async close({ patience = stopPatience } = {}) {
        worker.off('exit', endProcess)
        await stopWorker(worker, patience)
        await worker.terminate()
        rmSync(socketPath, { force: true })
        release()
      },
    }
  } catch (error) {
    release()
    throw error
  }
}

/** Without its database the process can do nothing but be started anew. */
function endProcess(): void {
  console.error('The embedded database stopped unexpectedly')
  process.exit(1)
}

/** Like mkdir with `recursive`, which never returns where a file system answers ENOENT for good (/proc, for one). */
function makeDirectory(path: string): void {
  try {
    mkdirSync(path)
  } catch (error) {
    if (isErrorCode(error, 'EEXIST') && statSync(path).isDirectory()) return
    if (!isErrorCode(error, 'ENOENT') || dirname(path) === path) throw error
    makeDirectory(dirname(path))
    mkdirSync(path)
  }
}

function startWorker(workerData: EmbeddedWorkerData): Promise<Worker> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./embedded-worker.ts', import.meta.url), { workerData })
    worker.once('message', (message: EmbeddedWorkerMessage) => {
      if (message.state === 'ready') return resolve(worker)
      void worker.terminate()
      const reason = message.state === 'failed' ? message.reason : 'it stopped'
      reject(
        new EmbeddedDatabaseError(`The database in ${workerData.databaseDirectory} did not start: ${reason}`),
      )
    })
    worker.on('error', reject) // after the start, 'exit' follows
  })
}

/** Lets other processes finish what they do, for so many milliseconds, and stops the database if that is possible. */
function stopWorker(worker: Worker, patience: number): Promise<void> {
  const seconds = patience / 1000
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(() => {
    console.error(
      `The embedded database was ended in the middle of a statement of another process, after ${seconds} seconds; ` +
        'the next start undoes it',
    )
    resolve()
  }, patience + endPatience)
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
  return promise.finally(() => clearTimeout(timer))
}

/**
 * Makes this process the one that runs the database, and returns how to give that up; undefined when another
 * process runs it and answers. PGlite's files have no lock of their own, and two processes would ruin them.
 */
async function takeLock(dataDirectory: string, socketPath: string): Promise<(() => void) | undefined> {
  const lockPath = join(dataDirectory, 'lock')
  const patienceEnds = Date.now() + startUpPatience
  for (;;) {
    try {
      const file = openSync(lockPath, 'wx')
      writeSync(file, String(process.pid))
      closeSync(file)
      return () => rmSync(lockPath, { force: true })
    } catch (error) {
      if (!isErrorCode(error, 'EEXIST')) {
        throw new EmbeddedDatabaseError(`DATA_DIR ${dataDirectory} can't be written to: ${reasonOf(error)}`)
      }
    }
    if (await answers(socketPath)) return undefined
    const owner = readOwner(lockPath)
    if (owner !== undefined && !isRunning(owner) && removeStaleLock(lockPath, owner)) continue
    if (Date.now() > patienceEnds) {
      throw new EmbeddedDatabaseError(
        `DATA_DIR ${dataDirectory} is locked by process ${owner ?? 'unknown'}, which does not answer; ` +
          `end it, or remove ${lockPath} if it is not devdata`,
      )
    }
    await sleep(100)
  }
}

/**
 * Removes the lock of a process that is gone. Several starters may want to: one at a time looks again and removes,
 * so that none removes the lock that another has just taken. No step of it waits, so the guard is gone at once.
 * False when another one is at it.
 */
function removeStaleLock(lockPath: string, owner: number): boolean {
  const guard = `${lockPath}.takeover`
  try {
    closeSync(openSync(guard, 'wx'))
  } catch (error) {
    if (isErrorCode(error, 'EEXIST')) return false
    throw error
  }
  try {
    if (readOwner(lockPath) === owner) rmSync(lockPath, { force: true })
  } finally {
    rmSync(guard, { force: true })
  }
  return true
}

function readOwner(lockPath: string): number | undefined {
  try {
    const owner = Number.parseInt(readFileSync(lockPath, 'utf8'), 10)
    return Number.isNaN(owner) ? undefined : owner
  } catch {
    return undefined
  }
}

/** A lock with our own number is a predecessor's: in a container every start has the same one. */
function isRunning(processId: number): boolean {
  if (processId === process.pid) return false
  try {
    process.kill(processId, 0)
    return true
  } catch (error) {
    return isErrorCode(error, 'EPERM')
  }
}

function answers(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

function isErrorCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
