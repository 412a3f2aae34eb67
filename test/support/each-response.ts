/** One response of each status that requests of a client can have. */
import { expect } from 'vitest'
import type { TestResponse, TestService } from './service.ts'

/** Sends one request for each kind of response. `key` can read everything. */
export async function requestEachStatus(service: TestService, key: string): Promise<TestResponse[]> {
  const poor = await service.createKey({ credits: 0 })
  const limited = await service.createKey({ rateLimit: { requests: 1, seconds: 3600 } })
  const tagged = await service.request('/users', { key })
  const tag = tagged.headers.get('ETag') ?? ''
  await service.request('/users/ngoldberg', { key: limited.secret })
  const responses = [tagged]
  for (const [path, options] of [
    ['/users', { key, method: 'HEAD' }],
    ['/users', { key, headers: { 'If-None-Match': tag } }],
    ['/users?page=0', { key }],
    ['/users', {}],
    ['/users', { key: poor.secret }],
    ['/users/nobody-has-this-login', { key }],
    ['/no-such-path', {}],
    ['/users', { method: 'POST' }],
    ['/users', { method: 'OPTIONS' }],
    ['/users/ngoldberg', { key: limited.secret }],
    ['/health', {}],
    ['/', {}],
  ] as const) {
    responses.push(await service.request(path, options))
  }
  const statuses = responses.map(({ status }) => status)
  expect(statuses).toEqual([200, 200, 304, 400, 401, 403, 404, 404, 405, 204, 429, 200, 302])
  return responses
}
