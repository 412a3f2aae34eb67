/** Tells tests whether recorded files are written: `npx vitest run -u`. */
import type { TestProject } from 'vitest/node'

/** `all`: write all files (`-u`); `new`: write missing ones; `none`: write nothing (in CI). */
export type SnapshotUpdate = 'all' | 'new' | 'none'

declare module 'vitest' {
  export interface ProvidedContext {
    snapshotUpdate: SnapshotUpdate
  }
}

/** vitest's global set-up. */
export default function setup(project: TestProject): void {
  project.provide('snapshotUpdate', project.config.snapshotOptions.updateSnapshot)
}
