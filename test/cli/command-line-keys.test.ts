/** @module-tag later */
import { setTimeout as sleep } from 'node:timers/promises'
import * as v from 'valibot'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import {
  createdKeySchema,
  createFolder,
  finishCommand,
  type Location,
  locationOf,
  type Run,
  readJson,
  runCommand,
  startCommand,
} from '../support/command-line.ts'
import { fullDevice } from '../support/faults.ts'
import { createInstance } from '../support/instance.ts'
import { liftoffOnly } from '../support/program.ts'
import { describeOnOneDatabase, useService } from '../support/service.ts'
import { connect, tryMcp } from '../support/sign-in.ts'

const uuid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/

describeOnOneDatabase('devdata keys', (kind) => {
  const service = useService(kind)
  let location: Location
  const run: Run = (args, options) => runCommand(args, { ...location, ...options })
  beforeAll(async () => {
    location = locationOf(service)
  })

  async function create(...args: string[]) {
    return v.parse(createdKeySchema, await readJson(run, ['keys', 'create', ...args]))
  }

  async function ask(key: string, path = '/api-key/credits') {
    const { status, text } = await service.request(path, { key })
    return { status, body: JSON.parse(text) }
  }

  test('create --json prints a key that works at once', async () => {
    const created = await create('--credits', '100')
    expect(created).toEqual({
      id: expect.any(Number),
      api_key: expect.stringMatching(uuid),
      role: 'user',
      remaining_credits: 100,
      name: null,
      scopes: ['users:read', 'repos:read'],
      rate_limit: null,
      notify_below: null,
      status: 'active',
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      expires_at: null,
      last_used_at: null,
    })
    expect(Object.keys(created).slice(0, 2)).toEqual(['id', 'api_key'])
    const { api_key, id } = created
    expect((await ask(api_key)).body).toEqual({ api_key, remaining_credits: 100, role: 'user' })
    expect((await ask(api_key, '/users?per_page=3')).status).toBe(200)
    expect(await service.readLedger(id)).toEqual({ balance: 97, granted: 100, charged: 3 })
  })

  test('create takes every option', async () => {
    const created = await create(
      ...['--role', 'user', '--credits', '5', '--rate-limit', '7/60', '--scopes', 'users:read'],
      ...['--expires', '2099-12-31', '--name', 'Ådas laptop'],
    )
    expect(created).toMatchObject({
      remaining_credits: 5,
      rate_limit: '7/60',
      scopes: ['users:read'],
      expires_at: '2099-12-31T00:00:00.000Z',
      name: 'Ådas laptop',
    })
    expect((await ask(created.api_key, '/repos')).body).toEqual({ error: 'Insufficient permissions' })
    const { headers } = await service.request('/api-key/credits', { key: created.api_key })
    expect(headers.get('X-RateLimit-Limit')).toBe('7')
  })

  test('create --notify-below and notify set the balance below which the webhook is told', async () => {
    const { id } = await create('--credits', '5', '--notify-below', '3')
    const read = async () => readJson(run, ['keys', 'list', '--name', 'low'])
    const notify = async (...args: string[]) => (await run(['keys', 'notify', String(id), ...args])).stdout
    expect(await notify('1')).toBe(
      `The webhook is told when a charge takes the balance of key ${id} below 1 credit\n`,
    )
    expect(await notify('none')).toBe(`The webhook isn't told of a low balance of key ${id}\n`)
    expect(JSON.parse(await notify('7', '--json'))).toMatchObject({ id, notify_below: 7 })
    expect(await read()).toEqual([])
    for (const wrong of ['0', '-1', 'x'])
      expect(await run(['keys', 'notify', String(id), wrong])).toMatchObject({ code: 2 })
  })

  test('connections lists the assistants of a key, and ends one', async () => {
    const { id, api_key } = await create('--credits', '5')
    const connections = async (...args: string[]) => run(['keys', 'connections', String(id), ...args])
    expect((await connections()).stdout).toBe(`Key ${id} has no connections\n`)
    const { fetch } = createInstance(service, { baseUrl: 'https://api.example', signIn: true })
    const { access } = await connect(fetch, api_key, { credits: '1234', credits_per_call: '5' })
    const [connection, ...others] = JSON.parse((await connections('--json')).stdout)
    expect(others).toEqual([])
    expect(connection).toMatchObject({
      name: 'Test connector',
      host: 'connector.example',
      max_credits: 1_234,
    })
    expect((await connections()).stdout).toMatch(/ 0 +1,234 +5 .* connector\.example +Test connector\n/)
    expect(await connections('--end', '999')).toMatchObject({
      code: 1,
      stderr: `Key ${id} has no connection 999; list them with: devdata keys connections ${id}\n`,
    })
    expect(await tryMcp(fetch, access)).toBe(200)
    expect((await connections('--end', String(connection.id))).stdout).toBe(
      `Ended connection ${connection.id} (Test connector, connector.example). Its next request fails.\n`,
    )
    expect(await tryMcp(fetch, access)).toBe(401)
  })

  test('create --expires takes a timestamp with an offset', async () => {
    expect(await create('--expires', '2099-12-31T23:30:00-02:00')).toMatchObject({
      expires_at: '2100-01-01T01:30:00.000Z',
    })
  })

  test('create --role admin makes a key that may call the endpoints of operators', async () => {
    const { api_key } = await create('--role', 'admin')
    expect((await ask(api_key, '/admin/keys')).status).toBe(200)
  })

  test('create --scopes metrics:read makes an admin key that may read metrics, and nothing else', async () => {
    const { api_key } = await create('--role', 'admin', '--scopes', 'metrics:read', '--name', 'Prometheus')
    expect((await service.request('/metrics', { key: api_key })).status).toBe(200)
    for (const path of [
      '/admin/keys',
      '/users',
      '/repos',
      '/removals?since=1',
      '/dependencies?prefix=r',
      '/locations?contains=x',
      '/companies?contains=x',
      '/counts?of=users&by=type',
    ]) {
      expect([path, await ask(api_key, path)]).toEqual([
        path,
        {
          status: 403,
          body: { error: path === '/admin/keys' ? 'Admin access required' : 'Insufficient permissions' },
        },
      ])
    }
    const ofUser = await run(['keys', 'create', '--scopes', 'metrics:read'])
    expect([ofUser.code, ofUser.stderr]).toEqual([
      2,
      expect.stringContaining('--scopes metrics:read is for --role admin'),
    ])
    const mixed = await run(['keys', 'create', '--role', 'admin', '--scopes', 'metrics:read,users:read'])
    expect([mixed.code, mixed.stderr]).toEqual([
      2,
      expect.stringContaining('or metrics:read or keys:write alone'),
    ])
  })

  test('create --scopes keys:write makes an admin key that may change keys, and nothing else', async () => {
    const { api_key } = await create('--role', 'admin', '--scopes', 'keys:write', '--name', 'the shop')
    expect((await ask(api_key, '/admin/keys')).status).toBe(200)
    for (const path of ['/users', '/metrics'])
      expect([path, (await ask(api_key, path)).status]).toEqual([path, 403])
    const ofUser = await run(['keys', 'create', '--scopes', 'keys:write'])
    expect([ofUser.code, ofUser.stderr]).toEqual([
      2,
      expect.stringContaining('--scopes keys:write is for --role admin'),
    ])
  })

  test('find reads a key from standard input, and shows its id', async () => {
    const { id, api_key } = await create('--credits', '5', '--name', 'found')
    const find = (input: string, ...args: string[]) => run(['keys', 'find', ...args], { input })
    const found = await find(`${api_key}\n`)
    expect(found).toMatchObject({ code: 0, stderr: '' })
    expect(found.stdout).toMatch(new RegExp(`^ *ID .*\n *${id} .*found\n$`))
    await run(['keys', 'rotate', String(id)])
    await run(['keys', 'revoke', String(id)])
    expect(JSON.parse((await find(api_key, '--json')).stdout)).toMatchObject({
      ...{ id, status: 'revoked', is_replaced: true },
    })
    expect((await find(api_key)).stdout).toContain('A rotation has replaced this value')
    for (const wrong of [crypto.randomUUID(), 'a key', '']) {
      const { code, stdout, stderr } = await find(wrong)
      expect([wrong, code, stdout, stderr]).toEqual([
        wrong,
        1,
        '',
        expect.stringMatching(/^(No|Standard input)/),
      ])
      if (wrong !== '') expect(stderr).not.toContain(wrong)
    }
    const removed = await readJson(run, ['keys', 'delete', String(id), '--yes'])
    expect(removed).toMatchObject({ id, status: 'deleted' })
    const deleted = await find(api_key)
    expect(deleted).toMatchObject({ code: 0, stderr: '' })
    expect(deleted.stdout).toMatch(new RegExp(`\n *${id} .* deleted .*found\n`))
    expect(JSON.parse((await find(api_key, '--json')).stdout)).toMatchObject({ id, status: 'deleted' })
  })

  test('refuses a key in place of an id, without repeating it', async () => {
    const { api_key } = await create()
    for (const args of [
      ['grant', api_key, '5'],
      ['revoke', api_key],
      ['delete', api_key.toUpperCase(), '--yes'],
      ['rotate', api_key.replaceAll('-', '')],
    ]) {
      const { code, stdout, stderr } = await run(['keys', ...args])
      expect([args[0], code, stdout]).toEqual([args[0], 2, ''])
      expect(stderr).toContain('looks like a key')
      expect(stderr.toLowerCase().replaceAll('-', '')).not.toContain(api_key.replaceAll('-', ''))
    }
  })

  test('list --below and --name show some of the keys', async () => {
    const poor = await create('--credits', '7', '--name', 'Poor client')
    const rich = await create('--credits', '8', '--name', 'Rich CLIENT')
    await create('--role', 'admin', '--name', 'client of an operator')
    const list = async (...args: string[]) =>
      v
        .parse(v.array(v.object({ id: v.number() })), await readJson(run, ['keys', 'list', ...args]))
        .map(({ id }) => id)
    expect(await list('--name', 'client', '--below', '8')).toEqual([poor.id])
    expect(await list('--name', 'ch CL')).toEqual([rich.id])
    expect((await run(['keys', 'list', '--name', 'no such name'])).stdout).toBe('No keys match\n')
  })

  test('ledger export prints what each key spent, and adds up to the ledger', async () => {
    const { id, api_key } = await create('--credits', '500', '--name', '=a "name", quoted')
    for (const path of [
      '/users?per_page=7',
      '/users?per_page=5&page=2',
      '/users/nobody-at-all',
      '/repos?per_page=3',
    ]) {
      await service.request(path, { key: api_key })
    }
    await service.sql`
      update ledger set created_at = created_at - interval '2 days' where api_key_id = ${id} and position <= 2`
    const other = await create('--credits', '10')
    await service.request('/users?per_page=2', { key: other.api_key })
    await run(['keys', 'delete', String(other.id), '--yes'])
    const day = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
    const name = `"'=a ""name"", quoted"`
    const lines = [
      `${id},${name},${day(2)},/users,1,7,7`,
      `${id},${name},${day(0)},/repos,1,3,3`,
      `${id},${name},${day(0)},/users,1,5,5`,
      `${id},${name},${day(0)},/users/{login},1,0,1`,
    ]
    const print = async (...args: string[]) =>
      (await run(['ledger', 'export', ...args])).stdout.split('\r\n').slice(0, -1)
    const head = 'key,name,day,endpoint,requests,items,credits'
    expect(await print('--key', String(id))).toEqual([head, ...lines])
    expect(await print('--key', String(id), '--to', day(1))).toEqual([head, lines[0]])
    expect(await print('--key', String(id), '--from', day(1))).toEqual([head, ...lines.slice(1)])
    const [first] = (await readJson(run, ['ledger', 'export', '--key', String(id)])) as unknown[]
    expect(first).toEqual({
      ...{ key: id, name: '=a "name", quoted', day: day(2), endpoint: '/users' },
      ...{ requests: 1, items: 7, credits: 7 },
    })
    const all = await print()
    expect(all).toContain(`${other.id},,${day(0)},/users,1,2,2`)
    const [charged] = await service.sql<{ sum: number }[]>`select sum(cost)::integer as sum from ledger`
    expect(all.slice(1).reduce((sum, line) => sum + Number(line.split(',').at(-1)), 0)).toBe(charged?.sum)
    expect(await run(['ledger', 'export', '--from', 'January'])).toMatchObject({ code: 2 })
  })

  test('create gives the limit of DEFAULT_RATE_LIMIT to a key that names none of its own', async () => {
    const environment = { ...location.environment, DEFAULT_RATE_LIMIT: '11/30' }
    const limited = await readJson(run, ['keys', 'create'], { environment })
    expect(limited).toMatchObject({ rate_limit: '11/30' })
    const free = await readJson(run, ['keys', 'create', '--rate-limit', 'none'], { environment })
    expect(free).toMatchObject({ rate_limit: null })
  })

  test('create shows the key once, and says what is missing when it has no credits', async () => {
    const { code, stdout, stderr } = await run(['keys', 'create'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const [key = '', ...more] = stdout.match(/[\da-f]{8}-[\da-f-]{27}/g) ?? []
    expect(more).toEqual([])
    expect((await ask(key)).body).toMatchObject({ remaining_credits: 0 })
    const [, id] = /npm run -s devdata -- keys grant (\d+) 1000/.exec(stdout) ?? []
    expect((await run(['keys', 'grant', id ?? '', '1000'])).code).toBe(0)
    expect((await ask(key)).body).toMatchObject({ remaining_credits: 1000 })
    expect((await run(['keys', 'create', '--credits', '1'])).stdout).not.toContain('keys grant')
    expect((await run(['keys', 'create', '--role', 'admin'])).stdout).not.toContain('keys grant')
  })

  test('list shows every key and its state, and never a key or a hash', async () => {
    const { id, api_key } = await create('--credits', '12345', '--name', 'a table', '--rate-limit', '5/10')
    const gone = await create()
    await run(['keys', 'delete', String(gone.id)])
    await run(['keys', 'revoke', String(id)])

    const { code, stdout, stderr } = await run(['keys', 'list'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const [header, ...rows] = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.trim().split(/ {2,}/))
    expect(header).toEqual([
      'ID',
      'ROLE',
      'CREDITS',
      'RATE LIMIT',
      'STATUS',
      'CREATED',
      'EXPIRES',
      'LAST USED',
      'SCOPES',
      'NAME',
    ])
    expect(rows.find(([cell]) => cell === String(id))).toEqual([
      ...[
        String(id),
        'user',
        '12,345',
        '5/10',
        'revoked',
        expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\dZ$/),
      ],
      ...['-', '-', 'users:read,repos:read', 'a table'],
    ])

    const listed = await readJson(run, ['keys', 'list'])
    const ids = v.parse(v.array(v.looseObject({ id: v.number() })), listed).map((key) => key.id)
    expect(ids).toEqual(rows.map(([cell]) => Number(cell)))
    expect(ids).toEqual(ids.toSorted((a, b) => a - b))
    expect(ids).not.toContain(gone.id)
    expect(listed).toContainEqual(
      expect.objectContaining({ id, status: 'revoked', remaining_credits: 12345 }),
    )

    const [hash] = await service.sql<{ hex: string }[]>`
      select encode(hash, 'hex') as hex from api_key_secrets where api_key_id = ${id}`
    for (const text of [stdout, JSON.stringify(listed)]) {
      expect(text).not.toContain(api_key)
      expect(text).not.toContain(hash?.hex)
    }
  })

  test('grant adds and takes away, and every change is a ledger row', async () => {
    const { id } = await create('--credits', '10')
    expect(await run(['keys', 'grant', String(id), '1000'])).toEqual({
      code: 0,
      stdout: `Granted 1,000 credits to key ${id}; its balance is 1,010\n`,
      stderr: '',
    })
    expect(await run(['keys', 'grant', String(id), '-1'])).toEqual({
      code: 0,
      stdout: `Withdrew 1 credit from key ${id}; its balance is 1,009\n`,
      stderr: '',
    })
    expect(await readJson(run, ['keys', 'grant', String(id), '-9'])).toMatchObject({
      id,
      remaining_credits: 1000,
    })
    const rows = await service.sql<{ kind: string; granted: number; balance: number }[]>`
      select kind, granted, balance from ledger where api_key_id = ${id} order by position`
    expect([...rows]).toEqual([
      { kind: 'grant', granted: 10, balance: 10 },
      { kind: 'grant', granted: 1000, balance: 1010 },
      { kind: 'grant', granted: -1, balance: 1009 },
      { kind: 'grant', granted: -9, balance: 1000 },
    ])
  })

  test('grant --reference grants once, says so, and refuses another number of credits', async () => {
    const { id } = await create('--credits', '10')
    const grant = (credits: string, ...args: string[]) =>
      run(['keys', 'grant', String(id), credits, '--reference', ' top-up 2026-01', ...args])
    expect(await grant('1000')).toEqual({
      code: 0,
      stdout: `Granted 1,000 credits to key ${id}; its balance is 1,010\n`,
      stderr: '',
    })
    expect(await grant('1000')).toEqual({
      code: 0,
      stdout: `Already granted 1,000 credits to key ${id} under the reference "top-up 2026-01"; nothing changed, and its balance is 1,010\n`,
      stderr: '',
    })
    const [again, other] = [await grant('1000', '--json'), await grant('500', '--json')]
    expect(JSON.parse(again.stdout)).toMatchObject({ id, remaining_credits: 1010, outcome: 'repeated' })
    expect(again.code).toBe(0)
    expect(other).toEqual({
      code: 1,
      stdout: '',
      stderr: `Under the reference "top-up 2026-01", key ${id} was granted 1000 credits, not 500; use another reference for another grant\n`,
    })
    for (const reference of ['', ' ', 'a\nb', 'x'.repeat(101)]) {
      const { code, stderr } = await run(['keys', 'grant', String(id), '5', '--reference', reference])
      expect([code, stderr]).toEqual([2, expect.stringContaining('It must have 1 to 100 characters')])
    }
    expect(await service.readLedger(id)).toMatchObject({ granted: 1010 })
  })

  test('grant never takes a balance below 0, nor above what JSON can say exactly', async () => {
    const { id } = await create('--credits', '10')
    for (const [credits, reason] of [
      ['-11', "11 can't be withdrawn; grant at least -10"],
      ['9007199254740991', '9007199254740991 more would exceed the highest balance, 9007199254740991'],
    ] as const) {
      const { code, stdout, stderr } = await run(['keys', 'grant', String(id), credits, '--json'])
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toBe(`Key ${id} has 10 credits: ${reason}\n`)
    }
    expect(await service.readLedger(id)).toEqual({ balance: 10, granted: 10, charged: 0 })
    expect(await readJson(run, ['keys', 'grant', String(id), '-10'])).toMatchObject({ remaining_credits: 0 })
  })

  test('limit sets a limit that holds with the next request, and lifts it', async () => {
    const { id, api_key } = await create()
    expect((await run(['keys', 'limit', String(id), '1/3600'])).stdout).toBe(
      `Key ${id} may send 1 request in 3,600 seconds\n`,
    )
    expect([(await ask(api_key)).status, (await ask(api_key)).status]).toEqual([200, 429])
    await sleep(1_001) // an instance may say 429 on its own for a second
    expect(await readJson(run, ['keys', 'limit', String(id), '2/3600'])).toMatchObject({
      rate_limit: '2/3600',
    })
    expect((await ask(api_key)).status).toBe(200)
    expect((await run(['keys', 'limit', String(id), 'none'])).stdout).toBe(
      `Key ${id} no longer has a rate limit\n`,
    )
    expect(
      (await service.request('/api-key/credits', { key: api_key })).headers.get('X-RateLimit-Limit'),
    ).toBeNull()
  })

  test('rotate ends the old key, or lets both work for the grace', async () => {
    const first = await create('--credits', '50')
    const second = v.parse(
      createdKeySchema,
      await readJson(run, ['keys', 'rotate', String(first.id), '--grace', '3600']),
    )
    expect(second).toMatchObject({ id: first.id, remaining_credits: 50 })
    expect(second.api_key).toMatch(uuid)
    expect(second.api_key).not.toBe(first.api_key)
    for (const key of [first.api_key, second.api_key]) expect((await ask(key)).status).toBe(200)

    const { stdout } = await run(['keys', 'rotate', String(first.id)])
    const [third = ''] = stdout.match(/[\da-f]{8}-[\da-f-]{27}/) ?? []
    expect(stdout).toContain('The old key no longer works.')
    expect((await ask(third)).body).toMatchObject({ remaining_credits: 50 })
    for (const key of [first.api_key, second.api_key]) expect((await ask(key)).status).toBe(401)
  })

  test('revoke stops a key with its next request, restore brings it back, delete ends it', async () => {
    const { id, api_key } = await create('--credits', '5')
    expect((await run(['keys', 'revoke', String(id)])).stdout).toBe(
      `Key ${id} is revoked: its next request will fail\n`,
    )
    expect(await ask(api_key)).toEqual({ status: 401, body: { error: 'Invalid API key' } })
    expect(await readJson(run, ['keys', 'restore', String(id)])).toMatchObject({ id, status: 'active' })
    expect((await ask(api_key)).status).toBe(200)
    expect((await run(['keys', 'delete', String(id)])).stdout).toBe(`Key ${id} is deleted\n`)
    expect((await ask(api_key)).status).toBe(401)
    for (const args of [['grant', '5'], ['limit', 'none'], ['rotate'], ['revoke'], ['restore'], ['delete']]) {
      const [command = '', ...rest] = args
      expect(await run(['keys', command, String(id), ...rest])).toEqual({
        code: 1,
        stdout: '',
        stderr: `There is no key ${id}\n`,
      })
    }
    expect(await service.readLedger(id)).toEqual({ balance: 5, granted: 5, charged: 0 })
  })

  test('restore says that an expired key still does not work, and what to do', async () => {
    const { id, api_key } = await create('--expires', '2099-12-31')
    await service.sql`update api_keys set expires_at = now() - interval '1 day' where id = ${id}`
    await run(['keys', 'revoke', String(id)])
    expect(await run(['keys', 'restore', String(id)])).toEqual({
      code: 0,
      stdout: `Key ${id} is no longer revoked, but it is expired and still doesn't work. Create another one: npm run -s devdata -- keys create\n`,
      stderr: '',
    })
    expect(await readJson(run, ['keys', 'restore', String(id)])).toMatchObject({ id, status: 'expired' })
    expect((await ask(api_key)).status).toBe(401)
  })

  // The program `script` of Linux gives a command a terminal.
  test.skipIf(process.platform !== 'linux')(
    'delete asks on a terminal, names the key, and changes nothing after a no',
    async () => {
      const { id, api_key } = await create('--credits', '5', '--name', "Ada's laptop")
      const inTerminal = ['/bin/sh', '-c', 'exec script -qec "$*" /dev/null', 'sh', process.execPath]
      const type = (input: string, ...options: string[]) =>
        run(['keys', 'delete', String(id), ...options], { input, program: inTerminal })
      const declined = await type('n\n')
      expect(declined.code).toBe(1)
      expect(declined.stdout).toContain(
        `Delete key ${id} (Ada's laptop) with 5 credits? It can't be restored; "keys revoke" can be undone. [y/N] `,
      )
      expect(declined.stdout).toContain('Canceled; nothing was changed')
      expect((await ask(api_key)).status).toBe(200)
      expect((await type('y\n')).stdout).toContain(`Key ${id} is deleted`)
      expect((await ask(api_key)).status).toBe(401)
      expect((await type('', '--yes')).stdout).toContain(`There is no key ${id}`)
    },
  )

  /** Commands whose output, by its descriptor, has no room. */
  const onFullDevice = (descriptor: 1 | 2) => [
    'sh',
    '-c',
    `exec "$0" "$@" ${descriptor}>${fullDevice}`,
    process.execPath,
    liftoffOnly,
  ]

  test.skipIf(fullDevice === undefined)(
    'create and rotate say how to get a value that could not be printed',
    async () => {
      const { id } = await create('--credits', '5')
      const rotated = await run(['keys', 'rotate', String(id)], { program: onFullDevice(1) })
      expect([rotated.code, rotated.stderr]).toEqual([
        1,
        `Key ${id} was rotated, but couldn't be printed: ENOSPC: no space left on device, write; for a new one, run: npm run -s devdata -- keys rotate ${id}\n`,
      ])
      const created = await run(['keys', 'create', '--name', 'unprinted', '--json'], {
        program: onFullDevice(1),
      })
      expect([created.code, created.stderr]).toEqual([
        1,
        expect.stringMatching(/^Key \d+ was created, but .*keys rotate \d+\n$/),
      ])
      const gone = startCommand(['keys', 'rotate', String(id), '--json'], location)
      gone.stdout.destroy()
      expect(await finishCommand(gone)).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/EPIPE.*keys rotate/),
      })
    },
  )

  test.skipIf(fullDevice === undefined)(
    'list says that its output could not be written, and no log ends it',
    async () => {
      expect(await run(['keys', 'list'], { program: onFullDevice(1) })).toMatchObject({
        code: 1,
        stderr:
          "The output couldn't be written: ENOSPC: no space left on device, write; what the command has changed stays changed\n",
      })
      // Its log would say that the database is new.
      const { remove, ...inFolder } = await createFolder()
      onTestFinished(remove)
      expect(await run(['keys', 'create'], { ...inFolder, program: onFullDevice(2) })).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^API key 1, shown only once:/),
      })
    },
  )

  test('list does not fail when its reader stops early', async () => {
    await service.sql`
      insert into api_keys (role, scopes, name)
      select 'user', '{users:read}', 'one of many ' || repeat('x', 80) from generate_series(1, 3000)`
    const child = startCommand(['keys', 'list'], { ...location })
    const ended = finishCommand(child)
    child.stdout.once('data', () => child.stdout.destroy())
    expect(await ended).toMatchObject({ code: 0, stderr: '' })
    await service.sql`update api_keys set deleted_at = now() where name like 'one of many %'`
  })
})
