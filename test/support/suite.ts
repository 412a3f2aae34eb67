/** What the tests of a suite share. */
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'

/** What may have to be closed. */
interface Closable extends Partial<AsyncDisposable> {
  close?(): Promise<void>
}

/**
 * Starts something before the tests of a suite, or before each of them, and closes it after them. Until it has started,
 * it has no properties.
 */
export function useStarted<Started extends object>(
  start: () => Promise<Started & Closable>,
  { each = false } = {},
): Started {
  const started: Started & Closable = Object.create(null)
  const [before, after] = each ? [beforeEach, afterEach] : [beforeAll, afterAll]
  before(async () => {
    Object.assign(started, await start())
  })
  after(async () => {
    await started.close?.()
    await started[Symbol.asyncDispose]?.()
  })
  return started
}
