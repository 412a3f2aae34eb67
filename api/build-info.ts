/**
 * What is running.
 *
 * @module
 */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

const projectDirectory = join(import.meta.dirname, '..')

/** Folder of the builds of the documentation. */
export const docsDirectory = join(projectDirectory, 'dist', 'docs')

/** The version in package.json. */
export function readVersion(): string {
  const { version }: { version: string } = JSON.parse(
    readFileSync(join(projectDirectory, 'package.json'), 'utf8'),
  )
  return version
}

/**
 * The commit of the checkout that is running; null where there is none. It is read from git's files, so that a start
 * needs neither git nor, under Deno, the right to run programs.
 */
export function readCommit(directory = projectDirectory): string | null {
  try {
    return findCommit(join(directory, '.git'))
  } catch {
    return null
  }
}

function findCommit(path: string): string | null {
  const directory = statSync(path).isDirectory() ? path : readWorktree(path)
  const head = readText(join(directory, 'HEAD'))
  const reference = head.startsWith('ref: ') ? head.slice('ref: '.length) : undefined
  const commit = reference === undefined ? head : readReference(directory, reference)
  return commit !== undefined && /^([\da-f]{40}|[\da-f]{64})$/.test(commit) ? commit : null
}

/** Where git keeps what belongs to a linked worktree, whose `.git` is a file that says so. */
function readWorktree(path: string): string {
  return resolve(dirname(path), readText(path).replace(/^gitdir: /, ''))
}

/** A branch is a file of its own, or a line of those that are packed together. */
function readReference(directory: string, name: string): string | undefined {
  const common = existsSync(join(directory, 'commondir'))
    ? resolve(directory, readText(join(directory, 'commondir')))
    : directory
  if (existsSync(join(common, name))) return readText(join(common, name))
  const lines = readText(join(common, 'packed-refs')).split('\n')
  return lines.find((line) => line.endsWith(` ${name}`))?.split(' ')[0]
}

function readText(path: string): string {
  return readFileSync(path, 'utf8').trim()
}
