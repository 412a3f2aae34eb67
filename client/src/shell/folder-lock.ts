/**
 * A lock on a folder or a state, between processes, containers and machines that share it. A process id says nothing
 * there: each container has its own process 1.
 *
 * The lock is a file that one command at a time can create. Its owner rewrites it every second. Another command watches
 * it: if the file doesn't change for 10 seconds, its owner was killed, and the lock is taken over. No clocks are
 * compared. An owner that was only suspended finds another's lock when it continues, and stops.
 */
import { randomUUID } from 'node:crypto'
import { readFileSync, readlinkSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { UsageError } from './exit.ts'
import type { CommandContext } from './reading.ts'

const beatMs = 1_000
const pollMs = 500
/**
 * How often a lock is read that doesn't change, before it is taken over: for 10 seconds. A suspended machine counts
 * none.
 */
const maxPolls = 20

/** Who has a lock. */
interface Owner {
  token: string
  pid: number
  host: string
  /** Where the process id is valid; null: unknown. */
  space: string | null
}

/** Throws an `Error` if another command has taken the lock over, because this process was suspended. */
export type AssertHeld = () => void

/** Locks a folder or a state until this process ends. Throws a `UsageError` if another command has it. */
export async function lock(
  folder: string,
  file: string,
  context: Pick<CommandContext, 'progress' | 'signal'>,
): Promise<AssertHeld> {
  const owner: Owner = { token: randomUUID(), pid: process.pid, host: hostname(), space: readProcessSpace() }
  let beats = 0
  const write = (flag: 'wx' | 'r+') =>
    writeFileSync(file, JSON.stringify({ ...owner, beats: ++beats }), { flag })
  while (!tryTo(() => write('wx'), 'EEXIST')) {
    const abandoned = await findAbandoned(folder, file, context)
    if (abandoned !== undefined) removeLock(file, abandoned, owner.token)
  }

  const isHeld = () => readOwner(readLock(file))?.token === owner.token
  setInterval(() => {
    try {
      if (isHeld()) write('r+')
    } catch {
      // Another command may take the lock over. The next check then throws.
    }
  }, beatMs).unref()
  process.once('exit', () => {
    if (isHeld()) rmSync(file, { force: true })
  })
  return () => {
    if (isHeld()) return
    throw new Error(
      `Another command took over ${folder} while this one was suspended. Wait until that ends, then run this again`,
    )
  }
}

/**
 * Returns the text of a lock whose owner no longer runs; undefined: it was released meanwhile. Throws a `UsageError` if
 * the owner runs.
 */
async function findAbandoned(
  folder: string,
  file: string,
  { progress, signal }: Pick<CommandContext, 'progress' | 'signal'>,
): Promise<string | undefined> {
  const found = readLock(file)
  const owner = readOwner(found)
  if (owner !== undefined && isGone(owner)) return found
  const name = owner === undefined ? '' : ` (process ${owner.pid} on ${owner.host})`
  for (let polls = 0; polls < maxPolls; polls++) {
    if (polls === maxPolls / 4) {
      progress.note(`${folder} has a lock${name}. Waiting up to 10 s to see whether its owner runs.`)
    }
    await sleep(pollMs, undefined, { signal })
    const text = readLock(file)
    if (text === undefined) return undefined
    if (text !== found) throw new UsageError(`Another command${name} is using ${folder}: wait until it ends`)
  }
  return found
}

/** Removes an abandoned lock. If another command has replaced it meanwhile, puts that one's back. */
function removeLock(file: string, abandoned: string, token: string): void {
  const aside = `${file}.${token}`
  if (!tryTo(() => renameSync(file, aside), 'ENOENT')) return
  if (readLock(aside) === abandoned) rmSync(aside, { force: true })
  else renameSync(aside, file)
}

/** Whether a process has ended. Only one of the same machine and container can be looked up. */
function isGone({ pid, space }: Owner): boolean {
  if (space === null || space !== readProcessSpace()) return false
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return isCode(error, 'ESRCH')
  }
}

/**
 * Where a process id is valid: the machine since its start, and the namespace, which each container has. Null: unknown.
 */
function readProcessSpace(): string | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${hostname()} ${boot} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return null // not Linux
  }
}

/** Reads a lock; undefined: there is none. */
function readLock(file: string): string | undefined {
  let text: string | undefined
  tryTo(() => {
    text = readFileSync(file, 'utf8')
  }, 'ENOENT')
  return text
}

/** Who has a lock; undefined: it is being written, or there is none. */
function readOwner(text: string | undefined): Owner | undefined {
  try {
    return JSON.parse(text ?? '') as Owner
  } catch {
    return undefined
  }
}

/** False: it fails with this code. Throws other errors. */
function tryTo(act: () => void, code: string): boolean {
  try {
    act()
    return true
  } catch (error) {
    if (isCode(error, code)) return false
    throw error
  }
}

function isCode(error: unknown, code: string): boolean {
  return (error as { code?: unknown }).code === code
}
