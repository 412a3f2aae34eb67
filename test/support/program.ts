/** Servers of any kind that tests start and stop, each in a process of its own. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import { promisify } from 'node:util'

/** How a program is started. */
export interface ProgramOptions {
  /** The folder that it is started in. */
  directory: string
  /** Its environment, in addition to {@link inheritEnvironment}. */
  environment: Record<string, string>
  /** What it prints when it takes requests. The first group is the URL or the port. */
  announcement: RegExp
  /** The account that it runs under. Default: that of the tests. */
  account?: { uid: number; gid: number } | undefined
  /** Whether signals reach its child processes too, like those of a terminal. */
  group?: boolean
}

/** A program that runs. */
export interface RunningProgram extends AsyncDisposable {
  /** What the announcement's group matched. */
  announced: string
  /** The end of what it printed on both streams. */
  readOutput(): string
  /** The id of the started process. */
  processId: number
  /** Whether it still runs. */
  isRunning(): boolean
  /** Sends the signal (default: SIGTERM), and resolves with the exit code. */
  stop(signal?: 'SIGTERM' | 'SIGINT'): Promise<number | null>
  /** Ends it with SIGKILL, and waits for its end. */
  kill(): Promise<void>
}

/**
 * The variables of this process that all programs get. With `NODE_COMPILE_CACHE` (vitest.config.ts), Node loads the
 * modules of this project in a third of the time.
 */
export function inheritEnvironment(): Record<string, string> {
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env
  return { PATH, HOME, NODE_COMPILE_CACHE }
}

/** Keeps V8 from optimizing the embedded database's WebAssembly: it takes longer than a short process saves by it. */
export const liftoffOnly = '--liftoff-only'

/** Whether the machine has a program that ends with 0 when it gets these parameters. */
export function succeeds(program: string, ...parameters: string[]): Promise<boolean> {
  return promisify(execFile)(program, parameters).then(
    () => true,
    () => false,
  )
}

/** Characters of the output that are kept. */
const outputSize = 20_000

const children = new Set<ChildProcess>()
let isWatching = false

/** Ends a program with this process, unless SIGKILL ends this process. */
export function endWithThisProcess<Child extends ChildProcess>(child: Child): Child {
  if (!isWatching) process.once('exit', endChildren)
  isWatching = true
  children.add(child)
  child.once('exit', () => children.delete(child))
  return child
}

function endChildren(): void {
  for (const child of children) child.kill('SIGKILL')
}

/** Exits on signals. Node's default would leave the started programs running. */
export function exitOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => process.exit(128 + constants.signals[signal]))
  }
}

/** Starts a program, and waits for its announcement. Throws with its output when it ends before. */
export async function startProgram(
  command: readonly string[],
  { directory, environment, announcement, account, group = false }: ProgramOptions,
): Promise<RunningProgram> {
  const [program = '', ...parameters] = command
  const child = endWithThisProcess(
    spawn(program, parameters, {
      ...account,
      cwd: directory,
      detached: group,
      env: { ...inheritEnvironment(), NO_COLOR: '1', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-outputSize)
    })
  }
  const ended = once(child, 'close')
  ended.catch(() => {}) // the loop below also rejects when the program does not exist
  const isRunning = () => child.exitCode === null && child.signalCode === null
  const end = async (signal: NodeJS.Signals) => {
    if (group && child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, signal)
    else child.kill(signal)
    await ended
    return child.exitCode
  }
  for (;;) {
    const [, announced] = announcement.exec(output) ?? []
    if (announced !== undefined) {
      const kill = async () => void (await end('SIGKILL'))
      return {
        announced,
        readOutput: () => output,
        processId: child.pid ?? 0,
        isRunning,
        stop: (signal = 'SIGTERM') => end(signal),
        kill,
        [Symbol.asyncDispose]: kill,
      }
    }
    const listening = new AbortController()
    const { signal } = listening
    await Promise.race([
      ended,
      ...[child.stdout, child.stderr].map((stream) => once(stream, 'data', { signal })),
    ])
    listening.abort()
    if (!isRunning()) {
      throw new Error(`${program} ended with ${child.exitCode ?? child.signalCode}: ${output}`)
    }
  }
}
