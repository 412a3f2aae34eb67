/** Creates folders. */
import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { readCode } from '../errors.ts'

/**
 * Creates a folder, and those above it, unless it exists. Throws what `mkdirSync` throws.
 *
 * Node's own recursion never ends where a folder exists but nothing can be created in it, such as in `/proc`.
 */
export function createFolder(path: string, options: { mode?: number } = {}): void {
  try {
    mkdirSync(path, options)
  } catch (error) {
    const code = readCode(error)
    if (code === 'ENOENT' && !isFolder(dirname(path))) {
      createFolder(dirname(path), options)
      createFolder(path, options)
    } else if (code !== 'EEXIST' || !isFolder(path)) throw error
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
