/**
 * `Link` never has more than 12 KB: clients with the usual limit of 16 KB of headers can read each response that they
 * pay for (decisions/0003-lists.md).
 *
 * @module-tag later
 */
import { beforeAll, describe, expect, test } from 'vitest'
import { createLinkHeader, maxPageNumber, maxUrlStartLength } from '../../api/paging/page.ts'
import { parseLinkHeader } from '../support/list-response.ts'
import { getFrom } from '../support/live-service.ts'
import { runtimes } from '../support/process.ts'
import { startSampleProcess } from '../support/sample-process.ts'
import { useStarted } from '../support/suite.ts'

const maxLinkLength = 12_288

describe('the Link header', () => {
  const page = { number: maxPageNumber(100) - 1, size: 100 }
  const position = { total: Number.MAX_SAFE_INTEGER, offset: 0 }

  test('of the longest filter has first, next and last, whatever page is read', () => {
    for (const next of [2 ** 31 - 1, 'f'.repeat(64)]) {
      const link = createLinkHeader('x'.repeat(maxUrlStartLength), page, { ...position, next })
      expect(link.length).toBeLessThanOrEqual(maxLinkLength)
      expect(link.match(/rel="\w+"/g)).toEqual(['rel="first"', 'rel="next"', 'rel="last"'])
    }
  })

  test('of a repository with the longest dependency, names and base URL has them too', () => {
    const next = JSON.stringify(['🌍'.repeat(255), '🌍'.repeat(255)])
    // Clients may escape each character of a path, that of BASE_URL included.
    const urlStart = `https://${'x'.repeat(255 * 3 + '/repos//'.length + 2 * 100 * 3)}/dependencies?`
    expect(createLinkHeader(urlStart, page, { ...position, next }).length).toBeLessThanOrEqual(maxLinkLength)
  })
})

describe.each(runtimes)('Node’s fetch receives from a process on %s', (runtime) => {
  const server = useStarted(() => startSampleProcess(runtime))
  let key: string
  beforeAll(async () => {
    key = server.key
  })

  const get = (path: string) => getFrom(`${server.url}${path}`, key)
  const readBalance = async () => JSON.parse((await get('/api-key/credits')).body).remaining_credits

  /** A filter for users of `react`, whose URL in `Link` has this length up to the page. */
  function writeFilter(length: number): string {
    const start = '/users?dependency_names=react'
    let filter = start
    while (filter.length < length - 1 - server.url.length) {
      const missing = length - 1 - server.url.length - filter.length
      const size = missing > 2 * 255 ? 255 : Math.min(255, Math.max(4, Math.ceil(missing / 2) + 3))
      filter += `%2C${'x'.repeat(Math.min(size, missing) - 3)}`
    }
    return filter
  }

  test('each page of the longest filter, which has first, next and last', async () => {
    const filter = writeFilter(maxUrlStartLength)
    const before = await readBalance()
    for (const number of [1, 2]) {
      const { status, headers } = await get(`${filter}&per_page=2&page=${number}`)
      const link = headers.get('Link') ?? ''
      expect([status, headers.get('X-Credits-Cost')]).toEqual([200, '2'])
      expect(link.length).toBeGreaterThan(3 * maxUrlStartLength)
      expect(link.length).toBeLessThanOrEqual(maxLinkLength)
      expect([...parseLinkHeader(link).keys()]).toEqual(['first', 'next', 'last'])
    }
    const short = await get(`${writeFilter(3_000)}&per_page=2&page=2`)
    expect([...parseLinkHeader(short.headers.get('Link') ?? '').keys()]).toEqual([
      'first',
      'prev',
      'next',
      'last',
    ])
    expect(await readBalance()).toBe(before - 6)
  })

  test('400 for a filter that is longer by one character, free', async () => {
    const before = await readBalance()
    const path = `${writeFilter(maxUrlStartLength + 1)}&per_page=2`
    const { status, body } = await get(path)
    expect([status, JSON.parse(body)]).toEqual([
      400,
      {
        error:
          "Filters too long: the list's URL without its page must have at most 4000 characters, escapes included; split them into several requests",
      },
    ])
    const quote = await fetch(`${server.url}${path}`, {
      method: 'HEAD',
      headers: { Authorization: `Bearer ${key}` },
    })
    expect(quote.status).toBe(400)
    expect(await readBalance()).toBe(before)
  })

  test('every response that is charged, whatever characters the filters have', async () => {
    let expected = await readBalance()
    const statuses = new Set<number>()
    for (const character of ['x', '東', '🌍', '%', ' y', '&']) {
      for (const length of [80, 127, 255]) {
        for (const count of [1, 5, 13, 20, 49]) {
          const name = character.repeat(length).slice(0, length)
          const names = Array.from({ length: count }, (_, index) => `${name.slice(2)}${index}`)
          const query = new URLSearchParams({ dependency_names: ['react', ...names].join() })
          const path = `/users?${query}&per_page=1&page=2`
          if (path.length > 32_000) continue // 414
          const { status, headers } = await get(path)
          statuses.add(status)
          expected -= Number(headers.get('X-Credits-Cost'))
          expect(headers.get('X-Credits-Cost')).toBe(status === 200 ? '1' : '0')
          expect((headers.get('Link') ?? '').length).toBeLessThanOrEqual(maxLinkLength)
        }
      }
    }
    expect([...statuses].sort()).toEqual([200, 400])
    expect(await readBalance()).toBe(expected)
  })

  test('the longest batch look-up, without links unless it has pages', async () => {
    const users = JSON.parse((await get('/users?per_page=1')).body).data
    const names = Array.from({ length: 99 }, (_, index) => String(index).padEnd(100, 'x'))
    const found = await get(`/users?logins=${[users[0].login, ...names]}`)
    expect([found.status, found.headers.get('X-Credits-Cost'), found.headers.has('Link')]).toEqual([
      200,
      '1',
      false,
    ])
    const onePage = await get(`/users?logins=${[users[0].login, ...names]}&per_page=100`)
    expect([onePage.status, JSON.parse(onePage.body).data, onePage.headers.has('Link')]).toEqual([
      200,
      JSON.parse(found.body).data,
      false,
    ])
    const before = await readBalance()
    const { status, body } = await get(`/users?logins=${[users[0].login, ...names]}&per_page=10`)
    expect([status, JSON.parse(body)]).toEqual([
      400,
      {
        error:
          "Too many entries for pages: the list's URL without its page must have at most 4000 characters, escapes included; send fewer entries, or leave out page and per_page",
      },
    ])
    expect(await readBalance()).toBe(before)
    const paged = await get(`/users?logins=${[users[0].login, ...names.slice(0, 20)]}&per_page=10`)
    expect([...parseLinkHeader(paged.headers.get('Link') ?? '').keys()]).toEqual(['first', 'last'])
  })
})
