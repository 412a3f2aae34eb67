/**
 * An import that was interrupted goes on where it was.
 *
 * @module-tag later
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { selectMember } from '../../../api/catalog/stored-documents.ts'
import type { Sql } from '../../../api/database/connect.ts'
import { findRepository, removeRepository } from '../../../api/dataset/repository-removal.ts'
import { exportNdjson } from '../../../api/sources/ndjson/export.ts'
import { createRandom } from '../../../sample/random.ts'
import { seed } from '../../support/drill.ts'
import { createFolder, readFiles } from '../../support/export-folder.ts'
import { gitFaults, queryFaults } from '../../support/fake-forge/faults.ts'
import { startTestForge } from '../../support/github-import.ts'
import { anyDatabase, startTestService } from '../../support/service.ts'

test('An import that is interrupted at any step repeats at most one query and one fetch, and loads the same', async () => {
  await using forge = await startTestForge({ repositories: 14 })
  const whole = await startTestService(anyDatabase, { data: 'empty' })
  const service = await startTestService(anyDatabase, { data: 'empty' })
  let steps = 0
  await forge.load(whole.sql, { concurrency: 1, onProgress: () => steps++, clones: `${forge.clones}-whole` })
  const count = (kind: string) =>
    forge.forge.requests.filter(({ kind: each, what }) => each === kind && !what.includes('info/refs')).length
  const [queries, fetches] = [count('query'), count('git')]

  forge.forge.requests.length = 0
  let interruptions = 0
  for (let step = 1; step < steps; step += 3) {
    const controller = new AbortController()
    let seen = 0
    const running = forge.load(service.sql, {
      concurrency: 1,
      signal: controller.signal,
      onProgress() {
        if (++seen < step) return
        controller.abort()
        throw new Error('interrupted')
      },
    })
    const result = await running.catch((error: Error) => error.message)
    expect(result).toBe('interrupted')
    interruptions++
  }
  const result = await forge.load(service.sql, { concurrency: 1 })
  expect(result).toMatchObject({ isResumed: true, load: { version: 1 } })
  expect(count('query')).toBeLessThanOrEqual(queries + interruptions)
  expect(count('git')).toBeLessThanOrEqual(fetches + interruptions)

  await using first = await createFolder()
  await using second = await createFolder()
  await exportNdjson(whole.sql, first.path)
  await exportNdjson(service.sql, second.path)
  expect(await readFiles(second.path)).toEqual(await readFiles(first.path))
  expect(await readdir(forge.clones)).not.toContain('import.journal')
  await whole.close()
  await service.close()
})

test('An import that goes on neither brings back what was removed since, nor serves another database', async () => {
  await using forge = await startTestForge({ repositories: 4 })
  const service = await startTestService(anyDatabase, { data: 'empty' })
  const other = await startTestService(anyDatabase, { data: 'empty' })
  await createOtherDatabase(other.sql)
  await forge.load(service.sql)
  const refresh = { targets: [], refresh: true }
  const interrupt = () => {
    throw new Error('interrupted')
  }
  await expect(forge.load(service.sql, { ...refresh, onBegin: interrupt })).rejects.toThrow('interrupted')
  const monolith = await findRepository(service.sql, { owner: 'acme-works', name: 'monolith' })
  if (monolith === undefined) throw new Error('the organization is too small')
  await removeRepository(service.sql, monolith)
  expect(await forge.load(service.sql, refresh)).toMatchObject({ isResumed: true })
  expect(await findRepository(service.sql, monolith)).toBe(undefined)

  await expect(forge.load(service.sql, { ...refresh, onBegin: interrupt })).rejects.toThrow('interrupted')
  const result = await forge.load(other.sql, refresh)
  expect(result).toMatchObject({ isResumed: false, repositories: 0, people: 0 })
  await service.close()
  await other.close()
})

/** Test databases are copies of one. */
function createOtherDatabase(sql: Sql): Promise<unknown> {
  return sql`update migrations set applied_at = now()`
}

test('An import survives faults of the forge at random, and leaves no token in the folder of the clones', async () => {
  console.info(`seed ${seed}`)
  await using forge = await startTestForge({ repositories: 14 })
  const service = await startTestService(anyDatabase, { data: 'empty' })
  const tokens = [1, 2, 3].map(() => forge.addToken({ retryAfterSeconds: 1, windowSeconds: 5 }))
  const passing = queryFaults.filter((fault) => fault !== 'silence' && !fault.includes('without'))
  forge.forge.faults.randomly(createRandom(`${seed} queries`), 0.3, passing)
  // A fetch is a few requests, and is given up after five attempts: with more faults, some seed would have no luck.
  forge.forge.gitFaults.randomly(
    createRandom(`${seed} clones`),
    0.04,
    gitFaults.filter((fault) => fault !== 'silence'),
  )
  const result = await forge.load(service.sql, { tokens, concurrency: 1 })
  expect(result.skipped).toHaveLength(3)
  expect(result.load).toMatchObject({ version: 1 })
  for (const name of await readdir(forge.clones, { recursive: true, withFileTypes: true })) {
    if (!name.isFile()) continue
    const content = await readFile(join(name.parentPath, name.name), 'latin1')
    for (const token of tokens) expect(content.includes(token)).toBe(false)
  }
  await service.close()
})

test('An import asks for smaller pages of repositories when the forge takes too long for large ones', async () => {
  await using forge = await startTestForge({ repositories: 42, commits: 42, monolithCommits: 1 })
  const service = await startTestService(anyDatabase, { data: 'empty' })
  forge.forge.faults.next('query timeout 502', 'query timeout 200', 'gateway timeout')
  const result = await forge.load(service.sql, { withHistory: false })
  expect(result.repositories).toBe(40)
  const lists = forge.forge.requests.filter(
    ({ what, status }) => what === 'OwnedRepositories' && status === 200,
  )
  expect(lists).toHaveLength(2) // 33, and the rest
  await service.close()
})

test('An import in batches loads each with its people in a version of its own, and the same data in the end', async () => {
  await using forge = await startTestForge({ repositories: 14 })
  const whole = await startTestService(anyDatabase, { data: 'empty' })
  const service = await startTestService(anyDatabase, { data: 'empty' })
  const expected = await forge.load(whole.sql, { clones: `${forge.clones}-whole` })

  // The second batch fails.
  let loads = 0
  const failing = forge.load(service.sql, {
    batch: 4,
    onBegin() {
      if (++loads === 2) throw new Error('interrupted')
    },
  })
  await expect(failing).rejects.toThrow('interrupted')
  expect(await service.sql`select from repositories`).toHaveLength(4)
  const addresses = await service.sql<{ address: string; isKnown: boolean }[]>`
    select distinct ${selectMember(service.sql, service.sql`members`, 'author_email')} as address,
      author_identity in (select identity from identities) as "isKnown"
    from commits`
  expect(addresses.length).toBeGreaterThan(3)
  for (const { address, isKnown } of addresses) {
    expect([address, isKnown]).toEqual([address, forge.organization.model.findAuthor(address) !== undefined])
  }

  const steps = new Set<string>()
  const result = await forge.load(service.sql, { batch: 4, onProgress: ({ step }) => steps.add(step) })
  expect([...steps]).toEqual(expect.arrayContaining(['fetching histories (batch 3 of 3)']))
  expect(result).toMatchObject({ isResumed: true, fetched: 4, load: { version: 3 } })
  expect(result.load?.repositories.added).toBe(8)
  expect(result.skipped).toEqual(expected.skipped)
  await using first = await createFolder()
  await using second = await createFolder()
  await exportNdjson(whole.sql, first.path)
  await exportNdjson(service.sql, second.path)
  expect(await readSorted(second.path)).toEqual(await readSorted(first.path))
  await whole.close()
  await service.close()
})

/** The lines of an export, whatever their order: users come in the order of the batches. */
async function readSorted(path: string): Promise<string[]> {
  return (await readFiles(path)).flatMap((content) => content.toString().split('\n')).sort()
}
