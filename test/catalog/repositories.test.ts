/** @module-tag over-the-wire */
import { describe, expect, test } from 'vitest'
import { readListResponse } from '../support/list-response.ts'
import {
  blameOf,
  commitsOf,
  dependenciesOf,
  repositoryOf,
  sampleRepositories,
} from '../support/sample-oracle.ts'
import { describeOnOneDatabase, useService } from '../support/service.ts'

describeOnOneDatabase('a repository', (kind) => {
  const service = useService(kind)

  describe('GET /repos/{owner}/{name}', () => {
    test('returns a Repository object without dependencies, and charges 1 credit', async () => {
      const { secret, id } = await service.createKey({ credits: 10 })
      const response = await service.request('/repos/yarrow-collective/platform', { key: secret })
      expect(response.status).toBe(200)
      const { dependencies, ...repository } = repositoryOf('yarrow-collective/platform')
      expect(dependencies.length).toBeGreaterThan(100)
      expect(response.json()).toStrictEqual(repository)
      expect(response.headers.get('X-Credits-Cost')).toBe('1')
      expect(response.headers.get('X-Credits-Remaining')).toBe('9')
      expect(await service.readLedger(id)).toEqual({ balance: 9, granted: 10, charged: 1 })
    })

    test('returns every repository as the list has it, dependencies aside', async () => {
      const { secret } = await service.createKey()
      for (const { dependencies: _, ...repository } of sampleRepositories) {
        const response = await service.request(`/repos/${repository.full_name}`, { key: secret })
        expect(response.json()).toStrictEqual(repository)
      }
    })

    test('returns null for unknown values', async () => {
      const { secret } = await service.createKey()
      const response = await service.request('/repos/yarrow-collective/placeholder', { key: secret })
      expect(response.json()).toMatchObject({
        name: 'placeholder',
        language: null,
        created_at: null,
        private: null,
      })
    })

    test('finds owner and name case-insensitively', async () => {
      const { secret } = await service.createKey()
      for (const path of [
        'Yarrow-Collective/Platform',
        'YARROW-COLLECTIVE/PLATFORM',
        'yarrow-collective/plaTForm',
      ]) {
        const response = await service.request(`/repos/${path}`, { key: secret })
        expect(response.json()).toMatchObject({ full_name: 'yarrow-collective/platform' })
      }
    })

    test('reads escaped letters as letters', async () => {
      const { secret } = await service.createKey()
      const response = await service.request('/repos/yarrow%2Dcollective/%70latform', { key: secret })
      expect(response.json()).toMatchObject({ full_name: 'yarrow-collective/platform' })
    })

    test('is 404 and free for an unknown repository, or one under another owner', async () => {
      const { secret, id } = await service.createKey({ credits: 10 })
      for (const path of [
        'yarrow-collective/no-such-repository',
        'nobody-has-this-login/platform',
        'UmaBakker/platform',
        'yarrow-collective/platfor',
        'yarrow-collective/platform.',
        'platform/yarrow-collective',
        'a/b',
      ]) {
        const response = await service.request(`/repos/${path}`, { key: secret })
        expect([path, response.status, response.json()]).toEqual([
          path,
          404,
          { error: 'Repository not found' },
        ])
        expect(response.headers.get('X-Credits-Cost')).toBe('0')
      }
      expect(await service.readLedger(id)).toEqual({ balance: 10, granted: 10, charged: 0 })
    })

    test('is 404 and free for an unknown repository at balance 0', async () => {
      const { secret } = await service.createKey({ credits: 0 })
      const response = await service.request('/repos/yarrow-collective/no-such-repository', { key: secret })
      expect(response.status).toBe(404)
    })

    test('is 403 at balance 0', async () => {
      const { secret, id } = await service.createKey({ credits: 0 })
      const response = await service.request('/repos/yarrow-collective/platform', { key: secret })
      expect([response.status, response.json()]).toEqual([
        403,
        { error: 'insufficient credits: need 1, have 0' },
      ])
      expect(await service.readLedger(id)).toEqual({ balance: 0, granted: 0, charged: 0 })
    })

    test('is 404 below its lists and beside them', async () => {
      const { secret, id } = await service.createKey({ credits: 10 })
      for (const path of [
        '',
        'issues',
        'Commits',
        'commits/',
        'commits/1',
        'dependencies/',
        'dependencies/x',
      ]) {
        const response = await service.request(`/repos/yarrow-collective/platform/${path}`, { key: secret })
        expect([path, response.status, response.json()]).toEqual([path, 404, { error: 'Not found' }])
      }
      expect((await service.readLedger(id)).charged).toBe(0)
    })
  })

  describe('has a path below /repos/ that', () => {
    test.for<[path: string, error: string]>([
      ['/repos/', 'Owner is missing'],
      ['/repos//n', 'Owner is missing'],
      ['/repos//', 'Owner is missing'],
      ['/repos/o', 'Repository name is missing'],
      ['/repos/o/', 'Repository name is missing'],
      ['/repos/a%20b/n', 'Invalid owner: must be 1 to 100 letters, digits, -, _, ., [ or ], and not . or ..'],
      [
        '/repos/%E6%9D%B1/n',
        'Invalid owner: must be 1 to 100 letters, digits, -, _, ., [ or ], and not . or ..',
      ],
      ['/repos/a%2Fb/n', 'Invalid owner: must be 1 to 100 letters, digits, -, _, ., [ or ], and not . or ..'],
      ['/repos/a%0A/n', 'Invalid owner: must be 1 to 100 letters, digits, -, _, ., [ or ], and not . or ..'],
      ['/repos/~o/n', 'Invalid owner: must be 1 to 100 letters, digits, -, _, ., [ or ], and not . or ..'],
      [
        `/repos/${'o'.repeat(101)}/n`,
        'Invalid owner: must be 1 to 100 letters, digits, -, _, ., [ or ], and not . or ..',
      ],
      [
        '/repos/o/a%20b',
        'Invalid repository name: must be 1 to 100 letters, digits, -, _, ., [ or ], and not . or ..',
      ],
      [
        '/repos/o/n%C3%A9',
        'Invalid repository name: must be 1 to 100 letters, digits, -, _, ., [ or ], and not . or ..',
      ],
      [
        '/repos/o/a%2Fb',
        'Invalid repository name: must be 1 to 100 letters, digits, -, _, ., [ or ], and not . or ..',
      ],
      [
        '/repos/o/a%3Fb',
        'Invalid repository name: must be 1 to 100 letters, digits, -, _, ., [ or ], and not . or ..',
      ],
      [
        '/repos/o/a%5Cb',
        'Invalid repository name: must be 1 to 100 letters, digits, -, _, ., [ or ], and not . or ..',
      ],
      [
        '/repos/o/n%0A',
        'Invalid repository name: must be 1 to 100 letters, digits, -, _, ., [ or ], and not . or ..',
      ],
      [
        '/repos/o/@n',
        'Invalid repository name: must be 1 to 100 letters, digits, -, _, ., [ or ], and not . or ..',
      ],
      [
        `/repos/o/${'n'.repeat(101)}`,
        'Invalid repository name: must be 1 to 100 letters, digits, -, _, ., [ or ], and not . or ..',
      ],
      ['/repos/o/%', 'Invalid URL: malformed percent-encoding'],
      ['/repos/o/%zz', 'Invalid URL: malformed percent-encoding'],
      ['/repos/%ff/n', 'Invalid URL: malformed percent-encoding'],
      ['/repos/o/a%00', 'Invalid URL: NUL character'],
      ['/repos//n/commits', 'Owner is missing'],
      ['/repos/o//commits', 'Repository name is missing'],
      ['/repos//n/dependencies', 'Owner is missing'],
      ['/repos/o//dependencies', 'Repository name is missing'],
      ['/repos//n/dependencies/blame', 'Owner is missing'],
      ['/repos/o//dependencies/blame', 'Repository name is missing'],
      [
        '/repos/a%20b/n/commits',
        'Invalid owner: must be 1 to 100 letters, digits, -, _, ., [ or ], and not . or ..',
      ],
      [
        '/repos/o/a%20b/dependencies',
        'Invalid repository name: must be 1 to 100 letters, digits, -, _, ., [ or ], and not . or ..',
      ],
    ])('is 400 and free as %s: %s', async ([path, error]) => {
      const { secret, id } = await service.createKey({ credits: 10 })
      const response = await service.request(path, { key: secret })
      expect([response.status, response.json()]).toEqual([400, { error }])
      expect(response.headers.get('X-Credits-Cost')).toBe('0')
      expect(await service.readLedger(id)).toEqual({ balance: 10, granted: 10, charged: 0 })
    })

    test('may have owners and names of 100 characters of every allowed kind', async () => {
      const { secret } = await service.createKey()
      for (const path of [
        `${'o'.repeat(100)}/${'n'.repeat(100)}`,
        'build-helper[bot]/a.b_c-D9',
        '_/-',
        'o/.n',
        'o/...',
      ]) {
        const response = await service.request(`/repos/${path}`, { key: secret })
        expect([path, response.json()]).toEqual([path, { error: 'Repository not found' }])
      }
    })
  })

  describe.each([
    { list: 'commits', of: commitsOf },
    { list: 'dependencies', of: dependenciesOf },
    { list: 'dependencies/blame', of: blameOf },
  ])('GET /repos/{owner}/{name}/$list', ({ list, of }) => {
    test('returns a page of 30, for a credit each', async () => {
      const { secret, id } = await service.createKey({ credits: 100 })
      const path = `/repos/yarrow-collective/platform/${list}`
      const { data, total, cost, remaining } = readListResponse(await service.request(path, { key: secret }))
      const expected: readonly object[] = of('yarrow-collective/platform')
      expect(data).toStrictEqual(expected.slice(0, 30))
      expect([total, cost, remaining]).toEqual([expected.length, 30, 70])
      expect(await service.readLedger(id)).toEqual({ balance: 70, granted: 100, charged: 30 })
    })

    test('finds the repository case-insensitively', async () => {
      const { secret } = await service.createKey()
      const path = `/repos/Yarrow-Collective/PLATFORM/${list}`
      const { total } = readListResponse(await service.request(path, { key: secret }))
      expect(total).toBe(of('yarrow-collective/platform').length)
    })

    test('is 404 and free for an unknown repository, whatever page is asked for', async () => {
      const { secret, id } = await service.createKey({ credits: 10 })
      for (const path of ['yarrow-collective/no-such-repository', 'nobody-has-this-login/platform']) {
        for (const query of ['', '?page=99&per_page=1']) {
          const response = await service.request(`/repos/${path}/${list}${query}`, { key: secret })
          expect([response.status, response.json()]).toEqual([404, { error: 'Repository not found' }])
          expect(response.headers.get('X-Credits-Cost')).toBe('0')
          expect(response.headers.get('Link')).toBeNull()
        }
      }
      expect(await service.readLedger(id)).toEqual({ balance: 10, granted: 10, charged: 0 })
    })

    test('is empty and free for a repository that has none, also at balance 0', async () => {
      const { secret } = await service.createKey({ credits: 0 })
      const path = `/repos/yarrow-collective/placeholder/${list}`
      const { data, total, cost, links, pagination } = readListResponse(
        await service.request(path, { key: secret }),
      )
      expect([data, total, cost]).toEqual([[], 0, 0])
      expect([...links.keys()].sort()).toEqual(['first', 'last'])
      expect(pagination).toEqual({ page: 1, per_page: 30, next_page: 0, prev_page: 0, has_more: false })
    })

    test('is refused whole when the balance is below the cost', async () => {
      const { secret, id } = await service.createKey({ credits: 29 })
      const response = await service.request(`/repos/yarrow-collective/platform/${list}`, { key: secret })
      expect([response.status, response.json()]).toEqual([
        403,
        { error: 'insufficient credits: need 30, have 29' },
      ])
      expect(await service.readLedger(id)).toEqual({ balance: 29, granted: 29, charged: 0 })
    })
  })

  test('has its own commits only, even if its forks have the same hashes', async () => {
    const { secret } = await service.createKey()
    const [original, fork] = ['joaosilva/transit-exporter', 'rhaddad/transit-exporter']
    const hashes = new Set(commitsOf(original).map(({ commit_hash }) => commit_hash))
    const shared = commitsOf(fork).filter(({ commit_hash }) => hashes.has(commit_hash))
    expect(shared.length).toBeGreaterThan(10)
    for (const fullName of [original, fork]) {
      const path = `/repos/${fullName}/commits?per_page=100`
      const { data, total } = readListResponse(await service.request(path, { key: secret }))
      const expected: readonly object[] = commitsOf(fullName)
      expect(total).toBe(expected.length)
      expect(data).toEqual(expected.slice(0, 100))
    }
  })
})
