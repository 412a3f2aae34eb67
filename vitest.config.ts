import { defineConfig } from 'vitest/config'

/** What speaks to the service in requests alone. */
const overTheWire = ['authentication', 'credits', 'repositories', 'users'].map(
  (name) => `test/${name}.test.ts`,
)

export default defineConfig({
  test: {
    globalSetup: ['test/support/databases.ts', 'test/support/snapshots.ts'],
    testTimeout: 30_000,
    hookTimeout: 300_000,
    maxWorkers: 2,
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
