/**
 * The clones of `import github`: a broken one is made anew, and nothing outside their folder is touched.
 *
 * @module
 */
import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startTestForge } from './support/github-import.ts'
import { startTestService } from './support/service.ts'

test('A broken clone is made anew, even where a folder above it is a repository', async () => {
  await using fake = await startTestForge({ repositories: 12 })
  const service = await startTestService('embedded', { data: 'empty' })
  const above = join(fake.clones, '..', 'work')
  execFileSync('git', ['init', '--quiet', '--initial-branch=own', above])
  const identity = ['-c', 'user.name=x', '-c', 'user.email=x@x.example']
  execFileSync('git', ['-C', above, ...identity, 'commit', '--quiet', '--allow-empty', '-m', 'x'])
  const clones = join(above, 'clones')
  const { organization } = fake
  const { monolith, fork } = organization.special
  await fake.load(service.sql, { clones })
  // As a machine that crashed may leave them.
  rmSync(join(clones, `${monolith.databaseId}.git`, 'objects'), { recursive: true })
  writeFileSync(join(clones, `${fork.databaseId}.git`, 'config'), '')
  const author = { name: 'x', email: 'x@x.example' }
  for (const repository of [monolith, fork]) {
    await organization.model.push(repository, [{ author, date: 1_752_000_000, message: 'x' }])
  }
  const result = await fake.load(service.sql, { clones })
  expect(result).toMatchObject({ fetched: 2, load: { commits: { added: 2, updated: 0, removed: 0 } } })
  expect(await readdir(join(above, '.git', 'refs', 'heads'))).toEqual(['own'])
  await service.close()
})
