/** Instances of the service as deployers run them: processes on either runtime, which tests can kill. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { deno, denoPermissions } from './deno.ts'
import { liftoffOnly, type RunningProgram, startProgram } from './program.ts'

/** The runtimes of an instance. */
export const runtimes = ['node', 'deno'] as const
export type RuntimeName = (typeof runtimes)[number]

/** A service that runs in a process of its own. */
export interface InstanceProcess
  extends Pick<RunningProgram, 'isRunning' | 'kill' | 'processId'>,
    AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  url: string
  /** The end of its log. */
  readLog(): string
  /** Sends SIGTERM, and resolves with the exit code. */
  stop(): Promise<number | null>
}

/** How an instance is started. */
export interface InstanceProcessOptions {
  /** Default: Node. */
  runtime?: RuntimeName
  /** What to wait for: `ready`, or `listening` while the database is unavailable. Default: `ready`. */
  until?: 'ready' | 'listening'
  /** Limit of `ulimit -n`. Default: that of the tests. */
  maxOpenFiles?: number
}

const project = resolve(import.meta.dirname, '../..')

const announcements = {
  ready: /devdata is ready at (?:\S+ \(listening on )?http:\/\/127\.0\.0\.1:(\d+)\)?\n/,
  listening: /Listening on port (\d+), waiting for the database/,
}

/** The command that starts the service from a folder, with the permissions that it has on Deno. */
export function listStartCommand(runtime: RuntimeName, directory: string): string[] {
  return {
    node: () => [process.execPath, liftoffOnly, join(project, 'api/node.ts')],
    deno: () => [
      deno,
      'run',
      '--quiet',
      `--v8-flags=${liftoffOnly}`,
      ...denoPermissions('start', directory),
      join(project, 'api/deno.ts'),
    ],
  }[runtime]()
}

/**
 * Starts an instance on a free port, and waits for it. Without a URL it runs on the embedded database in the `DATA_DIR`
 * of `settings`.
 */
export async function startInstanceProcess(
  databaseUrl: string | undefined,
  settings: Record<string, string> = {},
  { runtime = 'node', until = 'ready', maxOpenFiles }: InstanceProcessOptions = {},
): Promise<InstanceProcess> {
  const directory = await mkdtemp(join(tmpdir(), 'devdata-instance-')) // without a .env file
  const removeDirectory = () => rm(directory, { recursive: true, force: true })
  const { DATA_DIR: dataDirectory = '' } = settings
  // deno.json permits the default data folder alone.
  const command = listStartCommand(runtime, directory).map((part) =>
    /^--allow-(read|write)=/.test(part) && dataDirectory !== '' ? `${part},${dataDirectory}` : part,
  )
  try {
    const limited =
      maxOpenFiles === undefined
        ? command
        : ['/bin/sh', '-c', `ulimit -n ${maxOpenFiles} && exec "$@"`, 'sh', ...command]
    const program = await startProgram(limited, {
      directory,
      environment: { PORT: '0', LOG_LEVEL: 'error', ...settings, DATABASE_URL: databaseUrl ?? '' },
      announcement: announcements[until],
    })
    return {
      ...program,
      url: `http://127.0.0.1:${program.announced}`,
      readLog: program.readOutput,
      async [Symbol.asyncDispose]() {
        await program.kill()
        await removeDirectory()
      },
    }
  } catch (error) {
    await removeDirectory()
    throw error
  }
}
