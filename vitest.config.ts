import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { matrix } from './test/support/matrix.ts'

const listFiles = (names: readonly string[]) => names.map((name) => `test/${name}.test.ts`)

/**
 * Tests that `npm test` leaves to `npm run test:all`. They take minutes, or need a program that few machines have. A change
 * of the service seldom breaks them alone.
 */
const later = listFiles([
  // Every benchmark in a tiny form.
  'bench/benchmarks',
  // Browsers, other languages, and programs of others around the service.
  'client/client-runtimes',
  'client/python-client',
  'database/poolers',
  'documents/generated-clients',
  'http/reverse-proxies',
  'portal/browser',
  'portal/browser-pages',
  'portal/browser-layout',
  'portal/browser-viewer',
  'portal/portal-pages',
  'portal/portal-run',
  'portal/portal-without-scripts',
  'portal/samples',
  'portal/search',
  'telemetry/alerts',
  // The fake forge, which the tests of imports ask.
  'sources/github/fake-forge-clones',
  'sources/github/fake-forge-queries',
  // Installing and building.
  'client/client-package',
  'client/served-packages',
  'release/packed-service',
  'release/workflows',
  'database/driver-patches',
  'portal/docs-build',
  'portal/docs-for-agents',
  'runtime/containers',
  'runtime/npm-start',
  // Processes of the service and of its commands, on both runtimes, with databases of their own.
  'cli/command-line-confirm',
  'cli/command-line-embedded',
  'cli/command-line-forget',
  'cli/command-line-import-git',
  'cli/command-line-import-github',
  'cli/command-line-import-ndjson',
  'cli/command-line-keys',
  'cli/command-line-migrate',
  'cli/command-line-progress',
  'cli/command-line-remove',
  'cli/doctor',
  'client/client-shell',
  'client/mcp',
  'database/data-directory',
  'database/database-roles',
  'http/clients',
  'http/link-bounds',
  'http/url-bounds',
  'runtime/demo-keys',
  'runtime/deno-deploy',
  'runtime/deno-permissions',
  'runtime/public-host',
  'runtime/raw-requests',
  'runtime/start',
  'runtime/start-dataset',
  'runtime/unready-filters',
  // Processes and servers that are killed or go away, random histories, large inputs, and imports that
  // few people run.
  'cli/command-line-import-interrupted',
  'client/client-large-lists',
  'client/client-resume',
  'database/crashes',
  'database/database-outages',
  'database/failover',
  'database/faults',
  'database/replicas',
  'dataset/one-repository-histories',
  'dataset/removal-histories',
  'ledger/linearizability',
  'manifests/manifests-hostile',
  'runtime/rolling-restarts',
  'sources/git/git-authors',
  'sources/git/several-clones',
  'sources/github/git-settings',
  'sources/github/github-clones',
  'sources/github/github-heavy-queries',
  'sources/github/github-import-kills',
  'sources/github/github-import-resume',
  'sources/github/github-import-tokens',
  'sources/github/github-people',
  'sources/ndjson/export-since',
  'telemetry/metrics-in-outages',
])

/** Those that take longest begin first: otherwise, one of them would run alone at the end. */
const longest = listFiles([
  'bench/benchmarks',
  'database/failover',
  'portal/browser-pages',
  'portal/docs-build',
  'manifests/manifests-hostile',
  'runtime/containers',
  'release/packed-service',
  'portal/browser',
  'client/mcp',
  'sources/github/github-import-kills',
  'cli/command-line-embedded',
  'runtime/start',
  'runtime/start-dataset',
  'database/data-directory',
])

class LongestFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(specifications)
    const isLong = ({ moduleId }: TestSpecification) => longest.some((name) => moduleId.endsWith(`/${name}`))
    return [...sorted.filter(isLong), ...sorted.filter((specification) => !isLong(specification))]
  }
}

/**
 * Tests that also run over the wire, against a process of each runtime, but for those marked `testInside`: what a runtime
 * has a part in. Filters and pages are not among them.
 */
const overTheWire = listFiles([
  'catalog/repositories',
  'catalog/users',
  'checkout/authentication',
  'checkout/credits',
  'checkout/max-credits',
  'http/compression',
  'http/contract',
  'http/cors',
  'http/documented-messages',
  'http/etag',
  'http/hostile-requests',
  'http/operations',
  'http/public-endpoints',
  'http/requests',
  'mcp/mcp-route',
])

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
    // Tests run most code a few times: optimizing it would cost more than it saves.
    execArgv: ['--no-turbofan', '--max-semi-space-size=32'],
    sequence: { sequencer: LongestFirst },
    reporters: ['default', matrix],
    tags: [{ name: 'second-database', description: 'Tests that `npm test` runs on another database' }],
    projects: [
      {
        extends: true,
        test: {
          name: 'app',
          include: ['test/**/*.test.ts'],
          exclude: later,
          // A worker loads the service's modules once, not for each file: a tenth of the time. Files clean up what they set.
          isolate: false,
        },
      },
      { extends: true, test: { name: 'later', include: later } },
      // The contract over the wire: the same files, against a process of each runtime.
      ...(['node', 'deno'] as const).map((runtime) => ({
        extends: true as const,
        test: { name: runtime, include: overTheWire, provide: { runtime } },
      })),
    ],
  },
})
