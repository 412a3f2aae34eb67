import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** What the comment at the head of a test file may say of all its tests, as `@module-tag`. */
const fileTags = {
  later:
    'Tests that `npm test` leaves to `npm run test:all`: they take minutes, or need a program that few machines have. ' +
    'A change of the service seldom breaks them alone.',
  longest:
    'Those of them that take longest. They begin first: otherwise, one of them would run alone at the end.',
  'over-the-wire':
    'Tests that also run over the wire, against a process of each runtime, but for those marked `testInside`: what a ' +
    'runtime has a part in. Filters and pages are not among them.',
}

/** The files by their tag. Were the tag left to vitest, each project would import all files to find its own. */
const files = Map.groupBy(
  globSync('test/**/*.test.ts', { cwd: import.meta.dirname }),
  (file) => /@module-tag ([\w-]+)/.exec(readFileSync(resolve(import.meta.dirname, file), 'utf8'))?.[1],
)
const listFiles = (...tags: (keyof typeof fileTags)[]) => tags.flatMap((tag) => files.get(tag) ?? [])
const later = listFiles('later', 'longest')

/** The projects, those with short files last, so that no worker is without work at the end. */
const projects = ['later', 'node', 'deno', 'app'] as const

class LongestFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(specifications)
    const longest = new Set(listFiles('longest').map((file) => resolve(import.meta.dirname, file)))
    const placeOf = ({ moduleId, project }: TestSpecification) =>
      longest.has(moduleId) ? -1 : projects.findIndex((name) => name === project.name)
    return sorted.sort((one, other) => placeOf(one) - placeOf(other))
  }
}

export default defineConfig({
  // deploy/shop.ts imports the package, as the programs of its readers do.
  resolve: { alias: { '@devdata/client/admin': resolve(import.meta.dirname, 'client/src/admin.ts') } },
  test: {
    globalSetup: ['test/support/databases.ts', 'test/support/snapshots.ts'],
    // For tests that hang. The speed of the machine is not under test.
    testTimeout: 300_000,
    hookTimeout: 600_000,
    teardownTimeout: 120_000,
    expect: { poll: { timeout: 120_000 } },
    // Programs that tests start are compiled once for all of them.
    env: { NODE_COMPILE_CACHE: resolve('node_modules/.vite/compile-cache') },
    // For two processors: many tests wait for another process, a lock or a timeout.
    maxWorkers: 4,
    // A worker loads the service's modules once, not for each file: a tenth of the time. Files clean up what they set.
    isolate: false,
    // Tests run most code a few times: optimizing it would cost more than it saves.
    execArgv: ['--no-turbofan', '--liftoff-only', '--max-semi-space-size=32'],
    sequence: { sequencer: LongestFirst },
    tags: [
      ...Object.entries(fileTags).map(([name, description]) => ({ name, description })),
      { name: 'second-database', description: 'Tests that `npm test` runs on another database' },
    ],
    projects: [
      {
        extends: true,
        test: {
          name: 'app',
          include: ['test/**/*.test.ts'],
          exclude: later,
        },
      },
      { extends: true, test: { name: 'later', include: later } },
      // The contract over the wire: the same files, against a process of each runtime.
      ...(['node', 'deno'] as const).map((runtime) => ({
        extends: true as const,
        test: { name: runtime, include: listFiles('over-the-wire'), provide: { runtime } },
      })),
    ],
  },
})
