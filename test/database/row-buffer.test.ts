/** Rows that are written in PostgreSQL's binary format (api/database/row-buffer.ts). */
import { describe, expect, test } from 'vitest'
import type { SqlOrTransaction } from '../../api/database/connect.ts'
import {
  type Column,
  type ColumnDeclarations,
  copyWhileMade,
  listColumns,
  RowBuffer,
  type WrittenRow,
} from '../../api/database/row-buffer.ts'
import { describeOnEachDatabase, useService } from '../support/service.ts'

const declarations = {
  place: 'integer not null',
  text: 'text',
  texts: 'text[] collate "C"',
  number: 'bigint',
  numbers: 'bigint[]',
  integers: 'integer[]',
  flag: 'boolean',
} as const satisfies ColumnDeclarations
const columns = listColumns(declarations)
type Row = Record<keyof typeof declarations, Column>
const emptyRow: Row = {
  place: null,
  text: null,
  texts: null,
  number: null,
  numbers: null,
  integers: null,
  flag: null,
}

function write(rows: RowBuffer, row: Row): void {
  rows.begin(columns.length)
  rows.write(columns, row)
}

async function createTable(tx: SqlOrTransaction): Promise<void> {
  const list = Object.entries(declarations).map((column) => column.join(' '))
  await tx.unsafe(`create temporary table written (${list.join()}) on commit drop`)
}

describeOnEachDatabase('written rows', (kind) => {
  const service = useService(kind, { data: 'empty' })
  const texts = [
    '',
    '\\',
    '\\N',
    '\\.',
    'a\tb\nc\rd',
    '{"a","b"}',
    'NULL',
    'Zoë 𝒟',
    '\u2028',
    'é'.repeat(300_000),
  ]
  const numbers = [0, -1, 2 ** 31, -(2 ** 31) - 1, 2 ** 32, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]

  test('are stored as they are, whether they were written at once or in parts, and the buffer is free again', async () => {
    const expected: Row[] = texts.map((text, place) => ({
      place: place - 5,
      text,
      texts: [text, null, 'x'],
      number: numbers[place] ?? null,
      numbers: place === 0 ? [] : [...numbers, null],
      integers: place === 0 ? null : [2 ** 31 - 1, -(2 ** 31), place],
      flag: place % 2 === 0,
    }))
    const parts = new RowBuffer()
    const rows = new RowBuffer()
    await service.sql.begin(async (tx) => {
      await createTable(tx)
      for (const round of [0, 1, 2]) {
        for (const row of expected) {
          if (round === 0) write(rows, row)
          else {
            const from = parts.length
            write(parts, row)
            rows.append(parts, from, parts.length)
          }
        }
        await rows.copyInto(tx, 'written')
        await rows.copyInto(tx, 'written') // it has none
        const stored = await tx`
          select place, text, to_json(texts) as texts, number, to_json(numbers) as numbers, to_json(integers) as integers, flag
          from written order by place`
        expect(stored.map((row) => ({ ...row }))).toEqual(expected)
        await tx`truncate written`
      }
    })
  })

  test('are refused if an integer is out of range', () => {
    const row = { ...emptyRow, place: 1 }
    for (const wrong of [
      { place: 2 ** 31 },
      { number: 2 ** 63 },
      { numbers: [-(2 ** 63) - 2 ** 12] },
      { integers: [2 ** 31] },
    ]) {
      expect(() => write(new RowBuffer(), { ...row, ...wrong })).toThrow('out of range')
    }
  })

  const placeColumns = listColumns({ place: 'integer' })
  const makePlaces = (places: Iterable<number | null>) => {
    const rows = new RowBuffer()
    for (const place of places) rows.add(placeColumns, { place })
    return rows
  }

  test.each([
    ['before the first row', 'missing', [1], 'does not exist'],
    [
      'in a row',
      'written (place)',
      [...Array<number>(200_000).fill(1), null],
      'null value in column "place"',
    ],
    ['after the last row', 'unique_places', [1, 1], 'duplicate key'],
  ])(
    'fail with the error that comes %s, and the connection stays usable',
    async (_, table, places, message) => {
      const failing = service.sql.begin(async (tx) => {
        await createTable(tx)
        await tx`create temporary table unique_places (place integer unique deferrable initially immediate) on commit drop`
        await makePlaces(places).copyInto(tx, table)
      })
      await expect(failing).rejects.toThrow(message)
      expect(await service.sql`select 1 as one`).toEqual([{ one: 1 }])
    },
  )

  test('wait for nobody, and nobody gets between them', async () => {
    await service.sql`create table places (place integer)`
    const copy = (place: number) =>
      service.sql.begin((tx) => makePlaces(Array<number>(50_000).fill(place)).copyInto(tx, 'places'))
    await Promise.all([copy(1), service.sql`select 1`, copy(2), service.sql`select 1`])
    expect(await service.sql`select place, count(*) from places group by 1 order by 1`).toEqual([
      { place: 1, count: 50_000 },
      { place: 2, count: 50_000 },
    ])
    await service.sql`drop table places`
  })

  describe('that are made while they are copied', () => {
    const wideColumns = listColumns({ place: 'integer', list: 'text', width: 'smallint', bytes: 'bytea' })
    const createWide = (tx: SqlOrTransaction) =>
      tx`create temporary table wide (place integer not null, list list_name, width smallint, bytes bytea) on commit drop`
    function* makeRows(count: number, last: WrittenRow = {}): Generator<WrittenRow, void> {
      for (let place = 1; place <= count; place++) {
        yield {
          place,
          list: 'users',
          width: place % 2 === 0 ? -1 : 31,
          bytes: Buffer.alloc(place % 300, 255),
        }
      }
      yield { place: 0, ...last }
    }

    test('are stored as they are', async () => {
      await service.sql.begin(async (tx) => {
        await createWide(tx)
        await copyWhileMade(tx, 'wide', wideColumns, [])
        await copyWhileMade(tx, 'wide', wideColumns, makeRows(5_000))
        expect(
          await tx`
            select count(*)::integer as rows, count(list)::integer as lists, sum(width)::integer as widths,
              bool_and(bytes = decode(repeat('ff', place % 300), 'hex')) as "areSame"
            from wide`,
        ).toEqual([{ rows: 5_001, lists: 5_000, widths: 2_500 * 30, areSame: true }])
      })
    })

    test('fail with their own error or that of the database, and the connection stays usable', async () => {
      function* failAfter(count: number): Generator<WrittenRow, void> {
        yield* makeRows(count)
        throw new Error('not made')
      }
      for (const [rows, message] of [
        [failAfter(1), 'not made'],
        [failAfter(5_000), 'not made'],
        [makeRows(5_000, { place: null }), 'null value in column "place"'],
      ] as const) {
        const failing = service.sql.begin(async (tx) => {
          await createWide(tx)
          await copyWhileMade(tx, 'wide', wideColumns, rows)
        })
        await expect(failing).rejects.toThrow(message)
        expect(await service.sql`select 1 as one`).toEqual([{ one: 1 }])
      }
    })
  })
})
