/** The data folder: only its user has access, and one process at a time runs the database in it. */
import { chmodSync, lstatSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import process from 'node:process'
import { describeFileError, getMessage, OperatorError, readCode } from '../errors.ts'

/** Names in the data folder. No other file in it is touched. */
export const dataFiles = {
  database: 'database',
  /** A database that is being created. */
  newDatabase: 'database.new',
  demoKeys: 'demo-keys.json',
  lock: 'database.lock',
  socket: 'postgres.sock',
  /** Clones of `import github`. */
  clones: 'clones',
} as const

/** Whether the data folder has a database, or can't be read: opening the database says why then. */
export function hasDatabase(dataDirectory: string): boolean {
  try {
    statSync(join(dataDirectory, dataFiles.database))
    return true
  } catch (error) {
    return readCode(error) !== 'ENOENT'
  }
}

/**
 * Creates the data folder if it doesn't exist. Its parent must exist: a disk that isn't mounted must not become an empty
 * database, or a folder of clones.
 *
 * @throws {OperatorError} if it can't be created
 */
export function createDataDirectory(dataDirectory: string): void {
  try {
    mkdirSync(dataDirectory, { mode: 0o700 })
  } catch (error) {
    const code = readCode(error)
    if (code === 'EEXIST' && statSync(dataDirectory, { throwIfNoEntry: false })?.isDirectory()) return
    const parent = dirname(resolve(dataDirectory))
    const reason =
      code === 'ENOENT' ? `there is no folder ${parent}; create or mount it` : describeFileError(error)
    throw new OperatorError(`DATA_DIR ${dataDirectory} can't be created: ${reason}`)
  }
}

/**
 * Creates the data folder if it doesn't exist, and removes the permissions of other users.
 *
 * @throws {OperatorError} if it can't be created, has other files only, or belongs to another user
 */
export function openDataDirectory(dataDirectory: string): void {
  createDataDirectory(dataDirectory)
  try {
    const names = readdirSync(dataDirectory)
    const known: readonly string[] = Object.values(dataFiles)
    if (names.length > 0 && !names.some((name) => known.includes(name))) {
      throw new OperatorError(
        `DATA_DIR ${dataDirectory} contains other files; a new data folder must be empty. Set DATA_DIR to a new folder, ` +
          `such as ${join(dataDirectory, 'devdata')}`,
      )
    }
    const files = names.filter((name) => known.includes(name)).map((name) => join(dataDirectory, name))
    for (const path of [dataDirectory, ...files]) assertOwned(path, dataDirectory)
    if (names.includes(dataFiles.database)) chmodSync(join(dataDirectory, dataFiles.database), 0o700)
    const { mode } = statSync(dataDirectory)
    if ((mode & 0o077) !== 0) chmodSync(dataDirectory, mode & 0o700)
  } catch (error) {
    if (!['EPERM', 'EACCES'].includes(readCode(error))) throw error
    throw ownedByAnother(dataDirectory, getMessage(error))
  }
}

/**
 * Throws `OperatorError` if a file belongs to another user. Root could use it all the same, but the owner couldn't use
 * what root adds.
 */
function assertOwned(path: string, dataDirectory: string): void {
  const found = findOtherOwner(path) // a process that ends removes its socket
  if (found !== undefined) {
    throw ownedByAnother(dataDirectory, `${path} is of user ${found.owner}, not ${found.own}`)
  }
}

/**
 * Finds out which other user a file or folder belongs to. Undefined: it is this user's, or there is none. Windows has
 * no users.
 */
export function findOtherOwner(path: string): { owner: number; own: number } | undefined {
  const own = process.geteuid?.()
  const owner = lstatSync(path, { throwIfNoEntry: false })?.uid
  return owner === undefined || own === undefined || owner === own ? undefined : { owner, own }
}

function ownedByAnother(dataDirectory: string, reason: string): OperatorError {
  return new OperatorError(
    `DATA_DIR ${dataDirectory} belongs to another user (${reason}); run this as that user, give it to this user ` +
      '(chown -R), or set DATA_DIR to a folder that this user may create',
  )
}

/**
 * Locks the data folder, or another one, for this process. `in_use`: another process has the lock.
 *
 * The lock is that of a SQLite transaction. The kernel releases it when the process ends, and it works between
 * containers that share the folder. It is a POSIX lock: opening the file elsewhere in this process would release it.
 */
export async function lockDataDirectory(dataDirectory: string): Promise<{ release(): void } | 'in_use'> {
  const { DatabaseSync } = await import('node:sqlite') // not needed beside a PostgreSQL server
  const path = join(dataDirectory, dataFiles.lock)
  const database = new DatabaseSync(path, { open: false })
  try {
    database.open()
    database.exec('pragma journal_mode = memory; begin exclusive')
    return { release: () => database.close() }
  } catch (error) {
    if (database.isOpen) database.close()
    if (getMessage(error) === 'database is locked') return 'in_use'
    throw new OperatorError(
      `The folder ${dataDirectory} can't be locked (${path}: ${getMessage(error)}); it and its files must belong to this ` +
        'user (chown -R)',
    )
  }
}
