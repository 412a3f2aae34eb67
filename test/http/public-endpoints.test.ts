/**
 * Endpoints without authentication (decisions/0002-keys.md).
 *
 * @module-tag over-the-wire
 */
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { readVersion as readProgramVersion } from '../../api/build-info.ts'
import { importNdjson } from '../../api/sources/ndjson/import.ts'
import { openDocument } from '../support/contract.ts'
import { createInstance, unpack } from '../support/instance.ts'
import { liveCommit } from '../support/live-service.ts'
import { describeOnOneDatabase, liveRuntime, testInside, useService } from '../support/service.ts'

const versionSchema = v.object({ dataset: v.object({ version: v.number(), updated_at: v.string() }) })

describeOnOneDatabase('among public endpoints', (kind) => {
  const service = useService(kind, { docs: true })

  async function readVersion() {
    const response = await service.request('/version')
    expect(response.status).toBe(200)
    return v.parse(versionSchema, response.json()).dataset
  }

  /** Loads one user, as a file of one line. */
  function loadUser(user: object) {
    const open = async function* () {
      yield Buffer.from(`${JSON.stringify(user)}\n`)
    }
    return importNdjson(service.sql, {
      sources: [{ kind: 'users', name: 'users.ndjson', size: undefined, open }],
    })
  }

  test.each([
    ['/health', 'application/json'],
    ['/version', 'application/json'],
    ['/docs/coverage.json', 'application/json'],
    ['/openapi.yml', 'application/yaml'],
    ['/openapi.json', 'application/json'],
    [
      '/.well-known/api-catalog',
      'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
    ],
    ['/docs', 'text/html; charset=utf-8'],
    ['/docs/', 'text/html; charset=utf-8'],
    ['/docs/quickstart', 'text/html; charset=utf-8'],
    ['/api-docs', 'text/html; charset=utf-8'],
    ['/llms.txt', 'text/plain; charset=utf-8'],
    ['/robots.txt', 'text/plain; charset=utf-8'],
    ['/favicon.ico', 'image/x-icon'],
  ])('GET and HEAD %s are 200 without a key, and with any', async (path, type) => {
    for (const headers of [{}, { Authorization: 'Bearer wrong' }, { Authorization: 'Basic eDp5' }] as Record<
      string,
      string
    >[]) {
      const response = await service.request(path, { headers })
      expect([response.status, response.headers.get('Content-Type')?.toLowerCase()]).toEqual([200, type])
      const head = await service.request(path, { method: 'HEAD', headers })
      expect([head.status, head.text]).toEqual([200, ''])
      expect(head.headers.get('Content-Type')?.toLowerCase()).toBe(type)
    }
  })

  test('/health names its database', async () => {
    const response = await service.request('/health')
    expect(response.json()).toEqual({ status: 'ok', database: kind })
    expect(response.headers.get('Cache-Control')).toBe('no-store')
  })

  test('/version names the version, the runtime and the dataset', async () => {
    const response = await service.request('/version')
    const runtime = { node: /^node v\d/, deno: /^deno \d/, none: /^vitest$/ }[liveRuntime ?? 'none']
    expect(response.json()).toEqual({
      version: readProgramVersion(),
      commit: liveRuntime === undefined ? null : liveCommit,
      runtime: expect.stringMatching(runtime),
      dataset: { version: expect.any(Number), updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) },
    })
  })

  test('files are sent as they are, compressed, or not at all if the client has them', async () => {
    const read = (headers: Record<string, string>, method = 'GET') =>
      service.request('/docs/llms.txt', { method, headers: { 'Accept-Encoding': 'identity', ...headers } })
    const whole = await read({})
    const length = String(Buffer.byteLength(whole.text))
    expect([whole.status, whole.headers.get('Content-Length')]).toEqual([200, length])
    const ranged = await read({ Range: 'bytes=2-8' })
    expect([ranged.status, ranged.text]).toEqual([200, whole.text])
    const etag = whole.headers.get('ETag') ?? ''
    const known = await read({ 'If-None-Match': etag })
    expect([known.status, known.text, known.headers.get('ETag')]).toEqual([304, '', etag])
    const head = await read({}, 'HEAD')
    expect([head.status, head.text, head.headers.get('Content-Length')]).toEqual([200, '', length])
    for (const coding of ['br', 'gzip']) {
      const compressed = await read({ 'Accept-Encoding': coding })
      expect([compressed.status, compressed.headers.get('Content-Encoding')]).toEqual([200, coding])
      expect(compressed.headers.get('Vary')).toContain('Accept-Encoding')
      expect(compressed.headers.get('ETag')).not.toBe(etag)
    }
  })

  test('/version has another dataset version after a load', async () => {
    const admin = await service.createKey({ role: 'admin' })
    const found = await service.request('/users/ngoldberg', { key: admin.secret })
    const user = v.parse(v.looseObject({ login: v.string() }), found.json())
    const before = await readVersion()
    await loadUser({ ...user, name: 'Another Name' })
    const after = await readVersion()
    expect(after.version).toBeGreaterThan(before.version)
    expect(Date.parse(after.updated_at)).toBeGreaterThan(Date.parse(before.updated_at))
    const changed = await service.request('/users/ngoldberg', { key: admin.secret })
    expect(changed.json()).toEqual({ ...user, name: 'Another Name' })
    expect(changed.headers.get('ETag')).not.toBe(found.headers.get('ETag'))
    expect(await readVersion()).toEqual(after)
  })

  test('/openapi.yml has the document of /openapi.json, with the service’s own URL', async () => {
    const yaml = await service.request('/openapi.yml')
    const json = await service.request('/openapi.json')
    expect(parse(yaml.text)).toEqual(json.json())
    expect(json.json()).toEqual({
      ...openDocument,
      servers: [{ ...openDocument.servers[0], url: 'http://localhost' }],
    })
  })

  test.each(['/openapi.yml', '/openapi.json'])('%s is not sent again if the client has it', async (path) => {
    const { headers } = await service.request(path)
    const tag = headers.get('ETag') ?? ''
    expect(tag).toMatch(/^(W\/)?".+"$/)
    const again = await service.request(path, { headers: { 'If-None-Match': tag } })
    expect([again.status, again.text, again.headers.get('ETag')]).toEqual([304, '', tag])
    const other = await service.request(path, { headers: { 'If-None-Match': '"other"' } })
    expect(other.status).toBe(200)
  })

  test.each(['/openapi.yml', '/openapi.json'])(
    '%s is compressed for clients that accept it',
    async (path) => {
      const plain = await service.request(path)
      for (const encoding of ['gzip', 'br']) {
        const { status, headers, text, size } = await service.request(path, {
          headers: { 'Accept-Encoding': encoding },
        })
        expect([status, headers.get('Content-Encoding')]).toEqual([200, encoding])
        expect(headers.get('Vary')).toBe('Accept-Encoding')
        expect(headers.get('ETag')).toBe(plain.headers.get('ETag'))
        expect(text).toBe(plain.text)
        expect(size).toBeLessThan(0.7 * plain.size)
      }
    },
  )

  testInside('/openapi.json is cached for a few hosts, and has the URL of each', async () => {
    const { app } = createInstance(service)
    const hosts = Array.from({ length: 20 }, (_, index) => `host-${index}.example`)
    const encodings: (string | null)[] = []
    for (const host of [...hosts, ...hosts]) {
      const response = await app.request(`http://${host}/openapi.json`, {
        headers: { 'Accept-Encoding': 'gzip' },
      })
      const body = Buffer.from(await response.arrayBuffer())
      expect(JSON.parse(unpack(body, response.headers))).toMatchObject({
        servers: [{ url: `http://${host}` }],
      })
      encodings.push(response.headers.get('Content-Encoding'))
    }
    const expected = hosts.map((_, index) => (index < 8 ? 'gzip' : null))
    expect(encodings).toEqual([...expected, ...expected])
  })

  test('8,192 characters of If-None-Match are read', async () => {
    const { headers } = await service.request('/openapi.json')
    const tag = headers.get('ETag') ?? ''
    const read = async (length: number) => {
      const list = `"x",${tag.padStart(length - 4)}`
      return (await service.request('/openapi.json', { headers: { 'If-None-Match': list } })).status
    }
    expect([await read(8_192), await read(8_196), await read(40_000)]).toEqual([304, 200, 200])
  })

  test('/ redirects to the docs', async () => {
    const response = await service.request('/')
    expect([response.status, response.headers.get('Location')]).toEqual([302, 'http://localhost/docs'])
  })
})
