/**
 * PGlite's files, flushed like those of a PostgreSQL server: committed data survives a power failure.
 *
 * @module
 */
import { closeSync, existsSync, fsyncSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'

/** By default PGlite never flushes, and its fdatasync does nothing. */
const startParams = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
  '-c',
  'wal_sync_method=fsync',
]

/** PGlite's folder on disk, with a working `fsync`. */
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

/** Emscripten's number of EIO. */
const ioErrorNumber = 29

/**
 * Opens the database in a folder. If there is none, creates it in another folder and renames that, so that an
 * interrupted start leaves no incomplete database.
 *
 * @param onFailure called with the reason if the database can't continue (the disk is full, or fails). It must end the
 *   thread: PGlite itself would continue.
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
