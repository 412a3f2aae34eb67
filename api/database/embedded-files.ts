/**
 * PGlite's files on the disk, written as a PostgreSQL server writes them: what is committed survives a power cut.
 *
 * @module
 */
import { closeSync, existsSync, fsyncSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'
import { restrictAll } from './data-directory.ts'

/** By default PGlite never flushes, and its fdatasync does nothing. */
const startParams = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
  '-c',
  'wal_sync_method=fsync',
]

/** A folder of the disk in which fsync flushes. */
class FlushedFiles extends NodeFS {
  readonly #onAbort: () => void

  constructor(directory: string, onAbort: () => void) {
    super(directory)
    this.#onAbort = onAbort
  }

  override async init(...parameters: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(...parameters)
    return {
      emscriptenOpts: {
        ...emscriptenOpts,
        onAbort: this.#onAbort,
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

/** EIO, as Emscripten numbers it. */
const ioErrorNumber = 29

/**
 * Opens the database in a folder, and creates it if there is none: beside it, so that a start that is cut off leaves
 * nothing that the next one takes for a database.
 *
 * @param onFailure is told when the database can't go on (the disk is full, or fails), with the reason. It must end the
 *   thread before it returns: PGlite itself would go on as if nothing had happened.
 */
export async function openDatabaseFiles(
  { directory, newDirectory }: { directory: string; newDirectory: string },
  onFailure: (reason: string) => void,
): Promise<PGlite> {
  let reason = 'it stopped'
  function open(path: string): Promise<PGlite> {
    return PGlite.create({
      fs: new FlushedFiles(path, () => onFailure(reason)),
      startParams,
      onStderr(line) {
        if (/PANIC|FATAL/.test(line)) reason = line
        return false
      },
    })
  }
  if (!existsSync(join(directory, 'PG_VERSION'))) {
    rmSync(newDirectory, { recursive: true, force: true })
    await (await open(newDirectory)).close()
    restrictAll(newDirectory)
    flushAll(newDirectory)
    renameSync(newDirectory, directory)
    flush(dirname(directory))
  }
  return open(directory)
}

function flushAll(directory: string): void {
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    flush(join(entry.parentPath, entry.name))
  }
  flush(directory)
}

function flush(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
