/**
 * Conditional requests (decisions/0005-http.md).
 *
 * @module-tag over-the-wire
 */
import { describe, expect, test } from 'vitest'
import { matchesEntityTag } from '../../api/http/entity-tag.ts'
import { anyDatabase, useService } from '../support/service.ts'

test('a tag matches with each suffix of a compressing proxy, whatever it ends with itself', () => {
  const suffixes = ['-gzip', '-br', '-zstd', '-deflate', '-gunzip', '--gzip', ';gzip', ';br', ';gz', ':gzip']
  const tags = ['a', 'a-', 'a--', '-', 'a-gzip', 'a-br-', 'a;', 'a_gzip']
  for (const tag of tags) {
    for (const suffix of ['', ...suffixes]) {
      for (const form of [`"${tag}${suffix}"`, `W/"${tag}${suffix}"`, `"other", "${tag}${suffix}"`]) {
        expect([form, tag, matchesEntityTag(form, `W/"${tag}"`)]).toEqual([form, tag, true])
      }
    }
    for (const end of ['---gzip', '-gzip-', '-', '-gzip-br', 'gzip', '_gzip']) {
      expect([tag + end, tag, matchesEntityTag(`"${tag}${end}"`, `W/"${tag}"`)]).toEqual([
        tag + end,
        tag,
        false,
      ])
    }
  }
})

describe('a conditional request', () => {
  const service = useService(anyDatabase, { key: {} })

  const paths = [
    '/users?per_page=5',
    '/users/ngoldberg',
    '/repos?per_page=3',
    '/users?location=berlin',
    '/users?logins=ngoldberg,graceabara',
  ]
  const read = async (path: string, secret = service.key) => {
    const { status, headers } = await service.request(path, { key: secret })
    expect([path, status]).toEqual([path, 200])
    return headers.get('ETag') ?? ''
  }

  test('has a weak ETag to send, the same for the same data and every key', async () => {
    const { secret } = await service.createKey()
    for (const path of paths) {
      const tag = await read(path)
      expect(tag).toMatch(/^W\/"[^"]+"$/)
      expect(await read(path)).toBe(tag)
      expect(await read(path, secret)).toBe(tag)
    }
  })

  test('has an ETag of its own for each URL', async () => {
    const urls = [
      ...paths,
      '/users?per_page=6',
      '/users?per_page=5&page=2',
      '/users?per_page=5&page=998', // three pages past the end: all of them empty
      '/users?per_page=5&page=999',
      '/users?per_page=5&location=no-such-place',
      '/repos?per_page=5&dependency_names=no-such-package',
      '/users/gracEabara',
    ]
    const tags = await Promise.all(urls.map((url) => read(url)))
    expect(new Set(tags).size).toBe(urls.length)
  })

  test('has another ETag once the data of its response changed, and the same one otherwise', async () => {
    /** As a load does it: the dataset has another version afterwards. */
    const rename = (from: string, to: string) =>
      service.sql.begin(async (tx) => {
        await tx`update users set document = replace(document, ${from}, ${to})`
        await tx`update dataset set version = version + 1`
      })
    const before = [await read('/users/GraceAbara'), await read('/users?per_page=5'), await read('/repos')]
    await rename('Grace Abara', 'G. Abara')
    const after = [await read('/users/GraceAbara'), await read('/users?per_page=5'), await read('/repos')]
    await rename('G. Abara', 'Grace Abara')
    expect(after[0]).not.toBe(before[0])
    expect(after[1]).not.toBe(before[1])
    expect(after[2]).toBe(before[2])
    expect(await read('/users/GraceAbara')).toBe(before[0])
  })

  test('gets 304 if a tag of If-None-Match matches, weak or strong, in a list, or as *', async () => {
    for (const path of paths) {
      const tag = await read(path)
      const strong = tag.replace('W/', '')
      for (const [ifNoneMatch, status] of [
        [tag, 304],
        [strong, 304],
        [`"other", ${tag}`, 304],
        [`W/"other" ,${strong}, "another"`, 304],
        ['*', 304],
        ['"other"', 200],
        ['W/"other", "another"', 200],
        [strong.replaceAll('"', ''), 200],
        ['', 200],
        [`"x${strong.slice(1)}`, 200],
      ] as const) {
        const response = await service.request(path, {
          key: service.key,
          headers: { 'If-None-Match': ifNoneMatch },
        })
        expect([path, ifNoneMatch, response.status]).toEqual([path, ifNoneMatch, status])
        expect(response.headers.get('ETag')).toBe(tag)
        if (status === 304) expect(response.text).toBe('')
      }
    }
  })

  test('gets 304, free, if a proxy that compresses has added its suffix to the tag', async () => {
    for (const path of paths) {
      const tag = await read(path)
      const end = (suffix: string) => `${tag.slice(0, -1)}${suffix}"`
      for (const [ifNoneMatch, status] of [
        ...['-gzip', '-br', '-zstd', '-deflate', '-gunzip', '--gzip', ';gzip', ';br', ';gz'].map(
          (suffix) => [end(suffix), 304] as const,
        ),
        [end('-gzip').replace('W/', ''), 304],
        [`"other", ${end('-gzip')}`, 304],
        [`"other-gzip", ${end(';br')}, "another"`, 304],
        [end('-other'), 200],
        [end('gzip'), 200],
        [end('-gzip-x'), 200],
        ['"-gzip"', 200],
        [`${tag}-gzip`.replaceAll('"', ''), 200],
      ] as const) {
        const response = await service.request(path, {
          key: service.key,
          headers: { 'If-None-Match': ifNoneMatch },
        })
        expect([path, ifNoneMatch, response.status]).toEqual([path, ifNoneMatch, status])
        expect(response.headers.get('ETag')).toBe(tag)
        if (status === 304) expect(response.headers.get('X-Credits-Cost')).toBe('0')
      }
    }
  })

  test('gets 304 for HEAD as for GET', async () => {
    const headers = { 'If-None-Match': await read('/users?per_page=5') }
    const response = await service.request('/users?per_page=5', { method: 'HEAD', key: service.key, headers })
    expect([response.status, response.text]).toEqual([304, ''])
  })

  test('gets its error in spite of If-None-Match: *', async () => {
    const headers = { 'If-None-Match': '*' }
    expect(
      (await service.request('/users/nobody-has-this-login', { key: service.key, headers })).status,
    ).toBe(404)
    expect((await service.request('/users', { headers })).status).toBe(401)
    expect((await service.request('/users?page=0', { key: service.key, headers })).status).toBe(400)
  })

  test('is needed each time: caches keep a response for one user, and revalidate it', async () => {
    for (const path of paths) {
      const { headers } = await service.request(path, { key: service.key })
      expect(headers.get('Cache-Control')).toBe('private, no-cache')
    }
  })
})
