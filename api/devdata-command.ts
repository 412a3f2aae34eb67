/**
 * Commands of the command line, as messages show them.
 *
 * @module
 */
import { existsSync } from 'node:fs'

/** Writes a command so that an operator can paste it where this process runs: in a clone, with Deno, or in a container. */
export function devdataCommand(words: string): string {
  if ('Deno' in globalThis) return `deno task devdata ${words}`
  // The image has no install.mjs, which the script of npm runs first.
  const isClone = existsSync(new URL('../install.mjs', import.meta.url))
  return `${isClone ? 'npm run -s devdata --' : 'node api/cli/main.ts'} ${words}`
}
