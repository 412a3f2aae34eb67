/**
 * The programs under measurement, each a process of its own.
 *
 * @module
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setInterval } from 'node:timers/promises'
import { promisify } from 'node:util'
import { findPostgresBinaries, postgresMissing } from '../test/support/postgres-cluster.ts'

const project = resolve(import.meta.dirname, '..')
const run = promisify(execFile)

/** A server on a port of this machine. */
export interface Program extends AsyncDisposable {
  port: number
  pid: number
}

/** The service as it is deployed, but for its log: the peer has none either. */
export function startOurs(databaseUrl: string): Promise<Program> {
  return start('api/node.ts', databaseUrl)
}

export function startFastify(databaseUrl: string): Promise<Program> {
  return start('bench/peers/fastify.ts', databaseUrl)
}

async function start(file: string, databaseUrl: string): Promise<Program> {
  const { PATH = '', HOME = '', BENCH_NODE_OPTIONS = '' } = process.env
  const child = spawn(
    process.execPath,
    [...BENCH_NODE_OPTIONS.split(' ').filter(Boolean), join(project, file)],
    {
      cwd: tmpdir(), // settings of a .env file must not reach it
      env: { PATH, HOME, DATABASE_URL: databaseUrl, PORT: '0', LOG_LEVEL: 'error', LOG_FORMAT: 'json' },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const ended = once(child, 'close')
  const port = await Promise.race([readPort(child), ended.then(() => undefined)])
  const { pid } = child
  if (port === undefined || pid === undefined) throw new Error(`${file} did not start`)
  return {
    port,
    pid,
    async [Symbol.asyncDispose]() {
      child.kill()
      await ended
    },
  }
}

function readPort({ stdout }: ChildProcess): Promise<number> {
  let output = ''
  return new Promise((found) => {
    stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text
      const [, port] = /ready at http:\/\/127\.0\.0\.1:(\d+)\s/.exec(output) ?? []
      if (port !== undefined) found(Number(port))
    })
  })
}

/** Resident memory of a process, in MiB. */
export async function readMemory({ pid }: Program): Promise<number> {
  const { stdout } = await run('ps', ['-o', 'rss=', '-p', String(pid)])
  return Number(stdout) / 1024
}

/** Reads the resident memory once a second, in MiB, until it is stopped or the program ends. */
export function watchMemory(program: Program): { stop(): Promise<number[]> } {
  const stopping = new AbortController()
  const readings: number[] = []
  async function watch(): Promise<void> {
    for await (const _ of setInterval(1000, undefined, { signal: stopping.signal })) {
      readings.push(await readMemory(program))
    }
  }
  const watching = watch().catch(() => {}) // stopped, or nobody is there any more
  return {
    async stop() {
      stopping.abort()
      await watching
      return readings
    },
  }
}

/** What pgbench did. */
export interface PgbenchResult {
  transactions: number
  perSecond: number
}

/**
 * Runs peers/pgbench.sql on as many connections; what it takes to open them does not count in `perSecond`. Throws when a
 * transaction failed.
 */
export async function runPgbench(
  databaseUrl: string,
  {
    connections,
    seconds,
    keys,
    users,
  }: { connections: number; seconds: number; keys: number; users: number },
): Promise<PgbenchResult> {
  const binaries = findPostgresBinaries()
  if (binaries === undefined) throw new Error(postgresMissing)
  const { stdout, stderr } = await run(join(binaries.directory, 'pgbench'), [
    ...['--no-vacuum', '--protocol=prepared', `--file=${join(import.meta.dirname, 'peers/pgbench.sql')}`],
    ...[`--client=${connections}`, '--jobs=2', `--time=${seconds}`],
    ...[`--define=keys=${keys}`, `--define=users=${users}`, databaseUrl],
  ])
  const find = (pattern: RegExp) => Number(pattern.exec(stdout)?.[1] ?? Number.NaN)
  const transactions = find(/transactions actually processed: (\d+)/)
  const perSecond = find(/tps = ([\d.]+)/)
  if (find(/failed transactions: (\d+)/) !== 0 || Number.isNaN(transactions + perSecond)) {
    throw new Error(`pgbench failed:\n${stdout}${stderr}`)
  }
  return { transactions, perSecond }
}
