/**
 * Processes of a PostgreSQL server: whom they run as, how they start and stop, and how nothing of them is left behind.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, realpathSync, statfsSync, statSync } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Until the server says that it starts. */
const announceTimeoutMs = 30_000
/** Until it is ready: after a crash it replays everything since the last checkpoint. */
const startTimeoutMs = 600_000
const stopTimeoutMs = 10_000

/** How a server is told to stop (`pg_ctl --mode`): `immediate` is a crash, from which the next start recovers. */
export type StopMode = 'fast' | 'immediate'

const stopSignals = { fast: 'SIGINT', immediate: 'SIGQUIT' } as const

/** The account that the server runs under. */
export interface Account {
  uid: number
  gid: number
}

/** The account to run a server as. Undefined if this process is unprivileged: then its own. */
export function findUnprivilegedAccount(): Account | undefined {
  if (userInfo().uid !== 0) return undefined
  for (const name of ['postgres', 'nobody']) {
    try {
      const read = (flag: string) =>
        Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }))
      return { uid: read('-u'), gid: read('-g') }
    } catch {
      // There is no such user; the next may be there.
    }
  }
  throw new Error(
    'PostgreSQL does not run as root, and there is neither a user "postgres" nor "nobody" to run it as',
  )
}

/** Bytes that must be free in memory for a cluster. */
const minFreeMemoryBytes = 6 * 1024 ** 3

/**
 * The first temporary folder in which the account can reach, make and remove folders, and whose path leaves room for
 * the name of a Unix socket (a little over 100 bytes on every system). `inMemory`: Linux's file system in memory, if it
 * has room.
 */
export function findTemporaryDirectory(
  account: Account | undefined,
  { inMemory = false }: { inMemory?: boolean | undefined } = {},
): string {
  const memory = inMemory && hasRoom('/dev/shm') ? ['/dev/shm'] : []
  const candidates = [...memory, tmpdir(), '/tmp', '/var/tmp']
    .filter((path) => existsSync(path))
    .map((path) => realpathSync(path))
  const usable = candidates.find((path) => path.length <= 60 && (!account || isOpenTo(account, path)))
  if (!usable)
    throw new Error(`none of ${candidates.join(', ')} is short and open to the user who runs PostgreSQL`)
  return usable
}

function hasRoom(path: string): boolean {
  if (!existsSync(path)) return false
  const { bavail, bsize } = statfsSync(path)
  return bavail * bsize >= minFreeMemoryBytes
}

function isOpenTo({ uid, gid }: Account, path: string): boolean {
  const allows = (folder: string, bits: number) => {
    const { mode, uid: owner, gid: group } = statSync(folder)
    const shift = owner === uid ? 6 : group === gid ? 3 : 0
    return ((mode >> shift) & bits) === bits
  }
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (!allows(folder, 0o1)) return false
    if (folder === resolve(folder, '..')) return allows(path, 0o3)
  }
}

/** Runs a program to its end. Throws an `Error` with what it wrote when it fails. */
export async function runProgram(
  program: string,
  parameters: string[],
  directory: string,
  account?: Account,
): Promise<void> {
  const child = spawn(program, parameters, {
    ...account,
    cwd: directory,
    env: createEnvironment(directory),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => output.push(text))
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${program} failed:\n${output.join('').trim()}`)
}

/** Nothing of the caller's `PG…` variables and language reaches the server. */
function createEnvironment(directory: string): Record<string, string> {
  return { PATH: process.env.PATH ?? '', HOME: directory, LC_ALL: 'C', TZ: 'UTC' }
}

/** Another process may take a free port before the server does; then it gets another one. */
export async function launchOnFreePort(
  launch: (port: number) => Promise<ChildProcess>,
): Promise<{ server: ChildProcess; port: number }> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await findFreePort()
    try {
      return { server: await launch(port), port }
    } catch (error) {
      const isTaken = error instanceof Error && error.message.includes('Address already in use')
      if (!isTaken || attempt === 5) throw error
    }
  }
}

/**
 * Finds a port that nothing listens at, below those that systems give to outgoing connections (from 32768): no
 * connection of another test takes it while its server is started, or started again.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_768)
    const probe = createServer().listen(port, '127.0.0.1')
    try {
      await once(probe, 'listening')
    } catch {
      continue
    }
    probe.close()
    await once(probe, 'close')
    return port
  }
}

/** Starts a server, and waits until it is ready. Throws with the end of its log if it does not start. */
export async function launchServer(
  binary: string,
  directory: string,
  port: number,
  account: Account | undefined,
): Promise<ChildProcess> {
  const data = join(directory, 'data')
  const log = await open(join(directory, 'log'), 'a')
  // A session of its own, so that Ctrl-C in the terminal ends the tests first and the server through its watcher.
  const server = spawn(
    binary,
    ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', join(directory, 'socket')],
    {
      ...account,
      cwd: directory,
      env: createEnvironment(directory),
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    },
  )
  const failure = new Promise<Error>((settle) => server.once('error', settle))
  try {
    await Promise.race([once(server, 'spawn'), failure.then((error) => Promise.reject(error))])
  } finally {
    await log.close()
  }
  server.unref()
  const began = Date.now()
  for (;;) {
    const state = await readState(data, server.pid)
    if (state === 'ready' || state === 'standby') break
    if (hasEnded(server))
      throw new Error(`PostgreSQL did not start:\n${await readEnd(join(directory, 'log'))}`)
    if (Date.now() - began > (state === 'starting' ? startTimeoutMs : announceTimeoutMs)) {
      server.kill('SIGKILL')
      throw new Error(`PostgreSQL did not start in time:\n${await readEnd(join(directory, 'log'))}`)
    }
    await sleep(15)
  }
  return server
}

/** As `pg_ctl` knows it: line 8 of the server's lock file is its state, line 1 its process id. */
async function readState(data: string, pid: number | undefined): Promise<string | undefined> {
  const lines = await readFile(join(data, 'postmaster.pid'), 'utf8').then(
    (text) => text.split('\n'),
    () => [],
  )
  return lines[0] === String(pid) ? lines[7]?.trim() : undefined
}

async function readEnd(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return text.trim().split('\n').slice(-20).join('\n')
}

/** Whether a process has ended. */
export function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}

/** Stops a server; one that does not stop in time gets the next stronger signal. */
export async function stopServer(server: ChildProcess, mode: StopMode): Promise<void> {
  for (const signal of [stopSignals[mode], stopSignals.immediate, 'SIGKILL'] as const) {
    if (hasEnded(server)) return
    const ended = once(server, 'exit').then(() => true)
    server.kill(signal)
    const timeout = new AbortController()
    const isTimely = await Promise.race([
      ended,
      sleep(stopTimeoutMs, false, { signal: timeout.signal }).catch(() => false),
    ])
    timeout.abort()
    if (isTimely) return
  }
}

/** The end of a cluster's folder. */
export interface Removal {
  /** Whether the folder stays. */
  stays: boolean
  /** Ends what runs in the folder, removes it unless it stays, and promises that this is done. */
  remove(): Promise<void>
}

/**
 * Waits for the end of its input, which is the end of the process that started it, however that comes about: then
 * ends the server in the folder and removes the folder. The process id in the lock file is trusted only when that
 * process was started for this folder. The server removes the file as the last thing it does; to wait for its process
 * id to go is not enough, which an ended process keeps until its new parent asks for it.
 */
const removalScript = `
  read -r _
  read -r pid 2>/dev/null < "$1/data/postmaster.pid" || pid=
  if [ -n "$pid" ]; then
    command=$(tr '\\0' ' ' 2>/dev/null < "/proc/$pid/cmdline" || ps -o args= -p "$pid" 2>/dev/null)
    case $command in
      *"$1/data"*)
        kill -QUIT "$pid" 2>/dev/null
        turns=0
        while [ -e "$1/data/postmaster.pid" ] && kill -0 "$pid" 2>/dev/null && [ $turns -lt 100 ]; do
          sleep 0.05
          turns=$((turns + 1))
        done
        kill -KILL "$pid" 2>/dev/null
        ;;
    esac
  fi
  cd /
  [ "$2" = stays ] || rm -rf "$1" || { sleep 0.5; rm -rf "$1"; }
`

/** Starts a process that removes the folder, as the account of the server, in a session that outlives this process and its terminal. */
export function watchForRemoval(
  directory: string,
  account: Account | undefined,
  { stays }: { stays: boolean },
): Removal {
  const watcher = spawn('/bin/sh', ['-c', removalScript, 'sh', directory, stays ? 'stays' : 'goes'], {
    ...account,
    cwd: '/',
    env: { PATH: process.env.PATH ?? '' },
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const ended = once(watcher, 'close')
  // An idle cluster keeps no process from ending.
  watcher.unref()
  ended.catch(() => undefined)
  return {
    stays,
    async remove() {
      watcher.ref()
      watcher.stdin.end()
      await ended
      if (!stays && existsSync(directory)) throw new Error(`${directory} could not be removed`)
    },
  }
}
