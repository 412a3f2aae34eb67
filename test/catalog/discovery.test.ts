/** `GET /dependencies`, `GET /locations` and `GET /companies`: what filters can name (decisions/0003-lists.md). */
import * as v from 'valibot'
import { expect, test } from 'vitest'
import type { Sql } from '../../api/database/connect.ts'
import { fold, foldCompany, foldPlace } from '../support/fold.ts'
import { createUser, loadRecords } from '../support/records.ts'
import { findRepositories, findUsers, sampleRepositories, sampleUsers } from '../support/sample-oracle.ts'
import { describeOnOneDatabase, useService } from '../support/service.ts'

const dependencies = v.object({
  data: v.array(
    v.strictObject({
      dependency_name: v.string(),
      dependency_file: v.string(),
      users: v.number(),
      repositories: v.number(),
    }),
  ),
  meta: v.strictObject({ request_id: v.string(), timestamp: v.number(), execution_time: v.number() }),
})
const locations = v.object({
  data: v.array(v.strictObject({ location: v.string(), country: v.nullable(v.string()), users: v.number() })),
})

const companies = v.object({ data: v.array(v.strictObject({ company: v.string(), users: v.number() })) })

/** Each dependency of the sample with its file, once, whatever its case. */
const declared = [
  ...new Map(
    sampleRepositories
      .flatMap(({ dependencies }) => dependencies.map(({ dependency }) => dependency))
      .map((each) => [`${fold(each.dependency_name)} ${each.dependency_file}`, each]),
  ).values(),
]

function countItems({ dependency_name: name, dependency_file: file }: (typeof declared)[number]) {
  const filter = { names: [name], files: [file] }
  return { users: findUsers(filter).length, repositories: findRepositories(filter).length }
}

/** The companies of the coverage, as the last load computed them. */
const readCompanies = async (sql: Sql) =>
  (await sql<{ companies: object[] }[]>`select summary -> 'companies' as companies from coverage`)[0]
    ?.companies

describeOnOneDatabase('discovery', (kind) => {
  const service = useService(kind, { key: { credits: 10 } })

  const ask = (path: string) => service.request(path, { key: service.key })

  test.each([
    ['prefix', 're', '', 20],
    ['prefix', 'RE', '', 5],
    ['prefix', '@types/', '', 20],
    ['prefix', 'r', '&dependency_files=package.json', 20],
    ['prefix', 'r', '&dependency_files%5B%5D=package.json&dependency_files=go.mod,pyproject.toml', 3],
    ['contains', 'eact', '', 20],
    ['contains', '%', '', 20],
    ['contains', 't', '', 20],
    ['prefix', 'nothing-is-called-so', '', 20],
  ])('finds dependencies by %s=%s%s', async (place, text, others, limit) => {
    const response = await ask(
      `/dependencies?${place}=${encodeURIComponent(text)}${others}${limit === 20 ? '' : `&limit=${limit}`}`,
    )
    const { data } = v.parse(dependencies, response.json())
    const files = new URLSearchParams(others)
    const wantedFiles = [...files.values()].flatMap((each) => each.split(','))
    const meant = declared.filter(({ dependency_name: name, dependency_file: file }) => {
      const at = fold(name).indexOf(fold(text))
      const isMeant = place === 'prefix' ? at === 0 : at >= 0
      return isMeant && (wantedFiles.length === 0 || wantedFiles.includes(file))
    })
    const all = meant
      .map((each) => ({ ...each, ...countItems(each) }))
      .sort((a, b) => b.users - a.users || b.repositories - a.repositories)
    const rank = ({ users, repositories }: { users: number; repositories: number }) => [users, repositories]
    expect(data.map(rank)).toEqual(all.slice(0, limit).map(rank))
    for (const found of data) expect(found).toEqual({ ...found, ...countItems(found) })
    expect(
      new Set(data.map((each) => JSON.stringify([each.dependency_name, each.dependency_file]))).size,
    ).toBe(data.length)
  })

  test.each([
    ['prefix', 'Python_Dot', 'python-dotenv'],
    ['contains', 'n.dote', 'python-dotenv'],
    ['prefix', 'serde-j', 'serde_json'],
    ['contains', 'e-JSON', 'serde_json'],
    ['contains', 'bot_rails', 'factory_bot_rails'],
  ])('finds dependencies as their ecosystem spells them: %s=%s', async (place, text, name) => {
    const { data } = v.parse(dependencies, (await ask(`/dependencies?${place}=${text}`)).json())
    expect(new Set(data.map((each) => each.dependency_name))).toEqual(new Set([name]))
  })

  test.each(['bot-rails', 'python:', 'cargo:s'])('finds no other spelling: %s', async (text) => {
    expect((await ask(`/dependencies?contains=${text}`)).json()).toMatchObject({ data: [] })
  })

  test('finds dependencies in the order of their names if equally many use them', async () => {
    const { data } = v.parse(dependencies, (await ask('/dependencies?prefix=@types/')).json())
    const tied = data.filter(
      ({ users, repositories }) => users === data.at(-1)?.users && repositories === data.at(-1)?.repositories,
    )
    const names = tied.map(({ dependency_name: name }) => name)
    expect(names).toEqual(names.toSorted())
  })

  test('finds locations that at least three users have', async () => {
    const { data } = v.parse(locations, (await ask('/locations?contains=BER')).json())
    const counts = new Map<string, number>()
    for (const { location } of sampleUsers) {
      const place = foldPlace(location ?? '')
      if (place.includes('ber')) counts.set(place, (counts.get(place) ?? 0) + 1)
    }
    const expected = [...counts].filter(([, users]) => users >= 3).sort(([, a], [, b]) => b - a)
    expect(expected.length).toBeGreaterThan(0)
    expect(data.map(({ users }) => users)).toEqual(expected.map(([, users]) => users).slice(0, 20))
    for (const { location, users } of data) {
      expect(sampleUsers.map((user) => user.location)).toContain(location)
      expect(counts.get(foldPlace(location))).toBe(users)
    }
  })

  test('leaves out a location that fewer users have, and follows loads', async () => {
    const locate = async () => v.parse(locations, (await ask('/locations?contains=nowhere')).json()).data
    const users = [1, 2, 3].map((number) =>
      createUser(number, { location: number === 1 ? 'Nowhéré' : 'nowhere' }),
    )
    await loadRecords(service.sql, { users: users.slice(0, 2) })
    expect(await locate()).toEqual([])
    await loadRecords(service.sql, { users: users.slice(2) })
    expect(await locate()).toEqual([{ location: 'Nowhéré', country: null, users: 3 }])
    await loadRecords(service.sql, { users: [createUser(1)] })
    expect(await locate()).toEqual([])
  })

  test('finds companies that at least three users have, whether they write an @ or not', async () => {
    const counts = new Map<string, number>()
    for (const company of sampleUsers.map((user) => foldCompany(user.company ?? ''))) {
      if (company.includes('lab')) counts.set(company, (counts.get(company) ?? 0) + 1)
    }
    const expected = [...counts.values()].filter((users) => users >= 3).sort((a, b) => b - a)
    expect(expected.length).toBeGreaterThan(0)
    for (const text of ['LAB', '@lab', ' lâb ']) {
      const response = await ask(`/companies?contains=${encodeURIComponent(text)}`)
      const { data } = v.parse(companies, response.json())
      expect(data.map(({ users }) => users)).toEqual(expected)
      for (const { company, users } of data) expect(counts.get(foldCompany(company))).toBe(users)
    }
  })

  test('leaves out a company that fewer users have, also in the coverage, and follows loads', async () => {
    const find = async () => v.parse(companies, (await ask('/companies?contains=acmé')).json()).data
    const users = ['@Acme', 'acme', ' ACMÉ'].map((company, index) => createUser(index + 11, { company }))
    const acme = { company: '@Acme', users: 3 }
    await loadRecords(service.sql, { users: users.slice(0, 2) })
    expect(await find()).toEqual([])
    expect(await readCompanies(service.sql)).not.toContainEqual(acme)
    await loadRecords(service.sql, { users: users.slice(2) })
    expect(await find()).toEqual([acme])
    expect(await readCompanies(service.sql)).toContainEqual(acme)
    await loadRecords(service.sql, { users: [createUser(11, { company: '@' })] })
    expect(await find()).toEqual([])
    expect(JSON.stringify(await readCompanies(service.sql))).not.toMatch(/acme/i)
  })

  test('is free, and says the version of the dataset', async () => {
    for (const path of [
      '/dependencies?prefix=react',
      '/locations?contains=berlin',
      '/companies?contains=lab',
    ]) {
      const { status, headers } = await ask(path)
      expect([path, status, headers.get('X-Credits-Cost'), headers.get('Cache-Control')]).toEqual([
        path,
        200,
        '0',
        'no-store',
      ])
      expect(Number(headers.get('X-Dataset-Version'))).toBeGreaterThan(0)
    }
    expect((await service.readLedger(service.keyId)).charged).toBe(0)
  })

  test('needs a key with a scope', async () => {
    const keys = await Promise.all(
      [[], ['users:read'], ['repos:read']].map((scopes) => service.createKey({ scopes: scopes as never })),
    )
    const statuses = (path: string) =>
      Promise.all(keys.map(async ({ secret }) => (await service.request(path, { key: secret })).status))
    expect(await statuses('/dependencies?prefix=a')).toEqual([403, 200, 200])
    expect(await statuses('/locations?contains=a')).toEqual([403, 200, 403])
    expect(await statuses('/companies?contains=a')).toEqual([403, 200, 403])
    expect((await service.request('/locations?contains=a')).status).toBe(401)
  })

  test.for<[path: string, error: string]>([
    ['/dependencies', 'Invalid query: send either prefix or contains, not both'],
    ['/dependencies?prefix=a&contains=a', 'Invalid query: send either prefix or contains, not both'],
    ['/dependencies?prefix=+', 'Invalid prefix: is empty; send at least one character'],
    ['/dependencies?prefix=a&prefix=b', 'Invalid prefix: given more than once'],
    [`/dependencies?contains=${'x'.repeat(256)}`, 'Invalid contains: longer than 255 characters'],
    [
      '/dependencies?prefix=a&dependency_files=',
      'Invalid dependency_files: is empty; leave the parameter out',
    ],
    [
      '/dependencies?prefix=a&limit=21',
      'Invalid limit: must be an integer from 1 to 20, digits only, no leading zeros',
    ],
    [
      '/dependencies?prefix=a&page=2',
      'Unknown parameter: page; this endpoint has prefix, contains, dependency_files, limit',
    ],
    ['/locations', 'Invalid contains: missing; send part of a location'],
    ['/locations?contains=', 'Invalid contains: is empty; send at least one character'],
    ['/locations?prefix=a', 'Unknown parameter: prefix; this endpoint has contains, limit'],
    ['/companies', 'Invalid contains: missing; send part of a company'],
    ['/companies?contains=@', 'Invalid contains: is empty; send at least one character'],
    ['/companies?contains=+@@+@', 'Invalid contains: is empty; send at least one character'],
    ['/companies?country=DE&contains=a', 'Unknown parameter: country; this endpoint has contains, limit'],
  ])('refuses %s', async ([path, error]) => {
    const response = await ask(path)
    expect([response.status, response.json(), response.headers.get('X-Error-Code')]).toEqual([
      400,
      { error },
      'invalid_parameter',
    ])
  })
})
