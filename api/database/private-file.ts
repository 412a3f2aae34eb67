/**
 * Files with personal data that commands write. Only their owner can read them. A file is complete or missing, and
 * replaces an earlier one once it is complete, so that a command can be run every night.
 */
import { type FileHandle, lstat, open, rename, rm, stat } from 'node:fs/promises'
import { refuseWriting } from '../errors.ts'

/** Added to the name of a file that isn't complete. */
export const unfinishedSuffix = '.part'

/** A file that is being written. */
export interface PrivateFile extends AsyncDisposable {
  /** Adds to it. Throws `OperatorError`. */
  write(text: string): Promise<void>
  /**
   * Makes sure that what was written is on the disk. It then stays there with `unfinishedSuffix`, even if it is never
   * complete. Throws `OperatorError`.
   */
  keep(): Promise<void>
  /** Gives the file its name. It replaces an earlier file. Throws `OperatorError`. */
  complete(): Promise<void>
  /** Closes the file. Unless it is complete, removes it if it isn't kept, and an earlier file stays. */
  [Symbol.asyncDispose](): Promise<void>
}

/** Creates a file that only its owner can read. Replaces what has this path; doesn't follow a link. */
async function openPrivateFile(path: string): Promise<FileHandle> {
  await rm(path, { force: true })
  return await open(path, 'wx', 0o600)
}

/**
 * Begins a file that will have this path. `beginning`: that of each such file; what is written to a device or a pipe,
 * such as `/dev/null`, goes there immediately.
 *
 * Throws `OperatorError` if the file can't be written there, or would replace another kind of file: before a command
 * begins what may take hours.
 */
export async function createPrivateFile(path: string, beginning: string): Promise<PrivateFile> {
  const refuse = refuseWriting(path)
  const isDevice = await inspect(path, beginning).catch(refuse)
  const part = `${path}${unfinishedSuffix}`
  const file = await (isDevice ? open(path, 'a') : openPrivateFile(part)).catch(refuse)
  let isComplete = isDevice
  let isKept = false
  /** Another command with the same path may have replaced the part. */
  async function isOwnPart(): Promise<boolean> {
    const [own, found] = await Promise.all([file.stat(), stat(part).catch(() => undefined)])
    return own.ino === found?.ino
  }
  async function assertWritten(): Promise<void> {
    await file.sync().catch(refuse)
    if (!(await isOwnPart()))
      refuse(new Error('another command has begun to write it; run one of them at a time'))
  }
  return {
    async write(text) {
      await file.writeFile(text).catch(refuse)
    },
    async keep() {
      if (isComplete) return
      await assertWritten()
      isKept = true
    },
    async complete() {
      if (isComplete) return
      await assertWritten()
      await rename(part, path).catch(refuse)
      isComplete = true
    },
    async [Symbol.asyncDispose]() {
      if (!isComplete && !isKept && (await isOwnPart())) await rm(part, { force: true })
      await file.close()
    },
  }
}

/** Whether the path is that of a device or a pipe. Throws if it is that of something that the file must not replace. */
async function inspect(path: string, beginning: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined) // usually there is none yet
  if (found?.isDirectory()) throw new Error('it is a folder; use the path of a file')
  if (found !== undefined && !found.isFile()) return true
  const link = await lstat(path).catch(() => undefined)
  if (link?.isSymbolicLink()) throw new Error('it is a symbolic link; use the path of a file')
  if (found === undefined || found.size === 0) return false
  if (!(await beginsWith(path, Buffer.from(beginning))))
    throw new Error('another file has this name; choose another path')
  return false
}

async function beginsWith(path: string, beginning: Buffer): Promise<boolean> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(beginning.length), 0, beginning.length, 0)
    return buffer.subarray(0, bytesRead).equals(beginning)
  } finally {
    await file.close()
  }
}
