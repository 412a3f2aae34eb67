import { expect, test } from 'vitest'
import { formatOrigin, localOrigin } from '../api/local-address.ts'

test.each([
  ['127.0.0.1', 'http://127.0.0.1:8000', 'http://127.0.0.1:8000'],
  ['0.0.0.0', 'http://0.0.0.0:8000', 'http://127.0.0.1:8000'],
  ['::', 'http://[::]:8000', 'http://[::1]:8000'],
  ['::1', 'http://[::1]:8000', 'http://[::1]:8000'],
  ['devdata.internal', 'http://devdata.internal:8000', 'http://devdata.internal:8000'],
])('a service with HOST=%s is at %s, and on its own machine at %s', (host, listening, local) => {
  expect([formatOrigin({ host, port: 8000 }), localOrigin({ host, port: 8000 })]).toEqual([listening, local])
})
