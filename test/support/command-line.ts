/** Runs commands, each in a process of its own. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { cpSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import * as v from 'valibot'
import { expect, inject } from 'vitest'
import { inheritEnvironment, liftoffOnly } from './program.ts'
import { createUser } from './records.ts'
import { type DatabaseKind, startTestService, type TestService } from './service.ts'

/** Where a command finds its database: settings, and the folder that it is run in. */
export interface Location {
  environment: Record<string, string>
  directory: string
}

/** How a command is run. */
export interface RunOptions extends Location {
  /** Standard input. Default: empty. */
  input?: string | Uint8Array | AsyncIterable<string>
  /** Program and arguments before the command's own. Default: this Node. */
  program?: readonly string[]
}

/** What a command did. */
export interface CommandResult {
  code: number | null
  stdout: string
  /** Without the lines of progress. */
  stderr: string
}

/** Progress of an import. The number of lines depends on the machine's speed. */
const progressLine =
  /^(?:folding|applying|waiting for another load|(?:reading|writing|listing|fetching|opening)(?: \w+)?(?: of \S+ \(\d+ of \d+\))?|asking for [\w ]+)(?: \(batch \d+ of \d+\))?, (?:\d+ %, )?[\d:]+(?: s)?(?:, .*)?\n/gm

/** The file that is run. */
export const commandLine = resolve(import.meta.dirname, '../../api/cli/main.ts')

/** A program for `RunOptions`: Node where no file gets longer than 10 KB. To a command, that looks like a full disk. */
export const nodeOnFullDisk = ['sh', '-c', 'ulimit -f 10; exec "$0" "$@"', process.execPath, liftoffOnly]

/** Starts a command. */
export function startCommand(
  args: readonly string[],
  { environment, directory, program = [process.execPath, liftoffOnly] }: RunOptions,
): ChildProcessWithoutNullStreams {
  const [command = '', ...before] = program
  // Empty settings count as unset.
  const settings = { DATABASE_URL: '', DATA_DIR: '', DEFAULT_RATE_LIMIT: '', NO_COLOR: '1', ...environment }
  return spawn(command, [...before, commandLine, ...args], {
    cwd: directory,
    env: { ...inheritEnvironment(), ...settings },
    stdio: 'pipe',
  })
}

/** Runs a command to its end. */
export async function runCommand(args: readonly string[], options: RunOptions): Promise<CommandResult> {
  const child = startCommand(args, options)
  const { input = '' } = options
  child.stdin.on('error', () => {}) // it need not read to the end
  if (typeof input === 'string' || input instanceof Uint8Array) child.stdin.end(input)
  else Readable.from(input).pipe(child.stdin)
  return finishCommand(child)
}

/** Runs a command in a test's location. */
export type Run = (args: readonly string[], options?: Partial<RunOptions>) => Promise<CommandResult>

/** Runs a command with `--json`, and reads what it prints. It must succeed, and print nothing on standard error. */
export async function readJson(
  run: Run,
  args: readonly string[],
  options?: Partial<RunOptions>,
): Promise<unknown> {
  const { code, stdout, stderr } = await run([...args, '--json'], options)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^[^\n]+\n$/)
  return JSON.parse(stdout)
}

/** What `keys create --json` and `keys rotate --json` print, in part. */
export const createdKeySchema = v.looseObject({ id: v.number(), api_key: v.string() })

/** Waits for a started command's end. */
export async function finishCommand(child: ChildProcessWithoutNullStreams): Promise<CommandResult> {
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const code = await new Promise<number | null>((ended, failed) => {
    child.once('error', failed)
    child.once('close', ended)
  })
  return { code, stdout, stderr: stderr.replace(progressLine, '') }
}

/** The database of a service that is running. */
export function locationOf({ location: { databaseUrl, dataDirectory } }: TestService): Location {
  return databaseUrl === undefined
    ? { environment: { DATA_DIR: '.' }, directory: dataDirectory }
    : { environment: { DATABASE_URL: databaseUrl }, directory: tmpdir() }
}

/** An embedded database that nobody runs: none yet, or a copy of one that is prepared. */
export async function createFolder(
  data?: 'empty' | 'sample',
): Promise<Location & { remove(): Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), 'devdata-cli-'))
  if (data !== undefined) {
    cpSync(join(inject('databases').directory, data), join(directory, '.data'), { recursive: true })
  }
  return {
    environment: {},
    directory,
    remove: () => rm(directory, { recursive: true, force: true }),
  }
}

/** A service, and commands that are run in a folder of their own and find its database. */
export async function startServiceForCommands(kind: DatabaseKind) {
  const service = await startTestService(kind, { data: 'empty' })
  const { directory, remove } = await createFolder()
  const location = locationOf(service)
  const environment = kind === 'embedded' ? { DATA_DIR: location.directory } : location.environment
  const run: Run = (args, options) => runCommand(args, { environment, directory, ...options })
  return {
    service,
    directory,
    environment,
    run,
    async close() {
      await service.close()
      await remove()
    },
  }
}

/** The sample data, as files to import. */
export const sampleDirectory = resolve(import.meta.dirname, '../../sample')

/** A line of a user. Users with different numbers are different. */
export function createUserLine(number: number): string {
  return `${JSON.stringify(createUser(900_000 + number, { login: `line-user-${number}` }))}\n`
}
