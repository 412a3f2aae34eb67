/**
 * The client where it runs: the samples of its README, run as a new user would, with the packed file; and a page in a
 * browser.
 *
 * @module-tag later
 */
import { execFile } from 'node:child_process'
import { createReadStream } from 'node:fs'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { hasChromium, openBrowser } from '../support/browser.ts'
import { installClient, serve } from '../support/client.ts'
import { deno } from '../support/deno.ts'
import { listSamples } from '../support/markdown-samples.ts'
import { inheritEnvironment } from '../support/program.ts'
import { anyDatabase, useService } from '../support/service.ts'
import { useStarted } from '../support/suite.ts'

const run = promisify(execFile)
const docs = join(import.meta.dirname, '../../docs-site/src/content/docs')
/** The programs of the machine, without those of this project: its Node may be older, and the client runs on Node 20. */
const machinePath = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((directory) => !directory.includes('node_modules'))
  .join(delimiter)

const installed = useStarted(installClient)
const service = useService(anyDatabase, { key: {} })
const served = useStarted(() => serve(service))
let environment: Record<string, string>
let readme: string

beforeAll(async () => {
  environment = {
    ...inheritEnvironment(),
    PATH: machinePath,
    DEVDATA_URL: served.url,
    DEVDATA_API_KEY: service.key,
  }
  readme = await readFile(join(installed.directory, 'node_modules/@devdata/client/README.md'), 'utf8')
})

test.each([
  ['the Node of the machine', ['node']],
  ['Deno', [deno, 'run', '--quiet', '--no-prompt', '--allow-all']],
])(
  'each program of the README runs by itself on %s, and their lists have items',
  async (_, [command = '', ...parameters]) => {
    const programs = listSamples(readme, 'js')
    const directory = await mkdtemp(join(installed.directory, 'readme-'))
    const outputs: string[][] = []
    for (const [index, program] of programs.entries()) {
      await writeFile(join(directory, `${index}.mjs`), program)
      const options = { cwd: directory, env: environment }
      const { stdout } = await run(command, [...parameters, `${index}.mjs`], options)
      outputs.push(stdout.trimEnd().split('\n'))
    }
    const [first = [], list = [], resumed, copied, watched] = outputs
    expect(outputs.length).toBe(5)
    const [, balance, items = 0, credits] = /^Noor Goldberg (\d+) (\d+) (\d+)$/.exec(first[0] ?? '') ?? []
    expect([Number(balance) > 0, Number(items) > 1, credits]).toEqual([true, true, items])
    expect([list.length - 1, list.at(-1)?.split(' ')[0]]).toEqual([Number(items), items])
    expect([resumed, copied, watched]).toEqual([[''], [''], ['']])
    const stored = await readFile(join(directory, 'pages.ndjson'), 'utf8')
    const users = stored
      .trimEnd()
      .split('\n')
      .flatMap((line) => JSON.parse(line).users)
    expect(users.length).toBe(Number(items))
    const watching = JSON.parse(await readFile(join(directory, 'watch.json'), 'utf8'))
    expect([watching.users.length, watching.state.since]).toEqual([Number(items), 1])
  },
)

test('the commands of the README run on the Node of the machine', async () => {
  const { stdout: version } = await run('node', ['--version'], { env: environment })
  console.info(`the Node of the machine is ${version.trim()}`)
  const commands = listSamples(readme, 'sh').flatMap(
    (code) => code.match(/(?<=^npx --no devdata-client ).*/gm) ?? [],
  )
  expect(commands.length).toBeGreaterThan(4)
  for (const command of commands) {
    const options = { cwd: installed.directory, env: environment }
    const { stderr } = await run('npx', ['--no', 'devdata-client', ...command.split(' ')], options)
    expect(stderr).not.toContain('devdata-client:')
  }
})

test('the samples of the docs are those of the README', async () => {
  const pages = await Promise.all(
    ['typescript-client', 'command-line'].map((name) => readFile(join(docs, `${name}.md`), 'utf8')),
  )
  const page = pages.join('\n').replaceAll('{base_url}', 'https://api.example.com/public-api')
  for (const language of ['js', 'sh']) {
    const lines = listSamples(page, language).flatMap((code) => code.trim().split('\n'))
    expect(lines.length).toBeGreaterThan(5)
    expect(readme.split('\n')).toEqual(expect.arrayContaining(lines))
  }
})

/** What a page does whose origin is not that of the service. */
const browserProgram = (baseUrl: string, apiKey: string) => `
import { createClient, MaxCreditsError } from '/client.js'

try {
  const api = createClient({ baseUrl: '${baseUrl}', apiKey: '${apiKey}', cache: new Map() })
  const read = async () => {
    const list = api.users.list({ location: 'berlin', dependencyNames: ['zod'] }, { pageSize: 5 })
    const logins = new Set()
    for await (const { login } of list) logins.add(login)
    return [logins.size, list.spent, list.version > 0]
  }
  const error = await api.users.get('ngoldberg', { maxCredits: 0 }).catch((error) => error)
  document.title = JSON.stringify([await read(), await read(), error instanceof MaxCreditsError, error.requestId.length])
} catch (error) {
  document.title = String(error)
}
`

test.skipIf(!hasChromium())('a page of another origin reads a list, and gets what headers say', async () => {
  const { secret, id } = await service.createKey()
  const scripts = join(installed.directory, 'node_modules/@devdata/client/dist')
  const server = createServer(({ url = '' }, response) => {
    response.setHeader('Content-Type', url.endsWith('.js') ? 'text/javascript' : 'text/html')
    if (url === '/program.js') response.end(browserProgram(served.url, secret))
    else if (url.endsWith('.js')) createReadStream(join(scripts, basename(url))).pipe(response)
    else response.end('<!doctype html><script type="module" src="/program.js"></script>')
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const browser = await openBrowser()
  try {
    const page = await browser.newPage()
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    await page.waitForFunction('document.title')
    // The second time, the responses are in the cache, and free.
    expect(await page.title()).toBe(JSON.stringify([[11, 11, true], [11, 0, true], true, 36]))
  } finally {
    await browser.close()
    server.closeAllConnections()
    server.close()
  }
  expect(await service.readLedger(id)).toMatchObject({ charged: 11 })
})
