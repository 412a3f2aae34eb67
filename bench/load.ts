/**
 * Load, from processes of its own: what they are told to do, what they report, and how they are run. They take jobs as
 * lines of JSON on standard input, and report each result as such a line.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** A request to send. */
export interface Target {
  /** API key. */
  key: string
  /** Path and query; `{n}` stands for a random whole number from 1 to `most`. */
  path: string
  /** Default: the job's. */
  most?: number
}

/** What every load is made of. */
export interface Load {
  port: number
  /** Of these one is chosen at random for each request. */
  targets: readonly Target[]
  /** Of targets that have none. Default: 1. */
  most?: number
  seconds: number
}

/** A closed loop: each connection sends its next request when it has the response. Any status but 200 is a failure. */
export interface ClosedLoopJob extends Load {
  connections: number
  /** Time before the figures count, in seconds. Default: 1, but not more than is measured. */
  warmUp?: number
  /** Whether each request has an `Idempotency-Key` of its own. */
  idempotent?: boolean
  /** What each request accepts; default: nothing but plain responses. */
  acceptEncoding?: string
  /** Whether a 503 is not a failure: the connection sends another request, and nothing is counted but `refused`. */
  mayRefuse?: boolean
}

export interface ClosedLoopResult {
  /** Responses, those of the warm-up included. */
  served: number
  /** Refused with 503, where the job allows it. */
  refused: number
  perSecond: number
  /** Latencies in milliseconds. */
  median: number
  p99: number
  longest: number
  /** From the first request to the last response, in seconds. */
  elapsed: number
}

/** An open loop: requests are sent when they are due, whatever became of those before. */
export interface OpenLoopJob extends Load {
  perSecond: number
  /** Opened before the start. A request that is due while all of them are busy is not offered. */
  connections: number
}

/** Requests that were due in one second, and what became of them. Latencies in milliseconds; NaN as null. */
export interface OpenLoopSecond {
  planned: number
  offered: number
  admitted: number
  unavailable: number
  throttled: number
  /** Other responses. */
  other: number
  /** Connections that ended under a request. */
  lost: number
  admittedMedian: number | null
  admittedP99: number | null
  refusedMedian: number | null
  refusedP99: number | null
}

/** A process that makes load, a job at a time. */
export interface Generator<Job, Result> extends AsyncDisposable {
  /** Throws an `Error` when the process fails, or a response is wrong. */
  run(job: Job): Promise<Result>
}

export type ClosedLoop = Generator<ClosedLoopJob, ClosedLoopResult>

export function startClosedLoop(): ClosedLoop {
  return startGenerator('closed-loop.ts')
}

export function startOpenLoop(): Generator<OpenLoopJob, OpenLoopSecond[]> {
  return startGenerator('open-loop.ts')
}

function startGenerator<Job, Result>(file: string): Generator<Job, Result> {
  const child = spawn(process.execPath, [join(import.meta.dirname, file)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const ended = once(child, 'close')
  return {
    async run(job) {
      child.stdin.write(`${JSON.stringify(job)}\n`)
      const { value, done } = await lines.next()
      if (done) throw new Error(`${file} failed`)
      const result: Result = JSON.parse(value)
      return result
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      child.kill()
      await ended
    },
  }
}

/** The generators' side: runs each job that comes on standard input. */
export async function serveJobs<Job, Result>(run: (job: Job) => Promise<Result>): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) {
    const job: Job = JSON.parse(line)
    process.stdout.write(`${JSON.stringify(await run(job))}\n`)
  }
}

/** Creates a function that writes requests for random targets. `headers` are further lines. */
export function createRequests({ port, targets, most = 1 }: Load): (headers?: string) => string {
  const rest = (key: string) => ` HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${key}\r\n`
  const parts = targets.map(({ key, path, most: own = most }) => {
    const [before = '', after] = path.split('{n}')
    return after === undefined
      ? { before: `GET ${before}${rest(key)}`, after: undefined, own }
      : { before: `GET ${before}`, after: after + rest(key), own }
  })
  return (headers = '') => {
    const part = parts[Math.floor(Math.random() * parts.length)]
    if (part === undefined) throw new Error('there is no target')
    if (part.after === undefined) return `${part.before}${headers}\r\n`
    return `${part.before}${1 + Math.floor(Math.random() * part.own)}${part.after}${headers}\r\n`
  }
}
