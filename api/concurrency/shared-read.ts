import { createBatcher } from './batcher.ts'

/**
 * Creates a function that shares reads: calls during a read share the next one. A call never gets the result of a read
 * that started before it.
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
