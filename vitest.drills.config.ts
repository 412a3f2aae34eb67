/**
 * `npm run drills`: tests that also have a long form, at length and one at a time, and those that otherwise run on one
 * database on both.
 */
import { defineConfig } from 'vitest/config'
import tests from './vitest.config.ts'

const { projects: _, ...options } = tests.test ?? {}
const drills = [
  'client/client-large-lists',
  'client/client-resume',
  'client/client-watch',
  'database/crashes',
  'database/failover',
  'database/faults',
  'client/mcp',
  'manifests/manifests-hostile',
  'portal/browser-pages',
  'sign-in/sign-in-faults',
  'telemetry/alerts',
]

export default defineConfig({
  test: {
    ...options,
    include: [
      ...drills.map((name) => `test/${name}.test.ts`),
      'test/{catalog,checkout,cli,dataset,http,ledger,people,sources,webhooks}/**/*.test.ts',
      'test/**/*.drill.ts',
    ],
    provide: { isDrill: true },
    testTimeout: 1_200_000,
    hookTimeout: 1_200_000,
    maxWorkers: 1,
    isolate: true, // what one file leaves in memory must not change another's figures
    reporters: ['verbose'],
  },
})
