/** Whether tests run at length, and from which seed. */
import { inject } from 'vitest'

declare module 'vitest' {
  export interface ProvidedContext {
    isDrill?: true
  }
}

/** Tests run at length: `npm run drills`. Otherwise they run in their short form. */
export const isDrill = inject('isDrill') ?? false

/**
 * Which third of a long list a short run takes: another one each day, so that three days have all. `TEST_THIRD=0` to `2`
 * chooses it.
 */
const third = Number(process.env.TEST_THIRD ?? Math.floor(Date.now() / 86_400_000) % 3)

/** Whether a test takes an element of a list that is too long for a short run. In drills, it takes all. */
export const isTaken = (index: number): boolean => isDrill || index % 3 === third

/** The seed of random tests. `TEST_SEED=… npx vitest run test/FILE.test.ts` repeats a run. */
export const seed = process.env.TEST_SEED ?? String(Date.now())
