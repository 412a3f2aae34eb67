/** The filter `company`: the rules of `location`, and an `@` that doesn't count (decisions/0003-lists.md). */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findCandidates } from '../../api/catalog/text-search.ts'
import { foldCompany } from '../../api/names/case-folding.ts'
import { foldCompany as foldPlainly } from '../support/fold.ts'
import { forgetZelda, loadAll, names, searchTables } from '../support/forgotten.ts'
import { readListResponse } from '../support/list-response.ts'
import { createUser, loadRecords } from '../support/records.ts'
import { removeRows } from '../support/removal.ts'
import { describeOnOneDatabase, useService } from '../support/service.ts'

describe('a company', () => {
  test.for<[text: string, folded: string]>([
    ['@acme', 'ACME'],
    ['@Acmé @other', 'ACME OTHER'],
    ['ex-@google', 'EX-GOOGLE'],
    ['(@acme)', '(ACME)'],
    ['@@acme', 'ACME'],
    ['ada@acme.example', 'ADA@ACME.EXAMPLE'],
    ['日本@東京', '日本@東京'],
    ['1@2', '1@2'],
    [' @ acme @ ', 'ACME'],
    ['@', ''],
    ['@ @@', ''],
  ])('%s is compared as %s', ([text, folded]) => {
    expect(foldCompany(text)).toBe(folded)
  })

  const text = fc.string({ unit: fc.constantFrom('@', '@', 'a', 'É', ' ', '-', '東', '1'), maxLength: 12 })

  test('that contains a text is found by it, wherever the text begins and ends', () => {
    fc.assert(
      fc.property(text, text, text, (before, wanted, after) => {
        expect(foldCompany(before + wanted + after)).toContain(foldCompany(wanted))
      }),
    )
  })

  test('is compared by the rule that the tests have of their own', () => {
    fc.assert(fc.property(text, (each) => foldCompany(each).toLowerCase() === foldPlainly(each)))
  })
})

describeOnOneDatabase('company', (kind) => {
  const service = useService(kind, { each: true, data: 'empty', key: { credits: 1_000 } })

  const load = (...companies: (string | null)[]) =>
    loadRecords(service.sql, {
      users: companies.map((company, index) => createUser(index + 1, { company, location: `Ulm ${index}` })),
    })

  async function find(query: string | [name: string, value: string][]): Promise<unknown[]> {
    const response = await service.request(`/users?${new URLSearchParams(query)}`, { key: service.key })
    return readListResponse(response).data.map(({ company }) => company)
  }

  test.for<[rule: string, texts: string[], companies: string[]]>([
    [
      'matches a substring',
      ['cm', 'ACME'],
      ['@acme', 'Acme GmbH', 'ex-@acme', 'ada@acme.example', 'ACMÉ, @other'],
    ],
    [
      'ignores an @ at the start of a word',
      ['@acme', '@cme', ' @@ acme '],
      ['@acme', 'Acme GmbH', 'ex-@acme', 'ada@acme.example', 'ACMÉ, @other'],
    ],
    ['ignores it within a text', ['acmé, other', 'acme, @other'], ['ACMÉ, @other']],
    ['compares an @ within a word', ['a@a'], ['ada@acme.example']],
    ['ignores marks and case', ['zurich', 'ZÜRICH'], ['Zu\u0308rich Re']],
    ['treats %, _ and \\ literally', ['%', '100%'], ['100% Labs']],
    ['treats %, _ and \\ literally', ['_', '\\'], ['A_B \\ C']],
    ['keeps white space inside', ['a  b'], []],
    ['matches a comma and a plus sign', ['&+,'], ['Fils &+, S.A.']],
    ['does not match users without a company', ['null', 'nobody'], []],
  ])('%s: %j finds %j', async ([, texts, companies]) => {
    await load(
      ...[
        '@acme',
        'Acme GmbH',
        'ex-@acme',
        'ada@acme.example',
        'ACMÉ, @other',
        'Zu\u0308rich Re',
        '100% Labs',
      ],
      ...['A_B \\ C', 'Fils &+, S.A.', '', ' ', '@', null],
    )
    for (const company of texts)
      expect([company, await find([['company', company]])]).toEqual([company, companies])
  })

  test('is any of up to 20 texts, and combines with other filters', async () => {
    await load('@one', 'two', 'three', 'one')
    expect(await find('company=one&company[]=TWO&company[1]=&company=@')).toEqual(['@one', 'two', 'one'])
    expect(await find('company=one&location=ulm+3')).toEqual(['one'])
    expect(await find('company=one&has=company&location=ulm+0&location=ulm+1')).toEqual(['@one'])
    const response = await service.request('/counts?of=users&by=type&company=one', { key: service.key })
    expect(response.json()).toMatchObject({ total: 2, none: 0 })
  })

  test.for([
    ['company=', 'is empty; leave the parameter out'],
    ['company=@', 'is empty; leave the parameter out'],
    ['company=+@+@@&company=', 'is empty; leave the parameter out'],
    [`company=${'x'.repeat(256)}`, 'longer than 255 characters'],
    [Array.from({ length: 21 }, () => 'company=a').join('&'), 'given more than 20 times'],
  ])('with %s is 400, and free', async ([query, rule]) => {
    const response = await service.request(`/users?${query}`, { key: service.key })
    expect([response.status, response.json()]).toEqual([400, { error: `Invalid company: ${rule}` }])
    expect((await service.readLedger(service.keyId)).charged).toBe(0)
  })

  test('is beside no batch look-up, unless it is empty', async () => {
    await load('@one')
    const refused = await service.request('/users?logins=user-1&company=one', { key: service.key })
    expect([refused.status, refused.json()]).toEqual([
      400,
      { error: 'Invalid logins: must be the only filter' },
    ])
    expect(await find('logins=user-1&company=')).toEqual(['@one'])
  })

  test('finds users where they are now, and keeps no text that nobody has', async () => {
    const long = 'Köln 東京都 '.repeat(30_000)
    await load('@acme', 'Acme', long)
    expect(await find('company=都+köln')).toEqual([long])
    expect(await findCandidates(service.sql, 'company', ['ACME'])).toMatchObject({
      ids: [expect.any(Number)],
    })
    await load('Other', 'Acme', null)
    expect(await find('company=acme')).toEqual(['Acme'])
    expect(await service.sql`select company, company_key, users_count from companies order by 1`).toEqual([
      { company: '@acme', company_key: 'ACME', users_count: 1 },
      { company: 'Other', company_key: 'OTHER', users_count: 1 },
    ])
    await removeRows(service.sql, { users: [1, 2] })
    expect(await service.sql`select from companies`).toEqual([])
    // Nobody can read a text from the trigrams that it had.
    expect(await service.sql`select from sets where list = 'companies'`).toEqual([])
  })

  test('finds nobody who was forgotten, and their company is gone', async () => {
    await loadAll(service.sql)
    expect(await find('company=elm')).toEqual(['@Elm Labs'])
    await forgetZelda(service.sql)
    expect(await find('company=elm')).toEqual([])
    expect(await searchTables(service.sql, names)).toEqual([])
    expect(await service.sql`select from sets where list = 'companies'`).toEqual([])
  })
})
