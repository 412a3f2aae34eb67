/** The fair queue (`api/concurrency/fair-queue.ts`) and the batcher (`api/concurrency/batcher.ts`). */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type BatchOptions, createBatcher } from '../../api/concurrency/batcher.ts'
import { createFairQueue, type FairQueueOptions } from '../../api/concurrency/fair-queue.ts'

/** Waits until what ended has settled, and what that started in the next turn of the event loop has begun. */
const settled = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)))

/** A queue of named requests that records which were started, and which were refused. */
function createRecordedQueue(options: Partial<FairQueueOptions> = {}) {
  const queue = createFairQueue<string>({
    maxConcurrent: 1,
    maxQueued: 100,
    maxWaitMs: 1_000,
    ...options,
  })
  const started: string[] = []
  const refused: string[] = []
  const running: (() => void)[] = []
  return {
    queue,
    started,
    refused,
    /** `a1` is the first request of caller `a`. */
    async enter(...requests: string[]) {
      for (const request of requests) {
        queue.enter(request.replace(/\d+$/, '')).then(
          (leave) => {
            started.push(request)
            running.push(leave)
          },
          (error: unknown) => {
            expect(error).toMatchObject({ code: 'over_capacity' })
            refused.push(request)
          },
        )
      }
      await settled()
    },
    /** Ends requests, the one that started first first, until none runs or `count` have ended. */
    async end(count = Number.POSITIVE_INFINITY) {
      for (let ended = 0; ended < count; ended++) {
        const leave = running.shift()
        if (leave === undefined) return
        leave()
        await settled()
      }
    },
  }
}

describe('a fair queue', () => {
  test('starts requests immediately while it has room', async () => {
    const { enter, end, started, refused } = createRecordedQueue({ maxConcurrent: 3, maxQueued: 0 })
    await enter('a1', 'a2', 'b1')
    expect(started).toEqual(['a1', 'a2', 'b1'])
    await end()
    await enter('a3', 'c1', 'c2')
    expect(started.slice(3)).toEqual(['a3', 'c1', 'c2'])
    expect(refused).toEqual([])
  })

  test('never runs more than its limit, and starts the next request when one ends', async () => {
    const { enter, end, started } = createRecordedQueue({ maxConcurrent: 2 })
    await enter('a1', 'a2', 'a3', 'a4', 'a5')
    expect(started).toEqual(['a1', 'a2'])
    await end(1)
    expect(started).toEqual(['a1', 'a2', 'a3'])
    await end()
    expect(started).toEqual(['a1', 'a2', 'a3', 'a4', 'a5'])
  })

  test('gives callers turns, and keeps the order of each caller’s requests', async () => {
    const { enter, end, started } = createRecordedQueue()
    await enter('x1', 'a1', 'a2', 'a3', 'b1', 'b2', 'c1')
    await end()
    expect(started).toEqual(['x1', 'a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
  })

  test('delays a caller’s one request by one turn behind a thousand of another caller', async () => {
    const { enter, end, started } = createRecordedQueue({ maxQueued: 2_000 })
    await enter(...Array.from({ length: 1_001 }, (_, index) => `a${index}`), 'b1')
    await end(2)
    expect(started).toEqual(['a0', 'a1', 'b1'])
  })

  test('puts a caller behind the others after its turn', async () => {
    const { enter, end, started } = createRecordedQueue()
    await enter('a1', 'a2', 'b1')
    await end(1)
    await enter('a3', 'c1')
    await end()
    expect(started).toEqual(['a1', 'a2', 'b1', 'a3', 'c1'])
  })

  test('drops a waiting request when its client is gone, and no other request', async () => {
    const queue = createFairQueue<string>({ maxConcurrent: 1, maxQueued: 3, maxWaitMs: 1_000 })
    const leave = await queue.enter('x')
    const client = new AbortController()
    const ends = [
      queue.enter('a', client.signal),
      queue.enter('a', new AbortController().signal),
      queue.enter('b', client.signal),
    ].map((entered) => entered.then(() => 'started', String))
    expect(queue.readState()).toEqual({ running: 1, queued: 3 })
    client.abort()
    expect(queue.readState()).toEqual({ running: 1, queued: 1 })
    leave()
    const gone = 'ClientGoneError: the client closed its connection'
    expect(await Promise.all(ends)).toEqual([gone, 'started', gone])
    expect(queue.readState()).toEqual({ running: 1, queued: 0 })
  })

  test('leaves a running request alone when its client is gone, and lets it end once', async () => {
    const queue = createFairQueue<string>({ maxConcurrent: 1, maxQueued: 3, maxWaitMs: 1_000 })
    const leave = await queue.enter('x')
    const client = new AbortController()
    const entered = queue.enter('a', client.signal)
    leave()
    const leaveAgain = await entered
    client.abort()
    leave()
    expect(queue.readState()).toEqual({ running: 1, queued: 0 })
    leaveAgain()
    leaveAgain()
    expect(queue.readState()).toEqual({ running: 0, queued: 0 })
  })

  describe('that is full', () => {
    test('refuses a request if no caller has more than its share', async () => {
      const { enter, end, started, refused, queue } = createRecordedQueue({ maxQueued: 3 })
      await enter('x1', 'a1', 'b1')
      expect(['a', 'd'].map(queue.isFullFor)).toEqual([false, false])
      await enter('c1')
      expect(['a', 'd'].map(queue.isFullFor)).toEqual([true, true])
      await enter('d1', 'a2')
      expect(refused).toEqual(['d1', 'a2'])
      await end()
      expect(started).toEqual(['x1', 'a1', 'b1', 'c1'])
    })

    test('refuses the newest request of the caller with the most, for one of a caller with less than its share', async () => {
      const { enter, end, started, refused, queue } = createRecordedQueue({ maxQueued: 4 })
      await enter('x1', 'a1', 'a2', 'a3', 'b1')
      expect(['a', 'b', 'c'].map(queue.isFullFor)).toEqual([true, false, false])
      await enter('c1')
      expect(refused).toEqual(['a3'])
      await enter('c2')
      expect(refused).toEqual(['a3', 'c2']) // it would take a2’s place, and a would have no more than c
      await end()
      expect(started).toEqual(['x1', 'a1', 'b1', 'c1', 'a2'])
    })

    test('divides its places equally, however many requests arrive, and has room again afterwards', async () => {
      const { enter, end, started, refused } = createRecordedQueue({ maxQueued: 10 })
      await enter(...Array.from({ length: 300 }, (_, index) => `a${index}`))
      await enter(...Array.from({ length: 500 }, (_, index) => `${'bcde'[index % 4]}${index}`))
      expect(started).toHaveLength(1)
      expect(refused).toHaveLength(800 - 11)
      await end()
      expect(started).toHaveLength(11)
      expect(new Set([...started, ...refused]).size).toBe(800)
      const shares = [...'abcde'].map(
        (caller) => started.slice(1).filter((name) => name.startsWith(caller)).length,
      )
      expect(shares).toEqual([2, 2, 2, 2, 2])
      await enter('z1')
      expect(started.at(-1)).toBe('z1')
    })
  })

  test('refuses requests that have waited for the maximum, while the ones before them still run', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const { enter, end, started, refused, queue } = createRecordedQueue({ maxWaitMs: 1_000 })
      await enter('x1', 'a1', 'b1')
      vi.advanceTimersByTime(999)
      await enter('c1')
      expect(refused).toEqual([])
      vi.advanceTimersByTime(1)
      await settled()
      expect(refused).toEqual(['a1', 'b1'])
      expect(queue.readState()).toEqual({ running: 1, queued: 1 })
      await end()
      expect(started).toEqual(['x1', 'c1'])
      vi.advanceTimersByTime(5_000)
      await enter('a2')
      expect([started.at(-1), refused]).toEqual(['a2', ['a1', 'b1']])
    } finally {
      vi.useRealTimers()
    }
  })
})

/** A batcher whose batches end when the test says so. */
function createBatches(options: Partial<BatchOptions<number, string>> = {}) {
  const batches: { inputs: number[]; end(): void; fail(error: Error): void }[] = []
  const ask = createBatcher({
    size: 100,
    ...options,
    run: (inputs: number[]) =>
      new Promise<string[]>((resolve, reject) => {
        batches.push({ inputs, end: () => resolve(inputs.map((input) => `#${input}`)), fail: reject })
      }),
  })
  const outcomes: string[] = []
  return {
    batches,
    outcomes,
    ask,
    /** Asks in one turn of the event loop, and waits for its end. */
    async note(...inputs: number[]) {
      for (const input of inputs) {
        ask(input).then(
          (output) => outcomes.push(output),
          (error: Error) => outcomes.push(error.message),
        )
      }
      await settled()
    },
    inputs: () => batches.map(({ inputs }) => inputs),
  }
}

describe('a batcher', () => {
  test('runs the inputs of one turn of the event loop together, and then those that arrived meanwhile', async () => {
    const { batches, note, inputs, outcomes } = createBatches()
    await note(1)
    expect(inputs()).toEqual([[1]])
    await note(2, 3)
    await note(4)
    expect(inputs()).toEqual([[1]])
    batches[0]?.end()
    await settled()
    expect(inputs()).toEqual([[1], [2, 3, 4]])
    expect(outcomes).toEqual(['#1'])
    batches[1]?.end()
    await settled()
    expect(outcomes).toEqual(['#1', '#2', '#3', '#4'])
    await note(5, 6)
    expect(inputs()).toEqual([[1], [2, 3, 4], [5, 6]])
  })

  test('runs at most its size in a batch, in the order of arrival', async () => {
    const { batches, note, inputs, outcomes } = createBatches({ size: 3 })
    await note(1, 2, 3, 4, 5, 6, 7, 8)
    for (let index = 0; index < 3; index++) {
      batches[index]?.end()
      await settled()
    }
    expect(inputs()).toEqual([
      [1, 2, 3],
      [4, 5, 6],
      [7, 8],
    ])
    expect(outcomes).toEqual(['#1', '#2', '#3', '#4', '#5', '#6', '#7', '#8'])
  })

  test('fails all inputs of a failed batch, and no other', async () => {
    const { batches, note, outcomes } = createBatches()
    await note(1)
    await note(2, 3)
    batches[0]?.end()
    await settled()
    await note(4)
    batches[1]?.fail(new Error('broken'))
    await settled()
    batches[2]?.end()
    await settled()
    expect(outcomes).toEqual(['#1', 'broken', 'broken', '#4'])
  })

  test('fails all inputs if there is not an output for each', async () => {
    const ask = createBatcher({ size: 10, run: async (inputs: number[]) => inputs.slice(1) })
    await expect(ask(1)).rejects.toThrow('a batch must have an output for each input')
    expect(await Promise.allSettled([ask(2), ask(3), ask(4)])).toMatchObject(
      [2, 3, 4].map(() => ({ status: 'rejected' })),
    )
  })

  test('continues after an error that was thrown synchronously', async () => {
    let isBroken = true
    const ask = createBatcher({
      size: 10,
      run(inputs: number[]): Promise<number[]> {
        if (isBroken) throw new Error('broken')
        return Promise.resolve(inputs)
      },
    })
    await expect(ask(1)).rejects.toThrow('broken')
    isBroken = false
    expect(await ask(2)).toBe(2)
  })

  test('runs up to its limit of concurrent batches', async () => {
    const { batches, note, inputs } = createBatches({ maxConcurrent: 2 })
    await note(1)
    await note(2)
    await note(3, 4)
    expect(inputs()).toEqual([[1], [2]])
    batches[1]?.end()
    await settled()
    expect(inputs()).toEqual([[1], [2], [3, 4]])
  })

  describe('whose batch is late', () => {
    beforeEach(() => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    })
    afterEach(() => {
      vi.useRealTimers()
    })

    test('starts an extra batch, so that the next inputs need not wait for it', async () => {
      const { batches, note, inputs, outcomes } = createBatches()
      await note(1)
      await note(2, 3)
      vi.advanceTimersByTime(99)
      await settled()
      expect(inputs()).toEqual([[1]])
      vi.advanceTimersByTime(1)
      await settled()
      expect(inputs()).toEqual([[1], [2, 3]])
      batches[1]?.end()
      await settled()
      expect(outcomes).toEqual(['#2', '#3'])
      await note(4)
      expect(inputs()).toEqual([[1], [2, 3], [4]])
      batches[2]?.end()
      batches[0]?.end()
      await settled()
      expect(outcomes).toEqual(['#2', '#3', '#4', '#1'])
    })

    test('starts two extra batches at most', async () => {
      const { batches, note, inputs } = createBatches()
      for (const input of [1, 2, 3, 4, 5]) {
        await note(input)
        vi.advanceTimersByTime(100)
        await settled()
      }
      expect(inputs()).toEqual([[1], [2], [3]])
      batches[0]?.end()
      await settled()
      expect(inputs()).toEqual([[1], [2], [3], [4, 5]])
    })

    test('starts no extra batch without a free connection', async () => {
      let hasRoom = false
      const { batches, note, inputs } = createBatches({ hasRoom: () => hasRoom })
      await note(1)
      await note(2)
      vi.advanceTimersByTime(100)
      await settled()
      expect(inputs()).toEqual([[1]])
      hasRoom = true
      await note(3)
      expect(inputs()).toEqual([[1], [2, 3]])
      batches[1]?.end()
      await settled()
      hasRoom = false
      await note(4)
      expect(inputs()).toHaveLength(2)
      batches[0]?.end()
      await settled()
      expect(inputs()).toEqual([[1], [2, 3], [4]])
    })

    test('starts no extra batch once it has ended', async () => {
      const { batches, note, inputs } = createBatches()
      await note(1)
      vi.advanceTimersByTime(100)
      batches[0]?.end()
      await settled()
      await note(2)
      await note(3)
      expect(inputs()).toEqual([[1], [2]])
    })

    test('starts no extra batch once it has failed', async () => {
      const { batches, note, inputs, outcomes } = createBatches()
      await note(1)
      vi.advanceTimersByTime(100)
      batches[0]?.fail(new Error('broken'))
      await settled()
      await note(2)
      await note(3)
      expect(inputs()).toEqual([[1], [2]])
      expect(outcomes).toEqual(['broken'])
    })
  })
})
