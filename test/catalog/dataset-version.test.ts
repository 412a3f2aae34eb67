/** `X-Dataset-Version`: the version of the dataset that a response was read at (decisions/0003-lists.md). */
import { expect, test } from 'vitest'
import { createUser, loadRecords } from '../support/records.ts'
import { busyRepository } from '../support/sample-oracle.ts'
import { describeOnEachDatabase, useService } from '../support/service.ts'

const paths = [
  '/users',
  '/users?location=berlin',
  '/users?changed_since=1',
  '/users?page=1000',
  '/users?logins=ngoldberg',
  '/users/ngoldberg',
  '/repos?per_page=1',
  busyRepository,
  `${busyRepository}/commits`,
  `${busyRepository}/dependencies`,
  `${busyRepository}/dependencies/blame`,
  '/removals?since=1',
]

describeOnEachDatabase('X-Dataset-Version', (kind) => {
  const service = useService(kind, { key: {} })

  const readVersion = async (
    path: string,
    options: { method?: string; headers?: Record<string, string> },
  ) => {
    const response = await service.request(path, { key: service.key, ...options })
    return [path, response.status, response.headers.get('X-Dataset-Version')]
  }

  test('is on every response with data, on quotes and on 304, and follows each change', async () => {
    for (const version of ['1', '2', '3']) {
      for (const path of paths) {
        // The third response comes from the cache.
        for (const method of ['GET', 'HEAD', 'GET', 'GET']) {
          expect(await readVersion(path, { method })).toEqual([path, 200, version])
        }
        if (path.startsWith('/removals')) continue
        const headers = { 'If-None-Match': '*' }
        expect(await readVersion(path, { headers })).toEqual([path, 304, version])
      }
      await loadRecords(service.sql, { users: [createUser(Number(version), { login: `new-${version}` })] })
    }
  })

  test('isn’t on a response without data of the dataset', async () => {
    for (const path of [
      '/api-key/credits',
      '/api-key/usage',
      '/users/nobody-has-this-login',
      '/users?page=0',
    ]) {
      expect((await service.request(path, { key: service.key })).headers.has('X-Dataset-Version')).toBe(false)
    }
  })
})
