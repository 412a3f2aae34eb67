/** `/docs/coverage.json` while the database fails: how often it is asked, and what is served. */
import { Hono } from 'hono'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Coverage } from '../../api/catalog/coverage.ts'
import { startingUp } from '../../api/errors.ts'
import { createErrorHandler } from '../../api/http/error-handler.ts'
import { beginRequest } from '../../api/http/middleware.ts'
import type { HonoEnvironment } from '../../api/http/request-context.ts'
import { addCoverageRoute, createCoverageReader } from '../../api/portal/coverage-route.ts'

const coverage: Coverage = {
  dataset: { version: 1, updated_at: new Date(0).toISOString() },
  users: 1,
  repositories: 0,
  commits: 0,
  dependencies: 0,
  refreshed: { newest: null, oldest: null },
  last_push: null,
  last_commit: null,
  push_years: [],
  commit_years: [],
  user_fields: {},
  countries: [],
  companies: [],
  languages: [],
  manifests: [],
  packages: [],
  loads: [],
}

let reads = 0
let read: () => Promise<Coverage | 'timed_out'>
let request: () => Promise<number>

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
  reads = 0
  const app = new Hono<HonoEnvironment>()
  app.use(beginRequest({ compressResponses: true }))
  app.onError(
    createErrorHandler(
      async (error) => error,
      () => {},
    ),
  )
  const reader = createCoverageReader(() => {
    reads++
    return read()
  })
  addCoverageRoute(app, reader)
  request = async () => (await app.request('/docs/coverage.json')).status
})
afterEach(() => vi.useRealTimers())

test('many requests ask the database once in ten seconds', async () => {
  read = async () => coverage
  expect(await Promise.all(Array.from({ length: 20 }, request))).toEqual(Array(20).fill(200))
  expect(reads).toBe(1)
  vi.advanceTimersByTime(9_999)
  await request()
  expect(reads).toBe(1)
  vi.advanceTimersByTime(1)
  await request()
  expect(reads).toBe(2)
})

test('while it fails, the database is asked as seldom, and what was read is served for an hour', async () => {
  read = async () => coverage
  await request()
  read = async () => 'timed_out'
  for (let passed = 0; passed < 3_600_000; passed += 600_000) {
    vi.advanceTimersByTime(600_000)
    expect(await Promise.all([request(), request()])).toEqual([200, 200])
  }
  expect(reads).toBe(7)
  vi.advanceTimersByTime(10_000)
  expect(await request()).toBe(503)
  read = async () => coverage
  expect(await request()).toBe(503)
  vi.advanceTimersByTime(10_000)
  expect(await request()).toBe(200)
})

test('before it was ever read, the error is the one that there was', async () => {
  read = async () => {
    throw startingUp()
  }
  expect(await request()).toBe(503)
  expect(await request()).toBe(503)
  expect(reads).toBe(1)
})
