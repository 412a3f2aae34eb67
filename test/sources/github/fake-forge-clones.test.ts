/**
 * The clones that the fake forge serves, as git sees them.
 *
 * @module-tag later
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { gitEnvironment } from '../../support/fake-forge/git-repository.ts'
import { nameWithOwner, type Repository } from '../../support/fake-forge/model.ts'
import { createOrganization, type FakeOrganization } from '../../support/fake-forge/organization.ts'
import { type FakeForge, startFakeForge } from '../../support/fake-forge/server.ts'
import type { Token } from '../../support/fake-forge/token.ts'

const folder = mkdtempSync(join(tmpdir(), 'fake-forge-clones-'))
let organization: FakeOrganization
let forge: FakeForge
let clones = 0

beforeAll(async () => {
  organization = await createOrganization(folder)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))
beforeEach(async () => {
  forge = await startFakeForge(organization.model)
})
afterEach(() => forge[Symbol.asyncDispose]())

/** Runs git, with a token in a header as importers do, so that no process list shows it. */
async function git(parameters: string[], token?: Token | string): Promise<string> {
  const text = typeof token === 'string' ? token : token?.text
  const env = {
    ...gitEnvironment,
    GIT_TERMINAL_PROMPT: '0',
    ...(text !== undefined && {
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'http.extraHeader',
      GIT_CONFIG_VALUE_0: `Authorization: Basic ${Buffer.from(`x-access-token:${text}`).toString('base64')}`,
    }),
  }
  const { stdout } = await promisify(execFile)('git', parameters, { env })
  return stdout.trim()
}

/** Clones what is at the path; resolves with the folder of the clone. */
async function clone(path: string, token?: Token | string): Promise<string> {
  const to = join(folder, `clone-${++clones}`)
  await git(['clone', '--quiet', '--bare', `${forge.origin}/${path}`, to], token)
  return to
}

const readLog = (path: string) => git(['-C', path, 'log', '--format=%H %ae %ad %s'])
const urlOf = (repository: Repository) => `${nameWithOwner(repository)}.git`

describe('who may clone', () => {
  test('a private repository: those whose token sees it', async () => {
    const { secret } = organization.special
    const insider = forge.createToken({ seesPrivate: true })
    expect(await readLog(await clone(urlOf(secret), insider))).toBe(await readLog(secret.git.path))
    await expect(clone(urlOf(secret))).rejects.toThrow(/could not read Username/)
    await expect(clone(urlOf(secret), forge.createToken())).rejects.toThrow(/repository .* not found/i)
  })

  test('a public one: everybody, but nobody with a token that is not valid', async () => {
    const { archived } = organization.special
    await clone(urlOf(archived))
    await clone(urlOf(archived), forge.createToken())
    await expect(clone(urlOf(archived), 'no-token')).rejects.toThrow(
      /Authentication failed|could not read Username/,
    )
  })

  test('one that was taken down: nobody, and nobody may push', async () => {
    const { blocked, disabled, archived } = organization.special
    await expect(clone(urlOf(blocked))).rejects.toThrow(/returned error: 451/)
    await expect(clone(urlOf(disabled))).rejects.toThrow(/returned error: 403/)
    const path = await clone(urlOf(archived))
    await expect(git(['-C', path, 'push', 'origin', 'HEAD:refs/heads/other'])).rejects.toThrow(/403/)
  })
})
