/**
 * How the forge is asked: within its limits, with all tokens, and again after what passes.
 *
 * @module
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createForgeClient, ForgeError } from '../api/import/github/client.ts'
import { type OwnedRepositories, queryOwnedRepositories } from '../api/import/github/queries.ts'
import { queryFaults } from './support/fake-forge/faults.ts'
import { ForgeModel } from './support/fake-forge/model.ts'
import { type FakeForge, startFakeForge } from './support/fake-forge/server.ts'
import type { Limits } from './support/fake-forge/token.ts'

const folder = mkdtempSync(join(tmpdir(), 'devdata-client-'))
let model: ForgeModel
let forge: FakeForge

beforeAll(() => {
  model = new ForgeModel(folder)
  const owner = model.addAccount({ login: 'owner' })
  for (let number = 1; number <= 5; number++) model.addRepository({ owner, name: `repository-${number}` })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))
beforeEach(async () => {
  forge = await startFakeForge(model)
  forge.responseDelayMs = 20 // queries are under way at the same time, so the forge sees how many the client has
})
afterEach(() => forge[Symbol.asyncDispose]()) // throws if the forge was asked too much

/** A client with a token for each of the limits. */
function createClient(limits: Partial<Limits>[], concurrency = 4) {
  const tokens = limits.map((each) => forge.createToken({ limits: each }))
  const client = createForgeClient({
    apiUrl: forge.apiUrl,
    tokens: tokens.map(({ text }) => text),
    concurrency,
  })
  const list = async () => {
    const { data } = await client.ask<OwnedRepositories>(queryOwnedRepositories('owner', null))
    expect(data.repositoryOwner?.repositories.nodes.map((node) => node?.name)).toHaveLength(5)
  }
  return { client, tokens, list }
}

// Silence would take 20 seconds, and waiting without `retry-after` a minute: the other token doesn't wait.
test.each(queryFaults.filter((fault) => fault !== 'silence'))('A query survives: %s', async (fault) => {
  const { list } = createClient([
    { windowSeconds: 2, retryAfterSeconds: 1 },
    { windowSeconds: 2, retryAfterSeconds: 1 },
  ])
  await list()
  forge.faults.next(fault)
  await list()
  expect(forge.requests.at(-1)).toMatchObject({ what: 'OwnedRepositories', status: 200 })
})

test('Queries wait for new points, and none is sent that would be refused', async () => {
  const { client, list } = createClient([{ points: 7, windowSeconds: 2 }])
  await Promise.all(Array.from({ length: 7 }, list))
  expect(forge.requests.filter(({ status, points }) => status === 200 && points > 0)).toHaveLength(7)
  expect(client.usage).toMatchObject({ queries: 7, points: 14 })
})

test('Several tokens share the work, and the others go on when one is revoked', async () => {
  const { list, tokens } = createClient([{ points: 20 }, { points: 20 }, { points: 20 }])
  await Promise.all(Array.from({ length: 9 }, list))
  expect(tokens.every(({ used }) => used >= 4)).toBe(true)
  const [first] = tokens
  if (first) first.isRevoked = true
  await Promise.all(Array.from({ length: 6 }, list))
})

test('Queries wait as long as a response asks for, all of the token', async () => {
  const { list } = createClient([{ retryAfterSeconds: 1 }])
  await Promise.all(Array.from({ length: 9 }, list)) // the forge knows then that several may be under way
  forge.faults.next('secondary limit 429', 'secondary limit 403')
  await Promise.all(Array.from({ length: 6 }, list))
})

test('Without a valid token the import ends with a message that doesn’t show it', async () => {
  const { client, tokens } = createClient([{}, {}])
  for (const token of tokens) token.isRevoked = true
  const failing = client.ask(queryOwnedRepositories('owner', null))
  await expect(failing).rejects.toThrow(ForgeError)
  await expect(failing).rejects.toThrow('The forge refuses all 2 tokens: they are wrong, expired or revoked')
})

test('A URL without the API is named', async () => {
  const apiUrl = `${forge.origin}/nothing-here`
  const client = createForgeClient({ apiUrl, tokens: ['secret-token'], concurrency: 1 })
  await expect(client.ask(queryOwnedRepositories('owner', null))).rejects.toThrow(
    `--api: ${apiUrl} is not a GitHub API (404)`,
  )
})
