import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import { matrix } from './test/support/matrix.ts'

/**
 * Tests that also run over the wire, against a process of each runtime, but for those marked `testInside`: what a runtime
 * has a part in. Filters and pages are not among them.
 */
const overTheWire = [
  'checkout/authentication',
  'http/compression',
  'http/contract',
  'http/cors',
  'checkout/credits',
  'http/documented-messages',
  'http/etag',
  'http/hostile-requests',
  'checkout/max-credits',
  'http/operations',
  'http/public-endpoints',
  'catalog/repositories',
  'http/requests',
  'catalog/users',
].map((name) => `test/${name}.test.ts`)

export default defineConfig({
  test: {
    globalSetup: ['test/support/databases.ts', 'test/support/snapshots.ts'],
    // For tests that hang. The speed of the machine is not under test.
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
