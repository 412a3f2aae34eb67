/** Prints how many tests passed on each runtime and database. */
import type { Reporter, TestModule } from 'vitest/node'

const runtimes: Record<string, string> = {
  app: 'the app itself',
  later: 'the app itself, later',
  node: 'Node, over the wire',
  deno: 'Deno, over the wire',
}
/** Databases, and how suites that run on one name it. */
const databases = { embedded: '(embedded)', PostgreSQL: '(PostgreSQL)', 'either or none': '' }

/** A reporter beside the usual one. */
export const matrix: Reporter = {
  onTestRunEnd(modules: readonly TestModule[]) {
    const rows: Record<string, Record<string, number>> = {}
    for (const { project, children } of modules) {
      const name = runtimes[project.name] ?? project.name
      const row = rows[name] ?? {}
      rows[name] = row
      for (const test of children.allTests('passed')) {
        const [database = ''] =
          Object.entries(databases).find(([, mark]) => test.fullName.includes(mark)) ?? []
        row[database] = (row[database] ?? 0) + 1
      }
    }
    console.log('Tests that passed, by what they ran on:')
    console.table(rows)
  },
}
