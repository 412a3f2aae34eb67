/** How the service and its commands are called, as messages show it. */
import { existsSync } from 'node:fs'

/**
 * Writes a command so that an operator can paste it where this process runs: from the packed file, in a clone, or with
 * Deno.
 */
export function devdataCommand(words: string): string {
  if ('Deno' in globalThis) return `deno task devdata ${words}`
  return `${isInstalled() ? 'devdata' : 'npm run -s devdata --'} ${words}`
}

/**
 * Says how an operator gets docs that are missing. A packed file and an image have only those that they were made with.
 */
export const docsRemedy = (): string =>
  isInstalled() ? 'make a packed file or an image for this URL' : 'run: npm run docs'

/** Whether this is the packed file, also in the container image. It has a program of its own. */
export const isInstalled = (): boolean => existsSync(new URL('../bin/devdata.mjs', import.meta.url))
