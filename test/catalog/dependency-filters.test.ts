/**
 * The rules of filters by dependencies (decisions/0003-lists.md). What names, files and a status find together is
 * compared with an independent computation in random-filters.test.ts.
 */
import { beforeAll, describe, expect, test } from 'vitest'
import { type ListQuery, readFirstItems } from '../support/catalog.ts'
import { createDependency, createRepository, loadRecords } from '../support/records.ts'
import { findRepositories, findUsers, type OracleFilter } from '../support/sample-oracle.ts'
import { describeOnOneDatabase, useService } from '../support/service.ts'

describeOnOneDatabase('a filter by dependencies', (kind) => {
  const service = useService(kind)

  describe.each([
    { path: '/users', find: findUsers },
    { path: '/repos', find: findRepositories },
  ])('of GET $path', ({ path, find }) => {
    async function expectFound(query: ListQuery, filter: OracleFilter): Promise<void> {
      const expected: readonly object[] = find(filter)
      expect([query, await readFirstItems(service, path, query)]).toEqual([
        query,
        { data: expected.slice(0, 100), total: expected.length },
      ])
    }

    test('compares names case-insensitively', async () => {
      const filter = { names: ['django'] }
      expect(find(filter).length).toBeGreaterThan(
        find({ names: ['django'], files: ['pyproject.toml'] }).length,
      )
      for (const dependency_names of ['django', 'Django', 'DJANGO']) {
        await expectFound({ dependency_names }, filter)
      }
    })

    test('compares whole names', async () => {
      for (const dependency_names of [
        'djang',
        'jango',
        'djangoo',
        'react-',
        '%',
        'react%',
        'reac_',
        '_____',
        '\\',
      ]) {
        await expectFound({ dependency_names }, { names: ['no such name'] })
      }
    })

    test('compares files exactly, case included', async () => {
      expect(find({ files: ['Gemfile'] }).length).toBeGreaterThan(0)
      await expectFound({ dependency_files: 'Gemfile' }, { files: ['Gemfile'] })
      for (const dependency_files of [
        'gemfile',
        'GEMFILE',
        'Gemfil',
        'package%',
        'pom_xml',
        './Gemfile',
        'go.mod\\',
      ]) {
        await expectFound({ dependency_files }, { files: ['no such file'] })
      }
    })

    test('finds what has one dependency with both the name and the file', async () => {
      const [names, files] = [['redis'], ['requirements.txt']]
      const both = find({ names, files })
      const byFile = new Set<object>(find({ files }))
      const each = find({ names }).filter((item) => byFile.has(item))
      expect(both.length).toBeGreaterThan(0)
      expect(each.length).toBeGreaterThan(both.length)
      await expectFound({ dependency_names: 'redis', dependency_files: 'requirements.txt' }, { names, files })
      await expectFound(
        { dependency_names: 'dotenv,redis', dependency_files: 'Gemfile,Cargo.toml,package.json' },
        { names: ['dotenv', 'redis'], files: ['Gemfile', 'Cargo.toml', 'package.json'] },
      )
    })

    test('ignores white space at the ends of entries, and empty entries', async () => {
      await expectFound({ dependency_names: ' redis\t,\t, ,,django\n,' }, { names: ['redis', 'django'] })
      await expectFound({ dependency_files: ',, go.mod\t,' }, { files: ['go.mod'] })
      await expectFound({ dependency_names: 're dis' }, { names: ['re dis'] })
    })

    test.for(['', ',', ' , ,,\t'])(
      'with the value %j, which has no entry, is 400, and free: nobody pays for a page of everything',
      async (nothing) => {
        const { secret, id } = await service.createKey({ credits: 100 })
        for (const [query, name] of [
          [{ dependency_names: nothing }, 'dependency_names'],
          [{ dependency_files: nothing }, 'dependency_files'],
          [{ dependency_names: 'redis', dependency_files: nothing }, 'dependency_files'],
          [{ dependency_names: nothing, dependency_files: 'go.mod' }, 'dependency_names'],
        ] as const) {
          for (const method of ['GET', 'HEAD']) {
            const sent = `${path}?${new URLSearchParams(query)}`
            const response = await service.request(sent, { key: secret, method })
            expect([sent, response.status, response.headers.get('X-Credits-Cost')]).toEqual([sent, 400, '0'])
            if (method === 'HEAD') continue
            expect(response.json()).toEqual({ error: `Invalid ${name}: is empty; leave the parameter out` })
          }
        }
        expect((await service.readLedger(id)).charged).toBe(0)
      },
    )

    test('with a status that is none, or names no dependency, is 400, and free', async () => {
      const { secret, id } = await service.createKey({ credits: 10 })
      const needs =
        'Invalid dependency_status: requires dependency_names, without_dependency_names, or dependency_files'
      const values = 'Invalid dependency_status: must be active or removed'
      for (const [query, error] of [
        ['dependency_status=active', needs],
        ['dependency_status=active&changed_since=0', needs],
        [
          'dependency_status=&dependency_names=react',
          'Invalid dependency_status: is empty; leave the parameter out',
        ],
        ['dependency_status=Active&dependency_names=react', values],
        ['dependency_status=active,removed&dependency_names=react', values],
        [
          'dependency_status=active&dependency_status=removed&dependency_names=react',
          'Invalid dependency_status: given more than once',
        ],
      ]) {
        const response = await service.request(`${path}?${query}`, { key: secret })
        expect([query, response.status, response.json()]).toEqual([query, 400, { error }])
      }
      expect((await service.readLedger(id)).charged).toBe(0)
    })

    test('takes names and files literally, whatever characters they have', async () => {
      const odd = [
        '{redis}',
        '"redis"',
        'NULL',
        "'; drop table users --",
        'redis\\',
        '\\x00',
        '$1',
        '%',
        '(',
        'й',
      ]
      await expectFound({ dependency_names: odd.join() }, { names: odd })
      await expectFound({ dependency_files: odd.join() }, { files: odd })
      await expectFound({ dependency_names: `${odd},redis` }, { names: [...odd, 'redis'] })
    })

    describe.each(['dependency_names', 'dependency_files'])('as %s', (parameter) => {
      async function expectRefused(values: string | readonly string[], rule: string): Promise<void> {
        const { secret, id } = await service.createKey({ credits: 1000 })
        const query = new URLSearchParams([values].flat().map((value) => [parameter, value]))
        const response = await service.request(`${path}?${query}`, { key: secret })
        expect([response.status, response.json()]).toEqual([400, { error: `Invalid ${parameter}: ${rule}` }])
        expect(response.headers.get('X-Credits-Cost')).toBe('0')
        expect((await service.readLedger(id)).charged).toBe(0)
      }

      test('has at most 50 entries, empty ones aside', async () => {
        const entries = Array.from({ length: 50 }, (_, index) => `no-such-entry-${index}`)
        expect((await readFirstItems(service, path, { [parameter]: entries.join() })).total).toBe(0)
        expect((await readFirstItems(service, path, { [parameter]: entries.join(', ,,') })).total).toBe(0)
        await expectRefused([...entries, 'one-more'].join(), 'at most 50 entries')
        await expectRefused(Array.from({ length: 51 }, () => 'same').join(), 'at most 50 entries')
      })

      test('has entries of at most 255 characters', async () => {
        for (const character of ['a', 'é', '東', '🌍']) {
          const longest = character.repeat(255)
          expect((await readFirstItems(service, path, { [parameter]: `x,  ${longest}\t` })).total).toBe(0)
          await expectRefused(`x,,${longest}${character}`, 'entry 2 is longer than 255 characters')
        }
      })

      test('adds up if it is given more than once, and its bounds count all entries', async () => {
        const kind = parameter === 'dependency_names' ? 'names' : 'files'
        const [one, other] = kind === 'names' ? ['redis', 'django'] : ['go.mod', 'Gemfile']
        expect(find({ [kind]: [one, other] }).length).toBeGreaterThan(find({ [kind]: [one] }).length)
        for (const values of [
          [one, other],
          [`${other},`, '', `${one},${one}`],
          [` ${one}\t`, other, one],
        ]) {
          await expectFound({ [parameter]: values }, { [kind]: [one, other] })
        }
        const entries = Array.from({ length: 49 }, (_, index) => `no-such-entry-${index}`)
        await expectFound({ [parameter]: [...entries, one] }, { [kind]: [one] })
        await expectFound({ [parameter]: [entries.join(), one] }, { [kind]: [one] })
        await expectRefused([...entries, one, other], 'at most 50 entries')
        await expectRefused([entries.join(), `${one},${other}`], 'at most 50 entries')
        await expectRefused(['a,b', 'c'.repeat(256)], 'entry 3 is longer than 255 characters')
      })
    })
  })
})

describeOnOneDatabase('a dependency’s name', (kind) => {
  const service = useService(kind, { data: 'empty' })
  beforeAll(async () => {
    await loadRecords(service.sql, { repos: spelled })
  })

  test.for<[rule: string, spellings: string[], repositories: string[]]>([
    [
      'of Python may have -, _ or . between its parts, in each manifest',
      ['charset_normalizer', 'Charset-Normalizer', 'CHARSET.-_normalizer'],
      ['pyproject.toml', 'requirements.txt', 'dev.txt', 'setup.py', 'setup.cfg', 'Pipfile'],
    ],
    ['of a crate may have - or _', ['serde_json', 'Serde-JSON'], ['Cargo.toml']],
    ['of a crate may not have a period instead', ['serde.json'], []],
    ['of npm has one spelling', ['lodash.get', 'LODASH.GET'], ['package.json']],
    ['of npm has one spelling', ['lodash-get', 'lodash_get'], []],
    ['of a gem has one spelling', ['rspec-rails'], ['Gemfile']],
    ['of a gem has one spelling', ['rspec_rails'], []],
    ['of two ecosystems follows the rule of each', ['a_b'], ['both-python', 'both-npm']],
    ['of two ecosystems follows the rule of each', ['a-b'], ['both-python']],
  ])('%s: %j finds %j', async ([, spellings, repositories]) => {
    for (const spelling of spellings) {
      const { data } = await readFirstItems(service, '/repos', { dependency_names: spelling })
      expect([spelling, data.map(({ name }) => name)]).toEqual([spelling, repositories])
    }
  })

  test('is served as it was loaded', async () => {
    const { data } = await readFirstItems(service, '/repos', { dependency_names: 'charset-normalizer' })
    expect(JSON.stringify(data[0])).toContain('"dependency_name":"Charset_Normalizer"')
  })
})

const spelled = (
  [
    ['pyproject.toml', 'pyproject.toml', 'Charset_Normalizer'],
    ['requirements.txt', 'requirements.txt', 'charset-normalizer'],
    ['dev.txt', 'dev.txt', 'charset.normalizer'],
    ['setup.py', 'setup.py', 'charset__normalizer'],
    ['setup.cfg', 'setup.cfg', 'CHARSET-normalizer'],
    ['Pipfile', 'Pipfile', 'charset_normalizer'],
    ['Cargo.toml', 'Cargo.toml', 'serde_json'],
    ['package.json', 'package.json', 'lodash.get'],
    ['Gemfile', 'Gemfile', 'rspec-rails'],
    ['both-python', 'requirements.txt', 'a-b'],
    ['both-npm', 'package.json', 'a_b'],
  ] as const
).map(([name, file, dependency], index) => {
  const url = `https://forge.example/someone/${name}`
  return createRepository(index + 1, 'someone', [], {
    name,
    url,
    dependencies: [createDependency(url, dependency, file)],
  })
})
