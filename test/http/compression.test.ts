/**
 * Compressed responses (decisions/0005-http.md).
 *
 * @module-tag over-the-wire
 */
import { brotliDecompressSync, gzipSync } from 'node:zlib'
import * as v from 'valibot'
import { beforeAll, describe, expect, test } from 'vitest'
import { compressBeginning, encodings } from '../../api/http/compression.ts'
import { createUser, loadRecords } from '../support/records.ts'
import { anyDatabase, describeOnOneDatabase, useService } from '../support/service.ts'

const listSchema = v.object({ data: v.array(v.unknown()), meta: v.object({ request_id: v.string() }) })

describeOnOneDatabase('a response', (kind) => {
  const service = useService(kind, { docs: true })
  let key: string
  beforeAll(async () => {
    for (let count = 0; count < 8; count++) key = (await service.createKey()).secret // a long list of keys
  })

  const request = (path: string, encoding: string, headers: Record<string, string> = {}) =>
    service.request(path, { key, headers: { 'Accept-Encoding': encoding, ...headers } })

  test.each([
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br', 'br'],
    ['GZIP;q=1.0, *;q=0', 'gzip'],
    ['*', 'br'],
    ['br;q=0, *', 'gzip'],
    ['gzip;q=0, br;q=0.5', 'br'],
    ['identity', null],
    ['deflate, gzip;q=0', null],
    ['', null],
  ] as const)('above 1 KiB is compressed as Accept-Encoding asks: “%s” gets %s', async (accept, encoding) => {
    const admin = await service.createKey({ role: 'admin' })
    const { secret, id } = await service.createKey()
    for (const [path, caller] of [
      ['/users', secret],
      ['/repos?per_page=100', secret],
      ['/admin/keys', admin.secret],
      ['/metrics', admin.secret],
    ] as const) {
      const plain = await service.request(path, { key: caller })
      const { charged } = await service.readLedger(id)
      const response = await service.request(path, { key: caller, headers: { 'Accept-Encoding': accept } })
      expect([path, response.headers.get('Content-Encoding')]).toEqual([path, encoding])
      expect(response.headers.get('Vary')).toBe('Accept-Encoding')
      expect(response.headers.get('ETag')).toBe(plain.headers.get('ETag'))
      expect(response.size < response.text.length / 2).toBe(encoding !== null)
      if (caller === secret) {
        expect(v.parse(listSchema, response.json()).data).toEqual(v.parse(listSchema, plain.json()).data)
      }
      const cost = Number(response.headers.get('X-Credits-Cost'))
      expect((await service.readLedger(id)).charged).toBe(charged + cost)
    }
  })

  test('has its own meta and is charged, however often it was compressed before', async () => {
    for (const path of ['/users?per_page=50&page=2', '/repos?per_page=50&dependency_names=react']) {
      const { data } = v.parse(listSchema, (await request(path, 'identity')).json())
      const { secret, id } = await service.createKey()
      // Read from the database, read and cached, compressed from the cache, and completed from what is kept.
      for (const encoding of ['gzip', 'gzip', 'br', 'gzip', 'br', 'identity', 'br', 'gzip']) {
        const headers = { 'Accept-Encoding': encoding }
        const response = await service.request(path, { key: secret, headers })
        expect(response.headers.get('Content-Encoding') ?? 'identity').toBe(encoding)
        const body = v.parse(listSchema, response.json())
        expect(body.data).toEqual(data)
        expect(body.meta.request_id).toBe(response.headers.get('X-Request-Id'))
        expect(Object.keys(body)).toEqual(['data', 'meta'])
        expect(response.json()).toMatchObject({ pagination: { per_page: 50 } })
      }
      expect((await service.readLedger(id)).charged).toBe(8 * data.length)
    }
  })

  test('has the ETag of all its codings, and its 304 names Accept-Encoding in Vary, too', async () => {
    const path = '/users?per_page=50'
    const tag = (await request(path, 'gzip')).headers.get('ETag') ?? ''
    for (const encoding of ['br', 'gzip', 'identity']) {
      const { status, headers, size } = await request(path, encoding, { 'If-None-Match': tag })
      expect([encoding, status, size]).toEqual([encoding, 304, 0])
      expect([headers.get('Vary'), headers.get('ETag')]).toEqual(['Accept-Encoding', tag])
      expect(headers.has('Content-Encoding')).toBe(false)
    }
  })

  test('to HEAD has the headers of GET, but for those of the body’s form', async () => {
    const path = '/users?per_page=50'
    for (const encoding of ['br', 'gzip', 'identity']) {
      const { headers: expected } = await request(path, encoding)
      const options = { method: 'HEAD', key, headers: { 'Accept-Encoding': encoding } }
      const { status, headers, size } = await service.request(path, options)
      expect([encoding, status, size]).toEqual([encoding, 200, 0])
      for (const name of ['Vary', 'ETag', 'Link', 'X-Total-Count', 'X-Credits-Cost', 'Cache-Control']) {
        expect([name, headers.get(name)]).toEqual([name, expected.get(name)])
      }
      expect([headers.has('Content-Encoding'), headers.has('Content-Length')]).toEqual([false, false])
    }
  })

  test('with letters beyond ASCII is measured in bytes', async () => {
    const wide = createUser(9_000_001, { login: 'wide', bio: '東'.repeat(400) })
    await loadRecords(service.sql, { users: [wide] })
    const plain = await request('/users/wide', 'identity')
    expect(plain.text.length).toBeLessThan(1_024)
    expect(plain.size).toBeGreaterThanOrEqual(1_024)
    const compressed = await request('/users/wide', 'br')
    expect(compressed.headers.get('Content-Encoding')).toBe('br')
    expect(compressed.text).toBe(plain.text)
  })

  test('is not compressed up to 1 KiB', async () => {
    for (const path of ['/users/ngoldberg', '/users?page=999', '/api-key/credits']) {
      const { status, headers } = await request(path, 'br, gzip')
      expect([path, status, headers.get('Content-Encoding')]).toEqual([path, 200, null])
    }
  })
})

describe('with COMPRESS_RESPONSES=off, a response', () => {
  const service = useService(anyDatabase, { docs: true, compressResponses: false })

  const headers = { 'Accept-Encoding': 'br, gzip' }

  test('is left to a proxy: not compressed, and without Vary', async () => {
    const { secret: key } = await service.createKey({ role: 'admin' })
    const tag = (await service.request('/users', { key })).headers.get('ETag') ?? ''
    for (const [path, options] of [
      ['/users', {}],
      ['/users', {}], // from the cache
      ['/users', { method: 'HEAD' }],
      ['/users', { headers: { ...headers, 'If-None-Match': tag } }],
      ['/users/ngoldberg', {}],
      ['/admin/keys', {}],
      ['/metrics', {}],
      ['/health', {}],
    ] as const) {
      const response = await service.request(path, { key, headers, ...options })
      expect([path, response.status < 400]).toEqual([path, true])
      expect([path, response.headers.has('Content-Encoding')]).toEqual([path, false])
      expect([path, response.headers.has('Vary')]).toEqual([path, false])
    }
  })

  test('is compressed if that is done once for all: files of the docs and the OpenAPI document', async () => {
    for (const path of ['/openapi.json', '/docs/errors', '/api-docs']) {
      const response = await service.request(path, { headers })
      expect([path, response.headers.get('Content-Encoding')]).toEqual([path, 'br'])
      expect(response.headers.get('Vary')).toContain('Accept-Encoding')
    }
  })
})

describe('a compressed beginning', () => {
  test.each(encodings)('is completed to one valid stream by any end: %s', async (encoding) => {
    for (const beginning of ['', 'a', '{"data":['.repeat(10_000), randomText(100_000)]) {
      const complete = await compressBeginning(Buffer.from(beginning), encoding)
      for (const end of ['"', 'ünicode', randomText(65_535)]) {
        const stream = complete(Buffer.from(end))
        expect(await decode(stream, encoding)).toBe(beginning + end)
      }
    }
  })

  test('has a checksum that is checked', async () => {
    const complete = await compressBeginning(Buffer.from('beginning'), 'gzip')
    const stream = complete(Buffer.from('end'))
    expect(stream.subarray(-8)).toEqual(gzipSync('beginningend').subarray(-8))
    const changed = Buffer.from(stream)
    changed[changed.length - 9] = 'D'.charCodeAt(0)
    await expect(decode(changed, 'gzip')).rejects.toThrow()
  })
})

function randomText(length: number): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(65_536)))
    .toString('base64')
    .repeat(2)
    .slice(0, length)
}

/** Decodes a stream strictly: the platform's decoder of gzip takes one member, and nothing behind it. */
async function decode(
  stream: Uint8Array<ArrayBuffer>,
  encoding: (typeof encodings)[number],
): Promise<string> {
  if (encoding === 'br') return brotliDecompressSync(stream).toString()
  return new Response(new Blob([stream]).stream().pipeThrough(new DecompressionStream('gzip'))).text()
}
