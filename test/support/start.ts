/** Starts of the service as a person sees them: what is printed, and how they end. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { endWithThisProcess, inheritEnvironment } from './program.ts'

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
