/**
 * The data folder: it belongs to one user, and one process at a time runs the database in it.
 *
 * @module
 */
import { chmodSync, lstatSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** The data folder can't be used as it is. The message says what to do. */
export class EmbeddedDatabaseError extends Error {
  override name = 'EmbeddedDatabaseError'
}

/** What a data folder holds, by name. Nothing else in it is touched. */
export const dataFiles = {
  database: 'database',
  /** A database that isn't complete yet. */
  newDatabase: 'database.new',
  demoKeys: 'demo-keys.json',
  lock: 'database.lock',
  socket: 'postgres.sock',
} as const

/**
 * Creates the data folder if it isn't there, and closes it to other users.
 *
 * @throws {EmbeddedDatabaseError} when it can't be created, holds something else, or belongs to another user
 */
export function openDataDirectory(dataDirectory: string): void {
  try {
    makeDirectory(resolve(dataDirectory))
  } catch (error) {
    throw new EmbeddedDatabaseError(`DATA_DIR ${dataDirectory} can't be created: ${reasonOf(error)}`)
  }
  nameOwner(dataDirectory, () => {
    const names = readdirSync(dataDirectory)
    const known: readonly string[] = Object.values(dataFiles)
    if (names.length > 0 && !names.some((name) => known.includes(name))) {
      throw new EmbeddedDatabaseError(
        `DATA_DIR ${dataDirectory} contains other files; a new data folder must be empty. Set DATA_DIR to a new folder, ` +
          `such as ${join(dataDirectory, 'devdata')}`,
      )
    }
    restrict(`${dataDirectory}/.`) // of a link, the folder that it leads to
  })
}

/**
 * Closes all files of the data folder to other users, which restored backups and earlier versions may have left open.
 * Only the process that holds the lock may call it: no other one changes the files then.
 */
export function restrictDataFiles(dataDirectory: string): void {
  nameOwner(dataDirectory, () => {
    const known: readonly string[] = Object.values(dataFiles)
    for (const name of readdirSync(dataDirectory)) {
      if (known.includes(name)) restrictAll(join(dataDirectory, name))
    }
  })
}

/** Closes a file, or a folder and all that is in it, to other users. */
export function restrictAll(path: string): void {
  const isDirectory = restrict(path)
  if (isDirectory) for (const name of readdirSync(path)) restrictAll(join(path, name))
}

/** Closes one file or folder to other users. Returns whether it is a folder. A link stays as it is. */
function restrict(path: string): boolean {
  const status = lstatSync(path)
  if (status.isSymbolicLink()) return false
  if ((status.mode & 0o077) !== 0) chmodSync(path, status.mode & 0o700)
  return status.isDirectory()
}

/** A lock that this process holds. */
export interface DataDirectoryLock {
  release(): void
}

/**
 * Locks the data folder for this process; undefined when another process has the lock.
 *
 * The lock is that of a SQLite transaction: the kernel drops it with its process, however that ends, and knows it in
 * every container that shares the folder. It is a POSIX lock: opening the file elsewhere in this process would drop it.
 */
export async function lockDataDirectory(dataDirectory: string): Promise<DataDirectoryLock | undefined> {
  const { DatabaseSync } = await import('node:sqlite') // not needed beside a PostgreSQL server
  const path = join(dataDirectory, dataFiles.lock)
  let database: InstanceType<typeof DatabaseSync> | undefined
  try {
    const opened = new DatabaseSync(path)
    database = opened
    opened.exec('pragma journal_mode = memory; begin exclusive')
    return { release: () => opened.close() }
  } catch (error) {
    database?.close()
    if (reasonOf(error) === 'database is locked') return undefined
    throw new EmbeddedDatabaseError(
      `DATA_DIR ${dataDirectory} can't be locked (${path}: ${reasonOf(error)}); it and its files must belong to this ` +
        'user (chown -R)',
    )
  }
}

/** Like mkdir with `recursive`, which never returns where a file system answers ENOENT for good (/proc, for one). */
function makeDirectory(path: string): void {
  try {
    mkdirSync(path, 0o700)
  } catch (error) {
    if (isErrorCode(error, 'EEXIST') && statSync(path).isDirectory()) return
    if (!isErrorCode(error, 'ENOENT') || dirname(path) === path) throw error
    makeDirectory(dirname(path))
    mkdirSync(path, 0o700)
  }
}

/** Runs `work`; where it may not touch a file, says whose the file is. */
function nameOwner(dataDirectory: string, work: () => void): void {
  try {
    work()
  } catch (error) {
    if (!isErrorCode(error, 'EPERM') && !isErrorCode(error, 'EACCES')) throw error
    throw new EmbeddedDatabaseError(
      `DATA_DIR ${dataDirectory} belongs to another user (${reasonOf(error)}); give it to this user (chown -R), ` +
        'or set DATA_DIR to a folder that this user may create',
    )
  }
}

function isErrorCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
