/**
 * Many small questions, few statements: what comes in one turn of the event loop goes together, and while a statement is
 * under way, what comes next gathers. Nothing waits for a timer.
 *
 * Under load two groups alternate: while the database works on one, this process answers the other and reads what is
 * asked next. So a statement takes half of all that is about, and the next one is sent before the answers of the last
 * are worked on. With all in one group the two would wait for each other.
 *
 * @module
 */
import { setImmediate } from 'node:timers'

/** What a batcher runs, and how much of it at a time. */
export interface BatchOptions<Input, Output> {
  /** Answers inputs in their order, with one statement. When it throws, all of them fail alike. */
  run(inputs: Input[]): Promise<Output[]>
  /** Inputs in a statement, at most. */
  size: number
  /** Statements under way at a time, as long as they answer soon. Default 1. */
  lanes?: number
  /** Whether there is a connection for a statement that is lent a lane. Default: always. */
  hasRoom?(): boolean
}

/**
 * A statement that takes longer than this, in milliseconds, no longer keeps others from starting: its connection may
 * be dead. So a lane more is lent for each that is late, up to `maxLent`.
 */
const patience = 100
const maxLent = 2
/** So few go together in any case: a statement costs as much as ten inputs. */
const smallBatch = 8

/** What a batcher does at the moment, and has done. */
export interface BatchState {
  /** Inputs that no statement has taken yet. */
  waiting: number
  /** Statements under way. */
  underWay: number
  /** Statements that were begun. */
  batches: number
  /** Inputs that they took. */
  inputs: number
}

/** Creates a function that answers one input, and runs together with others that are asked at the same time. */
export function createBatcher<Input, Output>(options: BatchOptions<Input, Output>) {
  const { run, size, lanes = 1, hasRoom = () => true } = options
  interface Waiting {
    input: Input
    resolve(output: Output): void
    reject(error: unknown): void
  }
  const waiting: Waiting[] = []
  let underWay = 0
  /** Inputs of the last batch: whoever asked them may ask again soon. */
  let lastAnswered = 0
  let late = 0
  let isStarting = false
  let batches = 0
  let inputs = 0

  async function start(): Promise<void> {
    const half = Math.ceil((waiting.length + lastAnswered) / 2)
    const batch = waiting.splice(0, Math.min(size, Math.max(smallBatch, half)))
    underWay++
    batches++
    inputs += batch.length
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      late++
      startSoon()
    }, patience)
    /** The lane is free. Done before the answers are worked on, which takes the thread: the database must not wait. */
    const leave = () => {
      clearTimeout(timer)
      underWay--
      if (isLate) late--
      lastAnswered = batch.length
      if (2 * waiting.length >= batch.length) startNow()
      else startSoon()
    }
    let outputs: Output[]
    try {
      outputs = await run(batch.map(({ input }) => input))
      if (outputs.length !== batch.length) throw new Error('a batch has not an output for each input')
    } catch (error) {
      leave()
      for (const { reject } of batch) reject(error)
      return
    }
    leave()
    for (const [index, output] of outputs.entries()) batch[index]?.resolve(output)
  }

  function startNow(): void {
    const hasLane = () => underWay < lanes || (underWay < lanes + Math.min(late, maxLent) && hasRoom())
    while (waiting.length > 0 && hasLane()) void start()
  }

  /** At the end of this turn of the event loop: what else has come by then is in the same batch. */
  function startSoon(): void {
    if (isStarting || waiting.length === 0) return
    isStarting = true
    setImmediate(() => {
      isStarting = false
      startNow()
    })
  }

  function ask(input: Input): Promise<Output> {
    return new Promise((resolve, reject) => {
      waiting.push({ input, resolve, reject })
      startSoon()
    })
  }
  ask.readState = (): BatchState => ({ waiting: waiting.length, underWay, batches, inputs })
  return ask
}
