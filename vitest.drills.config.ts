/**
 * `npm run drills`: tests that also have a long form, at length and one at a time.
 *
 * @module
 */
import { defineConfig } from 'vitest/config'
import tests from './vitest.config.ts'

const { projects: _, ...options } = tests.test ?? {}
const drills = [
  'client-large-lists',
  'client-resume',
  'crashes',
  'exact-lists',
  'export-since',
  'faults',
  'github-import-kills',
  'large-lists',
  'linearizability',
  'mcp',
  'one-repository-histories',
  'pagination-under-loads',
  'random-filters',
  'removal-histories',
  'telemetry/alerts',
  'who-uses-what',
]

export default defineConfig({
  test: {
    ...options,
    include: drills.map((name) => `test/${name}.test.ts`),
    provide: { isDrill: true },
    testTimeout: 1_200_000,
    hookTimeout: 1_200_000,
    maxWorkers: 1,
    reporters: ['verbose'],
  },
})
