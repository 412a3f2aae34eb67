/**
 * The version and the commit of the running service.
 *
 * @module
 */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

const projectDirectory = join(import.meta.dirname, '..')

/** The running code, as `/version` returns it. */
export interface BuildInfo {
  version: string
  /** Null: unknown. */
  commit: string | null
  /** Name and version of the runtime. */
  runtime: string
}

/** Reads what `/version` returns. The commit is that of the checkout unless a setting names it. */
export function readBuildInfo(runtime: string, commit?: string): BuildInfo {
  return { version: readVersion(), commit: commit ?? readCommit(), runtime }
}

/** The version in package.json. */
export function readVersion(): string {
  const { version }: { version: string } = JSON.parse(
    readFileSync(join(projectDirectory, 'package.json'), 'utf8'),
  )
  return version
}

/**
 * The commit of the running checkout; null without one. Reads git's files, so that a start needs neither git nor, on
 * Deno, the permission to run programs.
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

/** The git directory of a linked worktree, whose `.git` is a file that names it. */
function readWorktree(path: string): string {
  return resolve(dirname(path), readText(path).replace(/^gitdir: /, ''))
}

/** The commit of a branch, which git stores in a file of its own or as a line of `packed-refs`. */
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
