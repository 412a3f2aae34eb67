/** Batches whose statements charge clients, who may have left (decisions/0005-http.md). */
import { setImmediate } from 'node:timers'
import { expect, test } from 'vitest'
import { createBatcher } from '../../api/concurrency/batcher.ts'
import { ClientGoneError } from '../../api/errors.ts'

test('a client that is seen to leave right after its request is not charged, and the others are', async () => {
  const charged: string[] = []
  const charge = createBatcher<string, void>({
    charges: true,
    size: 10,
    async run(inputs) {
      charged.push(...inputs)
      return inputs.map(() => undefined)
    },
  })
  const gone = new AbortController()
  const first = charge('gone', gone.signal)
  const second = charge('there', new AbortController().signal)
  setImmediate(() => gone.abort())
  await expect(first).rejects.toBeInstanceOf(ClientGoneError)
  await second
  expect(charged).toEqual(['there'])
})
