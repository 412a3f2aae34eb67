/** `GET /docs/coverage.json`: what the dataset covers, and what each load brought. */
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { identifyLogin } from '../../api/names/forge-names.ts'
import { forgetPerson } from '../../api/people/forget.ts'
import { importNdjson } from '../../api/sources/ndjson/import.ts'
import { foldCompany } from '../support/fold.ts'
import { createInstance } from '../support/instance.ts'
import { createSource, toLines } from '../support/ndjson.ts'
import { createCommit, createRepository, createUser, loadRecords } from '../support/records.ts'
import {
  findRepositories,
  findUsers,
  sampleCommits,
  sampleRepositories,
  sampleUsers,
} from '../support/sample-oracle.ts'
import { describeOnOneDatabase, startTestService, type TestService, useService } from '../support/service.ts'

const count = v.pipe(v.number(), v.integer(), v.minValue(0))
const time = v.pipe(v.string(), v.isoTimestamp())
const day = v.nullable(v.pipe(v.string(), v.isoDate()))
const change = v.strictObject({ added: count, updated: count, removed: count })
const uses = { users: count, repositories: count }
const coverage = v.strictObject({
  dataset: v.strictObject({ version: count, updated_at: time }),
  users: count,
  repositories: count,
  commits: count,
  dependencies: count,
  refreshed: v.strictObject({ newest: v.nullable(time), oldest: v.nullable(time) }),
  last_push: day,
  last_commit: day,
  push_years: v.array(v.strictObject({ year: count, repositories: count })),
  commit_years: v.array(v.strictObject({ year: count, users: count })),
  user_fields: v.record(v.string(), v.number()),
  countries: v.array(v.strictObject({ country: v.pipe(v.string(), v.regex(/^[A-Z]{2}$/)), users: count })),
  companies: v.array(v.strictObject({ company: v.string(), users: count })),
  languages: v.array(v.strictObject({ language: v.string(), repositories: count })),
  manifests: v.array(v.strictObject({ dependency_file: v.string(), ...uses })),
  packages: v.array(v.strictObject({ dependency_name: v.string(), dependency_file: v.string(), ...uses })),
  loads: v.array(
    v.strictObject({
      applied_at: time,
      command: v.string(),
      source: v.string(),
      dataset_version: count,
      users: change,
      repositories: change,
      commits: change,
    }),
  ),
})

/** A new instance: it has nothing in memory yet. */
async function readCoverage({ sql, ledgerSql }: TestService) {
  const response = await createInstance({ sql, ledgerSql, kind: 'embedded' }).request('/docs/coverage.json')
  expect(response.status).toBe(200)
  return v.parse(coverage, response.json())
}

const rank = ({ users, repositories }: { users: number; repositories: number }) => [users, repositories]
const byUse = (a: number[], b: number[]) => (b[0] ?? 0) - (a[0] ?? 0) || (b[1] ?? 0) - (a[1] ?? 0)

describeOnOneDatabase('coverage', (kind) => {
  const service = useService(kind)

  test('has the numbers of the sample', async () => {
    const found = await readCoverage(service)
    expect(found).toMatchObject({
      dataset: { version: 1 },
      users: sampleUsers.length,
      repositories: sampleRepositories.length,
      commits: sampleCommits.length,
    })
    const declared = sampleRepositories.flatMap(({ dependencies }) =>
      dependencies.map(({ dependency }) => dependency),
    )
    const unique = [
      ...new Map(
        declared.map((each) => [`${each.dependency_name.toLowerCase()} ${each.dependency_file}`, each]),
      ).values(),
    ]
    expect(found.dependencies).toBe(unique.length)

    const fields = ['name', 'email', 'avatar_url', 'company', 'location', 'bio'] as const
    expect(Object.keys(found.user_fields)).toEqual(fields)
    for (const field of fields) {
      const having = sampleUsers.filter((user) => user[field] !== null && user[field] !== '').length
      expect([field, found.user_fields[field]]).toEqual([
        field,
        Number((having / sampleUsers.length).toFixed(4)),
      ])
    }

    const germans = sampleUsers.filter(({ location }) =>
      /^(?!.*(?:beyond|lisbon|pennsylvania))(?:.*(?:berlin|münchen|munich))/iu.test(
        location?.normalize('NFC') ?? '',
      ),
    )
    expect(found.countries[0]).toEqual({ country: 'DE', users: germans.length })
    expect(found.countries).toContainEqual({
      country: 'NG',
      users: sampleUsers.filter(({ location }) => location?.includes('Nigeria')).length,
    })

    const companies = Map.groupBy(sampleUsers, ({ company }) => foldCompany(company ?? ''))
    companies.delete('')
    const shared = [...companies.values()].flatMap(({ length }) => (length >= 3 ? [length] : []))
    expect(found.companies.map(({ users }) => users)).toEqual(shared.sort((a, b) => b - a))
    for (const { company, users } of found.companies) {
      expect([company, companies.get(foldCompany(company))?.length]).toEqual([company, users])
    }

    const languages = Map.groupBy(sampleRepositories, ({ language }) => language)
    languages.delete(null)
    expect(new Map(found.languages.map(({ language, repositories }) => [language, repositories]))).toEqual(
      new Map([...languages].map(([language, having]) => [language, having.length])),
    )
    expect(found.languages.map(({ repositories }) => repositories)).toEqual(
      found.languages.map(({ repositories }) => repositories).sort((a, b) => b - a),
    )

    const files = [...new Set(declared.map(({ dependency_file }) => dependency_file))]
    const byFile = new Map(
      files.map((file) => [
        file,
        [findUsers({ files: [file] }).length, findRepositories({ files: [file] }).length],
      ]),
    )
    expect(new Map(found.manifests.map((each) => [each.dependency_file, rank(each)]))).toEqual(byFile)
    expect(found.manifests.map(rank)).toEqual([...byFile.values()].sort(byUse))

    const countsOf = ({ dependency_name, dependency_file }: (typeof unique)[number]) => {
      const filter = { names: [dependency_name], files: [dependency_file] }
      return [findUsers(filter).length, findRepositories(filter).length]
    }
    expect(found.packages.map(rank)).toEqual(unique.map(countsOf).sort(byUse).slice(0, 50))
    for (const each of found.packages) expect(rank(each)).toEqual(countsOf(each))
  })

  test('has the newest push and commit, and how old the others are', async () => {
    const { last_push, last_commit, push_years, commit_years } = await readCoverage(service)
    const writeDay = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 10)
    const pushes = sampleRepositories.flatMap(({ pushed_at }) => pushed_at ?? [])
    expect(last_push).toBe(writeDay(Math.max(...pushes)))
    const byYear = Map.groupBy(pushes, (pushed) => Number(writeDay(pushed).slice(0, 4)))
    const years = [...byYear].map(([year, items]) => ({ year, repositories: items.length }))
    expect(push_years).toEqual(years.sort((a, b) => b.year - a.year))
    const [{ newest, users } = expect.fail()] = await service.sql<{ newest: string; users: number }[]>`
      select max(last_date)::text as newest, count(*)::integer as users from user_activity`
    expect(last_commit).toBe(writeDay(Number(newest)))
    expect(commit_years.reduce((sum, each) => sum + each.users, 0)).toBe(users)
  })

  test('lists loads with what they changed, also those that changed nothing', async () => {
    const zelda = createUser(4711, { login: 'Zelda', email: 'zelda@example.com', bio: '' })
    const tool = createRepository(4712, 'Zelda', [], { language: 'Zig' })
    const commit = createCommit(1, tool.url, 'zelda@example.com', 1)
    await loadRecords(service.sql, { users: [zelda], repos: [tool], commits: [commit] })
    await loadRecords(service.sql, { users: [zelda] })
    await loadRecords(service.sql, { users: [{ ...zelda, bio: 'writes tools' }] })
    const none = { added: 0, updated: 0, removed: 0 }
    const { loads, dataset, users, commits, languages, refreshed } = await readCoverage(service)
    const [second, repetition, first, sample] = loads
    const one = { ...none, added: 1 }
    expect(first).toMatchObject({ dataset_version: 2, users: one, repositories: one, commits: one })
    expect(repetition).toMatchObject({ dataset_version: 2, users: none, repositories: none, commits: none })
    expect(second).toMatchObject({ dataset_version: 3, users: { ...none, updated: 1 } })
    expect(sample).toMatchObject({ command: 'import ndjson', users: { ...none, added: sampleUsers.length } })
    for (const { command, source } of loads) {
      expect({ command, source }).toEqual({ command: 'import ndjson', source: 'users, repos, commits' })
    }
    expect({ version: dataset.version, users, commits }).toEqual({
      version: 3,
      users: sampleUsers.length + 1,
      commits: sampleCommits.length + 1,
    })
    expect(languages).toContainEqual({ language: 'Zig', repositories: 1 })
    expect(Date.parse(refreshed.newest ?? '')).toBeGreaterThanOrEqual(Date.parse(second?.applied_at ?? ''))
    expect(Date.parse(refreshed.oldest ?? '')).toBeLessThanOrEqual(Date.parse(sample?.applied_at ?? ''))
  })

  test('is that of the dataset after somebody is forgotten', async () => {
    const before = await readCoverage(service)
    await forgetPerson(service.sql, { identities: [identifyLogin('Zelda')], keepRepositories: false })
    const after = await readCoverage(service)
    expect(after).toMatchObject({
      users: before.users - 1,
      repositories: before.repositories - 1,
      commits: before.commits - 1,
    })
    expect(after.languages).not.toContainEqual({ language: 'Zig', repositories: 1 })
    expect(after.loads).toEqual(before.loads)
  })

  test('has the time since which everything was loaded again, and outlives CHANGES_KEPT_DAYS', async () => {
    await service.sql`update dataset_versions set applied_at = applied_at - interval '100 days'`
    const before = await readCoverage(service)
    const startedAt = Date.now()
    const sources = [
      createSource('users', toLines(sampleUsers.slice(0, 100))),
      createSource('repos', ''),
      createSource('commits', ''),
    ]
    await importNdjson(service.sql, { sources, onMirror: async () => {} })
    const after = await readCoverage(service)
    const [known] = await service.sql<{ since: number }[]>`select changes_since as since from dataset`
    expect(known?.since).toBeGreaterThan(0)
    expect(after.loads.slice(1)).toEqual(before.loads)
    expect(after.loads[0]?.users).toEqual({ added: 0, updated: 0, removed: sampleUsers.length - 100 })
    expect(Date.parse(after.refreshed.oldest ?? '')).toBeGreaterThanOrEqual(startedAt)
    expect(after).toMatchObject({ repositories: 0, commits: 0, dependencies: 0, languages: [], packages: [] })
  })

  test('is 304 for a client that has it', async () => {
    const { request } = createInstance(service)
    const { headers } = await request('/docs/coverage.json')
    const tag = headers.get('ETag') ?? ''
    expect(headers.get('Cache-Control')).toBe('no-cache')
    expect((await request('/docs/coverage.json', { headers: { 'If-None-Match': tag } })).status).toBe(304)
  })

  test('can be read by scripts of any origin', async () => {
    const { headers } = await createInstance(service).request('/docs/coverage.json')
    expect(headers.get('Access-Control-Allow-Origin')).toBe('*')
  })

  test('is not found with PUBLIC_COVERAGE=off', async () => {
    const { request } = createInstance(service, { publicCoverage: false })
    expect((await request('/docs/coverage.json')).status).toBe(404)
  })

  test('is served from memory', async () => {
    const { request } = createInstance(service)
    const before = (await request('/docs/coverage.json')).json()
    await loadRecords(service.sql, { users: [createUser(4713)] })
    expect((await request('/docs/coverage.json')).json()).toEqual(before)
  })
})

describeOnOneDatabase('coverage of nothing', (kind) => {
  test('takes no push of a clock that is wrong for the newest', async () => {
    const service = await startTestService(kind, { data: 'empty' })
    try {
      const pushes = [1_700_000_000, Math.floor(Date.now() / 1000) + 3 * 86_400]
      const repos = pushes.map((pushed_at, index) => createRepository(index + 1, 'nobody', [], { pushed_at }))
      await loadRecords(service.sql, { repos })
      const { last_push, push_years } = await readCoverage(service)
      expect({ last_push, push_years }).toEqual({
        last_push: '2023-11-14',
        push_years: [{ year: 2023, repositories: 1 }],
      })
    } finally {
      await service.close()
    }
  })

  test('has no load', async () => {
    const service = await startTestService(kind, { data: 'empty' })
    try {
      expect(await readCoverage(service)).toMatchObject({
        users: 0,
        dependencies: 0,
        refreshed: { newest: null, oldest: null },
        packages: [],
        last_push: null,
        commit_years: [],
        loads: [],
      })
    } finally {
      await service.close()
    }
  })
})
