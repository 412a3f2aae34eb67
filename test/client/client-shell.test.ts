/**
 * `devdata-client`, the shell, as a user runs it: the packed file, against the real service.
 *
 * @module-tag later
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { beforeEach, describe, expect, test } from 'vitest'
import { installClient, serve } from '../support/client.ts'
import { deno } from '../support/deno.ts'
import { inheritEnvironment } from '../support/program.ts'
import { createUser, loadRecords } from '../support/records.ts'
import { removeRows } from '../support/removal.ts'
import { findRepositories, findUsers } from '../support/sample-oracle.ts'
import { anyDatabase, useService } from '../support/service.ts'
import { useStarted } from '../support/suite.ts'

const installed = useStarted(installClient)
const service = useService(anyDatabase)
const served = useStarted(() =>
  serve(service, async (request, handle) => {
    const response = await handle(request)
    await onRequest()
    return response
  }),
)
let key: { secret: string; id: number }
let directory: string
/** Called before each response is sent. */
let onRequest: () => unknown = () => {}

beforeEach(async () => {
  onRequest = () => {}
  key = await service.createKey()
  directory = await mkdtemp(join(tmpdir(), 'devdata-shell-'))
  return () => rm(directory, { recursive: true, force: true })
})

function start(
  args: readonly string[],
  environment: Record<string, string> = {},
  program = [process.execPath],
) {
  const [command = '', ...parameters] = program
  return spawn(command, [...parameters, installed.shell, ...args], {
    cwd: directory,
    env: { ...inheritEnvironment(), DEVDATA_URL: served.url, DEVDATA_API_KEY: key.secret, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

async function run(...parameters: Parameters<typeof start>) {
  const child = start(...parameters)
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  expect(stdout + stderr).not.toContain(key.secret)
  return { code, stdout, stderr }
}

/** Starts a command, and holds its second request until `release` is called. */
async function startHeld(args: string[], program?: string[]) {
  let requests = 0
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const { promise: requested, resolve: note } = Promise.withResolvers<void>()
  onRequest = () => {
    if (++requests !== 2) return undefined
    note()
    return held
  }
  const child = start(args, {}, program)
  const ended = Promise.all([once(child, 'close'), text(child.stderr)])
  await requested
  onRequest = () => {}
  return { child, release, ended }
}

const readFile = (name: string) => readFileSync(join(directory, name), 'utf8')
const parseLines = (lines: string) =>
  lines
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
async function readCharged() {
  return (await service.readLedger(key.id)).charged
}

/** The logins that the service lists. */
async function listLogins(query: string): Promise<string[]> {
  const { secret } = await service.createKey({ role: 'admin' })
  const response = await fetch(`${served.url}/users?per_page=100&${query}`, {
    headers: { Authorization: `Bearer ${secret}` },
  })
  return (await response.json()).data.map(({ login }: { login: string }) => login)
}

test('names of dependencies, and locations, are found for free', async () => {
  const names = await run(['dependencies', 'react-d', '--file', 'package.json', '--quiet'])
  expect(parseLines(names.stdout)).toMatchObject([{ dependency_name: 'react-dom', repositories: 37 }])
  const locations = await run(['locations', 'berlin, g', '--format', 'csv'])
  expect(locations.stdout).toBe('location,country,users\r\n"Berlin, Germany",DE,12\r\n')
  expect(await readCharged()).toBe(0)
})

test('one user, one repository and any number of names are looked up', async () => {
  const user = await run(['user', 'NGOLDBERG'])
  expect(JSON.parse(user.stdout)).toMatchObject({ login: 'ngoldberg' })
  expect(user.stderr).toBe('1 of 1 item read, 1 credit spent, 999,999 left\n')
  const repository = await run(['repo', 'yarrow-collective/monolith', '--quiet'])
  expect(JSON.parse(repository.stdout).dependencies).toMatchObject([{ status: 'active' }])
  for (const absent of [
    ['user', 'nobody-at-all'],
    ['repo', 'no/such'],
  ]) {
    expect(await run([...absent, '--quiet'])).toMatchObject({
      ...{ code: 1, stdout: '' },
      stderr: expect.stringMatching(
        /^devdata-client: There is no (user nobody-at-all|repository no\/such)\n$/,
      ),
    })
  }
  for (const state of ['absent.state', 'absent.state']) {
    expect(await run(['user', 'nobody-at-all', '--state', state])).toMatchObject({ code: 1 })
  }
  writeFileSync(join(directory, 'names.csv'), 'ngoldberg\nlogin,name\n')
  expect(await run(['users', '--names', 'names.csv'])).toMatchObject({
    ...{ code: 2, stderr: expect.stringContaining('names.csv, line 2: one name a line, without commas') },
  })
  expect(await readCharged()).toBe(2)
  writeFileSync(join(directory, 'logins.txt'), 'ngoldberg\r\n\nnobody-at-all\npaula74\n')
  const args = [
    'users',
    '--names',
    'logins.txt',
    '--state',
    'state.json',
    '--output',
    'users.csv',
    '--format',
    'csv',
  ]
  expect(await run([...args, '--budget', '1'])).toMatchObject({ code: 3 })
  expect(await run(args)).toMatchObject({ code: 0 })
  expect(
    readFile('users.csv')
      .match(/(?<=,U_[^,]+,)[^,]+/g)
      ?.sort(),
  ).toEqual(['ngoldberg', 'paula74'])
  expect(await readCharged()).toBe(4)
  writeFileSync(join(directory, 'logins.txt'), 'emil-codes\n')
  expect(await run(args)).toMatchObject({ code: 2, stderr: expect.stringContaining('another command') })
})

test('commits and dependencies of a repository are read', async () => {
  const args = [
    'commits',
    'yarrow-collective/monolith',
    '--state',
    'state.json',
    '--output',
    'commits.ndjson',
  ]
  expect(await run([...args, '--budget', '30'])).toMatchObject({ code: 3 })
  expect(await run([...args, '--budget', '50'])).toMatchObject({ code: 3 })
  const hashes = parseLines(readFile('commits.ndjson')).map(({ commit_hash: hash }) => hash)
  expect([hashes.length, new Set(hashes).size]).toEqual([50, 50])
  const { stdout } = await run(['dependencies-of', 'yarrow-collective/monolith', '--format', 'csv'])
  expect(stdout).toMatch(
    /^url,first_use_date,.*,status,dependency_name,dependency_file\r\n.*,active,react,package\.json\r\n/,
  )
  const table = await run(['dependencies-of', 'yarrow-collective/monolith', '--format', 'table'])
  expect(table.stdout).toMatch(/^dependency_name +dependency_file +status\nreact +package\.json +active\n/)
  const blame = await run(['blame', 'kmuller/widget', '--format', 'csv'])
  const commit = (name: string) => `${name}_commit_hash,${name}_date,${name}_author_email`
  expect(blame.stdout).toMatch(
    new RegExp(
      `^dependency_name,dependency_file,${commit('added')},${commit('removed')}\r\nfastapi,.*,kmuller@example.com\r\nflask,.*,,,\r\n`,
    ),
  )
  expect(await run(['commits', 'no/such'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('not found'),
  })
})

test('count prints the values of items, and says how many have none', async () => {
  const users = await run(['count', 'users', '--by', 'country', '--dependency', 'react', '--format', 'csv'])
  expect(users.stdout).toMatch(/^value,count\r\nDE,25\r\nUS,9\r\n/)
  expect(users.stderr).toContain('125 in all, 4 with other values, 44 without a value.')
  const repositories = await run(['count', 'repos', '--by', 'dependency', '--language', 'Ruby', '--quiet'])
  expect(JSON.parse(repositories.stdout.split('\n')[0] ?? '')).toEqual({
    value: expect.any(String),
    count: expect.any(Number),
  })
  for (const [args, message] of [
    [['users'], 'count needs --by'],
    [['users', '--by', 'language'], '--by must be one of country, type, dependency'],
    [['repos', '--by', 'fork', '--no-dependencies'], "count doesn't have --no-dependencies"],
    [['--by', 'fork'], 'count needs users or repos'],
  ] as const) {
    expect(await run(['count', ...args])).toMatchObject({ code: 2, stderr: expect.stringContaining(message) })
  }
})

test('history prints the months of a dependency, and says for how many a date is unknown', async () => {
  const read = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(['history', 'ZOD', ...args])
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/^A date is unknown for \d+ users and \d+ repositories\.$/m),
    ])
    return stdout
  }
  const months = ['--since', '2025-01-01', '--until', '2025-04-01']
  const path = '/dependencies/history?dependency_name=zod&since=2025-01-01&until=2025-04-01'
  const headers = { Authorization: `Bearer ${key.secret}` }
  const { data } = await (await fetch(`${served.url}${path}`, { headers })).json()
  expect(data).toHaveLength(3)
  expect(parseLines(await read(...months))).toEqual(data)
  expect(await read(...months, '--file', 'package.json', '--format', 'csv')).toMatch(
    /^month,repositories_started,repositories_stopped,repositories_active,users_started,users_stopped,users_active\r\n2025-01,/,
  )
  expect(await read('--file', 'go.mod')).toBe('')
  for (const [args, message] of [
    [[], 'history needs the NAME of a dependency'],
    [['zod', '--file', 'a', '--file', 'b'], 'history takes one --file'],
    [['zod', '--since', 'yesterday'], 'Invalid since'],
    [['zod', '--location', 'berlin'], "history doesn't have --location"],
  ] as const) {
    const failed = { code: 2, stderr: expect.stringContaining(message) }
    expect(await run(['history', ...args])).toMatchObject(failed)
  }
})

describe('a list', () => {
  test('is filtered by each option', async () => {
    const quote = async (...args: string[]) => JSON.parse((await run(['quote', ...args])).stdout).items
    const users = [
      '--country',
      'DE',
      '--country',
      'us',
      '--type',
      'user',
      '--type',
      'bot',
      '--has',
      'email',
      '--has',
      'name',
    ]
    expect(await quote('users', ...users, '--min-followers', '10', '--active-since', '2025-01-01')).toBe(
      findUsers({
        country: ['DE', 'US'],
        type: ['user', 'bot'],
        has: ['email', 'name'],
        min_followers: 10,
        active_since: '2025-01-01',
      }).length,
    )
    const repos = ['--language', 'typescript', '--license', 'mit', '--license', 'isc', '--min-stars', '10']
    const others = ['--fork', 'false', '--archived', 'false', '--pushed-since', '2024-01-01']
    expect(await quote('repos', ...repos, ...others)).toBe(
      findRepositories({
        language: ['typescript'],
        license: ['mit', 'isc'],
        min_stars: 10,
        fork: 'false',
        archived: 'false',
        pushed_since: '2024-01-01',
      }).length,
    )
    const dependencies = [
      '--dependency',
      'react',
      '--dependency',
      'vite',
      '--match',
      'all',
      '--without',
      'jest',
    ]
    expect(await quote('repos', ...dependencies)).toBe(
      findRepositories({ names: ['react', 'vite'], match: 'all', without: ['jest'] }).length,
    )
  })

  test('is sorted by what the list has, and continues in its order', async () => {
    const { stdout } = await run(['users', '--country', 'de', '--sort', 'followers'])
    expect(parseLines(stdout)).toEqual(
      findUsers({ country: ['DE'] }).toSorted((a, b) => b.followers - a.followers),
    )
    const stars = await run(['users', '--sort', 'stars'])
    expect([stars.code, stars.stderr]).toEqual([2, expect.stringMatching(/Invalid sort: must be followers/)])
  })

  test.each([
    ['Node', [process.execPath]],
    ['Deno', [deno, 'run', '--quiet', '--no-prompt', '--allow-all']],
  ])('is read on %s, with its filter, and says what it cost', async (_, program) => {
    const logins = await listLogins('location=berlin&location=paris&dependency_names=react')
    const args = ['users', '--location', 'berlin', '--location', 'paris', '--dependency', 'react']
    const { code, stdout, stderr } = await run(args, {}, program)
    expect(code).toBe(0)
    expect(parseLines(stdout).map(({ login }) => login)).toEqual(logins)
    const { length } = logins
    const left = (1_000_000 - length).toLocaleString('en')
    expect(stderr).toBe(`${length} of ${length} items read, ${length} credits spent, ${left} left\n`)
    const quote = await run(['quote', ...args, '--quiet'], {}, program)
    expect(JSON.parse(quote.stdout)).toEqual({ items: length, credits: length })
    expect(await readCharged()).toBe(length)
    expect(JSON.parse((await run(['credits'], {}, program)).stdout)).toEqual({
      remaining_credits: 1_000_000 - length,
      role: 'user',
    })
    expect(parseLines((await run(['usage'], {}, program)).stdout).map(({ kind }) => kind)).toEqual([
      'charge',
      'grant',
    ])
  })

  test('is written as CSV and as a table', async () => {
    await loadRecords(service.sql, {
      users: [createUser(1, { name: 'A "B", C', location: 'Zzyzx\u001B[31m\nRoad', bio: '=1+1' })],
    })
    const csv = (await run(['users', '--location', 'zzyzx', '--format', 'csv'])).stdout
    expect(csv).toMatch(/^forge_rest_id,forge_graphql_id,login,name,/)
    expect(csv).toContain('\r\n1,U_1,user-1,"A ""B"", C",')
    // A spreadsheet would run this as a formula.
    expect(csv).toContain(",'=1+1,")
    const asIs = (await run(['users', '--location', 'zzyzx', '--format', 'csv', '--as-is'])).stdout
    expect(asIs).toBe(csv.replaceAll(",'=", ',='))
    await run(['users', '--location', 'zzyzx', '--format', 'csv', '--bom', '--output', 'users.csv'])
    expect(readFile('users.csv')).toBe(`\uFEFF${csv}`)
    const table = (await run(['users', '--location', 'zzyzx', '--format', 'table'])).stdout
    expect(table).toMatch(/^login +name +company +location +followers\nuser-1 +A "B", C +Zzyzx/)
    expect(table).not.toContain('\u001B')
    const args = ['users', '--format', 'table', '--state', 'state.json', '--output', 'users.txt']
    expect((await run([...args, '--budget', '1'])).code).toBe(3)
    const more = await run([...args, '--budget', '101'])
    expect(more).toMatchObject({ code: 3, stderr: expect.stringContaining('Stopped by the budget.') })
    expect(readFile('users.txt').match(/^login /gm)?.length).toBe(1)
  })

  test('is continued by the state that a budget or a signal has left', async () => {
    const args = ['users', '--state', 'state.json', '--output', 'users.ndjson']
    const first = await run([...args, '--budget', '150'])
    expect(first.code).toBe(3)
    expect(first.stderr).toMatch(/150 credits spent.*\nStopped by the budget\.\n$/)
    expect(parseLines(readFile('users.ndjson')).length).toBe(150)
    let requests = 0
    onRequest = () => ++requests === 2 && child.kill('SIGINT')
    const child = start(args)
    expect(await once(child, 'close')).toEqual([130, null])
    const rest = await run(args)
    expect(rest.code).toBe(0)
    const users = parseLines(readFile('users.ndjson'))
    expect(new Set(users.map(({ login }) => login)).size).toBe(users.length)
    expect(await readCharged()).toBe(users.length)
    expect((await run(args)).stderr).toBe(
      `The list is complete, with ${users.length} items. To read it again, delete state.json.\n`,
    )
  })

  test('is continued by a state of version 0.1.0', async () => {
    const args = ['users', '--location', 'berlin', '--state', 'state.json']
    const first = await run([...args, '--budget', '20'])
    const state = JSON.parse(readFile('state.json'))
    const identity =
      '{"list":"users","operand":"","filter":{"location":["berlin"]},"isByDay":false,"format":"ndjson","hasByteOrderMark":false}'
    writeFileSync(join(directory, 'state.json'), JSON.stringify({ ...state, identity }))
    const rest = await run(args)
    expect([first.code, rest.code]).toEqual([3, 0])
    const logins = parseLines(first.stdout + rest.stdout).map(({ login }) => login)
    expect([new Set(logins).size, await readCharged()]).toEqual([51, 51])
  })

  test.each([
    ['users', '--state', 'state.json', '--output', 'mine.txt', '--format', 'csv'],
    ['users', '--state', 'state.json', '--output', 'mine.txt'],
    ['users', '--state', 'state.json', '--format', 'csv'],
    ['users', '--state', 'state.json', '--location', 'paris'],
    ['repos', '--state', 'state.json'],
    ['usage', '--state', 'state.json'],
  ])('leaves alone the state and the files of other commands: %s %s %s %s %s', async (...args) => {
    writeFileSync(join(directory, 'mine.txt'), 'm'.repeat(1_000_000))
    for (const budget of [['--budget', '5'], []]) {
      await run(['users', '--location', 'berlin', '--state', 'state.json', ...budget])
      const state = readFile('state.json')
      expect(await run(args)).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining('state.json is the state of another command: name another file'),
      })
      expect([readFile('mine.txt').length, readFile('state.json')]).toEqual([1_000_000, state])
    }
  })

  test('has each item once in its file, also when it was killed', async () => {
    const args = ['repos', '--no-dependencies', '--format', 'csv', '--bom']
    args.push('--state', 'state.json', '--output', 'repos.csv')
    writeFileSync(join(directory, 'repos.csv'), '') // as a crash leaves it before the state is stored
    for (const killAt of [1, 1, 2, 1]) {
      let requests = 0
      onRequest = () => ++requests === killAt && child.kill('SIGKILL')
      const child = start(args)
      expect(await once(child, 'close')).toEqual([null, 'SIGKILL'])
    }
    onRequest = () => {}
    expect((await run(args)).code).toBe(0)
    const [header, ...rows] = readFile('repos.csv')
      .trimEnd()
      .split(/\r\n(?=\d|$)/)
    expect(header).toMatch(/^\uFEFFinternal_id,/)
    expect(new Set(rows.map((row) => row.split(',')[0])).size).toBe(rows.length)
    expect(await readCharged()).toBe(rows.length)
  })

  test('is left alone while another command has its state', async () => {
    const args = ['users', '--state', 'state.json', '--output', 'users.ndjson']
    const { child, release, ended } = await startHeld(args)
    expect(await run(args)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        `Another command \\(process ${child.pid} on .*\\) is using state.json: wait until it ends`,
      ),
    })
    release()
    expect((await ended)[0]).toEqual([0, null])
    const users = parseLines(readFile('users.ndjson'))
    expect(new Set(users.map(({ login }) => login)).size).toBe(users.length)
    expect([await readCharged(), existsSync(join(directory, 'state.json.lock'))]).toEqual([
      users.length,
      false,
    ])
  })

  test('is unlocked when the reader of the output leaves', async () => {
    const child = spawn(
      'sh',
      ['-c', '"$0" "$1" users --state state.json | head -1', process.execPath, installed.shell],
      {
        cwd: directory,
        env: { ...inheritEnvironment(), DEVDATA_URL: served.url, DEVDATA_API_KEY: key.secret },
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    )
    expect(parseLines(await text(child.stdout)).length).toBe(1)
    expect(existsSync(join(directory, 'state.json'))).toBe(true)
    await expect.poll(() => existsSync(join(directory, 'state.json.lock'))).toBe(false)
  })
})

test('requests go through the proxy that the environment names, if Node is told to use it', async () => {
  const tunnels: string[] = []
  await using proxy = createServer()
  proxy.on('connect', ({ url = '' }, socket) => {
    tunnels.push(url)
    const service = connect({ port: Number(url.split(':')[1]), host: '127.0.0.1' }, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      service.pipe(socket)
      socket.pipe(service)
    })
    for (const end of [service, socket]) end.on('error', () => socket.destroy())
  })
  await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening))
  const { port } = proxy.address() as AddressInfo
  const environment = { HTTP_PROXY: `http://127.0.0.1:${port}`, NO_PROXY: '', NODE_USE_ENV_PROXY: '1' }
  expect((await run(['credits'], environment)).code).toBe(0)
  expect(tunnels).toEqual([new URL(served.url).host])
})

describe('mirror', () => {
  test('keeps a copy up to date, and pays for each change once', async () => {
    const copy = () => ({
      users: parseLines(readFile('copy/users.ndjson')),
      repos: parseLines(readFile('copy/repos.ndjson')),
    })
    const budget = await run(['mirror', 'copy', '--budget', '120'])
    expect(budget.code).toBe(3)
    expect(existsSync(join(directory, 'copy/users.ndjson'))).toBe(false)
    let requests = 0
    onRequest = () => ++requests === 3 && child.kill('SIGKILL')
    const child = start(['mirror', 'copy'])
    expect(await once(child, 'close')).toEqual([null, 'SIGKILL'])
    onRequest = () => {}
    expect((await run(['mirror', 'copy'])).code).toBe(0)
    const before = copy()
    const whole = before.users.length + before.repos.length
    expect(await readCharged()).toBe(whole)

    const [gone] = before.users
    const bio = 'two\u2028lines\r' // neither ends a line of the files
    await removeRows(service.sql, { users: [gone.forge_rest_id] })
    await loadRecords(service.sql, { users: [createUser(5_001), { ...before.users[1], bio }] })
    const refreshed = await run(['mirror', 'copy'])
    expect(refreshed.stderr).toMatch(/3 items read, 2 credits spent/)
    const { users } = copy()
    expect(users.find(({ login }) => login === gone.login)).toBe(undefined)
    expect(users.find(({ forge_rest_id: id }) => id === before.users[1].forge_rest_id).bio).toBe(bio)
    expect(new Set(users.map((user) => user.forge_rest_id)).size).toBe(before.users.length)
    const again = await run(['mirror', 'copy'])
    expect(again.stderr).toMatch(/^0 items read, 0 credits spent/)
  })

  test('pays once for a page that was lost when it was killed after a list without changes', async () => {
    await run(['mirror', 'copy'])
    const charged = await readCharged()
    const [repository] = parseLines(readFile('copy/repos.ndjson'))
    await loadRecords(service.sql, { repos: [{ ...repository, description: 'new' }] })
    let requests = 0
    onRequest = () => ++requests === 2 && child.kill('SIGKILL') // the second one asks for repositories
    const child = start(['mirror', 'copy'])
    expect(await once(child, 'close')).toEqual([null, 'SIGKILL'])
    expect(await readCharged()).toBe(charged + 1)
    onRequest = () => {}
    expect((await run(['mirror', 'copy'])).code).toBe(0)
    expect(await readCharged()).toBe(charged + 1)
    expect(readFile('copy/repos.ndjson')).toContain('"description":"new"')
  })

  test('has one line of a user who was removed and added again while changes were fetched', async () => {
    await run(['mirror', 'copy'])
    const changed = parseLines(readFile('copy/users.ndjson'))
      .slice(0, 150)
      .map((user) => ({ ...user, bio: 'changed' }))
    await loadRecords(service.sql, { users: changed })
    const [again] = changed
    let requests = 0
    onRequest = async () => {
      if (++requests !== 1) return // all others come after the first page, which has the user
      await removeRows(service.sql, { users: [again.forge_rest_id] })
      await loadRecords(service.sql, { users: [{ ...again, bio: 'again' }] })
    }
    const readBios = () =>
      parseLines(readFile('copy/users.ndjson'))
        .filter((user) => user.forge_rest_id === again.forge_rest_id)
        .map(({ bio }) => bio)
    expect((await run(['mirror', 'copy'])).stderr).toMatch(/^151 items read, 151 credits spent/)
    expect(readBios()).toHaveLength(1)
    expect((await run(['mirror', 'copy'])).code).toBe(0)
    expect(readBios()).toEqual(['again'])
  })

  test('refuses a folder that another process uses', async () => {
    const { child, release, ended } = await startHeld(['mirror', 'copy'])
    expect(await run(['mirror', 'copy'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        `Another command \\(process ${child.pid} on .*\\) is using copy: wait until it ends`,
      ),
    })
    release()
    expect((await ended)[0]).toEqual([0, null])
    expect(existsSync(join(directory, 'copy/mirror.lock'))).toBe(false)
    expect((await run(['mirror', 'copy'])).code).toBe(0)
  })

  test('takes a folder over from a command that was suspended, which then changes nothing', async () => {
    const { child, release, ended } = await startHeld(['mirror', 'copy'])
    child.kill('SIGSTOP')
    const second = await run(['mirror', 'copy'])
    expect([second.code, second.stderr]).toEqual([
      0,
      expect.stringContaining(`copy has a lock (process ${child.pid} on `),
    ])
    const files = ['users.ndjson', 'repos.ndjson', 'mirror.json'].map((name) => readFile(`copy/${name}`))
    child.kill('SIGCONT')
    release()
    expect(await ended).toEqual([
      [1, null],
      expect.stringContaining(
        'Another command took over copy while this one was suspended. Wait until that ends, then run this again',
      ),
    ])
    expect(['users.ndjson', 'repos.ndjson', 'mirror.json'].map((name) => readFile(`copy/${name}`))).toEqual(
      files,
    )
    expect(await readCharged()).toBe(files.join('').trimEnd().split('\n').length - 1)
  })

  // Each container has a process 1.
  const container = [
    'unshare',
    '--user',
    '--map-root-user',
    '--pid',
    '--fork',
    '--kill-child',
    '--mount-proc',
  ]
  const canUnshare = spawnSync(container[0] ?? '', [...container.slice(1), 'true']).status === 0
  test.skipIf(!canUnshare)(
    'refuses a folder that another container uses, and takes over what a killed one has left',
    async () => {
      const program = [...container, process.execPath]
      const { child, ended } = await startHeld(['mirror', 'copy'], program)
      expect(await run(['mirror', 'copy'], {}, program)).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(
          /Another command \(process 1 on .*\) is using copy: wait until it ends/,
        ),
      })
      child.kill('SIGKILL')
      await ended
      expect(await run(['mirror', 'copy'], {}, program)).toMatchObject({
        code: 0,
        stderr: expect.stringContaining('copy has a lock (process 1 on '),
      })
      expect(existsSync(join(directory, 'copy/mirror.lock'))).toBe(false)
    },
    60_000,
  )

  test('changes nothing if the fetched changes are missing', async () => {
    await run(['mirror', 'copy'])
    const before = readFile('copy/users.ndjson')
    writeFileSync(
      join(directory, 'copy/mirror.json'),
      '{"version":1,"changes":{"bytes":9,"items":1,"version":2}}',
    )
    expect(await run(['mirror', 'copy'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('changes.ndjson is missing'),
    })
    expect(readFile('copy/users.ndjson')).toBe(before)
  })

  test('leaves files alone that it did not write', async () => {
    writeFileSync(join(directory, 'users.ndjson'), 'mine')
    expect(await run(['mirror', '.'])).toMatchObject({ code: 2 })
    expect(readFile('users.ndjson')).toBe('mine')
  })
})

describe('what can’t be done', () => {
  test.each<[string[], Record<string, string>, number, RegExp]>([
    [['users', '--owner', 'x'], {}, 2, /users doesn't have --owner/],
    [['nothing'], {}, 2, /must be one of users/],
    [['users', '--budget', '-5'], {}, 2, /: --budget must be a whole number of credits; see/],
    [['users', '--budget'], {}, 2, /: --budget needs a value; see/],
    [
      ['users', '--location', '--budget', '5'],
      {},
      2,
      /: --location needs a value; one like --budget is written --loc/,
    ],
    [['users', '--quiet=yes'], {}, 2, /: --quiet doesn't have a value; see/],
    [['users', '-x'], {}, 2, /: There is no option -x; see/],
    [['users', '--bom'], {}, 2, /: --bom needs --format csv; add that, or leave out --bom; see/],
    [
      ['users', '--as-is', '--format', 'table'],
      {},
      2,
      /: --as-is needs --format csv; add that, or leave out --as-is; see/,
    ],
    [['users', '--format', 'xml'], {}, 2, /--format must be one of/],
    [['users', '--location', ''], {}, 2, /: --location is empty/],
    [['users', '--sort', 'name'], {}, 2, /--sort must be one of followers, stars, pushed/],
    [['mirror', 'copy', '--sort', 'followers'], {}, 2, /--sort/],
    [['users', '--dependency', 'a,b'], {}, 2, /--dependency must not .* repeat the option/],
    [['users', '--state', 'a', '--output', './a'], {}, 2, /different files/],
    [['users', '--state', 'a', '--output', 'a.new'], {}, 2, /different files/],
    [['users', '--key', '5d1c7c0e-9c3f-4c57-8f6b-2a4d7f0e1b93'], {}, 2, /: There is no option --key; see/],
    [['credits', '--key-file', 'absent'], {}, 2, /can't be read/],
    [['credits'], { DEVDATA_API_KEY: '' }, 2, /DEVDATA_API_KEY or/],
    [['credits'], { DEVDATA_API_KEY: 'two\nlines' }, 2, /DEVDATA_API_KEY or/],
    [['credits'], { DEVDATA_URL: '' }, 2, /DEVDATA_URL or/],
    [['credits', '--url', 'localhost:8000'], {}, 2, /DEVDATA_URL or --url/],
    [
      ['credits'],
      { DEVDATA_API_KEY: '5d1c7c0e-9c3f-4c57-8f6b-2a4d7f0e1b93' },
      5,
      /Invalid API key\. The key is from DEVDATA_API_KEY \(request /,
    ],
    [['users', '--status', 'active'], {}, 2, /dependency_status/],
    [['quote', 'users', '--status', 'active'], {}, 2, /dependency_status/],
    [['usage', '--day', 'yesterday'], {}, 2, /day/],
    [['users', '--url', 'http://a:b@localhost'], {}, 2, /: --url must not have a user name/],
    [['users', '--owner=x'], {}, 2, /users doesn't have --owner/],
    [['users', '--has', 'login'], {}, 2, /--has must be one of email, name/],
    [['users', '--type', ' '], {}, 2, /--type is empty/],
    [['repos', '--min-stars', 'many'], {}, 2, /--min-stars must be a whole number/],
    [['repos', '--fork', 'maybe'], {}, 2, /--fork must be one of true, false/],
    [['repos', '--pushed-since', 'yesterday'], {}, 2, /Invalid pushed_since/],
    [['dependencies'], {}, 2, /dependencies needs a TEXT/],
    [['user'], {}, 2, /user needs a LOGIN/],
    [['user', 'a,b'], {}, 2, /user takes one name, without commas/],
    [['commits', 'monolith'], {}, 2, /a repository is named by OWNER\/NAME/],
    [['user', 'x', '--location', 'y'], {}, 2, /user doesn't have --location/],
    [['users', '--names', 'absent'], {}, 2, /The file of --names can't be read/],
    [['users', '--names', '/dev/null'], {}, 2, /\/dev\/null has no names: write one a line/],
    [['users', '--names', 'x', '--has', 'email'], {}, 2, /--names and --has can't be combined/],
    [
      ['users', '--url', 'http://127.0.0.1:9'],
      {},
      6,
      /Can't connect: .*\. Check the base URL http:\/\/127\.0\.0\.1:9\/, and .* runs\. The URL is from --url$/m,
    ],
  ])('says so: %j', async (args, environment, code, message) => {
    const result = await run(args, environment)
    expect(result.stderr).toMatch(message)
    expect(result.stderr).not.toContain('5d1c7c0e')
    expect(result).toMatchObject({ code, stdout: '' })
  })

  test.each([
    ['Node', [process.execPath]],
    ['Deno', [deno, 'run', '--quiet', '--no-prompt', '--allow-all']],
  ])('says so on %s if nothing can be reached at the URL', async (_, program) => {
    const gone = await serve(service)
    await gone[Symbol.asyncDispose]()
    const { code, stderr } = await run(['credits'], { DEVDATA_URL: gone.url }, program)
    expect(code).toBe(6)
    expect(stderr.match(/^waiting/gm)?.length).toBe(2)
    expect(stderr).toMatch(
      /^devdata-client: Can't connect: .*refused.*\. Check the base URL .*\. The URL is from DEVDATA_URL$/im,
    )
  })

  test('says which setting to check', async () => {
    const elsewhere = { DEVDATA_URL: `${served.url}/elsewhere` }
    for (const args of [['users'], ['quote', 'repos'], ['credits'], ['mirror', 'copy']]) {
      const { code, stderr } = await run(args, elsewhere)
      expect(code).toBe(1)
      expect(stderr).toContain(
        `Check the base URL ${served.url}/elsewhere/. If it is right, the service may be of an older version. The URL is from DEVDATA_URL`,
      )
    }
    await using secure = createServer((_, response) =>
      response.writeHead(301, { Location: 'https://api.example.com/credits' }).end(),
    )
    await new Promise<void>((listening) => secure.listen(0, '127.0.0.1', listening))
    const plain = `http://127.0.0.1:${(secure.address() as AddressInfo).port}`
    expect(await run(['users'], { DEVDATA_URL: plain })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        `Check the base URL ${plain}/: it redirects to https://api.example.com/credits. The URL is from DEVDATA_URL`,
      ),
    })
    writeFileSync(join(directory, 'key'), crypto.randomUUID())
    const { stderr } = await run(['credits', '--key-file', 'key'])
    expect(stderr).toContain('Invalid API key. The key is from the file key (request ')
  })

  test('says how many credits are missing', async () => {
    key = await service.createKey({ credits: 7 })
    expect(await run(['users'])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('need 100, have 7'),
    })
  })

  test.runIf(existsSync('/dev/full'))('says so when its output can’t be written', async () => {
    const child = spawn('sh', ['-c', '"$0" "$1" users > /dev/full', process.execPath, installed.shell], {
      cwd: directory,
      env: { ...inheritEnvironment(), DEVDATA_URL: served.url, DEVDATA_API_KEY: key.secret },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const [stderr, ending] = await Promise.all([text(child.stderr), once(child, 'close')])
    expect(ending).toEqual([1, null])
    expect(stderr).toMatch(/^devdata-client: ENOSPC: no space left on device/m)
  })

  test('neither reads a list nor ends in an error when the reader of its output leaves', async () => {
    const child = start(['repos'])
    child.stdout.once('data', () => child.stdout.destroy())
    expect(await once(child, 'close')).toEqual([141, null])
  })
})

test('the key may be in a file, and the help names every option', async () => {
  writeFileSync(join(directory, 'key'), `${key.secret}\n`)
  expect(await run(['credits', '--key-file', 'key'], { DEVDATA_API_KEY: '' })).toMatchObject({ code: 0 })
  const { stdout } = await run(['--help'])
  expect(stdout).toMatch(/--no-dependencies/)
  const { version } = JSON.parse(
    readFileSync(join(installed.directory, 'node_modules/@devdata/client/package.json'), 'utf8'),
  )
  expect((await run(['--version'])).stdout).toBe(`${version}\n`)
})
