/**
 * An import whose tokens expire.
 *
 * @module-tag later
 */
import { expect, test } from 'vitest'
import { startTestForge } from '../../support/github-import.ts'
import { readDatasetVersion } from '../../support/ndjson.ts'
import { anyDatabase, startTestService } from '../../support/service.ts'

test('An import uses a token that is accepted, for queries and for git', async () => {
  await using forge = await startTestForge({ repositories: 4 })
  const service = await startTestService(anyDatabase, { data: 'empty' })
  const result = await forge.load(service.sql, { tokens: ['expired', forge.addToken()] })
  expect(result.fetched).toBeGreaterThan(4)
  expect(result.skipped.map(({ reason }) => reason)).toEqual([
    'GitHub refuses it: Repository access blocked',
    'without its history: it is empty',
    'without its history: disabled by the forge',
  ])
  await service.close()
})

test('An import whose token expires on the way fails, changes nothing, and goes on with another token', async () => {
  await using forge = await startTestForge({ repositories: 4 })
  const service = await startTestService(anyDatabase, { data: 'empty' })
  const token = forge.forge.createToken()
  const interrupted = forge.load(service.sql, {
    tokens: [token.text],
    concurrency: 1,
    onProgress({ step }) {
      if (step === 'fetching histories') token.isRevoked = true
    },
  })
  await expect(interrupted).rejects.toThrow(
    'The forge refuses the token: it is invalid, expired or revoked. Create another one',
  )
  expect(await readDatasetVersion(service)).toBe(0)
  const result = await forge.load(service.sql, { tokens: [token.text, forge.addToken()] })
  expect(result).toMatchObject({ isResumed: true, load: { version: 1 } })
  expect(result.skipped).toHaveLength(3)
  await service.close()
})
