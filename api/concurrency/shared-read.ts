/**
 * What is the same for all who ask, read once for those who ask at the same time.
 *
 * @module
 */
import { createBatcher } from './batcher.ts'

/**
 * Creates a function that reads with few statements, however many ask: those who gather while one is under way are
 * answered together. What it gives is never older than the question: nobody is given what was begun to be read before.
 */
export function shareRead<T>(read: () => Promise<T>): () => Promise<T> {
  const ask = createBatcher<null, T>({
    size: Number.POSITIVE_INFINITY,
    run: async (asked) => {
      const found = await read()
      return asked.map(() => found)
    },
  })
  return () => ask(null)
}
