/**
 * Who goes next when more is asked than can be done (`api/concurrency/fair-queue.ts`), and what goes together
 * (`api/concurrency/batcher.ts`).
 *
 * @module
 */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type BatchOptions, createBatcher } from '../api/concurrency/batcher.ts'
import { createFairQueue, type FairQueueOptions, OverCapacityError } from '../api/concurrency/fair-queue.ts'

/** What is under way has come to its end, and what that started in the next turn of the event loop has begun. */
const settled = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)))

/** A room whose visitors are named, and which notes who came in and who was turned away. */
function createRoom(options: Partial<FairQueueOptions> = {}) {
  const admission = createFairQueue<string>({
    maxConcurrent: 1,
    maxQueued: 100,
    maxWaitMs: 1_000,
    ...options,
  })
  const admitted: string[] = []
  const refused: string[] = []
  const inside: (() => void)[] = []
  return {
    isFull: admission.isFull,
    turnsAway: admission.turnsAway,
    admitted,
    refused,
    /** `a1` is the first of caller `a`. */
    async come(...visitors: string[]) {
      for (const visitor of visitors) {
        admission.enter(visitor.replace(/\d+$/, '')).then(
          (leave) => {
            admitted.push(visitor)
            inside.push(leave)
          },
          (error: unknown) => {
            expect(error).toBeInstanceOf(OverCapacityError)
            refused.push(visitor)
          },
        )
      }
      await settled()
    },
    /** Those who came in first leave, until nobody waits or so many have left. */
    async leave(count = Number.POSITIVE_INFINITY) {
      for (let left = 0; left < count; left++) {
        const leave = inside.shift()
        if (leave === undefined) return
        leave()
        await settled()
      }
    },
  }
}

describe('admission', () => {
  test('lets in whoever comes while there is room', async () => {
    const room = createRoom({ maxConcurrent: 3, maxQueued: 0 })
    await room.come('a1', 'a2', 'b1')
    expect(room.admitted).toEqual(['a1', 'a2', 'b1'])
    expect(room.isFull()).toBe(true)
    await room.leave()
    expect([room.isFull(), room.turnsAway('a')]).toEqual([false, false])
    await room.come('a3', 'c1', 'c2')
    expect(room.admitted.slice(3)).toEqual(['a3', 'c1', 'c2'])
    expect(room.refused).toEqual([])
  })

  test('works on so many at a time and no more, and on as many again as leave', async () => {
    const room = createRoom({ maxConcurrent: 2 })
    await room.come('a1', 'a2', 'a3', 'a4', 'a5')
    expect(room.admitted).toEqual(['a1', 'a2'])
    await room.leave(1)
    expect(room.admitted).toEqual(['a1', 'a2', 'a3'])
    await room.leave()
    expect(room.admitted).toEqual(['a1', 'a2', 'a3', 'a4', 'a5'])
  })

  test('gives callers turns, and each caller’s requests stay in their order', async () => {
    const room = createRoom()
    await room.come('x1', 'a1', 'a2', 'a3', 'b1', 'b2', 'c1')
    await room.leave()
    expect(room.admitted).toEqual(['x1', 'a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
  })

  test('a thousand of one caller delay another’s one by a turn', async () => {
    const room = createRoom({ maxQueued: 2_000 })
    await room.come(...Array.from({ length: 1_001 }, (_, index) => `a${index}`), 'b1')
    await room.leave(2)
    expect(room.admitted).toEqual(['a0', 'a1', 'b1'])
  })

  test('who comes again after a turn stands behind those who wait', async () => {
    const room = createRoom()
    await room.come('a1', 'a2', 'b1')
    await room.leave(1)
    await room.come('a3', 'c1')
    await room.leave()
    expect(room.admitted).toEqual(['a1', 'a2', 'b1', 'a3', 'c1'])
  })

  test('drops a request that waits when its client is gone, and nobody else', async () => {
    const admission = createFairQueue<string>({ maxConcurrent: 1, maxQueued: 3, maxWaitMs: 1_000 })
    const leave = await admission.enter('x')
    const client = new AbortController()
    const ends = [
      admission.enter('a', client.signal),
      admission.enter('a', new AbortController().signal),
      admission.enter('b', client.signal),
    ].map((entered) => entered.then(() => 'admitted', String))
    expect(admission.readState()).toEqual({ inside: 1, waiting: 3 })
    client.abort()
    expect(admission.readState()).toEqual({ inside: 1, waiting: 1 })
    leave()
    const gone = 'ClientGoneError: the client closed its connection'
    expect(await Promise.all(ends)).toEqual([gone, 'admitted', gone])
    expect(admission.readState()).toEqual({ inside: 1, waiting: 0 })
  })

  test('takes nothing back from a request whose client is gone after its turn has come', async () => {
    const admission = createFairQueue<string>({ maxConcurrent: 1, maxQueued: 3, maxWaitMs: 1_000 })
    const leave = await admission.enter('x')
    const client = new AbortController()
    const entered = admission.enter('a', client.signal)
    leave()
    const leaveAgain = await entered
    client.abort()
    expect(admission.readState()).toEqual({ inside: 1, waiting: 0 })
    leaveAgain()
    expect(admission.readState()).toEqual({ inside: 0, waiting: 0 })
  })

  describe('when as many wait as may', () => {
    test('turns the one at the door away if nobody has more waiting', async () => {
      const room = createRoom({ maxQueued: 3 })
      await room.come('x1', 'a1', 'b1', 'c1')
      await room.come('d1', 'a2')
      expect(room.refused).toEqual(['d1', 'a2'])
      await room.leave()
      expect(room.admitted).toEqual(['x1', 'a1', 'b1', 'c1'])
    })

    test('turns the newest of the caller with the most waiting away, for one who has less', async () => {
      const room = createRoom({ maxQueued: 4 })
      await room.come('x1', 'a1', 'a2', 'a3', 'b1')
      await room.come('c1')
      expect(room.refused).toEqual(['a3'])
      await room.come('c2')
      expect(room.refused).toEqual(['a3', 'c2']) // a and c would have two each: nothing would be won
      await room.leave()
      expect(room.admitted).toEqual(['x1', 'a1', 'b1', 'c1', 'a2'])
    })

    test('turns the one at the door away when it is that caller’s own', async () => {
      const room = createRoom({ maxQueued: 3 })
      await room.come('x1', 'a1', 'a2', 'b1')
      await room.come('a3')
      expect(room.refused).toEqual(['a3'])
      await room.leave()
      expect(room.admitted).toEqual(['x1', 'a1', 'b1', 'a2'])
    })

    test('keeps to its bound however many come, and has room again once they are gone', async () => {
      const room = createRoom({ maxQueued: 10 })
      const crowd = Array.from({ length: 500 }, (_, index) => `${'abcde'[index % 5]}${index}`)
      await room.come(...crowd)
      expect(room.admitted).toHaveLength(1)
      expect(room.refused).toHaveLength(500 - 11)
      await room.leave()
      expect(room.admitted).toHaveLength(11)
      expect(new Set([...room.admitted, ...room.refused]).size).toBe(500)
      // Each of the five had its share.
      const shares = [...'abcde'].map(
        (caller) => room.admitted.filter((name) => name.startsWith(caller)).length,
      )
      expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1)
      await room.come('z1')
      expect(room.admitted.at(-1)).toBe('z1')
    })
  })

  describe('as fast as things go', () => {
    beforeEach(() => {
      vi.useFakeTimers({ toFake: ['performance'] })
    })
    afterEach(() => {
      vi.useRealTimers()
    })

    /** A room for one, in which a visit has taken 100 ms lately, and one is inside. */
    async function createBusyRoom() {
      const room = createRoom({ maxWaitMs: 1_000 })
      await room.come('x1', 'x2', 'x3', 'x4', 'x5')
      for (let left = 0; left < 4; left++) {
        vi.advanceTimersByTime(100)
        await room.leave(1)
      }
      return room
    }

    test('turns away at once whoever would have to wait for too long, and lets others into the line', async () => {
      const room = await createBusyRoom()
      expect([room.isFull(), room.turnsAway('a')]).toEqual([true, false])
      await room.come(...Array.from({ length: 15 }, (_, index) => `a${index}`))
      expect([room.turnsAway('a'), room.turnsAway('b')]).toEqual([true, false])
      expect(room.refused).toEqual(['a11', 'a12', 'a13', 'a14'])
      await room.come('b1', 'c1')
      expect(room.refused).toHaveLength(4)
      await room.leave(3)
      expect(room.admitted.slice(5)).toEqual(['a0', 'b1', 'c1'])
    })

    test('turns a newcomer away at once when too many callers have a turn before it', async () => {
      const room = await createBusyRoom()
      await room.come(...Array.from({ length: 15 }, (_, index) => `${'abcdefghijklmno'[index]}1`))
      expect(room.refused).toEqual(['l1', 'm1', 'n1', 'o1'])
      expect(room.turnsAway('p')).toBe(true)
      await room.leave(1)
      expect(room.turnsAway('p')).toBe(false)
    })

    test('works on more at a time while callers are turned away, those first who wait', async () => {
      const room = createRoom({ maxConcurrent: 1, maxConcurrentInCrowd: 3, maxWaitMs: 1_000 })
      await room.come('x1', 'a1', 'b1', 'c1')
      vi.advanceTimersByTime(600)
      expect(room.admitted).toEqual(['x1'])
      await room.come('a2') // behind three, and nothing has moved for a while
      expect([room.admitted, room.refused]).toEqual([['x1', 'a1', 'b1'], ['a2']])
      vi.advanceTimersByTime(1_000) // nobody was turned away since: room for one again
      await room.leave(2)
      expect(room.admitted).toEqual(['x1', 'a1', 'b1'])
      await room.leave(1)
      expect(room.refused).toEqual(['a2', 'c1']) // it has waited for too long by now
    })

    test('turns whoever has waited for too long after all away when the turn comes, and lets the next in', async () => {
      const room = createRoom({ maxWaitMs: 1_000 })
      await room.come('x1', 'a1', 'b1')
      vi.advanceTimersByTime(1)
      await room.come('c1')
      vi.advanceTimersByTime(1_000)
      await room.leave()
      expect([room.admitted, room.refused]).toEqual([
        ['x1', 'c1'],
        ['a1', 'b1'],
      ])
      await room.come('a2')
      expect(room.admitted.at(-1)).toBe('a2')
    })

    test('sees a standstill while it lasts, and forgets it when it is over', async () => {
      const room = createRoom({ maxWaitMs: 1_000 })
      await room.come('x1', 'a1', 'a2')
      vi.advanceTimersByTime(900)
      await room.come('a3')
      expect(room.refused).toEqual(['a3']) // behind two, who have not moved
      await room.leave(1)
      for (let round = 0; round < 40; round++) {
        await room.come(`b${round}`)
        vi.advanceTimersByTime(10)
        await room.leave(1)
      }
      await room.come('y1', 'c1', 'c2', 'c3', 'c4', 'c5')
      expect(room.refused).toEqual(['a3'])
    })

    test('counts no lull as slowness: a crowd after it is let into the line', async () => {
      const room = createRoom({ maxConcurrent: 2, maxWaitMs: 1_000 })
      await room.come('a1', 'a2')
      await room.leave()
      vi.advanceTimersByTime(3_600_000)
      await room.come('a3')
      await room.leave()
      vi.advanceTimersByTime(3_600_000)
      await room.come('b1', 'b2', 'b3', 'b4', 'b5', 'b6', 'b7')
      expect(room.refused).toEqual([])
      await room.leave()
      expect(room.admitted).toHaveLength(10)
    })
  })
})

/** A batcher whose batches are ended by hand. */
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
  const answered: string[] = []
  return {
    batches,
    answered,
    ask,
    /** Asks in one turn of the event loop, and waits for its end. */
    async note(...inputs: number[]) {
      for (const input of inputs) {
        ask(input).then(
          (output) => answered.push(output),
          (error: Error) => answered.push(error.message),
        )
      }
      await settled()
    },
    inputs: () => batches.map(({ inputs }) => inputs),
  }
}

describe('a batcher', () => {
  test('runs what comes in one turn of the event loop together, and then what came meanwhile', async () => {
    const { batches, note, inputs, answered } = createBatches()
    await note(1)
    expect(inputs()).toEqual([[1]])
    await note(2, 3)
    await note(4)
    expect(inputs()).toEqual([[1]])
    batches[0]?.end()
    await settled()
    expect(inputs()).toEqual([[1], [2, 3, 4]])
    expect(answered).toEqual(['#1'])
    batches[1]?.end()
    await settled()
    expect(answered).toEqual(['#1', '#2', '#3', '#4'])
    await note(5, 6)
    expect(inputs()).toEqual([[1], [2, 3, 4], [5, 6]])
  })

  test('takes no more at a time than its size, in the order of coming', async () => {
    const { batches, note, inputs, answered } = createBatches({ size: 3 })
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
    expect(answered).toEqual(['#1', '#2', '#3', '#4', '#5', '#6', '#7', '#8'])
  })

  test('an error reaches all of its batch, and nobody else', async () => {
    const { batches, note, answered } = createBatches()
    await note(1)
    await note(2, 3)
    batches[0]?.end()
    await settled()
    await note(4)
    batches[1]?.fail(new Error('broken'))
    await settled()
    batches[2]?.end()
    await settled()
    expect(answered).toEqual(['#1', 'broken', 'broken', '#4'])
  })

  test('answers nobody when there is not an answer for each', async () => {
    const ask = createBatcher({ size: 10, run: async (inputs: number[]) => inputs.slice(1) })
    await expect(ask(1)).rejects.toThrow('a batch has not an output for each input')
    expect(await Promise.allSettled([ask(2), ask(3), ask(4)])).toMatchObject(
      [2, 3, 4].map(() => ({ status: 'rejected' })),
    )
  })

  test('goes on after an error that was thrown at once', async () => {
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

  test('has as many batches under way as it has lanes', async () => {
    const { batches, note, inputs } = createBatches({ lanes: 2 })
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

    test('lends a lane, so that the next ones need not wait for it', async () => {
      const { batches, note, inputs, answered } = createBatches()
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
      expect(answered).toEqual(['#2', '#3'])
      await note(4)
      expect(inputs()).toEqual([[1], [2, 3], [4]])
      batches[2]?.end()
      batches[0]?.end()
      await settled()
      expect(answered).toEqual(['#2', '#3', '#4', '#1'])
    })

    test('lends two lanes at most', async () => {
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

    test('lends no lane for which there is no connection', async () => {
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

    test('takes the lane back when it is over', async () => {
      const { batches, note, inputs } = createBatches()
      await note(1)
      vi.advanceTimersByTime(100)
      batches[0]?.end()
      await settled()
      await note(2)
      await note(3)
      expect(inputs()).toEqual([[1], [2]])
    })

    test('takes the lane back when it failed', async () => {
      const { batches, note, inputs, answered } = createBatches()
      await note(1)
      vi.advanceTimersByTime(100)
      batches[0]?.fail(new Error('broken'))
      await settled()
      await note(2)
      await note(3)
      expect(inputs()).toEqual([[1], [2]])
      expect(answered).toEqual(['broken'])
    })
  })
})
