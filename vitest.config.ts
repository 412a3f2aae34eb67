import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/databases.ts', 'test/support/snapshots.ts'],
    testTimeout: 30_000,
    hookTimeout: 300_000,
    maxWorkers: 2,
  },
})
