/**
 * How the service and its commands are called, as messages show it.
 *
 * @module
 */
import { existsSync } from 'node:fs'

/** Writes a command so that an operator can paste it where this process runs: from the packed file, in a clone, or with Deno. */
export function devdataCommand(words: string): string {
  if ('Deno' in globalThis) return `deno task devdata ${words}`
  return `${isInstalled() ? 'devdata' : 'npm run -s devdata --'} ${words}`
}

/** What makes the docs for a `BASE_URL`. The packed file can't: it has those for every URL without a path. */
export const docsCommand = (): string => (isInstalled() ? 'npm run package, in a clone' : 'npm run docs')

/** Whether this is the packed file, also in the container image. It has a program of its own. */
export const isInstalled = (): boolean => existsSync(new URL('../bin/devdata.mjs', import.meta.url))
