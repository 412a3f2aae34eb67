/** The stored sets agree with the rows, and a wrong one is found and repaired. */
import { describe, expect, test } from 'vitest'
import { createFilter } from '../../api/catalog/canonical-filter.ts'
import { createList } from '../../api/catalog/list.ts'
import { createMatchCache } from '../../api/catalog/matches.ts'
import { rebuildSets, verifySets } from '../../api/dataset/set-verification.ts'
import { decodeSets, encodeShelf } from '../../api/sets/set-encoding.ts'
import { readTables } from '../support/catalog-tables.ts'
import { createUser, loadRecords } from '../support/records.ts'
import { describeOnOneDatabase, useService } from '../support/service.ts'

interface StoredShelf {
  termId: number
  list: string
  cardinality: number
  /** In hexadecimal digits. */
  bytes: string
}

describeOnOneDatabase('a stored set', (kind) => {
  const service = useService(kind, { each: true })

  test('agrees with the rows', async () => {
    const all = await verifySets(service.sql, 'all')
    expect(all.faults).toEqual([])
    expect(all.sets).toBeGreaterThan(100)
    expect(await verifySets(service.sql, 'sample')).toEqual(all) // it has fewer users than a sample
  })

  test('agrees with the rows if their ids are far apart, and is found if the last id is wrong', async () => {
    const { sql } = service
    await sql`update dataset set last_user_id = 1000000`
    await loadRecords(sql, { users: [createUser(987_654, { location: 'Berlin' })] })
    expect((await verifySets(sql, 'all')).faults).toEqual([])
    await sql`
      update sets set bytes = set_byte(bytes, length(bytes) - 1, get_byte(bytes, length(bytes) - 1) # 1)
      where term_id = 0 and list = 'users' and part = (select max(part) from sets where term_id = 0 and list = 'users')`
    expect((await verifySets(sql, 'all')).faults).toEqual([{ termId: 0, list: 'users' }])
  })

  test('is derived again, with a new version, in which nothing else has changed', async () => {
    const { sql } = service
    const before = await readTables(sql)
    const [{ version } = { version: 0 }] = await sql<{ version: number }[]>`select version from dataset`
    await sql`delete from sets where term_id % 3 = 0`
    await sql`update sets set bytes = set_byte(bytes, 0, 3) where term_id % 3 = 1`
    expect(await rebuildSets(sql)).toMatchObject({
      version: version + 1,
      users: { added: 0, updated: 0, removed: 0 },
    })
    expect(await readTables(sql)).toEqual(before)
    expect(await verifySets(sql, 'all')).toMatchObject({ faults: [] })
  })

  describe.each(['all', 'sample'] as const)('is found in %s if it', (extent) => {
    test.each([
      [
        'lacks an id',
        `update sets set cardinality = cardinality - 1, bytes = substring(bytes from 1 for length(bytes) - 1)`,
      ],
      ['has a wrong id', `update sets set bytes = set_byte(bytes, 0, get_byte(bytes, 0) # 1)`],
      [
        'has one more id',
        `update sets set cardinality = cardinality + 1, bytes = bytes || decode('00', 'hex')`,
      ],
      ['is missing', 'delete from sets'],
    ])('%s', async (_, statement) => {
      const { sql } = service
      const [set] = await sql<{ termId: number; list: string }[]>`
        select term_id as "termId", list from sets
        where cardinality between 30 and 100 and length(bytes) = cardinality and term_id in (select id from dependencies)
        order by term_id limit 1`
      if (set === undefined) throw new Error('the sample has no such set')
      await sql.unsafe(`${statement} where term_id = ${set.termId} and list = '${set.list}'`)
      expect((await verifySets(sql, extent)).faults).toEqual([set])
    })
  })

  describe.each(['all', 'sample'] as const)('on a shelf is found in %s if it', (extent) => {
    test.each([
      ['lacks an id', (ids: number[]) => ids.slice(1), ['own']],
      ['has one more id', (ids: number[]) => [...ids, (ids.at(-1) ?? 0) + 1], ['own']],
      ['has lost its ids to its neighbor', () => [], ['own', 'neighbor']],
    ])('%s', async (_, change, faults) => {
      const { sql } = service
      const [shelf] = await sql<StoredShelf[]>`
        select term_id as "termId", list, cardinality, encode(bytes, 'hex') as bytes from sets where term_id < 0 order by cardinality desc limit 1`
      if (shelf === undefined) throw new Error('the sample has no shelf')
      const sets = decodeSets(shelf.termId, { ...shelf, bytes: Buffer.from(shelf.bytes, 'hex') })
      const [own, neighbor] = [...sets.keys()].filter((termId) => (sets.get(termId)?.length ?? 0) > 1)
      if (own === undefined || neighbor === undefined) throw new Error('the shelf has too few sets')
      const before = sets.get(own) ?? []
      sets.set(own, change(before))
      if (faults.length > 1) {
        sets.set(
          neighbor,
          [...new Set([...before, ...(sets.get(neighbor) ?? [])])].sort((a, b) => a - b),
        )
      }
      const { cardinality, bytes } = encodeShelf(sets)
      await sql`
        update sets set cardinality = ${cardinality}, bytes = ${Buffer.from(bytes)}
        where term_id = ${shelf.termId} and list::text = ${shelf.list}`
      const found = (await verifySets(sql, extent)).faults
      const expected = [own, neighbor].slice(0, faults.length).map((termId) => ({ termId, list: shelf.list }))
      expect(found).toHaveLength(expected.length)
      expect(found).toEqual(expect.arrayContaining(expected))
    })

    test('is said to have parts of its own', async () => {
      const { sql } = service
      const [term] = await sql<{ termId: number }[]>`
        update dependencies set users_on_shelf = false
        where id = (select id from dependencies where users_on_shelf and users_count > 1 order by id limit 1)
        returning id as "termId"`
      expect((await verifySets(sql, extent)).faults).toEqual([{ ...term, list: 'users' }])
    })
  })

  test.each(['dependencies', 'locations'])('whose number of ids is wrong in %s is found', async (table) => {
    const { sql } = service
    const [term] = await sql<{ termId: number }[]>`
      update ${sql(table)} set users_count = users_count + 1
      where id = (select id from ${sql(table)} where users_count > 0 order by users_on_shelf, id limit 1)
      returning id as "termId"`
    expect((await verifySets(sql, 'all')).faults).toEqual([{ ...term, list: 'users' }])
    await rebuildSets(sql)
    expect((await verifySets(sql, 'all')).faults).toEqual([])
  })

  test.each(['all', 'sample'] as const)('whose dates of uses are missing is found in %s', async (extent) => {
    const { sql } = service
    await sql`delete from use_dates where list = 'users'`
    const { faults } = await verifySets(sql, extent)
    expect(new Set(faults.map(({ list }) => list))).toEqual(new Set(['users']))
    await rebuildSets(sql)
    expect((await verifySets(sql, extent)).faults).toEqual([])
  })

  test('that is of nothing the rows have is found', async () => {
    const { sql } = service
    await sql`insert into sets select 1000000, list, part, width, cardinality, bytes from sets where term_id = 0`
    const { faults } = await verifySets(sql, 'all')
    expect(faults).toEqual(['users', 'repositories'].map((list) => ({ termId: 1_000_000, list })))
  })

  test('is read again once it is repaired, also by an instance that had read the wrong one', async () => {
    const { sql } = service
    const list = createList(
      sql,
      createMatchCache({ maxBytes: 2 ** 20, maxWaitMs: 1_000, maxQueued: 10 }).createFinder(sql),
      'users',
    )
    const read = () =>
      list(
        { filter: createFilter({ dependency_names: ['react'] }), page: { number: 1, size: 1 } },
        { caller: 1 },
      )
    const { total } = await read()
    await sql`delete from sets where term_id in (select id from dependencies where name = 'react')`
    await sql`update dataset set edition = gen_random_uuid()`
    expect(await read()).toMatchObject({ total: 0 })
    await rebuildSets(sql)
    expect(await read()).toMatchObject({ total })
  })
})
