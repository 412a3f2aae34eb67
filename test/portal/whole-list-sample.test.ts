/**
 * The program of the page Recipes that reads a whole list, as its reader saves it: killed at each point and run again, it has
 * each user once, and has paid for each once. It retries what the page on rate limits says, and stops at its budget.
 *
 * @module-tag later
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { fail, holdResponse, type Intercept, interceptInTurn, serve } from '../support/client.ts'
import { endWithThisProcess, inheritEnvironment, succeeds } from '../support/program.ts'
import { findUsers } from '../support/sample-oracle.ts'
import { anyDatabase, useService } from '../support/service.ts'
import { useStarted } from '../support/suite.ts'

const samples = join(import.meta.dirname, '../../docs-site/src/samples')
const hasRequests = await succeeds('python3', '-c', 'import requests')
if (process.env.CI && !hasRequests) throw new Error('CI must not skip samples: Python has no requests')

const service = useService(anyDatabase)
const interceptions: Intercept[] = []
const received: Request[] = []
/** Whether the key of each request was on the disk when the request arrived. */
const wasStored: boolean[] = []
const times: number[] = []
let directory: string
let kill: () => void = () => {}
const served = useStarted(() => {
  const intercept = interceptInTurn(interceptions, received)
  return serve(service, (request, handle) => {
    times.push(Date.now())
    const { key } = JSON.parse(readFileSync(join(directory, 'users.state'), 'utf8'))
    wasStored.push(key === request.headers.get('Idempotency-Key'))
    return intercept(request, handle)
  })
})

const logins = findUsers({ country: ['DE'], names: ['react'] }).map(({ login }) => login)
const pages = Math.ceil(logins.length / 5)
const pass: Intercept = (request, handle) => handle(request)
/** The connection breaks within the response, which was paid for. */
const breakOff: Intercept = async (request, handle) => {
  const response = await handle(request)
  const body = new Uint8Array(await response.arrayBuffer())
  const half = new ReadableStream({
    start: (stream) => stream.enqueue(body.subarray(0, body.length / 2)),
    pull: (stream) => stream.error(new Error('The connection breaks')),
  })
  return new Response(half, response)
}
/** A connection that nothing comes through anymore. */
const silence = new Promise<Response>(() => {})

/** What happens to a program at its request. */
const crashes: [string, Intercept][] = [
  [
    'before the service has the request',
    () => {
      kill()
      return silence
    },
  ],
  [
    'after the charge',
    async (request, handle) => {
      await handle(request)
      kill()
      return silence
    },
  ],
  ['within the response', async (request, handle) => holdResponse(await handle(request), kill)],
  [
    'after the page is written, before its position is',
    async (request, handle) => {
      mkdirSync(join(directory, 'users.state.new')) // the file can't be written
      return await handle(request)
    },
  ],
]

describe.each([
  { language: 'Python', ending: 'py', program: 'python3', isThere: hasRequests },
  { language: 'JavaScript', ending: 'mjs', program: process.execPath, isThere: true },
])('the program that reads a whole list, in $language,', ({ ending, program, isThere }) => {
  let secret: string
  let id: number

  /** Runs it in the folder of the test, with five users a page. */
  async function run(budget = 500, filter = 'country=DE&') {
    const code = readFileSync(join(samples, `whole-list.${ending}`), 'utf8')
      .replace('{base_url}', served.url)
      .replace('per_page=100', 'per_page=5')
      .replace('country=DE&', filter)
      .replace('budget = 500', `budget = ${budget}`)
    const file = join(directory, `sample.${ending}`)
    rmSync(file, { force: true })
    appendFileSync(file, code)
    const child = endWithThisProcess(
      spawn(program, [file], {
        cwd: directory,
        env: { ...inheritEnvironment(), DEVDATA_API_KEY: secret, NO_PROXY: '127.0.0.1' },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    )
    kill = () => child.kill('SIGKILL')
    const output = { stdout: '', stderr: '' }
    child.stdout.on('data', (text) => {
      output.stdout += text
    })
    child.stderr.on('data', (text) => {
      output.stderr += text
    })
    const [code_] = await once(child, 'close')
    return { exit: code_ as number | null, ...output }
  }

  const readLogins = () =>
    readFileSync(join(directory, 'users.ndjson'), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line).login)
  const readCharged = async () => (await service.readLedger(id)).charged

  beforeAll(() => {
    expect(pages).toBeGreaterThan(crashes.length)
  })
  const prepare = async () => {
    directory = mkdtempSync(join(tmpdir(), 'devdata-whole-list-'))
    ;({ secret, id } = await service.createKey())
    for (const list of [interceptions, received, wasStored, times]) list.length = 0
  }
  const end = () => rmSync(directory, { recursive: true })

  test.skipIf(!isThere)('has each user once, paid once, wherever it was killed', async () => {
    await prepare()
    for (const [point, crash] of crashes) {
      interceptions.push(pass, crash)
      const { exit } = await run()
      expect([point, exit === 0]).toEqual([point, false])
      rmSync(join(directory, 'users.state.new'), { recursive: true, force: true })
      appendFileSync(join(directory, 'users.ndjson'), '{"login": "hal') // as if it was killed while it wrote
    }
    const { stdout } = await run()
    expect(stdout).toBe(
      `${logins.length} users in users.ndjson, ${500 - logins.length} credits of the budget left\n`,
    )
    expect(readLogins()).toEqual(logins)
    expect(await readCharged()).toBe(logins.length)
    expect(received).toHaveLength(pages + crashes.length)
    expect(new Set(received.map(({ headers }) => headers.get('Idempotency-Key'))).size).toBe(pages)
    expect(wasStored).toEqual(received.map(() => true))
    // All is read: nothing is sent.
    expect(await run()).toMatchObject({ exit: 0, stdout })
    rmSync(join(directory, 'users.ndjson')) // what was paid for isn't paid again unasked
    expect(await run()).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('users.ndjson lacks users: '),
    })
    expect(received).toHaveLength(pages + crashes.length)
    end()
  })

  test.skipIf(!isThere)('stops at its budget, and continues with a larger one', async () => {
    await prepare()
    const { exit, stderr } = await run(12)
    expect([exit, stderr]).toEqual([1, expect.stringContaining('Max-Credits is 2, but this request costs 5')])
    expect([readLogins(), await readCharged()]).toEqual([logins.slice(0, 10), 10])
    expect(await run()).toMatchObject({ stderr: '', exit: 0 })
    expect([readLogins(), await readCharged()]).toEqual([logins, logins.length])
    end()
  })

  test.skipIf(!isThere)('retries what the table says, under the same key', async () => {
    await prepare()
    const failures = [fail(408), fail(500), breakOff, fail(429, { 'Retry-After': '3' }), fail(502)]
    interceptions.push(...failures.flatMap((failure) => [failure, pass]))
    expect(await run()).toMatchObject({ stderr: '', exit: 0 })
    expect([readLogins(), await readCharged()]).toEqual([logins, logins.length])
    const keys = received.map(({ headers }) => headers.get('Idempotency-Key'))
    expect(keys.filter((key, index) => key === keys[index - 1])).toHaveLength(failures.length)
    // The fourth request that failed was the seventh. Without the header, the first wait is two seconds at most.
    expect((times[7] ?? 0) - (times[6] ?? 0)).toBeGreaterThanOrEqual(2_990)
    end()
  })

  test.skipIf(!isThere)('ends after some tries, and can be run again', async () => {
    await prepare()
    interceptions.push(pass, ...Array.from({ length: 7 }, () => fail(503, { 'Retry-After': '0' })))
    expect(await run()).toMatchObject({ exit: 1 })
    expect(received).toHaveLength(8)
    expect(await run()).toMatchObject({ stderr: '', exit: 0 })
    expect([readLogins(), await readCharged()]).toEqual([logins, logins.length])
    end()
  })

  test.skipIf(!isThere)('ends at once if a retry would get the same response', async () => {
    await prepare()
    interceptions.push(fail(503, { 'X-Error-Code': 'filter_not_ready' }))
    expect(await run()).toMatchObject({ exit: 1 })
    expect(received).toHaveLength(1)
    rmSync(join(directory, 'users.state'))
    expect(await run(500, 'country=Germany&')).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('Invalid country: '),
    })
    expect(received).toHaveLength(2)
    expect(await readCharged()).toBe(0)
    end()
  })
})
