/**
 * Programs that read a list with the client, and are killed and started again while loads change the list: every item
 * comes once, and every credit is spent once. The programs run the packed file.
 *
 * @module
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRandom } from '../sample/random.ts'
import { type InstalledClient, type Intercept, installClient, serve } from './support/client.ts'
import { deno } from './support/deno.ts'
import { isDrill, seed } from './support/drill.ts'
import { endWithThisProcess, inheritEnvironment } from './support/program.ts'
import { createCommit, createRepository, createUser, loadRecords } from './support/records.ts'
import { describeOnEachDatabase, startTestService, type TestService } from './support/service.ts'

const kills = isDrill ? 1_000 : 30
const members = isDrill ? 4_000 : 600

/** Where a program is killed: while its request is served, within the response, or after it has some items. */
const killPoints = ['request', 'response', 'items'] as const

/** Reads a list, and appends each item with the iteration's state to a file, from whose last line it goes on. */
const program = `
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import process from 'node:process'
import { createClient } from 'devdata-client'

const [, , baseUrl, file, listName, options, killAfter] = process.argv
const api = createClient({ baseUrl, apiKey: process.env.DEVDATA_API_KEY, retries: 0 })
const lists = {
  users: (options) => api.users.list({}, options),
  berliners: (options) => api.users.list({ location: 'berlin' }, options),
  repositories: (options) => api.repositories.list({ dependencyNames: ['react'] }, options),
  commits: (options) => api.repositories.commits('own/busy', options),
  dependencies: (options) => api.repositories.dependencies('own/busy', options),
  many: (options) => api.users.getMany(Array.from({ length: ${members} }, (_, index) => 'USER-' + index), options),
  changes: (options) => api.changes(undefined, options),
}
const last = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8').trimEnd().split('\\n').at(-1)) : {}
if (last.state === null) process.exit(0)
const list = lists[listName]({ ...JSON.parse(options), resume: last.state })
const save = (id) => appendFileSync(file, JSON.stringify({ id, state: list.state ?? null, spent: list.spent, stoppedBy: list.stoppedBy }) + '\\n')
if (last.state === undefined) save()
let items = 0
for await (const item of list) {
  const { forge_rest_id, commit_hash, dependency } = item.item ?? item
  save((item.type ?? '') + (forge_rest_id ?? commit_hash ?? dependency.dependency_name))
  if (++items === Number(killAfter)) process.kill(process.pid, 'SIGKILL')
}
if (list.stoppedBy !== undefined) save()
`

interface Line {
  id?: string
  state: { url: string } | null
  spent: number
  stoppedBy?: string
}

let client: InstalledClient
beforeAll(async () => {
  console.info(`TEST_SEED=${seed}`)
  client = await installClient()
  await writeFile(join(client.directory, 'program.mjs'), program)
})
afterAll(() => client?.remove())

/** Reads a list to its end, with a program that is killed again and again. `load` is called between some of the runs. */
async function readThroughKills(
  service: TestService,
  {
    list,
    key,
    kills,
    options = {},
    load = async () => {},
    runtime = [process.execPath],
  }: {
    list: string
    key: string
    kills: number
    options?: object
    load?: (run: number) => Promise<void>
    runtime?: string[]
  },
): Promise<Line[]> {
  const random = createRandom(`${seed} ${list}`)
  const file = join(client.directory, `${list}.ndjson`)
  rmSync(file, { force: true })
  let kill = () => {}
  let point: (typeof killPoints)[number] | undefined
  const intercept: Intercept = async (request, handle) => {
    const response = await handle(request)
    if (point === 'request') kill()
    if (point !== 'response') return response
    const body = new Uint8Array(await response.arrayBuffer())
    const half = new ReadableStream({
      start: (stream) => stream.enqueue(body.subarray(0, body.length / 2)),
      async pull(stream) {
        kill()
        stream.error(new Error('killed'))
      },
    })
    return new Response(half, response)
  }
  await using served = await serve(service, intercept)
  for (let run = 0; run <= kills; run++) {
    point = run < kills ? random.pick([...killPoints]) : undefined
    const killAfter = point === 'items' ? random.integer(1, 150) : 0
    const [command = '', ...parameters] = runtime
    const child = endWithThisProcess(
      spawn(
        command,
        [...parameters, 'program.mjs', served.url, file, list, JSON.stringify(options), String(killAfter)],
        {
          cwd: client.directory,
          env: { ...inheritEnvironment(), DEVDATA_API_KEY: key },
          stdio: ['ignore', 'inherit', 'inherit'],
        },
      ),
    )
    kill = () => child.kill('SIGKILL')
    const [code] = await once(child, 'close')
    const lines = readLines(file)
    if (lines.at(-1)?.state === null || lines.at(-1)?.stoppedBy !== undefined) return lines
    expect(code, `run ${run}, killed at its ${point}`).toBe(null)
    if (random.chance(0.3)) await load(run)
  }
  return expect.fail('the list was not read to its end')
}

function readLines(file: string): Line[] {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line): Line => JSON.parse(line))
}

const listIds = (lines: readonly Line[]) => lines.flatMap(({ id }) => id ?? [])

describeOnEachDatabase('a program that is killed again and again', (kind) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(kind, { data: 'empty' })
    const names = Array.from({ length: members }, (_, index) => `package-${String(index).padStart(5, '0')}`)
    const busy = createRepository(1, 'own', names, { name: 'busy', full_name: 'own/busy' })
    await loadRecords(service.sql, {
      users: Array.from({ length: members }, (_, index) => createUser(index, { location: 'Berlin' })),
      repos: [
        busy,
        ...Array.from({ length: members }, (_, index) => createRepository(index + 2, 'own', ['react'])),
      ],
      commits: Array.from({ length: members }, (_, index) =>
        createCommit(index, busy.url, 'a@b.example', index),
      ),
    })
  })
  afterAll(() => service?.close())

  test.each([
    ['users', [process.execPath]],
    ['repositories', [process.execPath]],
    ['many', [process.execPath]],
    ['users', [deno, 'run', '--quiet', '--no-prompt', '--allow-all']],
  ])(
    'reads every item of the list "%s" once, and pays for each once, while loads append to it',
    async (list, runtime) => {
      const { secret: key, id } = await service.createKey()
      let number = 1_000_000
      const load = () => {
        const numbers = Array.from({ length: 20 }, () => number++)
        return loadRecords(service.sql, {
          users: numbers.map((next) => createUser(next)),
          repos: numbers.map((next) => createRepository(next, 'own', ['react'])),
        })
      }
      const lines = await readThroughKills(service, { list, key, kills, load, runtime })
      const ids = listIds(lines)
      expect(new Set(ids).size).toBe(ids.length)
      expect(ids.length).toBeGreaterThanOrEqual(members)
      expect(await service.readLedger(id)).toMatchObject({ charged: ids.length })
      expect(lines.at(-1)?.spent).toBe(ids.length)
    },
  )
})
