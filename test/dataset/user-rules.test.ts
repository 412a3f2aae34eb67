/**
 * Users are classified by the rules of the last load: into people and programs, and by country
 * (decisions/0004-data.md).
 */
import { beforeEach, expect, test } from 'vitest'
import { verifySets } from '../../api/dataset/set-verification.ts'
import { readTables } from '../support/catalog-tables.ts'
import { readListResponse } from '../support/list-response.ts'
import { createCommit, createRepository, createUser, loadRecords } from '../support/records.ts'
import { describeOnOneDatabase, useService } from '../support/service.ts'

describeOnOneDatabase('a user', (kind) => {
  const tool = createRepository(1, 'acme', ['react'])
  const dataset = {
    users: [
      createUser(1, { login: 'acme', type: 'Organization', location: 'Berlin' }),
      createUser(2, { login: 'deploys', email: 'deploys@example.org', location: 'Wien' }),
      createUser(3, { login: 'jean-ci', email: 'jean@example.org', location: 'Bern' }),
    ],
    repos: [tool],
    commits: [
      createCommit(1, tool.url, 'deploys@example.org', 1_700_000_000),
      createCommit(2, tool.url, 'jean@example.org', 1_700_000_000),
    ],
  }
  const service = useService(kind, { each: true, key: { role: 'admin' }, data: 'empty' })
  beforeEach(async () => {
    await loadRecords(service.sql, dataset)
  })

  async function find(query: string): Promise<number[]> {
    const { data } = readListResponse(await service.request(`/users?${query}`, { key: service.key }))
    return data.map(({ forge_rest_id: id }) => Number(id))
  }
  const isSound = async () => expect((await verifySets(service.sql, 'all')).faults).toEqual([])

  test('is a program from the next load on that names it, and uses nothing that it committed to', async () => {
    expect(await find('type=User')).toEqual([2])
    expect(await find('dependency_names=react')).toEqual([1, 2])
    const automationAccounts = new Map([
      ['deploys', true],
      ['jean-ci', false],
    ])
    await loadRecords(service.sql, {}, { automationAccounts })
    expect(await find('type=User')).toEqual([3])
    expect(await find('type=Bot')).toEqual([2])
    expect(await find('dependency_names=react')).toEqual([1, 3])
    await isSound()
    const { sql } = service
    const again = await readTables(sql)
    await loadRecords(sql, { users: dataset.users }, { automationAccounts })
    expect(await readTables(sql)).toEqual(again)
    await loadRecords(sql, {})
    expect(await find('type=User')).toEqual([2])
    expect(await find('dependency_names=react')).toEqual([1, 2])
    await isSound()
  })

  test('is a program from the first load after an upgrade on, which derives all uses again', async () => {
    const { sql } = service
    await sql`update dataset set derived_terms = '{}'`
    await loadRecords(sql, {}, { automationAccounts: new Map([['deploys', true]]) })
    expect(await find('type=Bot')).toEqual([2, 3])
    expect(await find('dependency_names=react')).toEqual([1])
    expect(await sql`select value, spelling from attributes where name = 'type' order by value`).toEqual([
      { value: 'BOT', spelling: 'Bot' },
      { value: 'ORGANIZATION', spelling: 'Organization' },
    ])
    await isSound()
  })

  test('who changes in the first load after an upgrade leaves no attribute and no text behind', async () => {
    const { sql } = service
    await sql`
      with gone as (delete from attributes where name = 'email_domain' returning id)
      update users set term_ids = array(select unnest(term_ids) except select id from gone)`
    await sql`update dataset set derived_terms = '{}'`
    const others = dataset.users.slice(1).map((user) => ({ ...user, email: null, location: null }))
    await loadRecords(sql, { users: others })
    expect(await sql`select name, value from attributes where items_count = 0`).toEqual([])
    expect(await sql`select location from locations`).toEqual([{ location: 'Berlin' }])
  })

  test('has the country that the rules of the next load find', async () => {
    const { sql } = service
    const before = await readTables(sql)
    // As if earlier rules had found nothing in one text, something in another, and something else in a third one.
    const [, two, three] = dataset.users
    await sql`
      update locations set country = case location when 'Berlin' then null when 'Wien' then 'AU' else 'CH' end`
    await sql`
      with wrong as (insert into attributes (name, value) values ('country', 'AU') returning id)
      update users set term_ids = array_replace(term_ids, (
        select id from attributes where name = 'country' and value = 'AT'
      ), (select id from wrong)) where forge_rest_id = ${two?.forge_rest_id ?? 0}`
    await sql`
      update users set term_ids = array_remove(term_ids, (
        select id from attributes where name = 'country' and value = 'DE'
      )) where forge_rest_id = 1`
    await sql`update dataset set user_rules = 'earlier'`
    await loadRecords(sql, { users: three ? [three] : [] })
    for (const [country, ids] of [
      ['DE', [1]],
      ['AT', [2]],
      ['CH', [3]],
      ['AU', []],
    ] as const) {
      expect(await find(`country=${country}`)).toEqual(ids)
    }
    await isSound()
    expect(await readTables(sql)).toEqual(before)
  })

  test('who is new has that country, too, in a place that users of earlier rules have', async () => {
    await service.sql`update locations set country = 'AU' where location = 'Wien'`
    await service.sql`update dataset set user_rules = 'earlier'`
    await loadRecords(service.sql, { users: [createUser(4, { location: 'WIEN' })] })
    expect(await find('country=AT')).toEqual([2, 4])
    expect(await find('country=AU')).toEqual([])
    await isSound()
  })

  test('has that country if an older version has loaded by its own rules after these were noted', async () => {
    const { sql } = service
    await sql`
      with wrong as (insert into attributes (name, value) values ('country', 'AU') returning id)
      update users set term_ids = array_replace(term_ids, (
        select id from attributes where name = 'country' and value = 'AT'
      ), (select id from wrong)) where forge_rest_id = 2`
    await sql`update locations set country = 'AU' where location = 'Wien'`
    await sql`update dataset set derived_terms = '{}'`
    await loadRecords(sql, { users: [createUser(4, { location: 'WIEN' })] })
    expect(await find('country=AT')).toEqual([2, 4])
    expect(await find('country=AU')).toEqual([])
    await isSound()
    expect(await sql`select country from locations where location = 'Wien'`).toEqual([{ country: 'AT' }])
  })

  test('of a known place is not found again by the same rules', async () => {
    await service.sql`update locations set country = 'AU' where location = 'Wien'`
    await loadRecords(service.sql, { users: [createUser(4, { location: 'WIEN' })] })
    expect(await find('country=AU')).toEqual([4])
  })

  test('stays as earlier rules found them if the load fails', async () => {
    const { sql } = service
    await sql`update locations set country = 'AU' where location = 'Wien'`
    await sql`update dataset set user_rules = 'earlier'`
    const before = await readTables(sql)
    const unknown = createCommit(3, `${tool.url}-unknown`, 'jean@example.org', 1_700_000_000)
    await expect(loadRecords(sql, { commits: [unknown] })).rejects.toThrow('no repository has this URL')
    expect(await readTables(sql)).toEqual(before)
    expect(await sql`select user_rules from dataset`).toEqual([{ user_rules: 'earlier' }])
  })
})
