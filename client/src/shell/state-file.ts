/** The state of a command, in a file that is replaced as a whole. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { UsageError } from './exit.ts'

/** Reads the state. Returns undefined if there is no such file. Throws a `UsageError` if the file isn't a state. */
export function readState<State extends object>(file: string): State | undefined {
  if (!existsSync(file)) return undefined
  try {
    const state = JSON.parse(readFileSync(file, 'utf8'))
    if (typeof state === 'object' && state !== null) return state
  } catch {
    // not JSON
  }
  throw new UsageError(`${file} doesn't have a state of devdata-client: name another file`)
}

/** Writes the state: a process that is killed leaves either the former or the new one. */
export function writeState(file: string, state: object): void {
  writeFileSync(`${file}.new`, JSON.stringify(state), { flush: true })
  renameSync(`${file}.new`, file)
}
