/**
 * Whether tests run at length, and from which seed.
 *
 * @module
 */
import { inject } from 'vitest'

declare module 'vitest' {
  export interface ProvidedContext {
    isDrill?: true
  }
}

/** Tests run at length: `npm run drills`. Otherwise they run in their short form. */
export const isDrill = inject('isDrill') ?? false

/** The seed of random tests. `TEST_SEED=… npx vitest run test/FILE.test.ts` repeats a run. */
export const seed = process.env.TEST_SEED ?? String(Date.now())
