import { expect, test } from 'vitest'
import { pruneLedger } from '../../api/ledger/prune.ts'
import { busyRepository } from '../support/sample-oracle.ts'
import { describeOnOneDatabase, useService } from '../support/service.ts'
import {
  daysPath,
  readEntries,
  readPage,
  readPages,
  readSums,
  sumUp,
  usagePath,
  writeLedger,
} from '../support/usage.ts'

/** Invalid values of `after` of the sums. */
const invalidSums = ['2030-12-31', '/users', '2030-02-30/users', '2030-1-1/users', '2030-12-31users', '7']

describeOnOneDatabase('the usage of a key', (kind) => {
  const service = useService(kind)

  const ask = (secret: string, path: string) => readPage(service, secret, path)

  test.each([1, 7, 100])('has each entry once in pages of %i, and an exact total', async (size) => {
    const { secret, id } = await service.createKey({ credits: 100 })
    const charges = size === 1 ? 40 : 250
    await writeLedger(service, id, { start: '2030-05-01T23:00:00Z', step: 60, charges })
    const total = charges + 1
    const pages = await readPages(service, secret, `${usagePath}?per_page=${size}`)
    expect(pages).toHaveLength(Math.ceil(total / size))
    for (const page of pages) expect(page.total).toBe(total)
    const entries = pages.flatMap(readEntries)
    expect(entries.map(({ entry }) => entry)).toEqual(
      Array.from({ length: total }, (_, index) => total - index),
    )
    const last = pages[0]?.links.get('last')
    expect(last?.searchParams.get('page')).toBe(String(pages.length))
    const past = await ask(secret, `${usagePath}?per_page=${size}&page=${pages.length + 1}`)
    expect([past.data, past.total]).toEqual([[], total])
  })

  test('has each sum once in pages of any size, and an exact total', async () => {
    const { secret, id } = await service.createKey({ credits: 100 })
    await writeLedger(service, id, { start: '2030-05-01T00:00:00Z', step: 40_000, charges: 60 })
    const entries = (await readPages(service, secret, `${usagePath}?per_page=100`)).flatMap(readEntries)
    const expected = sumUp(entries)
    expect(expected.length).toBeGreaterThan(28)
    for (const size of [1, 7, 100]) {
      const pages = await readPages(service, secret, `${daysPath}?per_page=${size}`)
      expect(pages.flatMap(readSums)).toEqual(expected)
      for (const page of pages) expect(page.total).toBe(expected.length)
    }
  })

  test.each([1, 3, 100])(
    'has each entry once in pages of %i by next while new ones arrive, and begins with entry 9 after 10',
    async (size) => {
      const { secret, id } = await service.createKey({ credits: 100 })
      await writeLedger(service, id, { start: '2020-05-01T00:00:00Z', step: 60, charges: 13 })
      for (const [query, newest] of [
        ['', 14],
        ['&after=10', 9],
        ['&after=10&page=3', 9],
        ['&day=2020-05-01&after=9007199254740991', 14],
      ] as const) {
        const met: number[] = []
        let next: string | undefined = `${usagePath}?per_page=${size}${query}`
        for (let step = 0; next !== undefined && step < 50; step++) {
          const page = await ask(secret, next)
          const entries = readEntries(page)
          met.push(...entries.map(({ entry }) => entry).filter((entry) => entry <= newest))
          const target = page.links.get('next')
          next = target && `${target.pathname}${target.search}`
          expect([page.pagination.has_more, page.pagination.next_page > 0]).toEqual([!!next, !!next])
          if (step < 5) await service.request('/users?per_page=2', { key: secret })
        }
        expect([query, met]).toEqual([query, Array.from({ length: newest }, (_, index) => newest - index)])
      }
    },
  )

  test('has an empty last page after a folded entry, and after the first', async () => {
    const { secret, id } = await service.createKey({ credits: 100 })
    await writeLedger(service, id, { start: '2020-05-01T00:00:00Z', step: 60, charges: 30 })
    await pruneLedger(service.sql, new Date('2020-05-01T00:20:00Z'))
    const { data } = await ask(secret, usagePath)
    const oldest = Number(data.at(-1)?.entry)
    expect(oldest).toBeGreaterThan(15)
    for (const after of [1, 10, oldest]) {
      const page = await ask(secret, `${usagePath}?after=${after}&per_page=5`)
      expect([after, page.data, page.total, page.pagination.has_more]).toEqual([
        after,
        [],
        data.length,
        false,
      ])
    }
    const rest = await ask(secret, `${usagePath}?after=${oldest + 1}&per_page=5`)
    expect(rest.data).toEqual(data.slice(-1))
  })

  test('has each sum once by next while new ones arrive before and between them', async () => {
    const { secret, id } = await service.createKey({ credits: 100 })
    await writeLedger(service, id, { start: '2020-05-01T00:00:00Z', step: 40_000, charges: 12 })
    const there = readSums(await ask(secret, daysPath))
    const met: string[] = []
    let next: string | undefined = `${daysPath}?per_page=2`
    // The first of them makes a day of its own, and the others come to that.
    const coming = ['/users/ngoldberg', '/users?per_page=1', '/repos?per_page=1', busyRepository]
    for (const path of coming.slice(0, 2)) await service.request(path, { key: secret })
    for (let step = 0; next !== undefined && step < 50; step++) {
      const page = await ask(secret, next)
      met.push(...readSums(page).map(({ day, endpoint }) => `${day} ${endpoint}`))
      const path = coming[step + 2]
      if (path !== undefined) await service.request(path, { key: secret })
      const target = page.links.get('next')
      next = target && `${target.pathname}${target.search}`
    }
    expect(new Set(met).size).toBe(met.length)
    expect(met.slice(-there.length)).toEqual(there.map(({ day, endpoint }) => `${day} ${endpoint}`))
  })

  test('refuses invalid pages and cursors as every list does', async () => {
    const { secret } = await service.createKey()
    for (const path of [usagePath, daysPath]) {
      const wrong = path === usagePath ? ['0', '01', '1.5', 'x', '9007199254740992', '-1'] : invalidSums
      for (const query of [
        ...['page=0', 'page=x', 'per_page=0', 'per_page=101', 'page=1&page=2', 'page='],
        ...['', ...wrong, '1&after=1'].map((after) => `after=${after}`),
      ]) {
        expect([path, query, (await service.request(`${path}?${query}`, { key: secret })).status]).toEqual([
          path,
          query,
          400,
        ])
      }
      for (const page of [Math.floor(Number.MAX_SAFE_INTEGER / 100), 1_000_000_000_000]) {
        expect((await ask(secret, `${path}?per_page=100&page=${page}`)).data).toEqual([])
      }
    }
  })
})
