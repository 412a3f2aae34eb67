/**
 * The worker thread of the embedded database: a long statement doesn't block the HTTP server's thread. PGlite's files
 * are flushed like those of a PostgreSQL server, so committed data survives a power failure.
 */
import { once } from 'node:events'
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs'
import type { Socket } from 'node:net'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'
import { getMessage } from '../errors.ts'
import { dataFiles } from './data-directory.ts'
import { serveEmbeddedSession } from './embedded-session.ts'

/** Data of the thread. */
export interface EmbeddedWorkerData {
  dataDirectory: string
  /** Path of the Unix socket to listen on. */
  socketPath: string
  /** PGlite, compiled. */
  program: WebAssembly.Module
}

/**
 * Messages of the thread: `ready` once; `failed` before it exits by itself; `stopped` with the clients it disconnected.
 */
export type EmbeddedWorkerMessage =
  | { state: 'ready' }
  | { state: 'failed'; reason: string }
  | { state: 'stopped'; disconnected: number }

function report(message: EmbeddedWorkerMessage): void {
  parentPort?.postMessage(message)
}

/** Exits immediately. */
function fail(reason: string): never {
  report({ state: 'failed', reason })
  process.exit(1)
}

/**
 * By default PGlite never flushes, and its fdatasync does nothing. It fills its buffers at each start: 128 MB would
 * take half a second, and what doesn't fit is in the system's cache.
 */
const startParams = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
  ...['-c', 'wal_sync_method=fsync'],
  ...['-c', 'shared_buffers=32MB'],
]

/**
 * For a new database. PGlite creates its files in memory, beside buffers of 128 MB by default, before it writes them to
 * the disk. Later, `startParams` say how many buffers there are.
 */
const initDbStartParams = ['-c', 'shared_buffers=4MB', '--wal-segsize=4']

/** Emscripten's number of EIO. */
const ioErrorNumber = 29

/** What PGlite last said, in case it aborts. */
let lastError = 'it stopped'

/** PGlite's folder on disk, with a working `fsync`. */
class FlushedFiles extends NodeFS {
  override async init(...parameters: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(...parameters)
    return {
      emscriptenOpts: {
        ...emscriptenOpts,
        onAbort: () => fail(lastError), // PGlite itself would continue
        preRun: [
          ...(emscriptenOpts.preRun ?? []),
          ({ NODEFS, FS }) => {
            NODEFS.stream_ops.fsync = ({ nfd }: { nfd: number }) => {
              try {
                fsyncSync(nfd)
                return 0
              } catch {
                throw new FS.ErrnoError(ioErrorNumber)
              }
            }
          },
        ],
      },
    }
  }
}

function openDatabase(directory: string, program: WebAssembly.Module): Promise<PGlite> {
  return PGlite.create({
    pgliteWasmModule: program,
    fs: new FlushedFiles(directory),
    startParams,
    initDbStartParams,
    onStderr(line) {
      if (/PANIC|FATAL/.test(line)) lastError = line
      return false
    },
  })
}

/**
 * Creates the database in another folder and renames that, so that an interrupted start leaves no incomplete database.
 */
async function createDatabase(
  directory: string,
  newDirectory: string,
  program: WebAssembly.Module,
): Promise<void> {
  rmSync(newDirectory, { recursive: true, force: true })
  await (await openDatabase(newDirectory, program)).close()
  for (const entry of readdirSync(newDirectory, { recursive: true, withFileTypes: true })) {
    flush(join(entry.parentPath, entry.name))
  }
  flush(newDirectory)
  renameSync(newDirectory, directory)
  flush(dirname(directory))
}

function flush(path: string): void {
  const file = openSync(path, 'r')
  fsyncSync(file)
  closeSync(file)
}

async function main({ dataDirectory, socketPath, program }: EmbeddedWorkerData): Promise<void> {
  const directory = join(dataDirectory, dataFiles.database)
  if (!existsSync(join(directory, 'PG_VERSION'))) {
    await createDatabase(directory, join(dataDirectory, dataFiles.newDatabase), program)
  }
  const database = await openDatabase(directory, program)
  const server = await serveEmbeddedSession(database, socketPath)
  chmodSync(socketPath, 0o600)
  const clients = new Set<Socket>()
  server.on('connection', (client) => {
    clients.add(client)
    client.once('close', () => clients.delete(client))
  })
  // The only message: stop, once commands of other processes have disconnected or the timeout is over.
  parentPort?.once('message', async (clientsTimeoutMs: number) => {
    const deadline = performance.now() + clientsTimeoutMs
    while (clients.size > 0 && performance.now() < deadline) await sleep(20)
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

main(workerData).catch((error: unknown) => fail(getMessage(error)))
