/**
 * A PostgreSQL cluster of a test's own, from the binaries of the machine: nothing that is installed or running is
 * touched, and nothing is left behind, however the test ends.
 */
import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { appendFile, chown, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import postgres from 'postgres'
import { findPostgresBinaries, type PostgresBinaries, postgresMissing } from './postgres-binaries.ts'
import {
  type Account,
  findTemporaryDirectory,
  findUnprivilegedAccount,
  hasEnded,
  launchOnFreePort,
  launchServer,
  type Removal,
  runProgram,
  type StopMode,
  stopServer,
  watchForRemoval,
} from './postgres-process.ts'

const superuser = 'postgres'

/**
 * Settings that a database or a role may have, and that change how PostgreSQL writes values and reads statements. All
 * tests run under them, because no response, no command and no row may depend on one. The embedded database has the
 * usual ones. `array_nulls` isn't among them: pg_restore itself fails with it.
 */
export const unusualSettings = {
  backslash_quote: 'off',
  bytea_output: 'escape',
  check_function_bodies: 'off',
  DateStyle: 'SQL, DMY',
  default_transaction_deferrable: 'on',
  default_transaction_isolation: 'serializable',
  escape_string_warning: 'off',
  extra_float_digits: '-15',
  IntervalStyle: 'sql_standard',
  'plpgsql.extra_errors': 'all',
  'plpgsql.variable_conflict': 'use_variable',
  quote_all_identifiers: 'on',
  row_security: 'off',
  standard_conforming_strings: 'off',
  TimeZone: 'Pacific/Chatham', // 12:45 hours from UTC, or 13:45
  transform_null_equals: 'on',
  xmloption: 'document',
}

/** Options of a cluster. */
export interface PostgresClusterOptions {
  /**
   * Server settings, for example `{ max_connections: '20', fsync: 'on' }`. `fsync` and `full_page_writes` are `off`
   * unless set here: what is committed survives a crash of the server, not one of the machine. Address, port and
   * socket folder are not settable.
   */
  settings?: Record<string, string>
  /** Whether the other settings are the usual ones, for benchmarks and fixtures, not `unusualSettings`. */
  hasUsualSettings?: boolean
  /**
   * A folder for the cluster, which remains when the server has stopped: a cluster there is used again, with its
   * settings. Its path must be short, and open to the user who runs PostgreSQL. Default: a temporary folder, which is
   * removed.
   */
  folder?: string
  /** Whether the temporary folder is in memory, if there is room: each database is a thousand files. */
  inMemory?: boolean
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
  /** Stops the server immediately and removes the folder, as the end of this process does. */
  [Symbol.asyncDispose](): Promise<void>
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
  const { folder, inMemory } = options
  if (folder !== undefined) await mkdir(folder, { recursive: true })
  const directory =
    folder ?? (await mkdtemp(join(findTemporaryDirectory(account, { inMemory }), 'devdata-pg-')))
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
    await runProgram(
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

async function initialize(
  { directory: binaryDirectory }: PostgresBinaries,
  directory: string,
  { settings = {}, hasUsualSettings = false }: PostgresClusterOptions,
  account: Account | undefined,
): Promise<void> {
  const locale = process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8'
  const data = join(directory, 'data')
  const passwordFile = join(directory, 'password')
  await mkdir(join(directory, 'socket'), { recursive: true })
  await writeFile(passwordFile, randomBytes(16).toString('hex'), { mode: 0o600 })
  if (account) {
    await chown(join(directory, 'socket'), account.uid, account.gid)
    await chown(passwordFile, account.uid, account.gid)
  }
  await runProgram(
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
  const lines = Object.entries({
    ...durability,
    ...(hasUsualSettings ? {} : unusualSettings),
    ...settings,
  }).map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'\n`)
  await appendFile(join(data, 'postgresql.conf'), lines.join(''))
}
