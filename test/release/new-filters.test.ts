/**
 * A filter that 0.1.0 doesn't have, on a database that 0.1.0 has filled: it waits until its terms are derived, and
 * never returns an empty list instead (decisions/0003-lists.md).
 */
import { beforeEach, expect, test } from 'vitest'
import { describeUnready } from '../../api/catalog/derived-terms.ts'
import { sortOrders } from '../../api/catalog/sort-orders.ts'
import { migrate } from '../../api/database/migrate.ts'
import { changeDataset } from '../../api/dataset/dataset-change.ts'
import { noteChanged, noteTerms } from '../../api/dataset/item-terms.ts'
import { markRestored } from '../../api/dataset/restored-dataset.ts'
import { rebuildSets, verifySets } from '../../api/dataset/set-verification.ts'
import { readVersionFixture, restoreDump } from '../../release/version-fixture.ts'
import { foldCompany } from '../support/fold.ts'
import { createInstance, type Instance } from '../support/instance.ts'
import { load } from '../support/ndjson.ts'
import { createRepository, createUser } from '../support/records.ts'
import { describeOnEachDatabase, startTestService, useService } from '../support/service.ts'

const { fixture, dump } = readVersionFixture('0.1.0')
const message = 'Filter not ready: min_forks; leave it out until the operator has loaded data again'

describeOnEachDatabase('a filter that 0.1.0 does not have', (kind) => {
  const service = useService(kind, { each: true, data: 'empty' })
  let instance: Instance
  beforeEach(async () => {
    await restoreDump(service.sql, dump)
    await migrate(service.sql)
    instance = createInstance(service)
  })

  const request = (path: string, method = 'GET') => instance.request(path, { method, key: fixture.secret })

  async function readBalance(): Promise<unknown> {
    return (await request('/api-key/credits')).headers.get('X-Credits-Remaining')
  }

  async function expectUnready(query = 'min_forks=1'): Promise<void> {
    const balance = await readBalance()
    for (const method of ['GET', 'HEAD']) {
      const { status, headers, text } = await request(`/repos?${query}`, method)
      expect([query, status, headers.get('X-Error-Code')]).toEqual([query, 503, 'filter_not_ready'])
      expect([headers.get('X-Credits-Cost'), headers.get('Retry-After')]).toEqual(['0', null])
      if (method === 'GET') expect(JSON.parse(text)).toEqual({ error: message })
    }
    expect(await readBalance()).toEqual(balance)
    for (const path of ['/users?company=a', '/companies?contains=a']) {
      const { status, headers } = await request(path)
      expect([path, status, headers.get('X-Error-Code')]).toEqual([path, 503, 'filter_not_ready'])
    }
    expect(await describeUnready(service.sql)).toMatch(
      /^Filters not ready: company, first_use_since, first_use_until, last_use_since, last_use_until, email_domain, min_forks, sort=followers, sort=stars, sort=pushed\. .* sets rebuild$/,
    )
  }

  /** Lists have what the records say, alone and beside other filters. */
  async function expectExact(): Promise<void> {
    const all = await service.sql<
      { id: number; forks: number | null; stars: number | null; language: string | null }[]
    >`
      select id, (document ->> 'forks_count')::integer as forks,
        (document ->> 'stargazers_count')::integer as stars, document ->> 'language' as language
      from repositories, lateral (select ('{' || members || '}')::json as document) d order by id`
    const most = Math.max(...all.map(({ forks }) => forks ?? 0))
    for (const forks of [1, 2, Math.ceil(most / 2), most, most + 1]) {
      for (const language of ['', 'Ruby']) {
        const { status, text, headers } = await request(
          `/repos?exclude=dependencies&per_page=100&min_forks=${forks}${language && `&language=${language}`}`,
        )
        const found: { internal_id: number }[] = JSON.parse(text).data
        const expected = all.filter(
          (each) => (each.forks ?? 0) >= forks && (language === '' || each.language === language),
        )
        expect(status).toBe(200)
        expect(found.map(({ internal_id: id }) => id)).toEqual(expected.map(({ id }) => id))
        expect(headers.get('X-Total-Count')).toBe(String(expected.length))
      }
    }
    const domains = await service.sql<{ domain: string; users: number }[]>`
      select lower(split_part(document::json ->> 'email', '@', 2)) as domain, count(*)::integer as users
      from users where strpos(document::json ->> 'email', '@') > 0 group by 1 order by 2 desc, 1 limit 5`
    expect(domains.length).toBeGreaterThan(0)
    for (const { domain, users } of domains) {
      const { headers } = await request(`/users?email_domain=${domain}`, 'HEAD')
      expect(headers.get('X-Total-Count')).toBe(String(users))
    }
    await expectExactCompanies()
    const { text } = await request('/repos?exclude=dependencies&per_page=100&sort=stars')
    const sorted: { internal_id: number }[] = JSON.parse(text).data
    const byStars = all.toSorted((a, b) => (b.stars ?? -1) - (a.stars ?? -1))
    expect(sorted.map(({ internal_id: id }) => id)).toEqual(byStars.slice(0, 100).map(({ id }) => id))
    for (const { list, attribute, rest } of Object.values(sortOrders)) {
      const [found] = await service.sql`
        select (select count(*) from ${service.sql(list)}) = (
          select coalesce(sum(items_count), 0) from attributes where name in (${attribute}, ${rest})
        ) as has_all`
      expect([rest, found?.has_all]).toEqual([rest, true])
    }
    expect((await verifySets(service.sql, 'all')).faults).toEqual([])
    expect(await describeUnready(service.sql)).toBeUndefined()
  }

  async function expectExactCompanies(): Promise<void> {
    const users = await service.sql<
      { company: string | null }[]
    >`select document::json ->> 'company' as company from users`
    const texts = users.map(({ company }) => foldCompany(company ?? '')).filter((text) => text !== '')
    const spellings = Map.groupBy(texts, (text) => text)
    for (const text of [...spellings.keys(), 'e', 'moved']) {
      const { status, headers } = await request(`/users?company=${encodeURIComponent(text)}`, 'HEAD')
      const found = texts.filter((each) => each.includes(text)).length
      expect([text, status, headers.get('X-Total-Count')]).toEqual([text, 200, String(found)])
    }
    const shared = [...spellings].filter(([text, { length }]) => length >= 3 && text.includes('e'))
    const { data } = JSON.parse((await request('/companies?contains=e')).text)
    expect(data.map(({ users }: { users: number }) => users)).toEqual(
      shared.map(([, { length }]) => length).sort((a, b) => b - a),
    )
    const stored = await service.sql`select from companies`
    expect(stored.length).toBe(spellings.size)
  }

  /** 0.1.0 doesn't know the table of companies: sets keep the users who have moved on. */
  async function moveAs010(): Promise<void> {
    const { sql } = service
    const [before] = await sql<{ terms: string }[]>`select derived_terms::text as terms from dataset`
    await changeDataset(sql, {}, async ({ tx, version, rows }) => {
      const { count } = await tx`
        update users set version = ${version}, term_ids = array(select unnest(term_ids) except select id from companies),
          document = regexp_replace(document, '"company":"[^"]*"', '"company":"@Moved"')
        where id in (select u.id from users u join companies c on c.id = any(term_ids) order by u.id limit 5)`
      expect(count).toBe(5)
      rows.users.updated += count
    })
    await sql`update dataset set derived_terms = ${before?.terms ?? ''}::text::jsonb`
  }

  /** What a load of 0.1.0 leaves: a changed repository without the terms, and `derived_terms` as it was. */
  async function loadAs010(): Promise<void> {
    const { sql } = service
    const [before] = await sql<{ terms: string }[]>`select derived_terms::text as terms from dataset`
    await changeDataset(sql, {}, async (change) => {
      const { tx } = change
      await tx`
        create temporary table older on commit drop as
        select r.id, term_ids as old_term_ids, array_remove(term_ids, a.id) as term_ids
        from repositories r join attributes a on a.id = any(term_ids) where name = 'forks' order by number desc limit 1`
      await noteTerms(change, 'repositories', tx`select * from older`)
      await noteChanged(change, 'repositories', tx`select id from older`)
      const { count } = await tx`
        update repositories r set term_ids = o.term_ids, version = ${change.version} from older o where r.id = o.id`
      change.rows.repositories.updated += count
    })
    await sql`update dataset set derived_terms = ${before?.terms ?? ''}::text::jsonb`
  }

  const others = { users: [createUser(900_001)], repos: [createRepository(900_002, 'user-900001', [])] }

  test('is 503 and free until sets rebuild has derived its terms, and exact right after', async () => {
    const older = '/repos?min_stars=1&exclude=dependencies&per_page=1'
    expect((await request(older)).status).toBe(200)
    for (const query of ['min_forks=1', 'min_forks=5&language=Ruby', 'min_forks=1&owner=nobody']) {
      await expectUnready(query)
    }
    expect((await request('/repos?min_forks=0')).status).toBe(400)
    for (const path of ['/repos?sort=stars', '/repos?sort=pushed', '/users?sort=followers']) {
      const { status, headers, text } = await request(path)
      expect([path, status, headers.get('X-Error-Code')]).toEqual([path, 503, 'filter_not_ready'])
      expect(JSON.parse(text).error).toContain(`Filter not ready: ${path.slice(path.indexOf('?') + 1)}; `)
    }
    const dated = [
      '/repos?dependency_files=package.json&first_use_since=1&exclude=dependencies&per_page=1',
      '/users?dependency_names=react&last_use_until=2000000000&per_page=1',
      '/dependencies/history?dependency_name=react',
    ]
    for (const path of dated) {
      const { status, headers } = await request(path)
      expect([path, status, headers.get('X-Error-Code')]).toEqual([path, 503, 'filter_not_ready'])
    }
    await rebuildSets(service.sql)
    for (const path of dated) expect([path, (await request(path)).status]).toEqual([path, 200])
    expect((await request('/repos?min_forks=1&exclude=dependencies&per_page=1')).status).toBe(200)
    await expectExact()
    expect((await request(older)).status).toBe(200)
  })

  test('is ready after the first load, also if that changes nothing or other records alone', async () => {
    await load(service, {})
    await expectExact()
    await load(service, others)
    await expectExact()
  })

  test('waits for the next load again once 0.1.0 has loaded something', async () => {
    await load(service, others)
    await expectExact()
    await loadAs010()
    await expectUnready()
    expect((await verifySets(service.sql, 'all')).faults).toEqual([])
    await load(service, { users: [createUser(900_003)] })
    await expectExact()
    await loadAs010()
    await rebuildSets(service.sql)
    await expectExact()
  })

  test.each([
    ['the next load', () => load(service, { users: [createUser(900_003)] })],
    ['sets rebuild', () => rebuildSets(service.sql)],
  ])('is exact again after %s, if 0.1.0 has changed what its sets have', async (_, derive) => {
    await load(service, others)
    await expectExact()
    await moveAs010()
    await expectUnready()
    await derive()
    await expectExact()
  })

  test('stays ready when the dataset is marked as restored, and waits if it waited', async () => {
    await markRestored(service.sql)
    await expectUnready()
    await rebuildSets(service.sql)
    await markRestored(service.sql)
    await expectExact()
  })

  test('is ready in a database without data, and waits if 0.1.0 fills it', async () => {
    const empty = await startTestService(kind, { data: 'empty' })
    const { secret: key } = await empty.createKey()
    const ask = async (forks: number) => (await empty.request(`/repos?min_forks=${forks}`, { key })).status
    expect(await ask(1)).toBe(200)
    await load(empty, others)
    expect(await ask(1)).toBe(200)
    await empty.sql`update dataset set derived_terms = '{}'` // 0.1.0 would not have moved it
    expect(await ask(2)).toBe(503)
    await empty.close()
  })
})
