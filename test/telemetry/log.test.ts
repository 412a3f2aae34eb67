/** The log: a line for each request, with what an operator needs and nothing that is nobody's business. */
import { getLogger, type LogRecord, reset } from '@logtape/logtape'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { internalError } from '../../api/errors.ts'
import { renderError, toResponse } from '../../api/http/error-handler.ts'
import { createFailureLog, describeCause, formatJson } from '../../api/telemetry/log.ts'
import { createInstance, openAbsentDatabase } from '../support/instance.ts'
import { startInstanceProcess } from '../support/process.ts'
import { recordLog } from '../support/recorded-log.ts'
import { describeOnServer } from '../support/server.ts'
import { useService } from '../support/service.ts'

const lineSchema = v.looseObject({ time: v.pipe(v.string(), v.isoTimestamp()), level: v.string() })

function readLines(log: string) {
  const lines = log.split('\n').filter((line) => line.startsWith('{'))
  return lines.map((line) => v.parse(lineSchema, JSON.parse(line)))
}

describeOnServer('the log of an instance', () => {
  const service = useService('postgresql')

  const startInstance = (settings: Record<string, string> = {}) =>
    startInstanceProcess(service.location.databaseUrl ?? '', {
      ...{ LOG_LEVEL: 'info', LOG_FORMAT: 'json', SHUTDOWN_DELAY_SECONDS: '0', ...settings },
    })

  test('has a line for each request: when, which, how it ended, what it cost and whose key it was; and for the stop', async () => {
    const { secret, id } = await service.createKey()
    await using instance = await startInstance()
    const headers = { Authorization: `Bearer ${secret}` }
    const responses = [
      await fetch(`${instance.url}/users?per_page=3`, { headers }),
      await fetch(`${instance.url}/users/ngoldberg`, { headers, method: 'HEAD' }),
      await fetch(`${instance.url}/users/nobody-has-this-login`, { headers }),
      await fetch(`${instance.url}/users`),
      await fetch(`${instance.url}/made/up`),
    ]
    expect(await instance.stop()).toBe(0)
    const expected = [
      { method: 'GET', route: '/users', status: 200, credits: 3, key_id: id },
      { method: 'HEAD', route: '/users/{login}', status: 200, credits: 0, key_id: id },
      { method: 'GET', route: '/users/{login}', status: 404, credits: 1, key_id: id },
      { method: 'GET', route: '/users', status: 401, credits: 0, key_id: null },
      { method: 'GET', route: '/*', status: 404, credits: 0, key_id: null },
    ]
    const [ready, ...lines] = readLines(instance.readLog())
    expect(ready).toMatchObject({ level: 'info', message: `Ready on port ${new URL(instance.url).port}` })
    expect(lines.splice(expected.length).map(({ level, message }) => [level, message])).toEqual([
      ['info', 'Stopping after SIGTERM'],
      ['info', 'Stopped'],
    ])
    expect(lines).toEqual(
      expected.map((line, index) => ({
        time: expect.any(String),
        level: 'info',
        message: expect.stringContaining(`${line.method} ${line.route} ${line.status} `),
        request_id: responses[index]?.headers.get('X-Request-Id'),
        milliseconds: expect.any(Number),
        ...line,
      })),
    )
  })

  test.each([
    ['on', [200, 200, 200, 401, 404, 200]],
    ['off', [401, 404, 200]],
  ])('has with LOG_PROBES=%s the probes and scrapes with the statuses %j', async (value, expected) => {
    const { secret } = await service.createKey({ role: 'admin' })
    await using instance = await startInstance({ LOG_PROBES: value, BASE_URL: 'http://127.0.0.1:1/api' })
    const get = (path: string, key = secret) =>
      fetch(`${instance.url}/api${path}`, { headers: { Authorization: `Bearer ${key}` } })
    for (const path of ['/health', '/version', '/metrics']) expect((await get(path)).status).toBe(200)
    expect((await get('/metrics', crypto.randomUUID())).status).toBe(401)
    expect((await get('/health/x')).status).toBe(404)
    expect((await get('/api-key/credits')).status).toBe(200)
    expect(await instance.stop()).toBe(0)
    const lines = readLines(instance.readLog()).filter(({ status }) => status !== undefined)
    expect(lines.map(({ status }) => status)).toEqual(expected)
  })

  test('loses no line when the instance is stopped', async () => {
    await using instance = await startInstance()
    const requests = Array.from({ length: 60 }, () => fetch(`${instance.url}/version`))
    for (const response of await Promise.all(requests)) await response.text()
    expect(await instance.stop()).toBe(0)
    expect(readLines(instance.readLog()).filter(({ route }) => route === '/version')).toHaveLength(60)
  })

  test('names no key and no email address, whatever is requested and whatever goes wrong', async () => {
    const { secret } = await service.createKey()
    await using instance = await startInstance()
    const unknown = crypto.randomUUID()
    for (const key of [secret, unknown]) {
      const headers = { Authorization: `Bearer ${key}` }
      for (const path of [
        `/users/${key}`,
        `/users?location=${key}`,
        '/users?location=ada%40example.org',
        '/users/ada@example.org',
        `/${key}/ada@example.org`,
      ]) {
        await (await fetch(`${instance.url}${path}`, { headers })).text()
      }
    }
    // A database that fails in the middle of a request, and repeats a value in what it says.
    await service.sql.unsafe(`
      alter table users rename to users_away;
      create function fail() returns text language plpgsql as $$
      begin raise exception 'no user ada@example.org for ${secret}'; end $$;
      create view users as select id, forge_rest_id, fail() as login_key, term_ids, fail() as document, 0::bigint as digest from users_away`)
    try {
      const response = await fetch(`${instance.url}/users/ngoldberg`, {
        headers: { Authorization: `Bearer ${secret}` },
      })
      expect(response.status).toBe(500)
      expect(await response.json()).toEqual({ error: 'Internal server error' })
    } finally {
      await service.sql.unsafe('drop view users; alter table users_away rename to users; drop function fail')
    }
    await instance.stop()
    const log = instance.readLog()
    const errors = readLines(log).filter(({ level }) => level === 'error')
    expect(errors).toEqual([
      expect.objectContaining({
        message: '500 Internal server error',
        cause: expect.stringContaining('no user [address] for [uuid]'),
      }),
    ])
    expect([secret, unknown, 'ada@example.org', 'ada%40'].filter((each) => log.includes(each))).toEqual([])
  })
})

test('what goes wrong in the server around the app is a 500 with an id, under which the log has the cause', async () => {
  const lines: string[] = []
  await recordLog('info', (record) => void lines.push(formatJson(record)))
  const error = internalError(new Error('no room for ada@example.org'))
  const response = toResponse(renderError(error, {}, createFailureLog(getLogger('devdata'))), 'GET')
  await reset()
  expect([response.status, await response.json()]).toEqual([500, { error: 'Internal server error' }])
  expect(response.headers.get('X-Error-Code')).toBe('internal_error')
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({
      level: 'error',
      request_id: response.headers.get('X-Request-Id'),
      status: 500,
      cause: expect.stringContaining('no room for [address]'),
    }),
  ])
})

const failureSchema = v.object({
  status: v.number(),
  request_id: v.string(),
  count: v.number(),
  cause: v.string(),
})

/** Keeps the lines of failures that `fail` causes, until they count as many requests as failed. */
async function recordFailures(
  fail: () => Promise<number>,
): Promise<[v.InferOutput<typeof failureSchema>, number][]> {
  const records: LogRecord[] = []
  await recordLog('error', (record) => void records.push(record))
  try {
    const lines = () =>
      records.map(({ properties, timestamp }) => [v.parse(failureSchema, properties), timestamp] as const)
    const failed = await fail()
    await expect.poll(() => lines().reduce((sum, [{ count }]) => sum + count, 0)).toBe(failed)
    return lines().map(([line, timestamp]) => [line, timestamp])
  } finally {
    await reset()
  }
}

test('an outage has one line a second, which counts the requests that failed, names one, and has no stack trace', async () => {
  const database = await openAbsentDatabase()
  const instance = createInstance(database)
  const ids = new Set<string | null>()
  const lines = await recordFailures(async () => {
    for (const end = Date.now() + 2_500; Date.now() < end; ) {
      const responses = await Promise.all(Array.from({ length: 20 }, () => instance.request('/health')))
      for (const { headers } of responses) ids.add(headers.get('X-Request-Id'))
    }
    return ids.size
  })
  await database.close()
  expect(lines.length).toBeGreaterThan(2)
  for (const [index, [line, timestamp]] of lines.entries()) {
    expect(line).toMatchObject({ status: 503, cause: expect.stringMatching(/^connect ECONNREFUSED \S+$/) })
    expect(ids).toContain(line.request_id)
    expect(timestamp - (lines[index - 1]?.[1] ?? 0)).toBeGreaterThan(900)
  }
})

test('defects keep their stack traces, one a second for each, and few of those that differ each time', async () => {
  const logFailure = createFailureLog(getLogger('devdata'))
  const respondToDefect = (defect: Error) => renderError(internalError(defect), {}, logFailure)
  const lines = await recordFailures(async () => {
    for (let time = 0; time < 100; time++) respondToDefect(new Error('the same each time'))
    for (let time = 0; time < 1_000; time++) respondToDefect(new Error(`no row ${time}`))
    return 1_100
  })
  const ofTheSame = lines.filter(([{ cause }]) => cause.includes('the same each time'))
  expect(ofTheSame.map(([{ count }]) => count)).toEqual([1, 99])
  for (const [{ status, cause }] of lines) {
    expect([status, cause]).toEqual([500, expect.stringContaining('\n    at ')])
  }
  expect(lines.length).toBeLessThan(30)
})

test('keys and email addresses are found in a text of any length, and none is left beside another', () => {
  const word = 'a'.repeat(2_000_000) // a search that reads it anew from each letter on would take hours
  expect(describeCause(`${word} <ada@example.org> ${word}@example.org b.c@mail.example.org1d@e.fg`)).toBe(
    `${word} <[address]> [address] [address][address]`,
  )
})

test('a cause is logged with its own causes, and keeps the names of packages', () => {
  const inner = new Error('connection of ada.lovelace@mail.example.org failed')
  const cause = describeCause(new Error('in node_modules/hono@4.13.19/dist', { cause: inner }))
  expect(cause).toContain('in node_modules/hono@4.13.19/dist')
  expect(cause).toContain('caused by Error: connection of [address] failed')
})

test('braces in what is logged stand for themselves', () => {
  const line = formatJson({
    category: ['devdata'],
    level: 'info',
    message: ['', 'GET', ' ', '/users/{login}', ''],
    rawMessage: '{method} {route}',
    timestamp: 0,
    properties: { method: 'GET' },
  })
  expect(JSON.parse(line)).toEqual({
    time: '1970-01-01T00:00:00.000Z',
    level: 'info',
    message: 'GET /users/{login}',
    method: 'GET',
  })
})
