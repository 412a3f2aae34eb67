/**
 * A batcher: runs many small inputs with few statements. Inputs of one turn of the event loop form a batch, and while a
 * statement runs, the next inputs wait for the next batch. No timer delays them.
 *
 * Under load, two batches alternate: while the database works on one, this process delivers the outputs of the other
 * and reads new requests. So a batch takes only half of the inputs in progress, and the next batch starts before the
 * outputs of the last one are delivered. If a batch took all inputs, the database and this process would wait for each
 * other.
 */
import { setImmediate } from 'node:timers'
import { ClientGoneError } from '../errors.ts'

/** What a batcher runs. */
export interface BatchOptions<Input, Output> {
  /** Runs one statement and resolves with an output for each input, in their order. If it throws, all inputs fail. */
  run(inputs: Input[]): Promise<Output[]>
  /** Inputs in a batch at most. */
  size: number
  /** Batches that run at a time. Default: 1. */
  maxConcurrent?: number | undefined
  /** Whether a connection is free for an extra batch beside a late one. Default: always. */
  hasRoom?(): boolean
  /**
   * Whether the statement charges clients, who may have left. Then a batch starts one turn of the event loop later:
   * while the inputs came, others could leave unseen. Default: false.
   */
  charges?: boolean
}

/** A batch is late after this time: its connection may be dead. An extra batch may run for each late one. */
export const lateAfterMs = 100
const maxExtra = 2
/** Batches up to this size aren't split: a statement costs about as much as ten inputs. */
const minSplitSize = 8

/** Creates a function that runs one input in a batch with others. */
export function createBatcher<Input, Output>(options: BatchOptions<Input, Output>) {
  const { run, size, maxConcurrent = 1, hasRoom = () => true, charges = false } = options
  interface Entry {
    input: Input
    signal: AbortSignal | undefined
    resolve(output: Output): void
    reject(error: unknown): void
  }
  const queue: Entry[] = []
  let running = 0
  /** Size of the batch that ended last: its clients may send their next requests soon. */
  let lastSize = 0
  let late = 0
  let isStarting = false

  async function start(): Promise<void> {
    const half = Math.ceil((queue.length + lastSize) / 2)
    const taken = queue.splice(0, Math.min(size, Math.max(minSplitSize, half)))
    const batch = taken.filter(({ signal }) => !signal?.aborted)
    for (const { signal, reject } of taken) if (signal?.aborted) reject(new ClientGoneError())
    if (batch.length === 0) return
    running++
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      late++
      startSoon()
    }, lateAfterMs)
    // Called before the outputs are delivered: delivery blocks the thread, and the database must not wait for it.
    const leave = () => {
      clearTimeout(timer)
      running--
      if (isLate) late--
      lastSize = batch.length
      if (2 * queue.length >= batch.length) startNow()
      else startSoon()
    }
    let outputs: Output[]
    try {
      outputs = await run(batch.map(({ input }) => input))
      if (outputs.length !== batch.length) throw new Error('a batch must have an output for each input')
    } catch (error) {
      leave()
      for (const { reject } of batch) reject(error)
      return
    }
    leave()
    for (const [index, output] of outputs.entries()) batch[index]?.resolve(output)
  }

  function startNow(): void {
    const mayStart = () =>
      running < maxConcurrent || (running < maxConcurrent + Math.min(late, maxExtra) && hasRoom())
    while (queue.length > 0 && mayStart()) void start()
  }

  /** Starts at the end of this turn of the event loop or of the next one, so that its other inputs are in the batch. */
  function startSoon(): void {
    if (isStarting || queue.length === 0) return
    isStarting = true
    const begin = () => {
      isStarting = false
      startNow()
    }
    setImmediate(charges ? () => setImmediate(begin) : begin)
  }

  /** Throws `ClientGoneError` when the signal is aborted before the batch starts. */
  function runInBatch(input: Input, signal?: AbortSignal): Promise<Output> {
    return new Promise((resolve, reject) => {
      queue.push({ input, signal, resolve, reject })
      startSoon()
    })
  }
  /** Inputs that wait for a batch. */
  runInBatch.countQueued = () => queue.length
  return runInBatch
}

/**
 * Creates a function that shares reads: concurrent calls share a few reads. A call never gets the result of a read that
 * started before it.
 */
export function shareRead<T>(read: () => Promise<T>): () => Promise<T> {
  const readInBatch = createBatcher<null, T>({
    size: Number.POSITIVE_INFINITY,
    run: async (calls) => {
      const result = await read()
      return calls.map(() => result)
    },
  })
  return () => readInBatch(null)
}
