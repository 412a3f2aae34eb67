/**
 * A user uses by authorship what a repository declared at some time between their first commit there and their last
 * (decisions/0004-data.md).
 */
import { beforeAll, expect, test } from 'vitest'
import { removeRepository } from '../../api/dataset/repository-removal.ts'
import { importNdjson } from '../../api/sources/ndjson/import.ts'
import type { SampleCommit, SampleDependency, SampleRepository, SampleUser } from '../../sample/records.ts'
import { readFirstItems } from '../support/catalog.ts'
import { createSource, toLines } from '../support/ndjson.ts'
import {
  createCommit,
  createDependency,
  createRepository,
  createUser,
  loadRecords,
  type Records,
} from '../support/records.ts'
import { describeOnEachDatabase, type TestService, useService } from '../support/service.ts'

const users = [
  createUser(1, { login: 'ann', email: 'ann@example.org' }),
  createUser(2, { login: 'ben', email: 'team@example.org' }),
  createUser(3, { login: 'cleo', email: 'team@example.org' }),
  createUser(4, { login: 'typed', email: 'typed@example.org', type: 'Bot' }),
  Object.assign(createUser(5, { login: 'shouted', email: 'shouted@example.org' }), { type: 'BOT' }),
  createUser(6, { login: 'Renovate[BOT]', email: 'renovate@example.org' }),
  createUser(7, { login: 'own', email: 'own@example.org' }),
]
const ann = 'ann@example.org'
const hiddenAnn = '1+somebody@users.noreply.forge.example'
const team = 'team@example.org'

type Use = [status: SampleDependency['status'], first: number | null, last: number | null]
type Commits = [author: string, date: number | null][]
const between100And200: Commits = [
  [ann, 200],
  [ann, 100],
]

const cases: [what: string, use: Use, commits: Commits, logins: string[]][] = [
  ['removed a second before the first commit', ['removed', 1, 99], between100And200, []],
  ['removed at the first commit', ['removed', 1, 100], between100And200, ['ann']],
  ['added at the last commit', ['removed', 200, 300], between100And200, ['ann']],
  ['added a second after the last commit', ['active', 201, null], between100And200, []],
  ['added and removed between two commits', ['removed', 140, 150], between100And200, ['ann']],
  ['added and removed around a single commit', ['removed', 99, 101], [[ann, 100]], ['ann']],
  ['added at some time, removed too early', ['removed', null, 99], between100And200, []],
  ['added at some time, removed in time', ['removed', null, 100], between100And200, ['ann']],
  ['removed at some time', ['removed', 200, null], between100And200, ['ann']],
  ['removed at some time, added too late', ['removed', 201, null], between100And200, []],
  ['without dates', ['removed', null, null], between100And200, ['ann']],
  ['declared, with a date of its last use', ['active', 1, 50], between100And200, ['ann']],
  ['of unknown status, with an early last use', [null, 1, 50], between100And200, []],
  ['of unknown status, without a last use', [null, 1, null], between100And200, ['ann']],
  [
    'removed before the first commit with a date',
    ['removed', 1, 50],
    [...between100And200, [ann, null]],
    ['ann'],
  ],
  [
    'added after the last commit with a date',
    ['active', 300, null],
    [
      [ann, null],
      [ann, 100],
    ],
    ['ann'],
  ],
  [
    'between commits by two addresses',
    ['removed', 140, 150],
    [
      [ann, 100],
      [hiddenAnn, 200],
    ],
    ['ann'],
  ],
  [
    'too early for two addresses',
    ['removed', 1, 99],
    [
      [hiddenAnn, 100],
      [ann, 200],
    ],
    [],
  ],
  [
    'early, when one address has no date',
    ['removed', 1, 9],
    [
      [ann, 100],
      [hiddenAnn, null],
    ],
    ['ann'],
  ],
  ['by an address that two share', ['removed', 100, 150], [[team, 150]], ['ben', 'cleo']],
  [
    'between commits of two people',
    ['removed', 140, 150],
    [
      [ann, 100],
      [team, 200],
    ],
    [],
  ],
  ['by bots', ['active', 1, null], users.slice(3, 6).map(({ email }) => [email ?? '', 100]), []],
  ['long before the first commit of its owner', ['removed', 1, 50], [['own@example.org', 100]], ['own']],
]

describeOnEachDatabase('of a repository with commits at some time, a dependency', (kind) => {
  const service = useService(kind, { data: 'empty' })
  beforeAll(async () => {
    const repos = cases.map(([what, use, , logins], index) =>
      declare(index + 1, logins.includes('own') ? 'own' : 'acme', [[toName(what), use]]),
    )
    const commits = cases.flatMap(([, , made], index) => commit(index + 1, made))
    await loadRecords(service.sql, { users, repos, commits })
  })

  test.for(cases)('%s %j: authors %j, used by %j', async ([what, , , logins]) => {
    expect(await findUsers(service, toName(what))).toEqual(logins)
  })
})

describeOnEachDatabase('who uses a dependency', (kind) => {
  const service = useService(kind, { data: 'empty' })
  let records: Required<Records> & { repos: SampleRepository[] }
  beforeAll(async () => {
    const repos = [
      declare(1, 'typed', [
        ['early', ['removed', 1, 50]],
        ['late', ['active', 300, null], 'go.mod'],
      ]),
    ]
    records = { users, repos, commits: commit(1, [...between100And200, ['renovate@example.org', 60]]) }
    await loadRecords(service.sql, records)
  })

  async function expectUsers(early: string[], late: string[]): Promise<void> {
    const found = { early: await findUsers(service, 'early'), late: await findUsers(service, 'late') }
    expect(found).toEqual({ early, late })
    expect((await readFirstItems(service, '/users', { dependency_files: 'go.mod' })).total).toBe(late.length)
  }
  const load = (changed: Records) => loadRecords(service.sql, changed)
  const user = (number: number, fields: Partial<SampleUser>): SampleUser[] =>
    users.filter((each) => each.forge_rest_id === number).map((each) => ({ ...each, ...fields }))
  const at = (index: number, date: number | null): SampleCommit[] =>
    records.commits.slice(index, index + 1).map((each) => ({ ...each, author_date: date }))

  test('follows every change, and only those that matter', async () => {
    await expectUsers(['typed'], ['typed']) // owns it
    await load({ commits: at(0, 300) })
    await expectUsers(['typed'], ['ann', 'typed'])
    await load({ commits: at(1, null) })
    await expectUsers(['ann', 'typed'], ['ann', 'typed'])
    await load({ commits: [...at(0, 200), ...at(1, 51)] })
    await expectUsers(['typed'], ['typed'])
    await load({ commits: commit(1, [[hiddenAnn, 50]], 7) })
    await expectUsers(['ann', 'typed'], ['typed'])
    await load({
      repos: [
        declare(1, 'typed', [
          ['early', ['removed', 1, 49]],
          ['late', ['active', 200, null], 'go.mod'],
        ]),
      ],
    })
    await expectUsers(['typed'], ['ann', 'typed'])
    await load({
      repos: [
        declare(1, 'typed', [
          ['early', ['active', 1, 49]],
          ['late', [null, 201, null], 'go.mod'],
        ]),
      ],
    })
    await expectUsers(['ann', 'typed'], ['typed'])
    await load({ users: user(6, { login: 'renovate' }) })
    await expectUsers(['ann', 'typed', 'renovate'], ['typed'])
    await load({ users: user(1, { type: 'Bot' }) })
    await expectUsers(['typed', 'renovate'], ['typed'])
    await load({ users: [...user(1, {}), ...user(6, { login: 'renovate[bot]' })] })
    await expectUsers(['ann', 'typed'], ['typed'])
    await load({
      repos: [declare(2, 'acme', [['early', ['removed', 1, 60]]])],
      commits: commit(2, [[ann, 60]], 20),
    })
    await load({ repos: [declare(1, 'acme', [['late', ['active', 50, null], 'go.mod']])] })
    await expectUsers(['ann'], ['ann'])
    await mirrorCommits([...at(0, 49), ...commit(2, [[team, 55]], 21)])
    await expectUsers(['ben', 'cleo'], [])
    await removeRepository(service.sql, { id: 2, fullName: 'acme/repo-2' })
    await expectUsers([], [])
    const around: Commits = [
      [ann, 10],
      [hiddenAnn, 100],
    ]
    const between = declare(3, 'acme', [['early', ['removed', 40, 50]]])
    await load({ repos: [between], commits: commit(3, around) })
    await expectUsers(['ann'], [])
    await load({ commits: commit(3, [[ann, 200]]) })
    await expectUsers([], [])
  })

  async function mirrorCommits(commits: SampleCommit[]): Promise<void> {
    const sources = [createSource('commits', toLines(commits))]
    await importNdjson(service.sql, { sources, onMirror: async () => {} })
  }
})

const toName = (what: string) => what.replaceAll(/[ ,]+/g, '-')

/** A repository with dependencies of these dates. */
function declare(number: number, owner: string, uses: [name: string, use: Use, file?: string][]) {
  const url = `https://forge.example/r/${number}`
  return createRepository(number, owner, [], {
    dependencies: uses.map(([name, [status, first_use_date, last_use_date], file]) => ({
      ...createDependency(url, name, file),
      status,
      first_use_date,
      last_use_date,
    })),
  })
}

/** Commits to a repository. Only the author's date matters. */
function commit(repository: number, made: Commits, from = 1): SampleCommit[] {
  return made.map(([author, date], index) => ({
    ...createCommit(repository * 100 + from + index, `https://forge.example/r/${repository}`, author, 1),
    author_date: date,
  }))
}

async function findUsers(service: TestService, dependency: string) {
  const { data } = await readFirstItems(service, '/users', { dependency_names: dependency })
  return data.map(({ login }) => login)
}
