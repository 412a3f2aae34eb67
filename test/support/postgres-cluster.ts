/**
 * A PostgreSQL cluster of a test's own, from the binaries of the machine: nothing that is installed or running is
 * touched, and nothing is left behind, however the test ends.
 *
 * @module
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { appendFile, chown, mkdir, mkdtemp, open, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'

/** The oldest major version that the service supports. */
const oldestVersion = 15
const superuser = 'postgres'
/** A server has so long until it says that it starts, in milliseconds, … */
const sayTimeout = 30_000
/** … and so long to be ready: after a crash it has to go through all that was written since the last checkpoint. */
const startTimeout = 600_000
const stopTimeout = 10_000

/** How a server is told to stop (`pg_ctl --mode`): `immediate` is a crash, from which the next start recovers. */
export type StopMode = 'smart' | 'fast' | 'immediate'

const stopSignals = { smart: 'SIGTERM', fast: 'SIGINT', immediate: 'SIGQUIT' } as const

/** What a test may want different. */
export interface PostgresClusterOptions {
  /**
   * Server settings, for example `{ max_connections: '20', fsync: 'on' }`. `fsync` and `full_page_writes` are `off`
   * unless set here: what is committed survives a crash of the server, not one of the machine. Address, port and
   * socket folder are not settable.
   */
  settings?: Record<string, string>
  /**
   * A folder of its own for the cluster, which stays when the server has stopped: what was kept there is found there, with
   * the settings that it was made with. Its path must be short, and open to the user who runs PostgreSQL. Default: a
   * temporary folder, which goes.
   */
  folder?: string
  /** Locale of the databases, which are UTF8. Default: `C.UTF-8` (`en_US.UTF-8` on macOS, which lacks the former). */
  locale?: string
}

/** A running cluster. Use it with `await using`, or dispose of it. */
export interface PostgresCluster extends AsyncDisposable {
  /** Where its superuser connects to the database `postgres`: `postgres://postgres:…@127.0.0.1:PORT/postgres`. */
  readonly url: string
  /** The folder of the cluster: `data`, the server's `log` and the `socket` folder. */
  readonly directory: string
  /** The TCP port on 127.0.0.1; the same after a restart. */
  readonly port: number
  /** The major version of the server. */
  readonly version: number
  /**
   * Creates an empty database, under a name of its own unless one is given, and promises its URL. Throws a
   * `RangeError` for a name that a URL would have to escape: clients differ in whether they unescape it.
   */
  createDatabase(name?: string): Promise<string>
  /** Stops the server (`fast` by default) and keeps the data for `start`. Does nothing when it is not running. */
  stop(mode?: StopMode): Promise<void>
  /** Starts the server again on the same port. Does nothing when it is running. */
  start(): Promise<void>
  /** Stops the server at once and removes the folder. Happens by itself when the process ends. */
  [Symbol.asyncDispose](): Promise<void>
}

/** The binaries of one PostgreSQL installation. */
export interface PostgresBinaries {
  /** The folder of `postgres` and `initdb`. */
  directory: string
  /** The major version. */
  version: number
}

/** Why tests that need a cluster are skipped where `findPostgresBinaries` finds none. */
export const postgresMissing = `no PostgreSQL ${oldestVersion} or later found; install its server, or set PG_BIN to the folder of initdb and postgres`

/**
 * Finds the newest PostgreSQL server installation of at least version 15: in the folder that `PG_BIN` names and
 * nowhere else when it is set, otherwise where systems install it, on the `PATH`, and where `pg_config` says.
 */
export function findPostgresBinaries(): PostgresBinaries | undefined {
  const named = process.env.PG_BIN
  const directories = named
    ? [named]
    : [...installationDirectories(), ...pathDirectories(), pgConfigDirectory()]
  const installations = new Map<string, PostgresBinaries>()
  for (const directory of directories) {
    const installation = inspectDirectory(directory)
    if (installation) installations.set(installation.directory, installation)
  }
  return [...installations.values()]
    .filter(({ version }) => version >= oldestVersion)
    .sort((a, b) => b.version - a.version)[0]
}

function installationDirectories(): string[] {
  const children = (parent: string, pattern: RegExp, rest: string) =>
    existsSync(parent)
      ? readdirSync(parent)
          .filter((name) => pattern.test(name))
          .map((name) => join(parent, name, rest))
      : []
  return [
    ...children('/usr/lib/postgresql', /^\d+$/, 'bin'),
    ...children('/usr', /^pgsql-\d+$/, 'bin'),
    ...children('/usr/libexec', /^postgresql\d+$/, ''),
    ...children('/opt/homebrew/opt', /^postgresql(@\d+)?$/, 'bin'),
    ...children('/usr/local/opt', /^postgresql(@\d+)?$/, 'bin'),
  ]
}

function pathDirectories(): string[] {
  return (process.env.PATH ?? '').split(delimiter).filter((directory) => directory !== '')
}

function pgConfigDirectory(): string {
  try {
    return execFileSync('pg_config', ['--bindir'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return ''
  }
}

function inspectDirectory(directory: string): PostgresBinaries | undefined {
  const binary = join(directory, 'postgres')
  if (directory === '' || !existsSync(binary) || !existsSync(join(directory, 'initdb'))) return undefined
  try {
    const output = execFileSync(binary, ['--version'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const version = Number(/\(PostgreSQL\) (\d+)/.exec(output)?.[1])
    return Number.isInteger(version) ? { directory: dirname(realpathSync(binary)), version } : undefined
  } catch {
    return undefined
  }
}

/**
 * Makes a cluster with `initdb` in a temporary folder and starts it on a free port of 127.0.0.1; passwords are
 * required (SCRAM), so that no other user of the machine becomes its superuser. A process of root runs it as the
 * user `postgres`, or else `nobody`, because PostgreSQL refuses to run as root.
 *
 * Throws an `Error` with the end of the server's log when it does not come up, and when `findPostgresBinaries` finds
 * nothing.
 */
export async function startPostgresCluster(options: PostgresClusterOptions = {}): Promise<PostgresCluster> {
  const binaries = findPostgresBinaries()
  if (!binaries) throw new Error(postgresMissing)
  const account = findUnprivilegedAccount()
  const { folder } = options
  if (folder !== undefined) await mkdir(folder, { recursive: true })
  const directory = folder ?? (await mkdtemp(join(findTemporaryDirectory(account), 'devdata-pg-')))
  if (account) await chown(directory, account.uid, account.gid)
  const removal = watchForRemoval(directory, account, { stays: folder !== undefined })
  try {
    if (!existsSync(join(directory, 'data', 'PG_VERSION'))) {
      await initialize(binaries, directory, options, account)
    }
    const password = await readFile(join(directory, 'password'), 'utf8')
    return await createCluster(binaries, directory, password, account, removal)
  } catch (error) {
    await removal.remove()
    throw error
  }
}

/** Makes a streaming replica of a running cluster, with a port of its own; its folder and password are like the other's. */
export async function startReplica(primary: PostgresCluster): Promise<PostgresCluster> {
  const binaries = findPostgresBinaries()
  if (!binaries) throw new Error(postgresMissing)
  const account = findUnprivilegedAccount()
  const directory = await mkdtemp(join(findTemporaryDirectory(account), 'devdata-pg-'))
  await mkdir(join(directory, 'socket'))
  if (account)
    for (const path of [directory, join(directory, 'socket')]) await chown(path, account.uid, account.gid)
  const removal = watchForRemoval(directory, account, { stays: false })
  try {
    await run(
      join(binaries.directory, 'pg_basebackup'),
      [
        `--pgdata=${join(directory, 'data')}`,
        `--dbname=${primary.url}`,
        ...['--write-recovery-conf', '--wal-method=stream', '--checkpoint=fast', '--no-sync'],
      ],
      directory,
      account,
    )
    const { password } = new URL(primary.url)
    return await createCluster(binaries, directory, password, account, removal)
  } catch (error) {
    await removal.remove()
    throw error
  }
}

async function createCluster(
  { directory: binaryDirectory, version }: PostgresBinaries,
  directory: string,
  password: string,
  account: Account | undefined,
  removal: Removal,
): Promise<PostgresCluster> {
  const launch = (port: number) => launchServer(join(binaryDirectory, 'postgres'), directory, port, account)
  const first = await launchOnFreePort(launch)
  const { port } = first
  let server: ChildProcess | undefined = first.server
  const urlOf = (database: string) => `postgres://${superuser}:${password}@127.0.0.1:${port}/${database}`

  const cluster: PostgresCluster = {
    url: urlOf('postgres'),
    directory,
    port,
    version,
    async createDatabase(name = `test_${randomBytes(6).toString('hex')}`) {
      if (!/^[\w-]{1,63}$/.test(name)) throw new RangeError(`not a plain name for a database: ${name}`)
      const sql = postgres(cluster.url, { max: 1 })
      try {
        await sql.unsafe(`create database "${name}"`)
      } finally {
        await sql.end()
      }
      return urlOf(name)
    },
    async stop(mode = 'fast') {
      if (server) await stopServer(server, mode)
      server = undefined
    },
    async start() {
      if (!server || hasEnded(server)) server = await launch(port)
    },
    async [Symbol.asyncDispose]() {
      await cluster.stop(removal.stays ? 'fast' : 'immediate')
      await removal.remove()
    },
  }
  return cluster
}

/** The account that the server runs under. */
export interface Account {
  uid: number
  gid: number
}

/** Whom a server is to run as. Nothing when this process is unprivileged: then as its own user. */
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

/**
 * The first temporary folder in which the account can reach, make and remove folders, and whose path leaves room for
 * the name of a Unix socket (a little over 100 bytes on every system).
 */
function findTemporaryDirectory(account: Account | undefined): string {
  const candidates = [tmpdir(), '/tmp', '/var/tmp']
    .filter((path) => existsSync(path))
    .map((path) => realpathSync(path))
  const usable = candidates.find((path) => path.length <= 60 && (!account || isOpenTo(account, path)))
  if (!usable)
    throw new Error(`none of ${candidates.join(', ')} is short and open to the user who runs PostgreSQL`)
  return usable
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

async function initialize(
  { directory: binaryDirectory }: PostgresBinaries,
  directory: string,
  {
    settings = {},
    locale = process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8',
  }: PostgresClusterOptions,
  account: Account | undefined,
): Promise<void> {
  const data = join(directory, 'data')
  const passwordFile = join(directory, 'password')
  await mkdir(join(directory, 'socket'), { recursive: true })
  await writeFile(passwordFile, randomBytes(16).toString('hex'), { mode: 0o600 })
  if (account) {
    await chown(join(directory, 'socket'), account.uid, account.gid)
    await chown(passwordFile, account.uid, account.gid)
  }
  await run(
    join(binaryDirectory, 'initdb'),
    [
      `--pgdata=${data}`,
      `--username=${superuser}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      `--locale=${locale}`,
      '--no-sync',
      '--no-instructions',
    ],
    directory,
    account,
  )
  // Not synchronous_commit: without it a stop with `immediate` would lose what was just committed.
  const durability = { fsync: 'off', full_page_writes: 'off' }
  const lines = Object.entries({ ...durability, ...settings }).map(
    ([name, value]) => `${name} = '${value.replaceAll("'", "''")}'\n`,
  )
  await appendFile(join(data, 'postgresql.conf'), lines.join(''))
}

/** Runs a program to its end. Throws an `Error` with what it wrote when it fails. */
async function run(
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
async function launchOnFreePort(
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

export async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  if (address === null || typeof address === 'string') throw new Error('the probe has no port')
  return address.port
}

async function launchServer(
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
    if (Date.now() - began > (state === 'starting' ? startTimeout : sayTimeout)) {
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

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}

/** A server that does not stop in time is told so with more emphasis. */
async function stopServer(server: ChildProcess, mode: StopMode): Promise<void> {
  for (const signal of [stopSignals[mode], stopSignals.immediate, 'SIGKILL'] as const) {
    if (hasEnded(server)) return
    const ended = once(server, 'exit').then(() => true)
    server.kill(signal)
    const patience = new AbortController()
    const isTimely = await Promise.race([
      ended,
      sleep(stopTimeout, false, { signal: patience.signal }).catch(() => false),
    ])
    patience.abort()
    if (isTimely) return
  }
}

interface Removal {
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

/** Starts the watcher, as the account of the server, in a session that outlives this process and its terminal. */
function watchForRemoval(
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
