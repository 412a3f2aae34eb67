import { expect, test } from 'vitest'
import { readConfig } from '../../api/config.ts'
import { localOrigin } from '../../api/runtime/local-url.ts'
import { formatReadyMessage } from '../../api/runtime/service.ts'

test.each([
  ['127.0.0.1', 'http://127.0.0.1:8000'],
  ['0.0.0.0', 'http://127.0.0.1:8000'],
  ['::', 'http://[::1]:8000'],
  ['::1', 'http://[::1]:8000'],
  ['devdata.internal', 'http://devdata.internal:8000'],
])('a service with HOST=%s is reached on its own machine at %s', (host, local) => {
  expect(localOrigin({ host, port: 8000 })).toBe(local)
})

test.each([
  ['0.0.0.0', 'http://127.0.0.1:8123'],
  ['::', 'http://[::1]:8123'],
])('a start with HOST=%s prints URLs that a browser on this machine can open', (host, local) => {
  const config = readConfig({ HOST: host, DATABASE_URL: 'postgres://localhost/devdata' })
  const text = formatReadyMessage(config, 8123, undefined, false)
  expect([...text.matchAll(/http\S+/g)].map(([url]) => url)).toEqual([
    local,
    `${local}/docs`,
    `${local}/api-docs`,
  ])
  const behind = readConfig({
    HOST: host,
    BASE_URL: 'https://api.example.com',
    DATABASE_URL: 'postgres://localhost/devdata',
  })
  expect(formatReadyMessage(behind, 8123, undefined, false)).toContain(`(listening on ${local})`)
})

test('a start without data says how to load some', () => {
  const config = readConfig({})
  expect(formatReadyMessage(config, 8123, undefined, true)).toContain('devdata -- import github OWNER\n')
  expect(formatReadyMessage(config, 8123, undefined, false)).not.toContain('import')
})
