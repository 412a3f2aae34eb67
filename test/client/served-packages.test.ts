/**
 * The packages that a service serves: what pages say about them works as it is written, without a registry.
 *
 * @module-tag later
 */
import { execFile } from 'node:child_process'
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readVersion } from '../../api/build-info.ts'
import { serve } from '../support/client.ts'
import { listSamples } from '../support/markdown-samples.ts'
import { inheritEnvironment } from '../support/program.ts'
import { anyDatabase, useService } from '../support/service.ts'
import { useStarted } from '../support/suite.ts'

const run = promisify(execFile)

const service = useService(anyDatabase, { docs: true, key: {} })
const served = useStarted(() => serve(service))
let directory: string
let environment: Record<string, string>
beforeAll(async () => {
  directory = await realpath(await mkdtemp(join(tmpdir(), 'devdata-served-')))
  environment = {
    ...inheritEnvironment(),
    DEVDATA_URL: served.url,
    DEVDATA_API_KEY: service.key,
    // Nothing listens there: a package that is fetched by its name fails.
    npm_config_registry: 'http://127.0.0.1:9',
    npm_config_cache: join(directory, 'cache'),
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    PIP_INDEX_URL: 'http://127.0.0.1:9',
    PIP_NO_CACHE_DIR: '1',
  }
})
afterAll(() => rm(directory, { recursive: true, force: true }))

const read = async (path: string) => (await fetch(`${served.url}/docs/${path}`)).text()

/** Runs lines of a page's samples in a shell. */
async function runLines(page: string, lines: RegExp, ...further: string[]): Promise<string> {
  const commands = page.match(lines) ?? expect.fail(`no line is like ${lines}`)
  const script = [...commands, ...further].join('\n')
  const { stdout } = await run('sh', ['-euc', script], { cwd: directory, env: environment })
  return stdout
}

test('the client is installed by the line of each page, and its command runs', async () => {
  const pages = await Promise.all(['typescript-client.md', 'command-line.md'].map(read))
  for (const page of pages) await runLines(page, /^npm install .*$/gm)
  expect(await runLines(pages[1] ?? '', /^npx --no devdata-client credits$/gm)).toContain('remaining_credits')
})

test('an assistant starts devdata-mcp by the configuration of the page', async () => {
  const page = await read('connect-an-assistant.md')
  const [, args = ''] = /"command": "npx",\s+"args": (\[.*\])/.exec(page) ?? []
  const options = { cwd: directory, env: environment }
  const { stdout } = await run('npx', [...JSON.parse(args), '--version'], options)
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
})

test('the Python client is installed by the line of its page, and its first program runs', async () => {
  const page = await read('python-client.md')
  const [program = ''] = listSamples(page, 'python')
  await writeFile(join(directory, 'first.py'), program)
  expect(await runLines(page, /^(python3 -m venv|pip install) .*$/gm, 'python first.py')).toMatch(
    /\nNoor Goldberg \d+ \d+ \d+\n/,
  )
})

test('the files have the hashes that stand beside them', async () => {
  const page = await read('tools.md')
  const checked = await runLines(page, /^curl .*$/gm)
  const version = readVersion()
  const names = [
    `devdata-client-${version}.tgz`,
    `devdata-mcp-${version}.tgz`,
    `devdata_client-${version}-py3-none-any.whl`,
  ]
  expect(checked).toBe(names.map((name) => `${name}: OK\n`).join(''))
})
