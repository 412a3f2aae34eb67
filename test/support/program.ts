/**
 * Programs that tests start and end: a server in a process of its own, whatever runs it.
 *
 * @module
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'

/** How a program is started. */
export interface ProgramOptions {
  /** The folder that it is started in. */
  directory: string
  /** All of its environment, but for what {@link inheritEnvironment} gives it. */
  environment: Record<string, string>
  /** What it prints once it takes requests; its first group is the address or the port. */
  announcement: RegExp
  /** The account that it runs under, where that is not the tests' own. */
  account?: { uid: number; gid: number } | undefined
  /** Whether signals go to what it starts as well, as those of a terminal do. */
  group?: boolean
}

/** A program that runs. */
export interface RunningProgram extends AsyncDisposable {
  /** What the announcement's group matched. */
  announced: string
  /** What it printed, on either stream; of much, the last of it. */
  readOutput(): string
  /** Of the process that was started. */
  processId: number
  /** Whether it is still the one that runs. */
  isRunning(): boolean
  /** Tells it to stop, and resolves with its exit code once it is gone. */
  stop(signal?: 'SIGTERM' | 'SIGINT'): Promise<number | null>
  /** Ends it with `kill -9`, and waits until it is gone. */
  kill(): Promise<void>
}

/**
 * What every program gets of the tests' own environment. `NODE_COMPILE_CACHE` (vitest.config.ts) spares Node most of the
 * time that it takes to load this project's modules.
 */
export function inheritEnvironment(): Record<string, string> {
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env
  return { PATH, HOME, NODE_COMPILE_CACHE }
}

/** Characters of the output that are kept. */
const outputSize = 20_000

const children = new Set<ChildProcess>()
let isWatching = false

/** Ends a program with this process, if it still runs then, however that comes about: but for `kill -9`. */
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

/** Lets a signal end this process as its end does: Node would end it at once, and what it started would stay. */
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
  ended.catch(() => {}) // a program that is not there: the loop below hears of it too
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
    await Promise.race([ended, once(child.stdout, 'data'), once(child.stderr, 'data')])
    if (!isRunning()) {
      throw new Error(`${program} ended with ${child.exitCode ?? child.signalCode}: ${output}`)
    }
  }
}
