/** The programs under measurement, each a process of its own. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setInterval } from 'node:timers/promises'
import { promisify } from 'node:util'
import { endWithThisProcess, inheritEnvironment } from '../test/support/program.ts'

const project = resolve(import.meta.dirname, '..')
/** As `npm run devdata` has it. */
const compileCache = join(project, 'node_modules/.cache/node')
const run = promisify(execFile)

/** A server on a port of this machine. */
export interface Program extends AsyncDisposable {
  port: number
  pid: number
}

/** Settings without cached responses, which would hide what reading takes. */
export const uncached = { RESPONSE_CACHE_MB: '0' }

/** The service as it is deployed, but for its log: the peer has none either. `settings` are settings of its own. */
export function startOurs(databaseUrl: string, settings: Record<string, string> = {}): Promise<Program> {
  const parameters = [...scriptOptions('start'), ...nodeOptions(), join(project, 'api/node.ts')]
  return start(process.execPath, parameters, databaseUrl, settings)
}

/** The service on Deno. */
export function startOnDeno(databaseUrl: string, settings: Record<string, string> = {}): Promise<Program> {
  const deno = join(project, 'node_modules/.bin/deno')
  return start(deno, ['run', '--allow-all', '--quiet', join(project, 'api/deno.ts')], databaseUrl, settings)
}

export function startFastify(databaseUrl: string): Promise<Program> {
  return start(process.execPath, [...nodeOptions(), join(project, 'bench/peers/fastify.ts')], databaseUrl, {})
}

/** A server that responds to every request with the bytes of a file. */
export function startFloor(file: string): Promise<Program> {
  const program = join(project, 'bench/peers/floor.ts')
  return start(process.execPath, [...nodeOptions(), program], '', { RESPONSE_FILE: file })
}

/** Options of Node that `npm start` gives the service, or `npm run devdata` a command. */
function scriptOptions(script: 'start' | 'devdata'): string[] {
  const { scripts }: { scripts: Record<typeof script, string> } = JSON.parse(
    readFileSync(join(project, 'package.json'), 'utf8'),
  )
  const words = scripts[script].split(' ')
  return words.slice(words.lastIndexOf('node') + 1, -1)
}

function nodeOptions(): string[] {
  return (process.env.BENCH_NODE_OPTIONS ?? '').split(' ').filter(Boolean)
}

async function start(
  command: string,
  parameters: readonly string[],
  databaseUrl: string,
  settings: Record<string, string>,
): Promise<Program> {
  const child = endWithThisProcess(
    spawn(command, parameters, {
      cwd: tmpdir(), // settings of a .env file must not reach it
      env: {
        ...inheritEnvironment(),
        ...{ DATABASE_URL: databaseUrl, PORT: '0', LOG_LEVEL: 'error', LOG_FORMAT: 'pretty' },
        SHUTDOWN_DELAY_SECONDS: '0', // no proxy has to notice
        ...settings,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  )
  const ended = once(child, 'close')
  const port = await Promise.race([readPort(child), ended.then(() => undefined)])
  const { pid } = child
  if (port === undefined || pid === undefined) throw new Error(`${parameters.at(-1)} did not start`)
  return {
    port,
    pid,
    async [Symbol.asyncDispose]() {
      child.kill()
      await ended
    },
  }
}

/** What a command took. */
export interface LoadResult {
  seconds: number
  /** Resident memory of the command at most, in MiB. */
  megabytes: number
}

/** Runs `devdata import ndjson` on a folder. */
export function runImport(databaseUrl: string, folder: string): Promise<LoadResult> {
  return runCommand(databaseUrl, ['import', 'ndjson', folder])
}

/** Runs a command of `devdata`. `settings` are settings of its own. */
export async function runCommand(
  databaseUrl: string,
  words: readonly string[],
  settings: Record<string, string> = {},
): Promise<LoadResult> {
  const began = performance.now()
  const command = [...scriptOptions('devdata'), ...nodeOptions(), join(project, 'api/cli/main.ts'), ...words]
  const child = endWithThisProcess(
    spawn(process.execPath, command, {
      cwd: tmpdir(),
      env: {
        ...inheritEnvironment(),
        NODE_COMPILE_CACHE: compileCache,
        DATABASE_URL: databaseUrl,
        ...settings,
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    }),
  )
  const memory = watchMemory({ pid: child.pid ?? 0 })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`devdata ${words.join(' ')} failed with ${code}`)
  const seconds = (performance.now() - began) / 1000
  return { seconds, megabytes: Math.max(0, ...(await memory.stop())) }
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

/**
 * What a process and its threads have used of the processor, in microseconds. Linux tells in hundredths of a second.
 */
export async function readProcessorTime({ pid }: Pick<Program, 'pid'>): Promise<number> {
  const fields = await readProcess(pid)
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}

/** The same, of its child processes that have ended. */
export async function readTimeOfEnded({ pid }: Pick<Program, 'pid'>): Promise<number> {
  const fields = await readProcess(pid)
  return (Number(fields[13]) + Number(fields[14])) * 10_000
}

/** The fields of `/proc/PID/stat` from the third on. */
async function readProcess(pid: number): Promise<string[]> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8')
  return text.slice(text.lastIndexOf(')') + 2).split(' ')
}

/** Resident memory of a process, in MiB. */
export async function readMemory({ pid }: Pick<Program, 'pid'>): Promise<number> {
  const { stdout } = await run('ps', ['-o', 'rss=', '-p', String(pid)])
  return Number(stdout) / 1024
}

/** Reads the resident memory once a second, in MiB, until it is stopped or the program ends, and then once more. */
export function watchMemory(program: Pick<Program, 'pid'>): { stop(): Promise<number[]> } {
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
      await readMemory(program).then(
        (reading) => readings.push(reading),
        () => {},
      ) // it may have ended
      return readings
    },
  }
}
