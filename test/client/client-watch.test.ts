/**
 * `devdata-client watch`, and `watch` of both clients: what is new in a question comes once, ever, and is paid for once, also if the
 * process is killed again and again while loads go on. The programs run the packed files.
 *
 * @module-tag later
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { markRestored } from '../../api/dataset/restored-dataset.ts'
import { identifyLogin } from '../../api/names/forge-names.ts'
import { forgetPerson } from '../../api/people/forget.ts'
import { packPythonClient } from '../../client/build.ts'
import { createRandom, type Random } from '../../sample/random.ts'
import { holdResponse, installClient, serve } from '../support/client.ts'
import { isDrill, seed } from '../support/drill.ts'
import { listSamples } from '../support/markdown-samples.ts'
import { endWithThisProcess, inheritEnvironment } from '../support/program.ts'
import { createCommit, createRepository, createUser, loadRecords } from '../support/records.ts'
import { describeOnEachDatabase, useService } from '../support/service.ts'
import { useStarted } from '../support/suite.ts'

/** Of the command, on each database. */
const kills = isDrill ? 1_000 : 15
/** Of a drill: an hour, because a busy machine may take more than a second for a kill on the embedded database. */
const killsTimeoutMs = isDrill ? 3_600_000 : undefined
/** Of a program with the Python client. */
const pythonKills = isDrill ? 200 : 6
/** That watch at the same time, each with a key and a state of its own. So a load has something new for each of them. */
const watchers = isDrill ? 8 : 2

const client = useStarted(installClient)
let wheel: string
beforeAll(async () => {
  console.info(`TEST_SEED=${seed}`)
  wheel = await packPythonClient(client.directory)
  await writeFile(join(client.directory, 'watch.py'), pythonProgram)
})

/** Appends each item with the state of the watch to a file, from whose last line it continues. */
const pythonProgram = `
import json, os, sys
from devdata_client import Client

_, base_url, file = sys.argv
api = Client(base_url, os.environ["DEVDATA_API_KEY"], retries=0)
text = open(file, "rb").read() if os.path.exists(file) else b""
whole = text[: text.rfind(b"\\n") + 1]
if whole != text:
    os.truncate(file, len(whole))
state = json.loads(whole.splitlines()[-1])["state"] if whole else None
users = api.users.watch(dependency_names=["react"], location="berlin", resume=state)
output = open(file, "a")

def save(**members):
    output.write(json.dumps({**members, "state": users.state}) + "\\n")
    output.flush()

save()
for user in users:
    save(id=user["forge_rest_id"])
save()
`

/** Of a repository that anybody may commit to. */
const sharedUrl = 'https://forge.example/r/shared'
const question = ['users', '--dependency', 'react', '--location', 'berlin']

const createBerliners = (numbers: readonly number[]) =>
  numbers.map((number) => createUser(number, { location: 'Berlin' }))
/** Users whom the question finds: they own something that uses react. */
const createUsing = (numbers: readonly number[]) => ({
  users: createBerliners(numbers),
  repos: numbers.map((number) => createRepository(number + 1, `user-${number}`, ['react'])),
})
const range = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index)

const readLines = (file: string): { forge_rest_id: number }[] =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line))
    : []
const readIds = (file: string) => readLines(file).map(({ forge_rest_id: id }) => id)

describeOnEachDatabase('a watch', (kind) => {
  const service = useService(kind, { each: true, data: 'empty' })
  let directory: string
  let key: { secret: string; id: number }
  beforeEach(async () => {
    key = await service.createKey()
    directory = await mkdtemp(join(client.directory, 'watch-'))
    const repos = [createRepository(1, 'nobody', ['react'], { url: sharedUrl })]
    await loadRecords(service.sql, { users: createBerliners(range(1, 300)), repos })
    await loadRecords(service.sql, createUsing(range(1, 150)))
  })

  function start(url: string, command: readonly string[], cwd = directory, { secret } = key) {
    const [program = '', ...args] = command
    return endWithThisProcess(
      spawn(program, args, {
        cwd,
        env: {
          ...inheritEnvironment(),
          DEVDATA_URL: url,
          DEVDATA_API_KEY: secret,
          PYTHONPATH: wheel,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    )
  }

  async function watch(url: string, ...args: string[]) {
    const child = start(url, [process.execPath, client.shell, 'watch', ...args])
    const [stdout, stderr, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ])
    return {
      code,
      stdout,
      stderr,
      ids: stdout
        .split('\n')
        .flatMap((line) => /"forge_rest_id":(\d+)/.exec(line)?.[1] ?? [])
        .map(Number),
    }
  }
  const readCharged = async ({ id } = key) => (await service.readLedger(id)).charged

  /** All that the question finds now. */
  async function readMatches(url: string): Promise<number[]> {
    const { secret } = await service.createKey({ role: 'admin' })
    const { module } = client
    const api = module.createClient({ baseUrl: url, apiKey: secret })
    const ids: number[] = []
    for await (const user of api.users.list({ dependencyNames: ['react'], location: 'berlin' })) {
      ids.push(user.forge_rest_id)
    }
    return ids
  }

  test('gives everything that matches, then only what is new, and pays for that', async () => {
    await using served = await serve(service)
    const args = [...question, '--state', 'state.json', '--quiet']
    expect(await watch(served.url, ...args)).toMatchObject({ code: 0, ids: range(1, 150) })
    expect(await watch(served.url, ...args)).toMatchObject({ code: 0, ids: [] })
    expect(await readCharged()).toBe(150)
    // One begins to use it, one is new, and one who was given is changed.
    await loadRecords(service.sql, {
      commits: [createCommit(1, sharedUrl, 'user-200@users.noreply.forge.example', 5)],
    })
    await loadRecords(service.sql, createUsing([400]))
    await loadRecords(service.sql, { users: [createUser(7, { location: 'Berlin', followers: 5 })] })
    expect(await watch(served.url, ...args)).toMatchObject({ code: 0, ids: [200, 400] })
    expect(await readCharged()).toBe(153)
    expect(await watch(served.url, ...args)).toMatchObject({ code: 0, ids: [] })
  })

  test('can begin at a version, and spends no more than its budget in each run', async () => {
    await using served = await serve(service)
    await loadRecords(service.sql, createUsing(range(151, 40)))
    const args = [
      ...question,
      '--state',
      'state.json',
      '--output',
      'new.csv',
      '--format',
      'csv',
      '--since',
      '2',
    ]
    const first = await watch(served.url, ...args, '--budget', '15')
    expect(first).toMatchObject({ code: 3, stderr: expect.stringContaining('The next run continues here') })
    expect(await readCharged()).toBe(15)
    expect((await watch(served.url, ...args, '--budget', '15')).code).toBe(3)
    expect(await readCharged()).toBe(30)
    expect((await watch(served.url, ...args)).code).toBe(0)
    const [header, ...rows] = readFileSync(join(directory, 'new.csv'), 'utf8').trimEnd().split('\r\n')
    expect(header).toMatch(/^forge_rest_id,/)
    expect(rows.map((row) => Number(row.split(',')[0]))).toEqual(range(151, 40))
    expect(await readCharged()).toBe(40)
  })

  test('begins anew when its version is too old, and gives nothing twice', async () => {
    await using served = await serve(service)
    const args = [...question, '--state', 'state.json', '--quiet']
    await watch(served.url, ...args)
    await markRestored(service.sql)
    await loadRecords(service.sql, createUsing([401]))
    expect(await watch(served.url, ...args)).toMatchObject({ code: 0, ids: [401] })
    expect(await readCharged()).toBe(150 + 151)
    await loadRecords(service.sql, createUsing([402]))
    expect(await watch(served.url, ...args)).toMatchObject({ code: 0, ids: [402] })
    expect(await readCharged()).toBe(150 + 151 + 1)
  })

  test('pays for no page twice if it begins anew, and is then killed before its state is stored', async () => {
    await using served = await serve(service)
    const api = client.module.createClient({ baseUrl: served.url, apiKey: key.secret })
    const filter = { dependencyNames: ['react'], location: 'berlin' }
    async function read(resume: ReturnType<typeof api.users.watch>['state'] | undefined) {
      const run = api.users.watch(filter, { resume })
      const begun = run.state
      for await (const _ of run);
      return { begun, over: run.state }
    }
    const output = join(directory, 'python.ndjson')
    async function readWithPython(): Promise<string[]> {
      const program = start(served.url, ['python3', join(client.directory, 'watch.py'), served.url, output])
      expect(await once(program, 'close')).toEqual([0, null])
      return readFileSync(output, 'utf8').trimEnd().split('\n')
    }
    const [{ over }, lines] = [await read(undefined), await readWithPython()]
    await markRestored(service.sql)
    await loadRecords(service.sql, createUsing([401]))
    const [{ begun }, more] = [await read(over), await readWithPython()]
    expect(await readCharged()).toBe(2 * (150 + 151))
    writeFileSync(output, `${more.slice(0, lines.length + 1).join('\n')}\n`)
    await read(begun)
    expect((await readWithPython()).length).toBe(more.length + 1) // it writes a state when it begins
    expect(await readCharged()).toBe(2 * (150 + 151))
  })

  test('takes another output for each day, and refuses other questions, other states and what it can’t do', async () => {
    await using served = await serve(service)
    const args = [...question, '--state', 'state.json']
    await watch(served.url, ...args, '--output', 'monday.ndjson')
    await loadRecords(service.sql, createUsing([401]))
    await watch(served.url, ...args, '--output', 'tuesday.ndjson')
    expect([
      readIds(join(directory, 'monday.ndjson')).length,
      readIds(join(directory, 'tuesday.ndjson')),
    ]).toEqual([150, [401]])
    const state = readFileSync(join(directory, 'state.json'), 'utf8')
    writeFileSync(join(directory, 'list.json'), '{"identity":"","list":null,"items":1,"bytes":0}')
    for (const [wrong, message] of [
      [question, 'watch needs --state FILE'],
      [['users', '--state', 'state.json'], 'state.json is the state of another command'],
      [[...question, '--state', 'list.json'], 'list.json is the state of another command'],
      [[...args, '--sort', 'followers'], '--sort must be left out in a watch'],
      [[...args, '--output', 'state.json'], '--state and --output must name different files'],
      [['commits', '--state', 'state.json'], 'watch needs users or repos'],
      [[...args, '--since', 'x'], '--since must be a whole number'],
    ] as const) {
      expect(await watch(served.url, ...wrong)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(message),
      })
    }
    expect(readFileSync(join(directory, 'state.json'), 'utf8')).toBe(state)
    expect(await readCharged()).toBe(151)
  })

  test('has the recipe of the docs: a message each morning has who is new, and nobody comes twice', async () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs-site/src/content/docs/watch.md'), 'utf8')
    const [script = ''] = listSamples(page, 'sh')
    writeFileSync(join(directory, 'morning.sh'), script)
    await using served = await serve(service)
    const messages: string[] = []
    let status = 200
    await using receiver = createServer(async (request, response) => {
      const message = await text(request)
      if (status === 200) messages.push(message)
      response.writeHead(status).end()
    })
    await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening))
    const { port } = receiver.address() as AddressInfo
    writeFileSync(
      join(directory, 'env'),
      `export DEVDATA_URL=${served.url} DEVDATA_API_KEY=${key.secret}\nexport MESSAGE_URL=http://127.0.0.1:${port}\n`,
    )
    const run = async () => {
      const child = start(served.url, ['sh', join(directory, 'morning.sh')])
      const [output, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
      return { code, output }
    }
    const describeNew = (logins: readonly string[]) =>
      `New users of react in Germany:\n${logins.join('\n')}\n`
    const expectMessages = (...logins: (readonly string[])[]) =>
      expect(messages).toEqual(logins.map(describeNew))
    expect(await run()).toEqual({ code: 0, output: '' })
    const all = range(1, 150).map((number) => `user-${number}`)
    expectMessages(all)
    expect(await run()).toEqual({ code: 0, output: '' })
    expectMessages(all)
    status = 500
    await loadRecords(service.sql, createUsing([401]))
    expect((await run()).code).not.toBe(0)
    status = 200
    await loadRecords(service.sql, createUsing([402]))
    expect(await run()).toEqual({ code: 0, output: '' })
    expectMessages(all, ['user-401', 'user-402'])
    expect(await readCharged()).toBe(152)
    console.info(
      `who is new: before, all ${all.length + 2} again with 2 requests; now, 2 credits with 1 request a morning`,
    )
  })

  test('refuses what it can’t mean, in programs too', async () => {
    await using served = await serve(service)
    const { createClient } = client.module
    const api = createClient({ baseUrl: served.url, apiKey: key.secret })
    const filter = { dependencyNames: ['react'], location: 'berlin' }
    const { state } = api.users.watch(filter)
    for (const [act, message] of [
      [() => api.users.watch({ ...filter, sort: 'followers' } as typeof filter), /^sort must be left out/],
      [
        () => api.users.watch({ ...filter, changedSince: 1 } as typeof filter),
        /^changedSince must be left out/,
      ],
      [
        () => api.users.watch({ location: 'oslo' }, { resume: state }),
        /^resume must be the state of a watch/,
      ],
      [() => api.repositories.watch({}, { resume: state }), /^resume must be the state of a watch/],
      [() => api.users.watch(filter, { resume: state, since: 1 }), /^resume must be the state of a watch/],
      [() => api.users.watch(filter, { since: -1 }), /^since must be a version/],
      [() => api.users.watch(filter, { budgett: 1 } as object), /^Unknown option: budgett/],
    ] as const) {
      expect(act).toThrow(
        expect.objectContaining({ name: 'TypeError', message: expect.stringMatching(message) }),
      )
    }
    // By item, left and continued, and after the end.
    const first = api.users.watch(filter, { resume: state, pageSize: 20 })
    const given: number[] = []
    for await (const user of first) {
      given.push(user.forge_rest_id)
      if (given.length === 33) break
    }
    const second = api.users.watch(filter, { resume: JSON.parse(JSON.stringify(first.state)) })
    for await (const user of second) given.push(user.forge_rest_id)
    expect(given).toEqual(range(1, 150))
    expect(await readCharged()).toBe(150)
    await expect(second.pages().next()).rejects.toThrow('All is read')
    const third = api.users.watch(filter, { resume: second.state })
    for await (const user of third) expect.fail(`${user.login} comes twice`)
    expect([third.spent, third.version, third.state.since]).toEqual([0, 2, 2])
  })

  /** Where a process is killed: while a request is served, within the response, or some time after it. */
  const killPoints = ['request', 'response', 'later', 'later'] as const

  /** Somebody who watches. */
  interface Watcher {
    key: { secret: string; id: number }
    directory: string
    random: Random
    /** The users that were sent, by list. */
    sent: Map<string, Set<number>>
    /** Of the run at hand. */
    kill: () => void
    /** Undefined: the run isn't killed. */
    killPoint: (typeof killPoints)[number] | undefined
    /** Until the kill. */
    requestsLeft: number
  }

  async function createWatcher(number: number): Promise<Watcher> {
    return {
      key: await service.createKey(),
      directory: await mkdtemp(join(directory, 'watcher-')),
      random: createRandom(`${seed} watcher ${number}`),
      ...{ sent: new Map(), kill: () => {}, killPoint: undefined, requestsLeft: 0 },
    }
  }

  /** Handles a request of a watcher, and kills it at its point. */
  async function handleAndKill(
    watcher: Watcher,
    { url, headers: given }: Request,
    handle: (request: Request) => Promise<Response>,
  ): Promise<Response> {
    const { sent, random, kill } = watcher // of the run that sent the request
    // So that the bodies can be read here.
    const headers = { ...Object.fromEntries(given), 'accept-encoding': 'identity' }
    const response = await handle(new Request(url, { headers }))
    const list = /^[^.]*/.exec(given.get('Idempotency-Key') ?? '')?.[0]
    if (response.ok && list) {
      const ids = sent.get(list) ?? new Set()
      for (const { forge_rest_id: id } of (await response.clone().json()).data) ids.add(id)
      sent.set(list, ids)
    }
    watcher.requestsLeft--
    if (watcher.requestsLeft !== 0) return response
    if (watcher.killPoint === 'request') kill()
    if (watcher.killPoint === 'later') void sleep(random.integer(0, 12)).then(kill)
    if (watcher.killPoint !== 'response') return response
    return holdResponse(response, kill)
  }

  /** Creates a function that loads something new for everybody. */
  function createLoader(random: Random) {
    const forgotten: number[] = []
    let nextNumber = 1_000
    let nextToBegin = 151
    return {
      /** The users who were forgotten before a run could give them. */
      forgotten,
      /** `whileNobodyRuns` calls its function when no process runs and no request is served. */
      async load(whileNobodyRuns: (act: () => Promise<void>) => Promise<void>): Promise<void> {
        const draw = random.fraction()
        if (draw < 0.4) await loadRecords(service.sql, createUsing(range(nextNumber, random.integer(1, 5))))
        else if (draw < 0.8) {
          const author = `user-${nextToBegin}@users.noreply.forge.example`
          nextToBegin = nextToBegin === 300 ? 151 : nextToBegin + 1
          await loadRecords(service.sql, { commits: [createCommit(nextToBegin, sharedUrl, author, 5)] })
        } else {
          await whileNobodyRuns(async () => {
            await loadRecords(service.sql, createUsing([nextNumber]))
            const identities = [identifyLogin(`user-${nextNumber}`)]
            await forgetPerson(service.sql, { identities, keepRepositories: false })
          })
          forgotten.push(nextNumber)
        }
        nextNumber += 5
      },
    }
  }

  /**
   * Runs a program of each watcher again and again until so many were killed, while loads go on. Returns the watchers, the
   * users who were forgotten before a run could give them, and all that match at the end.
   */
  async function runThroughKills(command: (url: string) => readonly string[], wantedKills: number) {
    const all = await Promise.all(range(0, watchers).map(createWatcher))
    const bySecret = new Map(all.map((watcher) => [watcher.key.secret, watcher]))
    const counts = { kills: 0, runs: 0, loads: 0 }
    let requests = 0
    let running = 0
    let mayRun = Promise.resolve()

    await using served = await serve(service, async (request, handle) => {
      const watcher = bySecret.get(request.headers.get('Authorization')?.slice('Bearer '.length) ?? '')
      if (watcher === undefined) return handle(request)
      requests++
      return handleAndKill(watcher, request, handle).finally(() => requests--)
    })

    async function run(watcher: Watcher, isKilled: boolean): Promise<void> {
      const { random, key, directory } = watcher
      watcher.killPoint = isKilled ? random.pick(killPoints) : undefined
      watcher.requestsLeft = random.chance(0.8) ? 1 : 2
      await mayRun
      running++
      const child = start(served.url, command(served.url), directory, key)
      watcher.kill = () => child.kill('SIGKILL')
      const [stderr, [code, signal]] = await Promise.all([text(child.stderr), once(child, 'close')])
      running--
      expect([code, signal], stderr).toEqual(signal === null ? [0, null] : [null, 'SIGKILL'])
      counts.runs++
      if (signal !== null) counts.kills++
    }
    const isOver = () => counts.kills >= wantedKills
    async function watch(watcher: Watcher): Promise<void> {
      while (!isOver()) await run(watcher, true)
    }

    async function whileNobodyRuns(act: () => Promise<void>): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>()
      mayRun = promise
      try {
        do await sleep(1)
        while (running + requests > 0)
        await act()
      } finally {
        resolve()
      }
    }
    const loader = createLoader(createRandom(`${seed} loads`))
    /** Each watcher runs about twice for a load. */
    async function loadAgain(): Promise<void> {
      while (!isOver()) {
        await loader.load(whileNobodyRuns)
        counts.loads++
        const due = counts.runs + 2 * watchers
        while (counts.runs < due && !isOver()) await sleep(1)
      }
    }
    await Promise.all([...all.map(watch), loadAgain()])
    // The first one may go on with a run that began before the last load.
    for (const watcher of [...all, ...all]) await run(watcher, false)
    return { all, ...counts, forgotten: loader.forgotten, matches: await readMatches(served.url) }
  }

  const sortNumbers = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b)
  const readPythonIds = (file: string) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line) => /^\{"id": (\d+)/.exec(line)?.[1] ?? [])
      .map(Number)

  const output = 'new.ndjson'
  const listCommand = () => [
    ...[process.execPath, client.shell, 'watch', ...question],
    ...['--state', 'state.json', '--output', output, '--quiet'],
  ]
  test.each([
    {
      program: 'the command',
      wanted: kills,
      command: listCommand,
      read: readIds,
    },
    {
      program: 'a program in Python',
      wanted: pythonKills,
      command: (url: string) => ['python3', join(client.directory, 'watch.py'), url, output],
      read: readPythonIds,
    },
  ])(
    'that is killed again and again gives each match once, and pays once: $program',
    async ({ wanted, command, read }) => {
      const { all, kills, runs, loads, forgotten, matches } = await runThroughKills(command, wanted)
      const sums = { given: 0, charged: 0 }
      for (const { directory, key, sent } of all) {
        const given = read(join(directory, output))
        expect(new Set(given).size).toBe(given.length)
        expect(sortNumbers(given)).toEqual(sortNumbers(matches))
        expect(given.filter((id) => forgotten.includes(id))).toEqual([])
        const charged = await readCharged(key)
        expect(charged).toBe([...sent.values()].reduce((sum, ids) => sum + ids.size, 0))
        sums.given += given.length
        sums.charged += charged
      }
      console.info(
        `${kind}: ${kills} kills in ${runs} runs of ${watchers} watchers during ${loads} loads: ${sums.given} users given, each once to each, ${sums.charged} credits for what was sent, ${forgotten.length} forgotten`,
      )
    },
    killsTimeoutMs,
  )
})
