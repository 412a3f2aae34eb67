/**
 * Parses manifests within limits of time and memory, whatever they contain: clones are untrusted. Each parser takes
 * linear time, as far as we know. A thread holds what we don't know, and what is in libraries: it is ended with the
 * manifest in it.
 */
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { ManifestContent } from './manifest.ts'
import type { ManifestRequest, ManifestResponse } from './manifest-worker.ts'

/** No manifest that people write takes nearly as long. */
const maxSeconds = 10
/** The largest manifests of people take a tenth of this. */
const maxMegabytes = 512

/**
 * The thread. One is enough: the time of an import goes to git and the database. It doesn't keep the process running.
 */
let thread: Worker | undefined
/** Ends with the manifest that was asked for last. */
let last: Promise<unknown> = Promise.resolve()

/**
 * Reads what a manifest declares, as `parseManifest` does. Manifests wait for each other.
 *
 * @throws {Error} with one line when the content does not parse, or takes too much time or memory
 */
export function parseWithinBounds(format: string, content: string, url?: string): Promise<ManifestContent> {
  const parsed = last.then(() => parseNext({ format, content, url }))
  last = parsed.catch(() => {})
  return parsed
}

async function parseNext(request: ManifestRequest): Promise<ManifestContent> {
  thread ??= startThread()
  const response = await ask(thread, request)
  if ('reason' in response) throw new Error(response.reason)
  return response.content
}

function startThread(): Worker {
  // Compiled, in the packed file.
  const url = new URL(`./manifest-worker${extname(import.meta.url)}`, import.meta.url)
  const worker = new Worker(url, { resourceLimits: { maxOldGenerationSizeMb: maxMegabytes } })
  worker.on('error', () => {}) // while it has nothing to do: the next manifest gets another one
  worker.once('exit', () => {
    if (thread === worker) thread = undefined
  })
  return worker
}

/** Asks the thread, and ends it when it takes too much. Throws if it can't run at all. */
async function ask(worker: Worker, request: ManifestRequest): Promise<ManifestResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<ManifestResponse>()
  let seconds = 0
  // A process that was suspended gets one tick, however long that was. On Deno, a thread without memory only stops.
  const clock = setInterval(() => ++seconds > maxSeconds && resolve(tooMuch), 1000)
  const onError = (error: Error) =>
    'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? resolve(tooMuch) : reject(error)
  const onExit = () => resolve(tooMuch)
  worker.ref()
  worker.once('exit', onExit)
  worker.once('message', resolve)
  worker.once('error', onError)
  worker.postMessage(request)
  try {
    const response = await promise
    if (response === tooMuch) await stopThread()
    return response
  } catch (error) {
    await stopThread()
    throw error
  } finally {
    clearInterval(clock)
    worker.off('exit', onExit)
    worker.off('message', resolve)
    worker.off('error', onError)
    worker.unref()
  }
}

/** The outcome of a manifest that takes too much. On a faster machine, it may be another one. */
export const tooMuch = {
  reason: `takes too much time or memory to parse: at most ${maxSeconds} seconds and ${maxMegabytes} MB`,
} satisfies ManifestResponse

async function stopThread(): Promise<void> {
  const ended = thread
  thread = undefined
  await ended?.terminate()
}
