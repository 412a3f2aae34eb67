/** Locations are found by the trigrams of their texts (api/catalog/text-search.ts). */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findCandidates, listTrigramTerms } from '../../api/catalog/text-search.ts'
import { foldLocation } from '../../api/names/case-folding.ts'
import { createUser, loadRecords } from '../support/records.ts'
import { removeRows } from '../support/removal.ts'
import { describeOnOneDatabase, useService } from '../support/service.ts'

describeOnOneDatabase('locations', (kind) => {
  const service = useService(kind, { each: true, data: 'empty' })

  const load = (...locations: string[]) =>
    loadRecords(service.sql, {
      users: locations.map((location, index) => createUser(index + 1, { location })),
    })

  /** The texts of the locations that the trigrams of some texts leave. */
  async function find(...texts: string[]): Promise<string[] | 'any'> {
    const found = await findCandidates(service.sql, 'location', texts.map(foldLocation))
    if (found === undefined) return 'any'
    const rows = await service.sql<{ key: string }[]>`
      select location_key as key from locations where id = any(${service.sql.typed.bigints(found.ids)}) order by key`
    return rows.map(({ key }) => key)
  }

  test('have the same terms in the database and in the service', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (text) => {
        fc.pre(!text.includes('\0')) // PostgreSQL has no text with it
        const [row] = await service.sql<{ terms: number[] }[]>`
          select to_json(trigram_terms(${text})) as terms`
        expect(listTrigramTerms(text).sort()).toEqual(row?.terms.sort())
      }),
    )
  })

  test('are few for a text with rare trigrams, and any for a text without one', async () => {
    await load('Köln, Germany', 'Bonn, Germany', 'Lima', '東京都 日本')
    expect(await find('köln')).toEqual(['KOLN, GERMANY'])
    expect(await find('京都 ')).toEqual(['東京都 日本'])
    expect(await find('lima', 'bonn')).toEqual(['BONN, GERMANY', 'LIMA'])
    expect(await find('lima', 'many germ')).toEqual(['LIMA'])
    expect(await find('nowhere')).toEqual([])
    expect(await find('li')).toBe('any')
    expect(await find('lima', '東京')).toBe('any')
  })

  test('are found for a text of any length', async () => {
    const long = 'Köln 東京都 '.repeat(30_000)
    await load(long, 'Lima')
    expect(await find('都 köln')).toEqual([foldLocation(long)])
  })

  test('are found from the load on that brings them, until their last user has left', async () => {
    await load('Bonn')
    expect(await find('köln')).toEqual([])
    await load('Bonn', 'Köln')
    expect(await find('köln')).toEqual(['KOLN'])
    await removeRows(service.sql, { users: [1, 2] })
    expect(await find('köln')).toEqual([])
    // Nobody can read a text from the trigrams that it had.
    expect(await service.sql`select term_id from sets where list = 'locations'`).toEqual([])
  })

  test('are any if more than a thousand have the trigrams, and more than a tenth of all', async () => {
    await load(...Array.from({ length: 1_001 }, (_, index) => `${index} Köln`), 'Bonn')
    expect(await find('köln')).toBe('any')
    expect(await find('bonn')).toEqual(['BONN'])
  })
})
