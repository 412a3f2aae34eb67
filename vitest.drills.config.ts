/**
 * `npm run drills`: tests that also have a long form, at length and one at a time.
 *
 * @module
 */
import { defineConfig } from 'vitest/config'
import tests from './vitest.config.ts'

const { projects: _, ...options } = tests.test ?? {}
const drills = [
  'client/client-large-lists',
  'client/client-resume',
  'database/crashes',
  'catalog/exact-lists',
  'sources/ndjson/export-since',
  'database/faults',
  'sources/github/github-import-kills',
  'catalog/large-lists',
  'ledger/linearizability',
  'client/mcp',
  'dataset/one-repository-histories',
  'catalog/pagination-under-loads',
  'catalog/random-filters',
  'dataset/removal-histories',
  'telemetry/alerts',
  'catalog/who-uses-what',
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
