/**
 * What the log says of requests and defects, and what responses keep to themselves (decisions/0007-operations.md).
 */
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { type LogRecord, reset } from '@logtape/logtape'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { isDatabaseUnavailable } from '../../api/database/connection-error.ts'
import { absentPassword, createInstance, openAbsentDatabase } from '../support/instance.ts'
import { recordLog } from '../support/recorded-log.ts'
import { anyDatabase, useService } from '../support/service.ts'

const records: LogRecord[] = []

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

/** Sends the service's log lines of all levels to `records`. */
async function recordAll(): Promise<void> {
  records.length = 0
  await recordLog('trace', (record) => void records.push(record))
}

/** Everything that a log line can show. */
function writeRecord({ message, properties, level, category }: LogRecord): string {
  return JSON.stringify({ message, properties, level, category }, (_, value: unknown) =>
    value instanceof Error ? `${value.stack} ${JSON.stringify(value)}` : value,
  )
}

describe('the log', () => {
  beforeAll(async () => {
    await recordAll()
  })
  const service = useService(anyDatabase, { key: {} })
  beforeEach(() => {
    records.length = 0
  })
  afterAll(async () => {
    await reset()
  })

  test('has a line for each request, with its id, and never a key, an email address or a path', async () => {
    const secrets = [service.key, (await service.createKey()).secret]
    for (const path of [
      '/users',
      '/users/ngoldberg',
      '/users/ngoldberg@example.org',
      '/users?location=ngoldberg@example.org',
      `/users/${service.key}`,
      `/users?api_key=${service.key}`,
      '/repos/ngoldberg/x/commits',
      `/${service.key}`,
      '/no-such-path/ngoldberg@example.org',
    ]) {
      records.length = 0
      const response = await service.request(path, { key: secrets[1] })
      const id = response.headers.get('X-Request-Id')
      expect(records.map(({ properties }) => properties.request_id)).toEqual([id])
      expect(records[0]?.properties).toMatchObject({ method: 'GET', status: response.status })
      const text = records.map(writeRecord).join('\n')
      for (const secret of secrets) expect(text).not.toContain(secret)
      expect(text).not.toContain('@')
      expect(text).not.toContain('ngoldberg')
    }
  })

  test('has the route, the credits and the key’s number', async () => {
    const { secret, id } = await service.createKey()
    await service.request('/users/ngoldberg', { key: secret })
    expect(records.at(-1)?.properties).toMatchObject({
      route: '/users/{login}',
      status: 200,
      credits: 1,
      key_id: id,
    })
    await service.request('/repos/a/b/commits', { key: secret })
    expect(records.at(-1)?.properties).toMatchObject({
      route: '/repos/{owner}/{name}/commits',
      status: 404,
      credits: 0,
    })
  })
})

describe('a defect', () => {
  beforeAll(async () => {
    await recordAll()
  })
  const service = useService(anyDatabase)
  afterAll(async () => {
    await reset()
  })

  test('is 500 without internals in the response, and with its reason in the log, under the request’s id', async () => {
    const { secret, id } = await service.createKey({ credits: 10 })
    await service.sql`alter table users rename to moved_away`
    for (const path of ['/users', '/users/ngoldberg', '/users?location=berlin']) {
      records.length = 0
      const response = await service.request(path, { key: secret })
      expect([path, response.status, response.json()]).toEqual([
        path,
        500,
        { error: 'Internal server error' },
      ])
      const requestId = response.headers.get('X-Request-Id')
      // Immediately, or within a second if the same has just happened to another request.
      const findErrors = () => records.filter(({ level }) => level === 'error')
      await expect
        .poll(() => findErrors().map(({ properties }) => properties.request_id))
        .toEqual([requestId])
      const text = records.map(writeRecord).join('\n')
      expect(text).toContain('does not exist')
      expect(text).not.toContain(secret)
      expect(text).not.toContain('ngoldberg')
    }
    expect(await service.readLedger(id)).toEqual({ balance: 10, granted: 10, charged: 0 })
    const head = await service.request('/users', { method: 'HEAD', key: secret })
    expect([head.status, head.text]).toEqual([500, ''])
    await service.sql`alter table moved_away rename to users`
    expect((await service.request('/users/ngoldberg', { key: secret })).status).toBe(200)
  })
})

test('a missing file does not make the database unavailable, and a missing socket does', async () => {
  const missing = join(import.meta.dirname, 'no-such-file')
  const file: unknown = await readFile(missing).catch((error: unknown) => error)
  const socket = await new Promise((resolve) => connect(missing).once('error', resolve))
  expect([isDatabaseUnavailable(file), isDatabaseUnavailable(socket)]).toEqual([false, true])
  expect([file, socket]).toEqual([
    expect.objectContaining({ code: 'ENOENT' }),
    expect.objectContaining({ code: 'ENOENT' }),
  ])
})

describe('an unavailable database', () => {
  test('is 503 with Retry-After for data and health, and needed by nothing else', async () => {
    await recordAll()
    const database = await openAbsentDatabase()
    try {
      const instance = createInstance(database)
      const key = crypto.randomUUID()
      for (const path of ['/users', '/repos/a/b', '/api-key/credits', '/metrics', '/health']) {
        const response = await instance.request(path, { key })
        expect([path, response.status, response.json()]).toEqual([
          path,
          503,
          { error: 'Database unavailable; retry in 5 seconds' },
        ])
        expect(response.headers.get('Retry-After')).toBe('5')
        expect(response.headers.get('X-Request-Id')).toMatch(uuid)
      }
      // Waits don't grow with the length of an outage.
      for (let count = 0; count < 20; count++) {
        expect((await instance.request('/health')).status).toBe(503)
      }
      const malformed = await instance.request('/users', { key: 'no-key' })
      expect(malformed.status).toBe(401)
      const version = await instance.request('/version')
      expect([version.status, version.json()]).toEqual([200, expect.objectContaining({ dataset: null })])
      expect((await instance.request('/openapi.yml')).status).toBe(200)
      const text = records.map(writeRecord).join('\n')
      expect(text).toContain('ECONNREFUSED')
      expect(text).not.toContain(absentPassword)
      expect(text).not.toContain(key)
    } finally {
      await database.close()
      await reset()
    }
  })
})
