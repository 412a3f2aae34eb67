/**
 * `import github` fetches histories whatever the user or the machine has configured for git, and takes the way to the
 * forge from there.
 *
 * @module-tag later
 */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import type { Repository } from '../../support/fake-forge/model.ts'
import { startTestForge } from '../../support/github-import.ts'
import { anyDatabase, useService } from '../../support/service.ts'
import { useStarted } from '../../support/suite.ts'

const service = useService(anyDatabase, { data: 'empty' })
const fake = useStarted(() => startTestForge({ repositories: 4, commits: 20, monolithCommits: 10 }))
afterEach(() => vi.unstubAllEnvs())

const change = { author: { name: 'x', email: 'x@x.example' }, date: 1_753_000_000, message: 'x' }

/** Gives git these settings of the user. */
function configure(settings: string): void {
  const path = join(fake.clones, '..', 'gitconfig')
  writeFileSync(path, settings)
  vi.stubEnv('GIT_CONFIG_GLOBAL', path)
}

/** Adds a commit with a fault that git's checks refuse, as old histories have. */
function pushFaultyCommit({ git }: Repository): void {
  const run = (args: string[], input = '') =>
    execFileSync('git', ['--git-dir', git.path, ...args], { input, encoding: 'utf8' }).trim()
  const commit = [
    `tree ${run(['rev-parse', 'HEAD^{tree}'])}`,
    `parent ${run(['rev-parse', 'HEAD'])}`,
    ...['author', 'committer'].map((role) => `${role} x <x@x.example> 01752000000 +0000`),
    '\nA date with a zero in front\n',
  ].join('\n')
  const hash = run(['hash-object', '-t', 'commit', '-w', '--stdin', '--literally'], commit)
  run(['update-ref', `refs/heads/${git.readBranch()}`, hash])
}

test('An import fetches all histories whatever URLs, checks and headers git is configured with', async () => {
  const { origin } = fake.forge
  pushFaultyCommit(fake.organization.special.monolith)
  configure(`
[url "git@forge.example:"]
	insteadOf = ${origin}/
	pushInsteadOf = ${origin}/
[url "${origin}/elsewhere/"]
	insteadOf = ${origin}/acme-works/
[remote "${origin}/acme-works/monolith"]
	url = ${origin}/no/such
	proxy = http://127.0.0.1:1
[fetch]
	fsckObjects = true
	pruneTags = true
	recurseSubmodules = true
[transfer]
	fsckObjects = true
	credentialsInUrl = die
[receive]
	fsckObjects = true
[protocol]
	allow = never
[credential]
	helper = !false
[http]
	extraHeader = Authorization: Basic d3Jvbmc6d3Jvbmc=
	followRedirects = true
[http "${origin}"]
	lowSpeedLimit = 1000000000
	lowSpeedTime = 1
`)
  vi.stubEnv('GIT_DEFAULT_HASH', 'sha256')
  vi.stubEnv('GIT_CONFIG_PARAMETERS', "'fetch.fsckobjects=true'")
  const result = await fake.load(service.sql)
  expect(result.skipped.filter(({ name }) => !/empty|disabled|a repository/.test(name))).toEqual([])
  expect(result.failed).toEqual([])
  const commits = await service.sql`
    select from commits c join repositories r on r.id = c.repository_id
    where forge_rest_id = ${fake.organization.special.monolith.databaseId}`
  expect(commits).toHaveLength(11)
})

test('An import reaches the forge through the proxy that git is configured with', async () => {
  const passed: string[] = []
  const proxy = createServer((incoming, outgoing) => {
    const { method, headers, url = '' } = incoming
    passed.push(url)
    incoming.pipe(
      request(url, { method, headers }, (response) => {
        outgoing.writeHead(response.statusCode ?? 502, response.headers)
        response.pipe(outgoing)
      }),
    )
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const address = proxy.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  for (const name of ['NO_PROXY', 'no_proxy']) vi.stubEnv(name, '')
  configure(`[http "${fake.forge.origin}/"]\n\tproxy = http://127.0.0.1:${address.port}\n`)
  await fake.organization.model.push(fake.organization.special.monolith, [change])
  fake.forge.requests.length = 0
  const { fetched } = await fake.load(service.sql)
  proxy.closeAllConnections()
  proxy.close()
  expect(fetched).toBe(1)
  const served = fake.forge.requests.filter(({ kind }) => kind === 'git')
  expect(passed).toHaveLength(served.length)
})

test('A redirect is not followed to another host, which would get the token, even if git is configured to', async () => {
  const { organization, forge } = fake
  const { monolith } = organization.special
  await organization.model.push(monolith, [change])
  configure(`[http "${forge.origin}/acme-works"]\n\tfollowRedirects = true\n`)
  const { failed } = await fake.load(service.sql, {
    onProgress({ step }) {
      if (step === 'listing repositories') organization.model.moveRepository(monolith, { name: 'moved' })
    },
  })
  expect(failed).toContainEqual({
    name: 'acme-works/monolith',
    reason: expect.stringMatching(/^without its history: .*returned error: 301/),
  })
})
