/**
 * Instances of the service as they run in the field: processes of their own, that can be killed.
 *
 * @module
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** A service that runs in a process of its own. */
export interface InstanceProcess extends AsyncDisposable {
  /** Where it listens: `http://127.0.0.1:PORT`. */
  url: string
  /** Whether the process that was started is still the one that runs. */
  isRunning(): boolean
  /** The last of what it logged. */
  readLog(): string
  /** Tells it to stop (SIGTERM), and resolves with its exit code once it is gone. */
  stop(): Promise<number | null>
  /** Ends it with `kill -9`, and waits until it is gone. */
  kill(): Promise<void>
}

const program = resolve(import.meta.dirname, '../../api/node.ts')
/** Characters of the log that are kept. */
const logSize = 20_000

/** What is waited for at the start: that data can be had, or that it listens while its database is away. */
type StartPhase = 'ready' | 'listening'

const announcements = {
  ready: /devdata is ready at (?:\S+ \(listening on )?http:\/\/127\.0\.0\.1:(\d+)\)?\n/,
  listening: /Listening on port (\d+), waiting for the database/,
}

/** Starts an instance on a PostgreSQL database, on a free port, and waits until it is ready. */
export async function startInstanceProcess(
  databaseUrl: string,
  settings: Record<string, string> = {},
  until: StartPhase = 'ready',
): Promise<InstanceProcess> {
  const directory = await mkdtemp(join(tmpdir(), 'devdata-instance-')) // without a .env file
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, [program], {
    cwd: directory,
    env: { PATH, HOME, PORT: '0', LOG_LEVEL: 'error', ...settings, DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let log = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-logSize)
    })
  }
  const ended = once(child, 'close')
  const isRunning = () => child.exitCode === null && child.signalCode === null
  const instance = {
    isRunning,
    readLog: () => log,
    async stop() {
      child.kill('SIGTERM')
      await ended
      return child.exitCode
    },
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
    async [Symbol.asyncDispose]() {
      await instance.kill()
      await rm(directory, { recursive: true, force: true })
    },
  }
  for (;;) {
    const [, port] = announcements[until].exec(log) ?? []
    if (port !== undefined) return { ...instance, url: `http://127.0.0.1:${port}` }
    await Promise.race([ended, once(child.stdout, 'data'), once(child.stderr, 'data')])
    if (isRunning()) continue
    await instance[Symbol.asyncDispose]()
    throw new Error(`the instance ended: ${log}`)
  }
}
