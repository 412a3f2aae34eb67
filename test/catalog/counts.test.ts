/** `GET /counts`: how many of the items that a filter matches have each value (decisions/0003-lists.md). */
import { expect, test } from 'vitest'
import { type By, divisions, expectCounts, readCounts } from '../support/counts-oracle.ts'
import { createInstance } from '../support/instance.ts'
import { readListResponse } from '../support/list-response.ts'
import { createRepository, createUser, loadRecords } from '../support/records.ts'
import { sampleOracle } from '../support/sample-oracle.ts'
import { describeOnEachDatabase, useService } from '../support/service.ts'

describeOnEachDatabase('counts', (kind) => {
  const service = useService(kind, { key: { credits: 1_000 } })

  const ask = (path: string) => service.request(path, { key: service.key })
  const read = async (path: string) => readCounts((await ask(path)).json())

  test.each(Object.entries(divisions).flatMap(([of, names]) => names.map((by): [string, By] => [of, by])))(
    'of all %s by %s are those of an independent computation',
    async (of, by) => {
      const items = of === 'users' ? sampleOracle.findUsers({}) : sampleOracle.findRepositories({})
      expectCounts((await ask(`/counts?of=${of}&by=${by}`)).json(), { items, by, oracle: sampleOracle })
    },
  )

  test.each([
    ['users', 'country', 'country', 'dependency_names=react'],
    ['users', 'type', 'type', 'has=email&location=germany'],
    ['users', 'dependency', 'dependency_names', 'country=DE,FR'],
    ['repos', 'language', 'language', 'min_stars=5'],
    ['repos', 'license', 'license', 'fork=false'],
    ['repos', 'fork', 'fork', 'dependency_names=react&dependency_status=active'],
    ['repos', 'archived', 'archived', 'without_dependency_names=react'],
    ['repos', 'dependency', 'dependency_names', 'language=python'],
  ])('of %s by %s are the totals of the filter %s', async (of, by, filter, others) => {
    const { data, total } = await read(`/counts?of=${of}&by=${by}&${others}`)
    expect(data.length).toBeGreaterThan(0)
    const totalOf = async (query: string) =>
      readListResponse(await ask(`/${of}?${others}&per_page=1${query}`)).total
    expect(total).toBe(await totalOf(''))
    for (const { value, count } of data.slice(0, 6))
      expect([value, await totalOf(`&${filter}=${encodeURIComponent(value)}`)]).toEqual([value, count])
  })

  test('leave out names that were asked for, in any spelling', async () => {
    const names = async (query: string) =>
      (await read(`/counts?of=repos&by=dependency${query}`)).data.map(({ value }) => value)
    expect(await names('')).toContain('react')
    expect(await names('&dependency_names=React')).not.toContain('react')
    const ofPython = await names('&dependency_names=Python_Dotenv') // all of them have it
    expect(ofPython.length).toBeGreaterThan(0)
    expect(ofPython).not.toContain('python-dotenv')
  })

  test('keep a package whose name another ecosystem takes for the one that was asked for', async () => {
    const names = Array.from({ length: 61 }, (_, index) => [
      'dotted.name',
      ...(index < 60 ? ['dotted-name'] : []),
    ])
    await loadRecords(service.sql, {
      repos: names.map((own, index) => createRepository(8_100_000 + index, 'dotted', own)),
    })
    expect(await read('/counts?of=repos&by=dependency&dependency_names=dotted.name')).toMatchObject({
      data: [{ value: 'dotted-name', count: 60 }],
      total: 61,
    })
  })

  test('are free, and say the version of the dataset', async () => {
    const { headers } = await ask('/counts?of=users&by=country')
    expect(headers.get('X-Credits-Cost')).toBe('0')
    expect(headers.get('Cache-Control')).toBe('no-store')
    expect(Number(headers.get('X-Dataset-Version'))).toBeGreaterThan(0)
  })

  test('cost nothing without credits, either', async () => {
    const poor = await service.createKey({ credits: 0 })
    const response = await service.request('/counts?of=users&by=country', { key: poor.secret })
    expect([response.status, response.headers.get('X-Credits-Cost')]).toEqual([200, '0'])
  })

  test('count against the rate limit', async () => {
    const limited = await service.createKey({ rateLimit: { requests: 2, seconds: 60 } })
    const statuses: number[] = []
    for (let request = 0; request < 3; request++) {
      statuses.push((await service.request('/counts?of=users&by=type', { key: limited.secret })).status)
    }
    expect(statuses).toEqual([200, 200, 429])
  })

  test('need a key with the scope of their list, however the URL is written', async () => {
    const keys = await Promise.all(
      ([[], ['users:read'], ['repos:read']] as const).map((scopes) =>
        service.createKey({ scopes: [...scopes] }),
      ),
    )
    const statuses = (path: string) =>
      Promise.all(keys.map(async ({ secret }) => (await service.request(path, { key: secret })).status))
    expect(await statuses('/counts?of=users&by=country')).toEqual([403, 200, 403])
    expect(await statuses('/counts?of=repos&by=language')).toEqual([403, 403, 200])
    for (const of of ['%6ff=users', 'o%66=%75sers', 'x=1&of=users']) {
      expect([of, ...(await statuses(`/counts?by=dependency&${of}`))]).toEqual([
        of,
        403,
        expect.toSatisfy(isAnswered),
        403,
      ])
    }
    expect(await statuses('/counts?by=dependency&of=users&of=repos')).toEqual([403, 400, 403])
    expect(await statuses('/counts?by=dependency&of=repos&of=users')).toEqual([403, 403, 400])
    expect(await statuses('/counts?by=dependency')).toEqual([403, 400, 400])
    expect((await service.request('/counts?of=users&by=country')).status).toBe(401)
  })

  test('follow loads, and name no dependency that fewer than three items have', async () => {
    const owned = [1, 2, 3].map((number) =>
      createRepository(8_000_000 + number, 'counted', ['private-name'], {
        language: 'Rare',
        license: number === 3 ? null : 'MIT',
      }),
    )
    const count = (by: By) => read(`/counts?of=repos&by=${by}&owner=counted`)
    const empty = { data: [], total: 0, none: 0 }
    expect(await count('language')).toMatchObject({ ...empty, others: 0 })
    expect(await count('dependency')).toMatchObject({ ...empty, others: null })
    await loadRecords(service.sql, {
      users: [createUser(8_000_000, { login: 'counted' })],
      repos: owned.slice(0, 2),
    })
    expect(await count('language')).toMatchObject({
      data: [{ value: 'Rare', count: 2 }],
      total: 2,
      others: 0,
      none: 0,
    })
    expect(await count('dependency')).toMatchObject({ data: [], total: 2, others: null, none: 0 })
    await loadRecords(service.sql, { repos: owned.slice(2) })
    expect(await count('license')).toMatchObject({
      data: [{ value: 'MIT', count: 2 }],
      total: 3,
      others: 0,
      none: 1,
    })
  })

  const lists = Array.from({ length: 3_000 }, (_, number) => `n${number}`).join()
  const alone = 'all items that the filters match are counted; leave the parameter out'
  test.for<[query: string, error: string]>([
    ['', 'Invalid of: missing; send users or repos'],
    ['of=', 'Invalid of: is empty; leave the parameter out'],
    ['of=user&by=country', 'Invalid of: must be users or repos'],
    ['of=users', 'Invalid by: missing; send country, dependency, or type'],
    ['of=repos', 'Invalid by: missing; send dependency, language, license, fork, or archived'],
    ['of=users&by=language', 'Invalid by: must be country, dependency, or type'],
    ['of=repos&by=owner', 'Invalid by: must be dependency, language, license, fork, or archived'],
    ['of=users&by=__proto__', 'Invalid by: must be country, dependency, or type'],
    ['of=users&by=type&by=type', 'Invalid by: given more than once'],
    ['of=users&of=users&by=type', 'Invalid of: given more than once'],
    ...['changed_since', 'logins', 'forge_rest_ids', 'sort', 'page', 'per_page', 'after'].map(
      (name): [string, string] => [`of=users&by=type&${name}=1`, `Invalid ${name}: ${alone}`],
    ),
    ['of=repos&by=fork&full_names=a/b', `Invalid full_names: ${alone}`],
    ['of=repos&by=fork&exclude=dependencies', `Invalid exclude: ${alone}`],
    [
      'of=users&by=type&dependency_status=active',
      'Invalid dependency_status: requires dependency_names, without_dependency_names, or dependency_files',
    ],
    [`of=users&by=type&type=${lists}`, 'Invalid type: at most 50 entries'],
    [`of=users&by=type&${'type=a&'.repeat(60)}`, 'Invalid type: at most 50 entries'],
    [
      'of=repos&by=language&language=C++',
      'Invalid language: entry 1 ends in +, which is a space in URLs; write a plus sign as %2B',
    ],
  ])('refuse what they can’t mean: case %$', async ([query, error]) => {
    const response = await ask(`/counts?${query}`)
    expect([response.status, response.json(), response.headers.get('X-Error-Code')]).toEqual([
      400,
      { error },
      'invalid_parameter',
    ])
  })

  test('refuse filters that only the other list has', async () => {
    const response = await ask('/counts?of=users&by=type&language=C')
    expect([response.status, response.json()]).toEqual([
      400,
      {
        error: expect.stringMatching(
          /^Unknown parameter: language; this endpoint has of, by, location, company, country, /,
        ),
      },
    ])
  })

  test('refuse a list of 100,000 entries', async () => {
    const entries = Array.from({ length: 100_000 }, (_, number) => `n${number}`)
    for (const query of [`type=${entries}`, entries.map((entry) => `type=${entry}`).join('&')]) {
      const response = await ask(`/counts?of=users&by=type&${query}`)
      expect([response.status, response.headers.get('X-Credits-Cost')]).toEqual([414, '0'])
    }
  })

  test('are 503 for a filter that isn’t ready', async () => {
    const [kept] = await service.sql`select derived_terms::text from dataset`
    await service.sql`update dataset set derived_terms = '{}'`
    try {
      const response = await createInstance(service).request('/counts?of=repos&by=fork&min_forks=1', {
        key: service.key,
      })
      expect([response.status, response.headers.get('X-Error-Code')]).toEqual([503, 'filter_not_ready'])
    } finally {
      await service.sql`update dataset set derived_terms = ${String(kept?.derived_terms)}::text::jsonb`
    }
  })

  test('charge nothing, whatever was asked', async () => {
    const { charged } = await service.readLedger(service.keyId)
    await ask('/counts?of=repos&by=dependency')
    expect((await service.readLedger(service.keyId)).charged).toBe(charged)
  })
})

/** `by` doesn't matter here: the key was permitted. */
function isAnswered(status: number): boolean {
  return status === 200 || status === 400
}
