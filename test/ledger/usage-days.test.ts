import { beforeAll, expect, test } from 'vitest'
import { grantCredits } from '../../api/ledger/keys.ts'
import { describeOnOneDatabase, useService } from '../support/service.ts'
import {
  dateOf,
  daysPath,
  type Entry,
  readEntries,
  readPage,
  readPages,
  readSums,
  sumUp,
  usagePath,
  writeLedger,
} from '../support/usage.ts'

describeOnOneDatabase('the usage of a day', (kind) => {
  const service = useService(kind)

  const ask = (secret: string, path: string) => readPage(service, secret, path)

  let key: { secret: string; id: number }
  let all: Entry[]
  beforeAll(async () => {
    key = await service.createKey({ credits: 100 })
    // Across three midnights, one of which has entries at the very second before and after.
    await writeLedger(service, key.id, { start: '2030-12-30T23:59:58Z', step: 601, charges: 300 })
    all = (await readPages(service, key.secret, `${usagePath}?per_page=100`)).flatMap(readEntries)
  })

  test('has the entries of that day (UTC), and all days together have all entries', async () => {
    const found: Entry[] = []
    for (const day of ['2031-01-02', '2031-01-01', '2030-12-31', '2030-12-30']) {
      const pages = await readPages(service, key.secret, `${usagePath}?per_page=7&day=${day}`)
      const entries = pages.flatMap(readEntries)
      expect(entries.length).toBeGreaterThan(1)
      expect(entries).toEqual(all.filter(({ timestamp }) => dateOf(timestamp) === day))
      for (const page of pages) expect(page.total).toBe(entries.length)
      found.push(...entries)
    }
    expect(found).toEqual(all)
  })

  test('has links to the same day', async () => {
    const { links } = await ask(key.secret, `${usagePath}?day=2030-12-31&per_page=7&page=2`)
    expect([...links.keys()].sort()).toEqual(['first', 'last', 'next', 'prev'])
    for (const link of links.values()) {
      expect(link.pathname).toBe(usagePath)
      expect(link.searchParams.get('day')).toBe('2030-12-31')
    }
    const sums = await ask(key.secret, `${daysPath}?day=2030-12-31&per_page=1`)
    expect(sums.links.get('next')?.search).toBe('?day=2030-12-31&page=2&per_page=1&after=2030-12-31%2Frepos')
  })

  test('has the sums of that day, which equal its entries', async () => {
    const sums = readSums(await ask(key.secret, daysPath))
    expect(sums).toEqual(sumUp(all))
    for (const day of ['2031-01-02', '2031-01-01', '2030-12-31', '2030-12-30']) {
      const page = await ask(key.secret, `${daysPath}?day=${day}`)
      expect(readSums(page)).toEqual(sums.filter((sum) => sum.day === day))
      expect(page.total).toBe(page.data.length)
    }
  })

  test('is an empty list if there are no entries', async () => {
    for (const path of [usagePath, daysPath]) {
      for (const day of ['2030-12-29', '2031-01-03', '0001-01-01', '9999-12-31', '2028-02-29']) {
        const page = await ask(key.secret, `${path}?day=${day}`)
        expect([path, day, page.data, page.total]).toEqual([path, day, [], 0])
      }
    }
  })

  test('is 400 if there is no such day, or if it is empty or given twice', async () => {
    for (const path of [usagePath, daysPath]) {
      for (const day of [
        '2030-13-01',
        '2030-00-10',
        '2030-02-30',
        '2029-02-29',
        '2030-1-1',
        '20301231',
        '2030-12-31T00:00:00Z',
        '31.12.2030',
        'today',
        'infinity',
        'now',
        '0000-01-01',
        '-001-01-01',
        '10000-01-01',
        '+02030-12-31',
        "2030-12-31'--",
        '２０３０-12-31',
        '1924905600',
      ]) {
        const response = await service.request(`${path}?day=${encodeURIComponent(day)}`, { key: key.secret })
        expect([path, day, response.status, response.json()]).toEqual([
          path,
          day,
          400,
          { error: 'Invalid day: must be a date such as 2030-12-31 (UTC)' },
        ])
      }
      for (const empty of ['', '%20']) {
        const response = await service.request(`${path}?day=${empty}`, { key: key.secret })
        expect([response.status, response.json()]).toEqual([
          400,
          { error: 'Invalid day: is empty; leave the parameter out' },
        ])
      }
      const twice = await service.request(`${path}?day=2030-12-31&day=2030-12-30`, { key: key.secret })
      expect([twice.status, twice.json()]).toEqual([400, { error: 'Invalid day: given more than once' }])
    }
  })

  test('is exact for a key with entries of today and of another day', async () => {
    const { secret, id } = await service.createKey({ credits: 100 })
    await writeLedger(service, id, { start: '2020-02-28T23:00:00Z', step: 600, charges: 20 })
    const response = await service.request('/users?per_page=3', { key: secret })
    await grantCredits(service.sql, id, 5)
    const entries = readEntries(await ask(secret, `${usagePath}?per_page=100`))
    const [, newest] = entries
    expect(newest).toMatchObject({ request_id: response.headers.get('X-Request-Id'), items: 3, entry: 22 })
    const today = dateOf(newest?.timestamp ?? 0)
    expect(readEntries(await ask(secret, `${usagePath}?day=${today}`))).toEqual(
      entries.filter(({ timestamp }) => dateOf(timestamp) === today),
    )
    expect((await ask(secret, `${usagePath}?day=2020-02-29`)).total).toBe(14)
    expect(readSums(await ask(secret, daysPath))).toEqual(sumUp(entries))
  })
})
