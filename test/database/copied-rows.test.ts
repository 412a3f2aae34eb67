/** Rows in PostgreSQL's binary format (api/database/copy.ts, patches/postgres-3.4.9/007-copied-rows.patch). */
import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { copyRows, readInteger } from '../../api/database/copy.ts'
import { copyInto, writeRow } from '../support/copied-text.ts'
import { describeOnEachDatabase, useService } from '../support/service.ts'

describeOnEachDatabase('copied rows', (kind) => {
  const service = useService(kind, { data: 'empty' })

  test('have integers of each size, bytes, and nothing for null', async () => {
    const rows = []
    const select = `select 7::smallint, -5, 9007199254740991::bigint, true, decode('00ff', 'hex'), null::text, '' from generate_series(1, 2)`
    for await (const [small, integer, large, flag, bytes, missing, empty] of copyRows(service.sql, select)) {
      rows.push([
        [small, integer, large, flag].map(readInteger),
        [bytes, missing, empty].map((field) => [...(field ?? [])]),
      ])
    }
    const row = [
      [7, -5, Number.MAX_SAFE_INTEGER, 1],
      [[0, 255], [], []],
    ]
    expect(rows).toEqual([row, row])
  })

  test.each([
    ['the first row', 'select 1 / (n - 1) from generate_series(1, 3) n'],
    ['a later row', 'select 1 / (n - 90000) from generate_series(1, 100000) n'],
  ])('fail with the error of %s, and other statements go on', async (_, select) => {
    async function readAll() {
      for await (const _ of copyRows(service.sql, select));
    }
    await expect(readAll()).rejects.toThrow('division by zero')
    expect(await service.sql`select 1 as one`).toEqual([{ one: 1 }])
  })

  test('leave their connection usable, however large they are', async () => {
    await service.sql.begin(async (tx) => {
      for (const size of [10, 70_000, 300_000]) {
        let read = 0
        for await (const [bytes] of copyRows(tx, `select repeat('x', ${size}) from generate_series(1, 5)`)) {
          expect(bytes).toHaveLength(size)
          read++
        }
        expect(read).toBe(5)
        expect(await tx`select 1 as one`).toEqual([{ one: 1 }])
      }
    })
  })

  describe('that are written', () => {
    const texts = ['', '\\', '\\N', '\\.', 'a\tb\nc\rd', '{"a","b"}', '"', "'", 'Zoë 𝒟', 'x'.repeat(300_000)]

    test('are stored as they are: texts, numbers, flags, arrays and null', async () => {
      await service.sql.begin(async (tx) => {
        await tx`create temporary table written (
          place integer, text text, list text[], number bigint, numbers bigint[], flag boolean) on commit drop`
        const rows = texts.map((text, place) => [
          place,
          text,
          [text, null],
          -1 - place,
          [place, null],
          place % 2 === 0,
        ])
        await copyInto(tx, 'written (place, text, list, number, numbers, flag)', rows.map(writeRow))
        await copyInto(tx, 'written (place)', [])
        const stored = await tx`
          select place, text, to_json(list) as list, number, to_json(numbers) as numbers, flag from written order by place`
        expect(stored.map((row) => Object.values(row))).toEqual(rows)
      })
    })

    test.each([
      ['before the first row', 'missing', ['1']],
      ['in a row', 'written', [...Array(200_000).fill('1'), 'x']],
      ['after the last row', 'unique_numbers', ['1', '1']],
    ])('fail with the error that comes %s, and the connection stays usable', async (_, table, lines) => {
      const failing = service.sql.begin(async (tx) => {
        await tx`create temporary table written (number integer) on commit drop`
        await tx`
          create temporary table unique_numbers (number integer unique deferrable initially immediate) on commit drop`
        await copyInto(tx, table, lines)
      })
      await expect(failing).rejects.toThrow(/does not exist|invalid input syntax|duplicate key/)
      expect(await service.sql`select 1 as one`).toEqual([{ one: 1 }])
    })

    test('wait for nobody, and nobody gets between them', async () => {
      await service.sql`create table written (number integer)`
      const write = (number: number) =>
        service.sql.begin((tx) => copyInto(tx, 'written', Array<string>(50_000).fill(String(number))))
      await Promise.all([write(1), service.sql`select 1`, write(2), service.sql`select 1`])
      expect(await service.sql`select number, count(*) from written group by 1 order by 1`).toEqual([
        { number: 1, count: 50_000 },
        { number: 2, count: 50_000 },
      ])
      await service.sql`drop table written`
    })
  })

  test('let other statements pass, also those that are sent meanwhile', async () => {
    let read = 0
    async function readAll(): Promise<void> {
      for await (const _ of copyRows(service.sql, `select repeat('x', 10000) from generate_series(1, 100)`))
        read++
    }
    let areRead = false
    const copies = Promise.all(Array.from({ length: 20 }, readAll)).finally(() => {
      areRead = true
    })
    const others: Promise<unknown>[] = []
    while (!areRead) {
      others.push(service.sql`select 1 as one`.execute())
      await setImmediate()
    }
    await copies
    expect(read).toBe(2000)
    expect(await Promise.all(others)).toEqual(others.map(() => [{ one: 1 }]))
  })
})
