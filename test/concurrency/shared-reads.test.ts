/** Reads that concurrent callers share (api/concurrency/batcher.ts). */
import { expect, test } from 'vitest'
import { shareRead } from '../../api/concurrency/batcher.ts'

test('a shared read serves concurrent callers once, and later callers with the next read', async () => {
  const readings: PromiseWithResolvers<number>[] = []
  const ask = shareRead(() => {
    const reading = Promise.withResolvers<number>()
    readings.push(reading)
    return reading.promise
  })
  const first = Promise.all([ask(), ask(), ask()])
  await expect.poll(() => readings.length).toBe(1)
  const second = Promise.all([ask(), ask()])
  readings[0]?.resolve(1)
  expect(await first).toEqual([1, 1, 1])
  await expect.poll(() => readings.length).toBe(2)
  readings[1]?.resolve(2)
  expect(await second).toEqual([2, 2])
})

test('a shared read that fails fails for its own callers only', async () => {
  let count = 0
  const ask = shareRead(async () => {
    count++
    if (count === 1) throw new Error('away')
    return count
  })
  expect(await Promise.allSettled([ask(), ask()])).toEqual([
    expect.objectContaining({ status: 'rejected' }),
    expect.objectContaining({ status: 'rejected' }),
  ])
  expect(await ask()).toBe(2)
})
