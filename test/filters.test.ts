import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SampleCommit, SampleRepository, SampleUser } from '../sample/records.ts'
import { readListAnswer } from './support/list-answer.ts'
import { loadRecords } from './support/records.ts'
import {
  findRepositories,
  findUsers,
  type OracleFilter,
  sampleCommits,
  sampleRepositories,
  sampleUsers,
} from './support/sample-oracle.ts'
import { describeOnEachDatabase, startTestService, type TestService } from './support/service.ts'

/** The whole of a list of up to 100 elements. */
async function listAll(service: TestService, path: string, query: Record<string, string>) {
  const { secret } = await service.createKey()
  const search = new URLSearchParams({ ...query, per_page: '100' })
  const { data, total } = readListAnswer(await service.request(`${path}?${search}`, { key: secret }))
  expect(data.length).toBe(Math.min(total, 100))
  return { data, total }
}

describeOnEachDatabase('a filter', (kind) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(kind)
  })
  afterAll(() => service.close())

  describe('location', () => {
    /** The different places of all users that a location finds. */
    async function findPlaces(location: string): Promise<string[]> {
      const { data } = await listAll(service, '/users', { location })
      return [...new Set(data.map((user) => String(user.location)))].sort()
    }

    test.for<[rule: string, locations: string[], places: string[]]>([
      ['matches a part', ['ondo'], ['London', 'London, UK']],
      ['has no regard to case', ['KRAKÓW', 'kraków', 'kRAKÓw'], ['Kraków, Poland']],
      ['has regard to accents', ['krakow'], []],
      [
        'has no regard to case beyond ASCII',
        ['москва', 'МОСКВА', 'мОСКВа'],
        ['МОСКВА, Россия', 'Москва'].sort(),
      ],
      [
        'takes composed and decomposed letters for the same',
        ['zürich', 'ZÜRICH', 'zu\u0308rich', 'ZU\u0308RICH'],
        ['Winterthur (Kanton Zürich)', 'Zu\u0308rich, CH', 'ZÜRICH', 'Zürich'].sort(),
      ],
      ['takes letters with and without accents for different', ['zurich'], ['Zurich, Switzerland']],
      [
        'takes dotted and dotless I for the same',
        ['istanbul', 'İSTANBUL', 'İstanbul', 'ISTANBUL', 'i\u0307stanbul'],
        ['Istanbul, Turkey', 'istanbul', 'İSTANBUL, Türkiye', 'İstanbul'].sort(),
      ],
      ['finds a dotless I', ['ığdır', 'IĞDIR', 'Iğdır'], ['Iğdır, Türkiye']],
      [
        'takes ß and SS for the same',
        ['straße', 'STRASSE', 'strasse', 'STRAẞE'],
        ['Straße der Beispiele 17, Berlin'],
      ],
      [
        'takes all sigmas for the same',
        ['πειραιάς', 'ΠΕΙΡΑΙΆΣ', 'πειραιάσ'],
        ['ΠΕΙΡΑΙΆΣ', 'Πειραιάς'].sort(),
      ],
      ['matches scripts without case', ['東京'], ['東京', '東京 / 京都', '東京都'].sort()],
      ['matches scripts from right to left', ['القاهرة'], ['القاهرة، مصر']],
      ['matches characters beyond the basic plane', ['🌍'], ['Earth 🌍']],
      ['takes a percent sign for itself', ['%'], ['100 % online', '100% remote', '50%_50 office'].sort()],
      ['takes a percent sign for itself', ['100%'], ['100% remote']],
      ['takes a percent sign for itself', ['1%e'], []],
      ['takes an underscore for itself', ['_'], ['50%_50 office', 'under_score City'].sort()],
      ['takes an underscore for itself', ['under_score'], ['under_score City']],
      ['takes an underscore for itself', ['under_'], ['under_score City']],
      ['takes a backslash for itself', ['\\'], ['C:\\home', '\\\\fileserver\\share'].sort()],
      ['takes a backslash for itself', ['\\\\'], ['\\\\fileserver\\share']],
      ['takes a backslash for itself', ['\\%', '\\_', 'c:\\\\home'], []],
      ['takes quotes for themselves', ["o'f"], ["O'Fallon, MO"]],
      ['takes quotes for themselves', ['"the'], ['"the cloud"']],
      ['takes a comma for itself', ['porto,'], ['Porto,Portugal']],
      ['takes & and + for themselves', ['& beyond + more'], ['Berlin & beyond + more']],
      ['has nothing to do with places that are not there', ['null'], ['null']],
      ['drops white space at its ends', ['  paris ', '\tparis\n', '\u00a0paris\u3000'], ['Paris, France']],
      ['keeps white space inside', ['mexico  city'], []],
      ['keeps white space inside', ['mexico city'], ['Mexico City']],
      ['finds places with white space at their ends', ['Lisbon, Portugal'], ['  Lisbon, Portugal ']],
    ])('%s: %j finds users in %j', async ([, locations, places]) => {
      for (const location of locations)
        expect([location, await findPlaces(location)]).toEqual([location, places])
    })

    test.for(['', ' ', '\t\n', '\u3000'])(
      '%j is no filter: users without a location are listed too',
      async (location) => {
        expect(await listAll(service, '/users', { location })).toEqual({
          data: sampleUsers.slice(0, 100),
          total: sampleUsers.length,
        })
      },
    )

    test('given twice is 400 and free, even if it is the same', async () => {
      const { secret, id } = await service.createKey({ credits: 10 })
      for (const query of ['location=a&location=b', 'location=a&location=a', 'location=&location=']) {
        const answer = await service.request(`/users?${query}`, { key: secret })
        expect([answer.status, answer.json()]).toEqual([
          400,
          { error: 'Invalid location: given more than once' },
        ])
      }
      expect((await service.readLedger(id)).charged).toBe(0)
    })

    test('takes 255 characters, and not 256; white space at its ends does not count', async () => {
      const { secret: key } = await service.createKey()
      for (const character of ['a', 'é', '東', '🌍']) {
        const longest = character.repeat(255)
        expect((await listAll(service, '/users', { location: `  ${longest} ` })).total).toBe(0)
        const query = new URLSearchParams({ location: longest + character })
        const answer = await service.request(`/users?${query}`, { key })
        expect([answer.status, answer.json()]).toEqual([
          400,
          { error: 'Invalid location: longer than 255 characters' },
        ])
      }
    })

    test('does not filter repositories', async () => {
      const { total } = await listAll(service, '/repos', { location: 'berlin' })
      expect(total).toBe(sampleRepositories.length)
    })
  })

  describe.each([
    { path: '/users', find: findUsers },
    { path: '/repos', find: findRepositories },
  ])('by dependencies of GET $path', ({ path, find }) => {
    async function expectFound(query: Record<string, string>, filter: OracleFilter): Promise<void> {
      const expected: readonly object[] = find(filter)
      expect([query, await listAll(service, path, query)]).toEqual([
        query,
        { data: expected.slice(0, 100), total: expected.length },
      ])
    }

    test('names are compared without regard to case', async () => {
      const filter = { names: ['django'] }
      expect(find(filter).length).toBeGreaterThan(
        find({ names: ['django'], files: ['pyproject.toml'] }).length,
      )
      for (const dependency_names of ['django', 'Django', 'DJANGO']) {
        await expectFound({ dependency_names }, filter)
      }
    })

    test('names are compared whole: a part of one, or one with more, finds nothing', async () => {
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

    test('files are compared exactly, case included', async () => {
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

    test('any of several matches, each element being there once', async () => {
      const names = ['redis', 'typescript', 'requests', 'there-is-none']
      await expectFound({ dependency_names: names.join() }, { names })
      await expectFound({ dependency_names: names.toReversed().join() }, { names })
      await expectFound({ dependency_names: `${names},${names}` }, { names })
      const files = ['go.mod', 'pom.xml', 'there.is.none']
      await expectFound({ dependency_files: files.join() }, { files })
      await expectFound({ dependency_files: `${files},${files}` }, { files })
    })

    test('one and the same dependency must match both', async () => {
      const [names, files] = [['redis'], ['requirements.txt']]
      const both = find({ names, files })
      const byFile = new Set<object>(find({ files }))
      const each = find({ names }).filter((element) => byFile.has(element))
      expect(both.length).toBeGreaterThan(0)
      expect(each.length).toBeGreaterThan(both.length)
      await expectFound({ dependency_names: 'redis', dependency_files: 'requirements.txt' }, { names, files })
      await expectFound(
        { dependency_names: 'dotenv,redis', dependency_files: 'Gemfile,Cargo.toml,package.json' },
        { names: ['dotenv', 'redis'], files: ['Gemfile', 'Cargo.toml', 'package.json'] },
      )
    })

    test('white space at the ends of entries, and empty entries, are dropped', async () => {
      await expectFound({ dependency_names: ' redis ,\t, ,,django\n,' }, { names: ['redis', 'django'] })
      await expectFound({ dependency_files: ',, go.mod ,' }, { files: ['go.mod'] })
      await expectFound({ dependency_names: 're dis' }, { names: ['re dis'] })
    })

    test.for(['', ',', ' , ,,\t'])('%j is no filter, alone or beside another', async (nothing) => {
      await expectFound({ dependency_names: nothing }, {})
      await expectFound({ dependency_files: nothing }, {})
      await expectFound({ dependency_names: nothing, dependency_files: nothing }, {})
      await expectFound({ dependency_names: 'redis', dependency_files: nothing }, { names: ['redis'] })
      await expectFound({ dependency_names: nothing, dependency_files: 'go.mod' }, { files: ['go.mod'] })
    })

    test('dependencies that were removed count as much as those that are active', async () => {
      const removedOnly = sampleRepositories.find(({ dependencies }) => {
        const [first, second] = dependencies
        return first?.status === 'removed' && second !== undefined
      })
      const name = removedOnly?.dependencies[0]?.dependency.dependency_name ?? ''
      const found: readonly object[] = findRepositories({ names: [name] })
      expect(found).toContain(removedOnly)
      await expectFound({ dependency_names: name }, { names: [name] })
    })

    test('names and files with characters that mean something to a database mean nothing here', async () => {
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

    describe.each(['dependency_names', 'dependency_files'])('%s', (parameter) => {
      async function expectRefused(value: string, rule: string): Promise<void> {
        const { secret, id } = await service.createKey({ credits: 1000 })
        const query = new URLSearchParams({ [parameter]: value })
        const answer = await service.request(`${path}?${query}`, { key: secret })
        expect([answer.status, answer.json()]).toEqual([400, { error: `Invalid ${parameter}: ${rule}` }])
        expect(answer.headers.get('X-Credits-Cost')).toBe('0')
        expect((await service.readLedger(id)).charged).toBe(0)
      }

      test('takes 50 entries, empty ones aside, and not 51', async () => {
        const entries = Array.from({ length: 50 }, (_, index) => `no-such-entry-${index}`)
        expect((await listAll(service, path, { [parameter]: entries.join() })).total).toBe(0)
        expect((await listAll(service, path, { [parameter]: entries.join(', ,,') })).total).toBe(0)
        await expectRefused([...entries, 'one-more'].join(), 'at most 50 entries')
        await expectRefused(Array.from({ length: 51 }, () => 'same').join(), 'at most 50 entries')
      })

      test('takes entries of 255 characters, and not of 256', async () => {
        for (const character of ['a', 'é', '東', '🌍']) {
          const longest = character.repeat(255)
          expect((await listAll(service, path, { [parameter]: `x,  ${longest} ` })).total).toBe(0)
          await expectRefused(`x,,${longest}${character}`, 'entry 2 is longer than 255 characters')
        }
      })

      test('takes as many entries as long as they may be', async () => {
        const entries = Array.from({ length: 50 }, (_, index) => String(index).padEnd(255, '東'))
        const query = { dependency_names: entries.join(), dependency_files: entries.join() }
        expect((await listAll(service, path, query)).total).toBe(0)
      })

      test('given twice is 400, and free', async () => {
        const { secret, id } = await service.createKey({ credits: 10 })
        for (const values of [
          ['redis', 'django'],
          ['redis', 'redis'],
          ['', ''],
        ]) {
          const query = new URLSearchParams(values.map((value) => [parameter, value]))
          const answer = await service.request(`${path}?${query}`, { key: secret })
          expect([answer.status, answer.json()]).toEqual([
            400,
            { error: `Invalid ${parameter}: given more than once` },
          ])
        }
        expect((await service.readLedger(id)).charged).toBe(0)
      })
    })
  })

  describe('drawn at random', () => {
    let key: string
    beforeAll(async () => {
      key = (await service.createKey({ credits: 10_000_000 })).secret
    })

    const perPage = fc.integer({ min: 1, max: 100 })
    /** As a fraction, so that most pages are inside the list. */
    const position = fc.double({ min: 0, max: 1.2, noNaN: true })

    test('of users finds on any page what an independent computation finds', async () => {
      await fc.assert(
        fc.asyncProperty(
          locations,
          dependencyFilter,
          position,
          perPage,
          async (location, filter, at, size) => {
            const expected = findUsers({ ...(location !== undefined && { location }), ...filter })
            await expectPage('/users', location, filter, { expected, at, size })
          },
        ),
        { numRuns: 150 },
      )
    })

    test('of repositories finds on any page what an independent computation finds', async () => {
      await fc.assert(
        fc.asyncProperty(dependencyFilter, position, perPage, async (filter, at, size) => {
          const expected = findRepositories(filter)
          await expectPage('/repos', undefined, filter, { expected, at, size })
        }),
        { numRuns: 100 },
      )
    })

    async function expectPage(
      path: string,
      location: string | undefined,
      { names, files }: OracleFilter,
      { expected, at, size }: { expected: readonly object[]; at: number; size: number },
    ): Promise<void> {
      const page = 1 + Math.floor((at * expected.length) / size)
      const query = new URLSearchParams({
        page: String(page),
        per_page: String(size),
        ...(location !== undefined && { location }),
        ...(names !== undefined && { dependency_names: names.join() }),
        ...(files !== undefined && { dependency_files: files.join() }),
      })
      const { data, total, cost } = readListAnswer(await service.request(`${path}?${query}`, { key }))
      expect(total).toBe(expected.length)
      expect(data).toEqual(expected.slice((page - 1) * size, page * size))
      expect(cost).toBe(data.length)
    }
  })
})

/** A text with each of its letters in either case. */
function inRandomCase(texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(texts, fc.infiniteStream(fc.constantFrom('as it is', 'upper', 'lower')))
    .map(([text, cases]) => {
      let changed = ''
      for (const letter of text) {
        const { value: to } = cases.next()
        changed += to === 'upper' ? letter.toUpperCase() : to === 'lower' ? letter.toLowerCase() : letter
      }
      return changed
    })
}

/** Part of a text, by whole characters. */
function partOf(texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.tuple(texts, fc.nat(), fc.nat()).map(([text, from, length]) => {
    const characters = [...text]
    const start = from % Math.max(1, characters.length)
    return characters.slice(start, start + 1 + (length % 8)).join('')
  })
}

function valuesOf<Value>(values: Iterable<Value>): fc.Arbitrary<Value> {
  return fc.constantFrom(...new Set(values))
}

const places = valuesOf(sampleUsers.flatMap(({ location }) => location ?? []))
const locations = fc.option(inRandomCase(fc.oneof(places, { weight: 3, arbitrary: partOf(places) })), {
  nil: undefined,
})

const declared = sampleRepositories.flatMap(({ dependencies }) =>
  dependencies.map(({ dependency }) => dependency),
)
const names = valuesOf(declared.map(({ dependency_name }) => dependency_name))
const files = valuesOf(declared.map(({ dependency_file }) => dependency_file))
const dependencyFilter: fc.Arbitrary<OracleFilter> = fc.record(
  {
    names: fc.array(fc.oneof({ weight: 4, arbitrary: inRandomCase(names) }, partOf(names)), {
      minLength: 1,
      maxLength: 6,
    }),
    files: fc.array(fc.oneof({ weight: 8, arbitrary: files }, inRandomCase(files)), {
      minLength: 1,
      maxLength: 3,
    }),
  },
  { requiredKeys: [] },
)

describeOnEachDatabase('a user uses a dependency', (kind) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(kind, { data: 'empty' })
    await loadRecords(service.sql, { users: people, repos: projects, commits: work })
  })
  afterAll(() => service.close())

  test.for([
    ['owned', ['Ada'], 'of a repository that they own, whatever the case of its owner_login'],
    ['by-address', ['Ben'], 'of a repository with a commit by their e-mail address, whatever its case'],
    [
      'by-id',
      ['Cleo'],
      'of a repository with a commit by the no-reply address with their id, whatever login it has',
    ],
    ['by-login', ['Dan'], 'of a repository with a commit by the no-reply address with their login alone'],
    ['by-nobody', [], 'not of one whose commits are by nobody that is known'],
    ['by-committer', [], 'not of one in which they are the committer, but not the author'],
    ['removed', ['Ada'], 'that was removed'],
    ['by-two', ['Ben', 'Cleo'], 'that others use too'],
  ] as const)('%s: %j, %s', async ([dependency, logins]) => {
    const { data } = await listAll(service, '/users', { dependency_names: dependency })
    expect(data.map(({ login }) => login)).toEqual(logins)
  })
})

describeOnEachDatabase('a dependency’s name', (kind) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(kind, { data: 'empty' })
    await loadRecords(service.sql, { repos: spelled })
  })
  afterAll(() => service.close())

  test.for<[rule: string, spellings: string[], repositories: string[]]>([
    [
      'of Python has any of -, _ and . between its parts, in each of its manifests',
      ['charset_normalizer', 'Charset-Normalizer', 'CHARSET.-_normalizer'],
      ['pyproject.toml', 'requirements.txt', 'dev.txt', 'setup.py', 'setup.cfg', 'Pipfile'],
    ],
    ['of a crate has - or _', ['serde_json', 'Serde-JSON'], ['Cargo.toml']],
    ['of a crate has no point', ['serde.json'], []],
    ['of npm is spelled in one way', ['lodash.get', 'LODASH.GET'], ['package.json']],
    ['of npm is spelled in one way', ['lodash-get', 'lodash_get'], []],
    ['of a gem is spelled in one way', ['rspec-rails'], ['Gemfile']],
    ['of a gem is spelled in one way', ['rspec_rails'], []],
    ['of two ecosystems is compared by the rule of each', ['a_b'], ['both-python', 'both-npm']],
    ['of two ecosystems is compared by the rule of each', ['a-b'], ['both-python']],
  ])('%s: %j finds %j', async ([, spellings, repositories]) => {
    for (const spelling of spellings) {
      const { data } = await listAll(service, '/repos', { dependency_names: spelling })
      expect([spelling, data.map(({ name }) => name)]).toEqual([spelling, repositories])
    }
  })

  test('is served as it was given', async () => {
    const { data } = await listAll(service, '/repos', { dependency_names: 'charset-normalizer' })
    expect(JSON.stringify(data[0])).toContain('"dependency_name":"Charset_Normalizer"')
  })
})

/** A repository like the first of the sample, with an id, an owner and a name of its own. */
function createModelRepository(id: number, owner: string, name: string): SampleRepository {
  const { internal_id: _, ...model } = sampleRepositories[0] ?? expect.unreachable()
  return {
    ...model,
    forge_rest_id: id,
    forge_graphql_id: `R_${id}`,
    url: `https://forge.example/${owner}/${name}`,
    name,
    owner_login: owner,
    full_name: `${owner}/${name}`,
  }
}

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
).map(([name, file, dependency], index): SampleRepository => {
  const repository = createModelRepository(index + 1, 'someone', name)
  return {
    ...repository,
    dependencies: [
      {
        url: repository.url,
        first_use_date: 1,
        last_use_date: null,
        updated_at: 1,
        status: 'active',
        dependency: { dependency_name: dependency, dependency_file: file },
      },
    ],
  }
})

const people = ['Ada', 'Ben', 'Cleo', 'Dan', 'Eve'].map((login, index): SampleUser => {
  const [model] = sampleUsers
  if (model === undefined) throw new Error('the sample has no users')
  const number = index + 1
  const email = `${login}@Example.org`
  return { ...model, forge_rest_id: number, forge_graphql_id: `U_${number}`, login, email }
})

const projects = (
  [
    ['aDA', 'owned'],
    ['someone', 'by-address'],
    ['someone', 'by-id'],
    ['someone', 'by-login'],
    ['someone', 'by-nobody'],
    ['someone', 'by-committer'],
    ['ADA', 'removed'],
    ['someone', 'by-two'],
  ] as const
).map(([owner, name], index): SampleRepository => {
  const repository = createModelRepository(index + 1, owner, name)
  const status = name === 'removed' ? 'removed' : 'active'
  return {
    ...repository,
    dependencies: [
      {
        url: repository.url,
        first_use_date: 1,
        last_use_date: status === 'removed' ? 2 : null,
        updated_at: 2,
        status,
        dependency: { dependency_name: name, dependency_file: 'package.json' },
      },
    ],
  }
})

const work = (
  [
    ['by-address', 'bEN@eXAMPLE.ORG'],
    ['by-id', '3+Eve@users.noreply.forge.example'],
    ['by-login', 'dan@users.noreply.forge.example'],
    ['by-nobody', '99+Eve@users.noreply.forge.example'],
    ['by-nobody', 'eve@example.com'],
    ['by-nobody', 'Eve'],
    ['by-nobody', 'x-Eve@Example.org'],
    ['by-committer', 'nobody@example.com'],
    ['by-two', 'Ben@Example.org'],
    ['by-two', '3+Cleo@users.noreply.forge.example'],
    ['by-two', '3+Cleo@users.noreply.forge.example'],
  ] as const
).map(([name, author_email], index): SampleCommit => {
  const model = sampleCommits[0] ?? expect.unreachable()
  return {
    ...model,
    commit_hash: String(index).padStart(40, '0'),
    author_email,
    committer_email: 'Eve@Example.org',
    repo_url: `https://forge.example/someone/${name}`,
  }
})
