/**
 * devdata-mcp, as an assistant uses it: the packed file, the official SDK's client, and a real service.
 *
 * @module
 */
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRandom } from '../sample/random.ts'
import {
  type InstalledClient,
  type Intercept,
  installClient,
  type ServedService,
  serve,
} from './support/client.ts'
import { isDrill, seed } from './support/drill.ts'
import {
  type ConversationOptions,
  estimateTokens,
  type McpConversation,
  protocolVersions,
  startConversation,
} from './support/mcp.ts'
import { inheritEnvironment } from './support/program.ts'
import { createCommit, createRepository, createUser, loadRecords } from './support/records.ts'
import { startTestService, type TestService } from './support/service.ts'

const run = promisify(execFile)
const project = join(import.meta.dirname, '..')
const calls = isDrill ? 10_000 : 500
const concurrency = 16

let installed: InstalledClient
let service: TestService
let served: ServedService
let intercept: Intercept | undefined

beforeAll(async () => {
  installed = await installClient({ withMcp: true })
  service = await startTestService('embedded')
  served = await serve(service, (request, handle) =>
    intercept === undefined ? handle(request) : intercept(request, handle),
  )
})
afterAll(async () => {
  await served?.[Symbol.asyncDispose]()
  await service?.close()
  await installed?.remove()
})

/** Starts a conversation with a new key. */
async function converse(
  options: Partial<ConversationOptions> & { credits?: number } = {},
): Promise<McpConversation & { id: number }> {
  const { secret, id } = await service.createKey({ credits: options.credits ?? 1_000_000 })
  const conversation = await startConversation(installed, { url: served.url, key: secret, ...options })
  return { ...conversation, id }
}

const items = (result: Record<string, unknown>) => result.items as Record<string, unknown>[]

describe.each(protocolVersions)('with version %s of the protocol', (protocol) => {
  test('each tool returns data, what it cost and what is left', async () => {
    await using conversation = await converse({ protocol, environment: { DEVDATA_BUDGET: '100' } })
    const { client, call, id, errors } = conversation
    expect(client.getNegotiatedProtocolVersion()).toBe(protocol)
    expect(await call('quote', { list: 'users', location: 'berlin' })).toMatchObject({
      result: { items: 51, credits: 51, cost: 0, balance: 1_000_000, budget_left: 100 },
    })
    const { result } = await call('find_users', { location: ['berlin', 'germany'] })
    expect(result).toMatchObject({ total: 52, cost: 10, balance: 999_990, budget_left: 90 })
    expect(items(result)[0]).toEqual({
      login: 'ngoldberg',
      name: 'Noor Goldberg',
      location: 'Berlin, Germany',
      followers: 3,
    })
    const repositories = await call('find_repositories', { dependency_names: 'react', limit: 2 })
    expect(items(repositories.result)).toMatchObject([{ language: 'TypeScript' }, { pushed_at: /^2025-/ }])
    const commits = await call('list_commits', { full_name: 'yarrow-collective/monolith', limit: 3 })
    expect(items(commits.result)).toMatchObject(
      Array(3).fill({ author_date: expect.stringMatching(/^\d{4}-.*Z$/), message: expect.any(String) }),
    )
    expect((await call('get_user', { login: 'NGoldberg' })).result).toMatchObject({
      user: { login: 'ngoldberg' },
      cost: 1,
    })
    expect((await call('get_user', { login: 'nobody-at-all' })).result).toMatchObject({ user: null, cost: 1 })
    const repository = await call('get_repository', { full_name: 'yarrow-collective/monolith' })
    expect(repository.result).toMatchObject({ repository: { full_name: 'yarrow-collective/monolith' } })
    expect((await call('get_repository', { full_name: 'no/such' })).result).toMatchObject({
      repository: null,
      cost: 0,
      balance: 999_982,
      budget_left: 82,
    })
    expect(await service.readLedger(id)).toMatchObject({ charged: 18 })
    expect(errors).toEqual([])
  })
})
