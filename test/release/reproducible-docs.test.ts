/**
 * Two clones build the same documentation, byte for byte. The rest of a release has no other files of its folder in it.
 *
 * @module-tag longest
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cp, mkdir, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { docsDirectory, nameDocsPointer } from '../../api/portal/docs-manifest.ts'
import { readFolder } from '../../client/archive.ts'
import { buildDocs } from '../../docs-site/build.ts'
import { inheritEnvironment } from '../support/program.ts'

const run = promisify(execFile)
const project = dirname(dirname(import.meta.dirname))

/** Hashes the files of the newest build in a folder of builds. */
async function hashBuild(directory: string): Promise<Record<string, string>> {
  const name = await readFile(join(directory, nameDocsPointer(undefined)), 'utf8')
  const files = await readFolder(join(directory, name))
  const hash = (content: Uint8Array) => createHash('sha256').update(content).digest('hex')
  return Object.fromEntries([...files].map(([path, content]) => [path, hash(content)]))
}

test('the documentation is the same in another folder, time zone and language', async () => {
  await buildDocs({ ifStale: true })
  const clone = join(project, 'dist', 'another clone')
  await rm(clone, { recursive: true, force: true })
  const { stdout } = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: project,
    maxBuffer: 2 ** 26,
  })
  for (const path of stdout.split('\0').filter((name) => name !== '')) {
    await mkdir(dirname(join(clone, path)), { recursive: true })
    await cp(join(project, path), join(clone, path)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error // deleted, and not committed yet
    })
  }
  await run('cp', ['-RPl', join(project, 'node_modules'), clone]) // as links: it is large
  const env = { ...inheritEnvironment(), TZ: 'Asia/Kolkata', LC_ALL: 'de_DE.UTF-8' }
  await run(process.execPath, [join(clone, 'docs-site/build.ts')], { cwd: clone, env })
  expect(await hashBuild(join(clone, 'dist/docs'))).toEqual(await hashBuild(docsDirectory))
  await rm(clone, { recursive: true })
})
