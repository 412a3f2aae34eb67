/**
 * `owner`: the repositories of a login (decisions/0003-lists.md). What it finds beside other filters is compared with
 * an independent computation in random-filters.test.ts.
 */
import { expect, test } from 'vitest'
import { type ListQuery, writeQuery } from '../support/catalog.ts'
import { readListResponse } from '../support/list-response.ts'
import { createCommit, createRepository, createUser, loadRecords } from '../support/records.ts'
import { removeRows } from '../support/removal.ts'
import { findRepositories, sampleRepositories } from '../support/sample-oracle.ts'
import { describeOnOneDatabase, useService } from '../support/service.ts'

/** Repositories of one owner, which are many pages. */
const large = 1_001

describeOnOneDatabase('owner', (kind) => {
  const service = useService(kind, { key: {} })

  const ask = async (query: ListQuery) =>
    readListResponse(
      await service.request(`/repos?${writeQuery({ per_page: '100', ...query })}`, { key: service.key }),
    )

  /** Follows `next` from the first page on. */
  async function readAll(query: ListQuery): Promise<unknown[]> {
    const found: unknown[] = []
    let next: string | undefined = `?${writeQuery(query)}`
    while (next !== undefined) {
      const { data, links, total } = readListResponse(
        await service.request(`/repos${next}`, { key: service.key }),
      )
      found.push(...data.map(({ forge_rest_id: id }) => id))
      next = links.get('next')?.search
      if (next === undefined) expect(found).toHaveLength(total)
    }
    return found
  }

  test('has exact pages and links, by number and by the last item of a page', async () => {
    const expected = findRepositories({ owner: 'rhaddad' })
    expect(await readAll({ owner: 'rhaddad', per_page: '4' })).toEqual(
      expected.map(({ forge_rest_id: id }) => id),
    )
    for (const [page, first, last] of [
      [1, 0, 4],
      [3, 8, 12],
      [5, 16, 20],
      [6, 20, 20],
      [Number.MAX_SAFE_INTEGER / 4 - 1, 20, 20],
    ] as const) {
      const { data, total, links } = await ask({
        owner: 'rhaddad',
        per_page: '4',
        page: String(Math.floor(page)),
      })
      expect(data).toEqual(expected.slice(first, last))
      expect(total).toBe(expected.length)
      expect(links.get('last')?.searchParams.get('page')).toBe('5')
    }
    const id = expected[7]?.internal_id ?? 0
    for (const after of [id, id + 1, id - 1]) {
      const { data } = await ask({ owner: 'rhaddad', after: String(after) })
      expect(data).toEqual(expected.filter(({ internal_id }) => internal_id > after))
    }
  })

  test('finds nothing for owners that nobody has', async () => {
    for (const owner of ['rhaddad', 'jonaskumar', 'nobody-has-this-login', '..a', '[bot]']) {
      await ask({ owner })
      await ask({ owner, dependency_names: 'react' })
    }
    const { data, total, cost, links } = await ask({ owner: 'nobody-has-this-login' })
    expect([data, total, cost]).toEqual([[], 0, 0])
    expect([...links.keys()]).toEqual(['first', 'last'])
  })

  test('that no account could have is 400, and free; so is one given twice', async () => {
    const rule = 'Invalid owner: must be 1 to 100 letters, digits, -, _, ., [ or ], and not . or ..'
    for (const [query, error] of [
      ['owner=', 'Invalid owner: is empty; leave the parameter out'],
      ['owner=.', rule],
      ['owner=..', rule],
      ['owner=a%20b', rule],
      ['owner=a/b', rule],
      ['owner=%20a', rule],
      ['owner=ä', rule],
      [`owner=${'a'.repeat(101)}`, rule],
      ['owner=a&owner=a', 'Invalid owner: given more than once'],
    ]) {
      const response = await service.request(`/repos?${query}`, { key: service.key })
      expect([query, response.status, response.json()]).toEqual([query, 400, { error }])
      expect(response.headers.get('X-Credits-Cost')).toBe('0')
    }
    expect((await ask({ owner: 'a'.repeat(100) })).total).toBe(0)
  })

  test('is who has it now: after a rename, a removal and a commit by somebody else', async () => {
    const first = 10_000_001
    const create = (number: number, owner: string) => createRepository(first + number, owner, ['react'])
    const isMine = async (owner: string, query: ListQuery = {}) =>
      (await readAll({ owner, ...query })).map((id) => Number(id) - first)
    await loadRecords(service.sql, {
      users: [createUser(7_000_001, { login: 'Mine' }), createUser(7_000_002, { login: 'theirs' })],
      repos: [create(0, 'Mine'), create(1, 'mine'), create(2, 'theirs')],
      // An author doesn't own the repository.
      commits: [createCommit(1, create(2, 'theirs').url, 'mine@users.noreply.forge.example', 1)],
    })
    expect(await isMine('MINE')).toEqual([0, 1])
    expect(await isMine('theirs')).toEqual([2])
    await loadRecords(service.sql, { repos: [create(1, 'theirs'), create(3, 'mine')] })
    expect(await isMine('mine')).toEqual([0, 3])
    expect(await isMine('theirs', { dependency_names: 'react' })).toEqual([1, 2])
    await removeRows(service.sql, { repositories: [first, first + 2] })
    expect(await isMine('mine')).toEqual([3])
    expect(await isMine('theirs')).toEqual([1])
  })

  test('with very many repositories has exact pages too, before and after a load', async () => {
    const create = (number: number) =>
      createRepository(20_000_000 + number, 'Large', [number % 3 === 0 ? 'zod' : 'hono'])
    const repos = Array.from({ length: large }, (_, number) => create(number))
    await loadRecords(service.sql, { repos: repos.slice(1) })
    const numbers = (query: ListQuery) =>
      readAll({ owner: 'large', per_page: '100', exclude: 'dependencies', ...query })
    const ids = (list: readonly { forge_rest_id: number }[]) => list.map(({ forge_rest_id: id }) => id)
    for (const expected of [repos.slice(1), [...repos.slice(1), ...repos.slice(0, 1)]]) {
      if (expected.length === large) await loadRecords(service.sql, { repos: repos.slice(0, 1) })
      expect(await numbers({})).toEqual(ids(expected))
      const ofZod = expected.filter(({ forge_rest_id: id }) => (id - 20_000_000) % 3 === 0)
      expect(await numbers({ dependency_names: 'zod' })).toEqual(ids(ofZod))
      expect(await numbers({ dependency_names: 'zod', dependency_status: 'removed' })).toEqual([])
    }
    expect(sampleRepositories.some(({ owner_login: owner }) => owner === 'large')).toBe(false)
  })
})
