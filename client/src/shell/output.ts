/** Where items are written: standard output, or a file that a killed command can continue. */
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  statSync,
  writeSync,
} from 'node:fs'
import process from 'node:process'
import { UsageError } from './exit.ts'

/** An output. */
export interface Output {
  /** What was written, in bytes. */
  readonly bytes: number
  /** Resolves when the text is with the operating system. */
  write(text: string): Promise<void>
  close(): void
}

/** Opens an output. A file that is continued is cut to the bytes that the state knows of. Throws a `UsageError`. */
export function openOutput(file: string | undefined, knownBytes: number | undefined): Output {
  let bytes = knownBytes ?? 0
  if (file === undefined) {
    return {
      get bytes() {
        return bytes
      },
      write(text) {
        bytes += Buffer.byteLength(text)
        return new Promise((resolve) => process.stdout.write(text, () => resolve()))
      },
      close() {},
    }
  }
  const descriptor = openFile(file, bytes, knownBytes !== undefined)
  return {
    get bytes() {
      return bytes
    },
    async write(text) {
      const buffer = Buffer.from(text)
      for (let written = 0; written < buffer.length; ) {
        written += writeSync(descriptor, buffer, written, buffer.length - written, bytes + written)
      }
      bytes += buffer.length
      fsyncSync(descriptor) // before a state that counts it
    },
    close: () => closeSync(descriptor),
  }
}

function openFile(file: string, bytes: number, isResumed: boolean): number {
  // An empty file may be what a crash has left before the state was stored.
  if (!isResumed && existsSync(file) && statSync(file).size > 0)
    throw new UsageError(`${file} exists: delete it, or name another file`)
  if (isResumed && !existsSync(file))
    throw new UsageError(`${file} is missing, and the state continues it: restore it, or delete the state`)
  const descriptor = openSync(file, isResumed ? 'r+' : 'w')
  if (fstatSync(descriptor).size < bytes)
    throw new UsageError(`${file} is shorter than the state says: restore it, or delete both`)
  ftruncateSync(descriptor, bytes)
  return descriptor
}
