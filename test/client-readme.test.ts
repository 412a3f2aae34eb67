/**
 * The client's README, run as a new user would: each sample, in its order, with the packed file.
 *
 * @module
 */
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type InstalledClient, installClient, type ServedService, serve } from './support/client.ts'
import { inheritEnvironment } from './support/program.ts'
import { startTestService, type TestService } from './support/service.ts'

const run = promisify(execFile)
let installed: InstalledClient
let service: TestService
let served: ServedService
let environment: Record<string, string>
let readme: string

beforeAll(async () => {
  installed = await installClient()
  service = await startTestService('embedded')
  served = await serve(service)
  const { secret } = await service.createKey()
  environment = { ...inheritEnvironment(), DEVDATA_URL: served.url, DEVDATA_API_KEY: secret }
  readme = await readFile(join(installed.directory, 'node_modules/devdata-client/README.md'), 'utf8')
})
afterAll(async () => {
  await served?.[Symbol.asyncDispose]()
  await service?.close()
  await installed?.remove()
})

function listSamples(language: string): string[] {
  return [...readme.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, name, code]) =>
    name === language ? (code ?? '') : [],
  )
}

test('its programs run, and their lists have items', async () => {
  const samples = listSamples('js')
  expect(samples.length).toBeGreaterThan(3)
  const report = 'console.log(JSON.stringify([user.login, items, credits, version]))'
  await writeFile(join(installed.directory, 'readme.mjs'), [...samples, report].join('\n'))
  const { stdout } = await run(process.execPath, ['readme.mjs'], {
    cwd: installed.directory,
    env: environment,
  })
  const lines = stdout.trimEnd().split('\n')
  const [login, items, credits, version] = JSON.parse(lines.at(-1) ?? '')
  expect([login, credits, version]).toEqual(['ngoldberg', items, expect.any(Number)])
  expect(items).toBeGreaterThan(1)
  expect(lines.length).toBe(items + 2)
  const stored = await readFile(join(installed.directory, 'users.ndjson'), 'utf8')
  const users = stored
    .trimEnd()
    .split('\n')
    .flatMap((line) => JSON.parse(line).users)
  expect(users.length).toBe(items)
})

test('its commands run', async () => {
  const commands = listSamples('sh').flatMap((code) => code.match(/(?<=^npx devdata-client ).*/gm) ?? [])
  expect(commands.length).toBeGreaterThan(4)
  for (const command of commands) {
    const options = { cwd: installed.directory, env: environment }
    const { stderr } = await run('npx', ['devdata-client', ...command.split(' ')], options)
    expect(stderr).not.toContain('devdata-client:')
  }
})
