/** Rows in PostgreSQL's binary format (api/database/copy.ts, patches/postgres-3.4.9/007-copied-rows.patch). */
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { copyRows, readInteger } from '../../api/database/copy.ts'
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
