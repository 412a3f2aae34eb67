/**
 * The folder of everything that a run of the tests writes: in memory if there is room, because many tests have a database of
 * their own, which is a thousand files.
 *
 * @module
 */
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Linux's file system in memory. */
const memory = '/dev/shm'
/** Bytes that must be free there. */
const minFreeBytes = 6 * 1024 ** 3

/** Makes the folder, for this process and those that it starts. Removes those of runs that were killed. */
export function useTemporaryFolder(): void {
  const parent = hasRoom() ? memory : tmpdir()
  for (const name of readdirSync(parent)) {
    const [, pid] = /^devdata-tests-(\d+)-/.exec(name) ?? []
    if (pid !== undefined && !isRunning(Number(pid))) removeFolder(join(parent, name))
  }
  const folder = mkdtempSync(join(parent, `devdata-tests-${process.pid}-`))
  chmodSync(folder, 0o711) // PostgreSQL runs as another user if this is root
  process.env.TMPDIR = folder
  process.on('exit', () => removeFolder(folder))
}

function hasRoom(): boolean {
  if (!existsSync(memory)) return false
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize >= minFreeBytes
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
}
