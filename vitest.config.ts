import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import { matrix } from './test/support/matrix.ts'

/**
 * What speaks to the service in requests alone, but for tests that are marked (`testInside`). Filters and walks are not
 * among it: they ask for thousands of pages, to compare them with what the data says, and no runtime has a part in that.
 */
const overTheWire = [
  'authentication',
  'contract',
  'credits',
  'idempotency',
  'max-credits',
  'operations',
  'parameters',
  'public-endpoints',
  'rate-limits',
  'repositories',
  'requests',
  'usage',
  'users',
].map((name) => `test/${name}.test.ts`)

export default defineConfig({
  test: {
    globalSetup: ['test/support/databases.ts', 'test/support/snapshots.ts'],
    // They end what hangs, and nothing else: how fast a machine is, is not what tests are about.
    testTimeout: 300_000,
    hookTimeout: 600_000,
    teardownTimeout: 120_000,
    expect: { poll: { timeout: 120_000 } },
    // Programs that tests start are compiled once for all of them.
    env: { NODE_COMPILE_CACHE: resolve('node_modules/.vite/compile-cache') },
    maxWorkers: 3,
    reporters: ['default', matrix],
    projects: [
      { extends: true, test: { name: 'app', include: ['test/**/*.test.ts'] } },
      // The contract over the wire: the same files, against a process of each runtime.
      ...(['node', 'deno'] as const).map((runtime) => ({
        extends: true as const,
        test: { name: runtime, include: overTheWire, provide: { runtime } },
      })),
    ],
  },
})
