/** PgBouncer in transaction mode before a PostgreSQL server, from the binary of the machine. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { listens } from './listens.ts'
import { findFreePort, findUnprivilegedAccount } from './postgres-process.ts'

/** Why tests that need it are skipped where `findPgbouncer` finds none. */
export const pgbouncerMissing = 'no pgbouncer found; install it'

/** A running PgBouncer. */
export interface Pgbouncer extends AsyncDisposable {
  /** The URL of a database of the server, through it. */
  urlOf(databaseUrl: string): string
}

/** The binary: on the `PATH`, or where Debian installs it, which is not on everybody's. */
export function findPgbouncer(): string | undefined {
  const directories = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
  return directories.map((directory) => join(directory, 'pgbouncer')).find((path) => existsSync(path))
}

/** The version, such as `1.18.0`. */
export function readPgbouncerVersion(binary: string): string {
  return /PgBouncer (\S+)/.exec(execFileSync(binary, ['--version'], { encoding: 'utf8' }))?.[1] ?? ''
}

/** Starts it before the server of a superuser's URL, with few connections for many clients, as in the field. */
export async function startPgbouncer(binary: string, serverUrl: string): Promise<Pgbouncer> {
  const server = new URL(serverUrl)
  const account = findUnprivilegedAccount()
  const directory = await mkdtemp(join(tmpdir(), 'devdata-pgbouncer-'))
  const port = await findFreePort()
  const users = join(directory, 'users.txt')
  const settings = join(directory, 'pgbouncer.ini')
  await writeFile(users, `"${server.username}" "${server.password}"\n`)
  await writeFile(
    settings,
    `[databases]
* = host=${server.hostname} port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = transaction
default_pool_size = 5
max_client_conn = 200
server_login_retry = 1
`,
  )
  if (account) for (const path of [directory, users, settings]) await chown(path, account.uid, account.gid)
  const child = spawn(binary, [settings], { ...account, cwd: directory, stdio: ['ignore', 'pipe', 'pipe'] })
  let log = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      log += text
    })
  }
  const ended = once(child, 'close')
  const stop = async () => {
    child.kill('SIGKILL')
    await ended
    await rm(directory, { recursive: true, force: true })
  }
  while (!(await listens(port))) {
    if (child.exitCode !== null) {
      await stop()
      throw new Error(`pgbouncer ended: ${log}`)
    }
  }
  return {
    urlOf(databaseUrl) {
      const url = new URL(databaseUrl)
      url.host = `127.0.0.1:${port}`
      return url.href
    },
    [Symbol.asyncDispose]: stop,
  }
}
