/** The version and the commit of the running service. */
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

/**
 * Reads what `/version` returns. The commit is that of the checkout or of the packed file, unless a setting names it.
 */
export function readBuildInfo(runtime: string, commit?: string): BuildInfo {
  return { version: readVersion(), commit: commit ?? readCommit() ?? readPackage().gitHead ?? null, runtime }
}

/** package.json. That of the packed file names the commit. */
function readPackage(): { version: string; gitHead?: string } {
  return JSON.parse(readText(join(projectDirectory, 'package.json')))
}

/** The version in package.json. */
export function readVersion(): string {
  return readPackage().version
}

/**
 * The commit of the running checkout; null without one. Reads git's files, so that a start needs neither git nor, on
 * Deno, the permission to run programs.
 */
export function readCommit(directory = projectDirectory): string | null {
  try {
    const commit = findCommit(join(directory, '.git'))
    return /^([\da-f]{40}|[\da-f]{64})$/.test(commit) ? commit : null
  } catch {
    return null
  }
}

function findCommit(path: string): string {
  // In a linked worktree, `.git` is a file that names its directory.
  const isDirectory = statSync(path).isDirectory()
  const directory = isDirectory ? path : resolve(dirname(path), readText(path).replace(/^gitdir: /, ''))
  const head = readText(join(directory, 'HEAD'))
  if (!head.startsWith('ref: ')) return head
  const branch = head.slice('ref: '.length)
  const worktreeFile = join(directory, 'commondir')
  const common = existsSync(worktreeFile) ? resolve(directory, readText(worktreeFile)) : directory
  if (existsSync(join(common, branch))) return readText(join(common, branch))
  const packed = readText(join(common, 'packed-refs')).split('\n')
  return packed.find((line) => line.endsWith(` ${branch}`))?.split(' ')[0] ?? ''
}

function readText(path: string): string {
  return readFileSync(path, 'utf8').trim()
}
