/**
 * `import github`: the people of repositories stay who they are, whatever they change on the forge.
 *
 * @module
 */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { identifyForgeId } from '../api/catalog/forge-names.ts'
import { forgetPerson } from '../api/removal/forget.ts'
import type { Account, Repository } from './support/fake-forge/model.ts'
import { searchTables } from './support/forgotten.ts'
import { startTestForge, type TestForge } from './support/github-import.ts'
import { describeOnEachDatabase, startTestService, type TestService } from './support/service.ts'

const size = { repositories: 10, people: 2, commits: 10, monolithCommits: 1 }
const [work, home] = ['ada@work.example', 'ada@home.example']

describeOnEachDatabase('An import from the forge', (kind) => {
  let service: TestService
  let started: TestForge
  let ada: Account
  let bob: Account
  let tool: Repository
  let date = 1_750_000_000

  beforeEach(async () => {
    service = await startTestService(kind, { data: 'empty' })
    started = await startTestForge(size)
    const { model } = started.organization
    ada = model.addAccount({ login: 'ada', addresses: [work] })
    bob = model.addAccount({ login: 'bob', addresses: ['bob@example.org'] })
    tool = model.addRepository({ owner: bob, name: 'tool' })
  })
  afterEach(async () => {
    await service.close()
    await started[Symbol.asyncDispose]()
  })

  async function commitAs(repository: Repository, ...addresses: string[]): Promise<void> {
    for (const email of addresses) {
      const person = { name: 'x', email }
      date += 60
      await started.organization.model.push(repository, [
        { author: person, committer: person, date, committerDate: date, message: 'Work', files: { f: email } },
      ])
    }
  }

  const loadBob = (options: { refresh?: boolean } = {}) =>
    started.load(service.sql, { targets: [{ owner: 'bob' }], ...options })

  test('redacts commits that the dataset has, if their address turns out to be one of a forgotten person', async () => {
    await commitAs(tool, work, home)
    await loadBob()
    await forgetPerson(service.sql, { identities: [identifyForgeId(ada.databaseId)], keepRepositories: false })
    expect(await searchTables(service.sql, [work])).toEqual([])
    expect(await searchTables(service.sql, [home])).not.toEqual([])
    const { model } = started.organization
    model.addAddress(ada, home)
    await commitAs(model.addRepository({ owner: bob, name: 'other' }), home)
    await loadBob()
    expect(await searchTables(service.sql, [home])).toEqual([])
    expect(await service.sql`select from commits`).toHaveLength(3)
  })
})
