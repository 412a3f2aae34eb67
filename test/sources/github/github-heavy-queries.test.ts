/**
 * What the forge fails at is asked in smaller parts, and the rest is loaded.
 *
 * @module-tag later
 */
import { expect, test } from 'vitest'
import { selectMember } from '../../../api/catalog/stored-documents.ts'
import { ForgeError } from '../../../api/sources/github/client.ts'
import { startTestForge, type TestForge } from '../../support/github-import.ts'
import { anyDatabase, startTestService } from '../../support/service.ts'

/** Lets queries fail that ask for one of these ids or hashes. */
function failAt({ forge }: TestForge, ids: readonly string[]): void {
  forge.isTooHeavy = (variables) => Object.values(variables).some((value) => ids.some((id) => has(value, id)))
}

function has(value: unknown, id: string): boolean {
  return Array.isArray(value) ? value.includes(id) : value === id
}

const failure = expect.stringMatching(/^GitHub fails at it: ./)

test.concurrent('An import halves queries that the forge fails at, and leaves out only what it fails at alone', async () => {
  await using fake = await startTestForge({ repositories: 12 })
  const service = await startTestService(anyDatabase, { data: 'empty' })
  const { model, authors, special } = fake.organization
  const [first, second] = authors.people
  if (first?.account === undefined || second?.account === undefined) throw new Error('nobody has an account')
  const author = { name: 'x', email: 'new@elsewhere.example' }
  model.addAddress(second.account, author.email)
  await model.push(special.fork, [{ author, date: 1_752_000_000, message: 'x' }])
  const hash = special.fork.git.readHead()?.oid ?? ''

  failAt(fake, [first.account.id, hash])
  const result = await fake.load(service.sql)
  expect(result.skipped).toEqual(
    expect.arrayContaining([
      { name: first.account.login, reason: failure },
      { name: `the author of commit ${hash}`, reason: failure },
    ]),
  )
  const users = await service.sql<{ id: number }[]>`select forge_rest_id as id from users`
  const ids = users.map(({ id }) => id)
  expect(ids).not.toContain(first.account.databaseId)
  expect(ids).toContain(second.account.databaseId)
  expect(result.people).toBe(ids.length)

  failAt(fake, [special.monolith.id])
  special.monolith.description = 'Nobody sees this'
  special.renamed.description = 'Everybody sees this'
  const refreshed = await fake.load(service.sql, { targets: [], refresh: true })
  expect(refreshed.failed).toEqual([{ name: 'acme-works/monolith', reason: failure }])
  expect(refreshed.load?.repositories).toEqual({ added: 0, updated: 1, removed: 0 })
  await service.close()
})

test.concurrent('An import lists an owner of whose repositories the forge fails at one', async () => {
  await using fake = await startTestForge({ repositories: 12 })
  const service = await startTestService(anyDatabase, { data: 'empty' })
  const { special } = fake.organization
  fake.forge.isTooHeavy = (variables, text) =>
    has(variables.ids, special.monolith.id) || ('first' in variables && text.includes('diskUsage'))
  const result = await fake.load(service.sql, { withHistory: false })
  expect(result.failed).toEqual([{ name: 'acme-works/monolith', reason: failure }])
  const names = await service.sql<{ name: string }[]>`
    select ${selectMember(service.sql, service.sql`members`, 'name')} as name from repositories`
  expect(names.length).toBeGreaterThan(5)
  expect(names).toHaveLength(result.repositories)
  expect(names.map(({ name }) => name)).not.toContain('monolith')
  await service.close()
})

test.concurrent('An import fails when the forge fails at everything, and the next one goes on', async () => {
  await using fake = await startTestForge({ repositories: 12 })
  const service = await startTestService(anyDatabase, { data: 'empty' })
  fake.forge.isTooHeavy = (variables) => !('login' in variables)
  const failing = fake.load(service.sql)
  await expect(failing).rejects.toThrow(ForgeError)
  await expect(failing).rejects.toThrow('continues where it stopped')
  expect(await service.sql`select from repositories`).toHaveLength(0)
  fake.forge.isTooHeavy = () => false
  const result = await fake.load(service.sql)
  expect(result).toMatchObject({ isResumed: true, fetched: 0 })
  expect([...result.failed, ...result.skipped].map(({ reason }) => reason)).not.toContainEqual(failure)
  await service.close()
})
