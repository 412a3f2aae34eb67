/** Which dependencies a user uses (decisions/0004-data.md). */
import { beforeAll, expect, test } from 'vitest'
import { readFirstItems } from '../support/catalog.ts'
import {
  createCommit,
  createDependency,
  createRepository,
  createUser,
  loadRecords,
} from '../support/records.ts'
import { describeOnOneDatabase, useService } from '../support/service.ts'

describeOnOneDatabase('a user uses a dependency', (kind) => {
  const service = useService(kind, { data: 'empty' })
  beforeAll(async () => {
    await loadRecords(service.sql, { users: people, repos: projects, commits: work })
  })

  test.for([
    ['if they own a repository that does, whatever the case of its owner_login', 'owned', ['Ada']],
    ['if they authored a commit in one, by their email address, whatever its case', 'by-address', ['Ben']],
    ['if they authored one by the no-reply address with their id, whatever login it has', 'by-id', ['Cleo']],
    ['if they authored one by the no-reply address with their login alone', 'by-login', ['Dan']],
    ['but not if the authors are unknown', 'by-nobody', []],
    ['but not if they are the committer alone', 'by-committer', []],
    ['even if it was removed', 'removed', ['Ada']],
    ['even if others use it too', 'by-two', ['Ben', 'Cleo']],
  ] as const)('%s (%s: %j)', async ([, dependency, logins]) => {
    const { data } = await readFirstItems(service, '/users', { dependency_names: dependency })
    expect(data.map(({ login }) => login)).toEqual(logins)
  })
})

const urlOf = (name: string) => `https://forge.example/someone/${name}`

const people = ['Ada', 'Ben', 'Cleo', 'Dan', 'Eve'].map((login, index) =>
  createUser(index + 1, { login, email: `${login}@Example.org` }),
)

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
).map(([owner, name], index) => {
  const url = urlOf(name)
  const dependency = createDependency(url, name)
  return createRepository(index + 1, owner, [], {
    name,
    url,
    dependencies: [
      name === 'removed' ? { ...dependency, status: 'removed', last_use_date: 1_700_000_001 } : dependency,
    ],
  })
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
).map(([name, author], index) => ({
  ...createCommit(index, urlOf(name), author, 1_700_000_000),
  committer_email: 'Eve@Example.org',
}))
