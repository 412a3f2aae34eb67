/** Starts of the service as a person sees them: what is printed, and how they end. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { buildDocs } from '../../docs-site/build.ts'
import { listStartCommand, type RuntimeName } from './process.ts'
import { endWithThisProcess, inheritEnvironment } from './program.ts'

/** A folder in which tests start the service, with built docs. Each `describe` that calls this has its own. */
export function useStartFolder(runtime: RuntimeName) {
  let directory = ''
  beforeAll(async () => {
    await buildDocs({ ifStale: true })
    directory = await mkdtemp(join(tmpdir(), 'devdata-start-'))
  })
  afterAll(() => rm(directory, { recursive: true, force: true }))
  return {
    /** The path of what is in the folder. Default: its own. */
    pathOf: (path = '.') => join(directory, path),
    start: (settings: Record<string, string> = {}) =>
      startService(listStartCommand(runtime, directory), directory, settings),
  }
}

/** Starts the service on a free port. The settings of `directory`'s .env file count. */
export function startService(
  command: readonly string[],
  directory: string,
  settings: Record<string, string>,
) {
  const [program = '', ...parameters] = command
  const child: ChildProcessWithoutNullStreams = endWithThisProcess(
    spawn(program, parameters, {
      cwd: directory,
      env: { ...inheritEnvironment(), NO_COLOR: '1', PORT: '0', ...settings },
      stdio: 'pipe',
    }),
  )
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text
  })
  const ended = once(child, 'close').then(([code]: (number | null)[]) => ({ code, ...output }))
  return {
    ended,
    stop: () => child.kill('SIGTERM'),
    kill: () => child.kill('SIGKILL'),
    /** What was printed on both streams until the service said that it is ready. */
    async ready(): Promise<string> {
      const printed = [child.stdout, child.stderr]
      while (!/devdata is ready at [\s\S]*\n\n/.test(output.stdout + output.stderr)) {
        const result = await Promise.race([
          ended,
          ...printed.map((stream) => once(stream, 'data').then(() => undefined)),
        ])
        if (result !== undefined)
          throw new Error(`it ended with ${result.code}: ${result.stderr}${result.stdout}`)
      }
      return output.stdout + output.stderr
    },
    [Symbol.dispose]() {
      child.kill('SIGKILL')
    },
  }
}

/** What a person reads off the start. */
export function readStart(text: string) {
  const find = (pattern: RegExp) => pattern.exec(text)?.[1] ?? `no ${pattern} in ${text}`
  return {
    base: find(/devdata is ready at (\S+)/),
    docs: find(/docs +(\S+)/),
    viewer: find(/viewer +(\S+)/),
    data: find(/^ +data +(.+)/m),
    userKey: find(/user key (\S+)/),
    adminKey: find(/admin +(\S+)/),
    curl: [...find(/(curl .+)/).matchAll(/'([^']*)'/g)].map(([, quoted]) => quoted ?? ''),
  }
}

/** Reads JSON with a key. */
export async function getJson(url: string, key: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch(url, { headers: { Authorization: `Bearer ${key}` } })
  return { status: response.status, body: await response.json() }
}
