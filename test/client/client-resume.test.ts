/**
 * Programs that read a list with the client, and are killed and started again while loads change the list: every item
 * comes once, and every credit is spent once. The programs run the packed file.
 *
 * @module-tag later
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { packPythonClient } from '../../client/build.ts'
import { createRandom } from '../../sample/random.ts'
import { holdResponse, type Intercept, installClient, serve } from '../support/client.ts'
import { deno } from '../support/deno.ts'
import { isDrill, seed } from '../support/drill.ts'
import { endWithThisProcess, inheritEnvironment } from '../support/program.ts'
import { createCommit, createRepository, createUser, loadRecords } from '../support/records.ts'
import { describeOnOneDatabase, type TestService, useService } from '../support/service.ts'
import { useStarted } from '../support/suite.ts'

/** Of each of eleven lists, on each database: 1,080 in a drill. */
const kills = isDrill ? 60 : 8
const members = isDrill ? 2_500 : 500

/** Where a program is killed: while a request is served, within the response, or after some items. */
const killPoints = ['request', 'response', 'items'] as const

/** Reads a list, and appends each item with the iteration's state to a file, from whose last line it continues. */
const program = `
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import process from 'node:process'
import { createClient } from '@devdata/client'

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
  save((listName === 'changes' ? item.type : '') + (forge_rest_id ?? commit_hash ?? dependency.dependency_name))
  if (++items === Number(killAfter)) process.kill(process.pid, 'SIGKILL')
}
if (list.stoppedBy !== undefined) save()
`

/** The same in Python. */
const pythonProgram = `
import json, os, signal, sys
from devdata_client import Client

_, base_url, file, list_name, options, kill_after = sys.argv
api = Client(base_url, os.environ["DEVDATA_API_KEY"], retries=0)
lists = {
    "users": lambda **options: api.users.list(**options),
    "commits": lambda **options: api.repositories.commits("own/busy", **options),
    "many": lambda **options: api.users.get_many([f"USER-{index}" for index in range(${members})], **options),
    "changes": lambda **options: api.changes(**options),
}
lines = open(file).read().splitlines() if os.path.exists(file) else []
last = json.loads(lines[-1]) if lines else {}
if lines and last["state"] is None:
    sys.exit()
items = lists[list_name](**json.loads(options), resume=last.get("state"))
output = open(file, "a")

def save(**members):
    output.write(json.dumps({**members, "state": items.state, "spent": items.spent}) + "\\n")
    output.flush()

if not lines:
    save()
for count, item in enumerate(items, 1):
    kind, item = (item.type, item.item) if list_name == "changes" else ("", item)
    save(id=kind + str(item.get("forge_rest_id") or item.get("commit_hash")))
    if count == int(kill_after):
        os.kill(os.getpid(), signal.SIGKILL)
if items.stopped_by is not None:
    save(stoppedBy=items.stopped_by)
`

const programs = {
  Node: [process.execPath, 'program.mjs'],
  Deno: [deno, 'run', '--quiet', '--no-prompt', '--allow-all', 'program.mjs'],
  Python: ['python3', 'program.py'],
}

interface Line {
  id?: string
  state: { url: string } | null
  spent: number
  stoppedBy?: string
}

const client = useStarted(installClient)
let wheel: string
beforeAll(async () => {
  console.info(`TEST_SEED=${seed}`)
  await writeFile(join(client.directory, 'program.mjs'), program)
  await writeFile(join(client.directory, 'program.py'), pythonProgram)
  // Python imports from the packed file.
  wheel = await packPythonClient(client.directory)
})

/**
 * Reads a list to its end, with a program that is killed again and again. `load` is called between some of the runs.
 * `sent` gets the ids of items in responses, lost ones too.
 */
async function readThroughKills(
  service: TestService,
  {
    list,
    key,
    kills,
    options = {},
    load = async () => {},
    runtime = 'Node',
    sent,
  }: {
    list: string
    key: string
    kills: number
    options?: object
    load?: () => Promise<void>
    runtime?: keyof typeof programs
    sent?: Set<number>
  },
): Promise<Line[]> {
  const random = createRandom(`${seed} ${list}`)
  const file = join(client.directory, `${list}.ndjson`)
  rmSync(file, { force: true })
  let kill = () => {}
  let point: (typeof killPoints)[number] | undefined
  let requests = 0
  const intercept: Intercept = async (request, handle) => {
    // So that the bodies can be read here.
    const headers = { ...Object.fromEntries(request.headers), 'accept-encoding': 'identity' }
    const response = await handle(new Request(request.url, { headers }))
    const { data } = sent === undefined ? { data: [] } : await response.clone().json()
    for (const item of data) sent?.add(item.forge_rest_id)
    requests--
    if (point === 'request' && requests === 0) kill()
    if (point !== 'response' || requests > 0) return response
    return holdResponse(response, kill)
  }
  await using served = await serve(service, intercept)
  for (let run = 0; run <= kills; run++) {
    point = run < kills ? random.pick([...killPoints]) : undefined
    const killAfter = point === 'items' ? random.integer(1, 60) : 0
    requests = random.integer(1, 2)
    const [command = '', ...parameters] = programs[runtime]
    const child = endWithThisProcess(
      spawn(command, [...parameters, served.url, file, list, JSON.stringify(options), String(killAfter)], {
        cwd: client.directory,
        env: { ...inheritEnvironment(), DEVDATA_API_KEY: key, PYTHONPATH: wheel },
        stdio: ['ignore', 'inherit', 'inherit'],
      }),
    )
    kill = () => child.kill('SIGKILL')
    const [code] = await once(child, 'close')
    const lines = readLines(file)
    if (code === 0) {
      expect(run).toBeGreaterThan(kills / 3)
      return lines
    }
    expect(code, `run ${run}, killed at its ${point}`).toBe(null)
    if (random.chance(0.5)) await load()
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

describeOnOneDatabase('a program that is killed again and again', (kind) => {
  const service = useService(kind, { data: 'empty' })
  let nextNumber = 1_000_000
  beforeAll(async () => {
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

  test.each([
    ['users', 'Node'],
    ['users', 'Deno'],
    ['repositories', 'Node'],
    ['many', 'Node'],
    ['commits', 'Node'],
    ['dependencies', 'Node'],
    ['changes', 'Node'],
    ['users', 'Python'],
    ['commits', 'Python'],
    ['many', 'Python'],
    ['changes', 'Python'],
  ] as const)(
    'reads every item of the list "%s" once on %s, and pays for each once, while loads append to it',
    async (list, runtime) => {
      const { secret: key, id } = await service.createKey()
      const load = () => {
        const numbers = Array.from({ length: 20 }, () => nextNumber++)
        return loadRecords(service.sql, {
          users: numbers.map((number) => createUser(number)),
          repos: numbers.map((number) => createRepository(number, 'own', ['react'])),
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

  test('reads every item that stays in the list once, and pays for no more, while others come and go', async () => {
    const { secret: key, id } = await service.createKey()
    const random = createRandom(`${seed} moves`)
    const places = new Map(Array.from({ length: members }, (_, index) => [index, 'Berlin']))
    const stayed = new Set(places.keys())
    const load = async () => {
      const users = Array.from({ length: members / 10 }, () => random.integer(0, members - 1)).map(
        (number) => {
          places.set(number, places.get(number) === 'Berlin' ? 'Lagos' : 'Berlin')
          return createUser(number, { location: places.get(number) ?? null })
        },
      )
      for (const [number, place] of places) if (place !== 'Berlin') stayed.delete(number)
      await loadRecords(service.sql, {
        users: [...new Map(users.map((user) => [user.forge_rest_id, user])).values()],
      })
    }
    const sent = new Set<number>()
    const lines = await readThroughKills(service, { list: 'berliners', key, kills, load, sent })
    const ids = listIds(lines).map(Number)
    const seen = new Set(ids)
    expect(seen.size).toBe(ids.length)
    expect([...stayed].filter((number) => !seen.has(number))).toEqual([])
    // An item that has left the list after it was in a lost response was paid for, and doesn't come.
    expect(seen.size).toBeLessThanOrEqual(sent.size)
    expect((await service.readLedger(id)).charged).toBeLessThanOrEqual(sent.size)
  })

  test('spends its budget once, however often it is killed, and continues with a larger one', async () => {
    const { secret: key, id } = await service.createKey()
    const budget = members / 2 + 7
    const lines = await readThroughKills(service, { list: 'users', key, kills: 4, options: { budget } })
    expect(lines.at(-1)).toMatchObject({ stoppedBy: 'budget', spent: budget })
    expect(new Set(listIds(lines)).size).toBe(budget)
    expect(await service.readLedger(id)).toMatchObject({ charged: budget })
  })
})
