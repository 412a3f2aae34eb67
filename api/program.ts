/**
 * What is running.
 *
 * @module
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const projectDirectory = join(import.meta.dirname, '..')

/** Folder of the built documentation. */
export const docsDirectory = join(projectDirectory, 'dist', 'docs')

/** The version in package.json. */
export function readVersion(): string {
  const { version }: { version: string } = JSON.parse(
    readFileSync(join(projectDirectory, 'package.json'), 'utf8'),
  )
  return version
}

/** The commit of the checkout that is running; null where there is no git or no checkout. */
export function readCommit(): string | null {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], {
      cwd: projectDirectory,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return null
  }
}
