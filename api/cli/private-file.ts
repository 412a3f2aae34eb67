/**
 * Files with personal data that commands write.
 *
 * @module
 */
import { open, rm } from 'node:fs/promises'
import { describeFileError, OperatorError } from '../errors.ts'

/**
 * Creates a file that only its owner can read, for `work` to write. Doesn't keep an empty or partial file. Throws
 * `OperatorError` when the file exists, or can't be created or written.
 */
export async function withPrivateFile<Result>(
  path: string,
  work: (write: (text: string) => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const refuse = (error: unknown): never => {
    throw new OperatorError(`${path} can't be written: ${describeFileError(error)}`)
  }
  const file = await open(path, 'wx', 0o600).catch(refuse)
  let isComplete = false
  try {
    return await work(async (text) => {
      await file.writeFile(text).catch(refuse)
      isComplete = true
    })
  } finally {
    await file.close()
    if (!isComplete) await rm(path)
  }
}
