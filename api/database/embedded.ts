/**
 * The embedded database: PGlite behind a Unix socket in the data folder, which clients use like a PostgreSQL server.
 * One process runs it. Others on the machine, such as a command beside a running service, connect to its socket.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { connect } from 'node:net'
import { dirname, extname, join, relative, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import { getMessage, OperatorError } from '../errors.ts'
import { dataFiles, lockDataDirectory, openDataDirectory } from './data-directory.ts'
import type { EmbeddedWorkerData, EmbeddedWorkerMessage } from './embedded-worker.ts'

/**
 * Limit of the operating systems for the path of a Unix socket (with its final NUL 108 bytes on Linux, 104 on macOS).
 */
const maxSocketPathBytes = 103
/** Another process may take this long from its lock to its socket. */
const startTimeoutMs = 30_000
/** Commands of other processes may take this long to finish when this process stops. */
const defaultOthersTimeoutMs = 3_000
/** A stop that waits longer for them is reported. */
const waitingNoticeMs = 10_000
/** Then the database may take this long to stop. It can't stop in the middle of a statement. */
const stopTimeoutMs = 2_000

/** An embedded database that clients can connect to. */
export interface EmbeddedDatabase {
  /** The Unix socket to connect to. */
  socketPath: string
  /** Whether this process runs the database (and stops it with `close`), or another one does. */
  owned: boolean
  /**
   * Stops the database if this process runs it. Close the clients first. Clients of other processes are disconnected
   * after `othersTimeoutMs` (default 3,000), and standard error says so.
   */
  close(othersTimeoutMs?: number): Promise<void>
}

/** Returns the socket path of a data folder. Throws `OperatorError` if it is too long. */
function findSocketPath(dataDirectory: string): string {
  const absolute = resolve(dataDirectory, dataFiles.socket)
  const fromHere = relative(process.cwd(), absolute)
  const path = fromHere.length < absolute.length ? fromHere : absolute
  if (Buffer.byteLength(path) > maxSocketPathBytes) {
    throw new OperatorError(
      `DATA_DIR is too deep for a Unix socket (${path} is longer than ${maxSocketPathBytes} bytes); choose a shorter path`,
    )
  }
  return path
}

/**
 * Runs the embedded database of `dataDirectory`, or finds the process that already does.
 * Throws `OperatorError` if the folder can't be used.
 */
export async function openEmbeddedDatabase(dataDirectory: string): Promise<EmbeddedDatabase> {
  const socketPath = findSocketPath(dataDirectory)
  openDataDirectory(dataDirectory)
  const lock = await waitForLock(dataDirectory, socketPath)
  if (lock === 'in_use') return { socketPath, owned: false, close: async () => {} }
  try {
    refuseForeignFiles(join(dataDirectory, dataFiles.database))
    rmSync(socketPath, { force: true })
    const worker = await startWorker({ dataDirectory, socketPath, program: await compileProgram() })
    return {
      socketPath,
      owned: true,
      async close(othersTimeoutMs = defaultOthersTimeoutMs) {
        await stopWorker(worker, othersTimeoutMs)
        rmSync(socketPath, { force: true })
        lock.release()
      },
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** Throws `OperatorError` if the folder has files that are not a complete database: they are never overwritten. */
function refuseForeignFiles(directory: string): void {
  if (!existsSync(directory) || existsSync(join(directory, 'PG_VERSION'))) return
  if (readdirSync(directory).length === 0) return
  throw new OperatorError(
    `${directory} is not a complete database (PG_VERSION is missing), and a new one needs an empty folder; ` +
      'restore it from a backup, or move it away to start with a new database',
  )
}

let compiling: Promise<WebAssembly.Module> | undefined

/** Compiles PGlite, once for all databases of the process. Compiling takes longer than the rest of a start. */
export function compileProgram(): Promise<WebAssembly.Module> {
  // V8 may crash the process where it frees compiled WebAssembly (https://github.com/nodejs/node/issues/64500), so it
  // frees none. There is little: the database's memory stays the same.
  setFlagsFromString('--no-wasm-code-gc')
  // It doesn't optimize WebAssembly either: one of PGlite's functions alone would take 600 MB of memory for a second.
  setFlagsFromString('--no-wasm-tier-up')
  setFlagsFromString('--no-wasm-dynamic-tiering')
  const path = join(dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite')), 'pglite.wasm')
  compiling ??= readFile(path)
    .then((bytes) => WebAssembly.compile(bytes))
    .catch((error: unknown) => {
      compiling = undefined
      throw error
    })
  return compiling
}

/** Starts the worker. If it exits by itself later, the process exits too: the next start recovers the database. */
function startWorker(workerData: EmbeddedWorkerData): Promise<Worker> {
  const { promise, resolve, reject } = Promise.withResolvers<Worker>()
  // Compiled, in the packed file.
  const worker = new Worker(new URL(`./embedded-worker${extname(import.meta.url)}`, import.meta.url), {
    workerData,
  })
  let isReady = false
  let reason = 'it stopped'
  worker.on('message', (message: EmbeddedWorkerMessage) => {
    if (message.state === 'failed') reason = message.reason
    if (message.state !== 'ready') return
    isReady = true
    resolve(worker)
  })
  worker.on('error', (error) => {
    reason = getMessage(error) // 'exit' follows
  })
  worker.once('exit', () => {
    if (!isReady) {
      const message = `The database in ${workerData.dataDirectory} did not start: ${reason}`
      return reject(new OperatorError(message))
    }
    console.error(`The embedded database stopped unexpectedly: ${reason}`)
    process.exit(1)
  })
  return promise
}

/** Lets commands of other processes finish, and stops the database unless a statement is still running. */
async function stopWorker(worker: Worker, othersTimeoutMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const seconds = othersTimeoutMs / 1000
  const notice = setTimeout(() => {
    console.error(
      `Waiting up to ${seconds} seconds for other commands that use the embedded database through this one`,
    )
  }, waitingNoticeMs)
  const timeout = setTimeout(() => {
    console.error(
      `The embedded database was stopped after ${seconds} seconds, during a statement of another process; ` +
        'the next start rolls the statement back',
    )
    resolve()
  }, othersTimeoutMs + stopTimeoutMs)
  worker.on('message', (message: EmbeddedWorkerMessage) => {
    if (message.state !== 'stopped') return
    if (message.disconnected > 0) {
      console.error(
        `Commands that used the embedded database through this process were disconnected after ${seconds} seconds; ` +
          'their unfinished changes are rolled back',
      )
    }
    resolve()
  })
  worker.removeAllListeners('exit').once('exit', () => resolve())
  worker.postMessage(othersTimeoutMs)
  await promise
  clearTimeout(notice)
  clearTimeout(timeout)
  await worker.terminate()
}

/**
 * Waits until this process has the lock of the data folder. `in_use`: another process has it, and accepts connections.
 */
async function waitForLock(dataDirectory: string, socketPath: string) {
  const deadline = performance.now() + startTimeoutMs
  for (;;) {
    const lock = await lockDataDirectory(dataDirectory)
    if (lock !== 'in_use' || (await acceptsConnections(socketPath))) return lock
    if (performance.now() > deadline) {
      throw new OperatorError(
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
