/**
 * When repositories and users of git histories used what they depend on (decisions/0003-lists.md): rows, filters and
 * the history by month are what git shows of each commit.
 *
 * @module-tag later
 */
import { expect, test } from 'vitest'
import { importGit } from '../../../api/sources/git/import.ts'
import { createRandom } from '../../../sample/random.ts'
import type { SampleCommit, SampleRepository } from '../../../sample/records.ts'
import { blameByGit, readDate } from '../../support/blame-oracle.ts'
import { isDrill, seed } from '../../support/drill.ts'
import { Clone, useClones } from '../../support/git-clone.ts'
import { readListResponse } from '../../support/list-response.ts'
import { commitChange, manifests, people } from '../../support/random-git-history.ts'
import { createRepository, createUser, loadRecords } from '../../support/records.ts'
import { describeOnEachDatabase, useService } from '../../support/service.ts'
import { expectHistory, expectTotals } from '../../support/use-history.ts'

useClones()

const histories = isDrill ? 30 : 2
const commits = 14

describeOnEachDatabase('what git histories declare', (kind) => {
  const service = useService(kind, { data: 'empty', key: { role: 'admin' } })

  test('is dated by their commits: of rows, of users, and in the history by month, also after a rename', async () => {
    console.info(`seed ${seed}`)
    const users = [...people, { login: 'acme', email: null }].map((fields, index) =>
      createUser(index + 1, fields),
    )
    await loadRecords(service.sql, { users })
    const repositories: SampleRepository[] = []
    const written: SampleCommit[] = []
    for (let number = 1; number <= histories; number++) {
      const name = `${kind}-dated-${number}`
      const random = createRandom(`${seed} dates ${number}`)
      const clone = new Clone(name)
      const url = `https://forge.example/acme/${name}`
      const load = () => importGit(service.sql, { clones: [{ path: clone.path, url }] })
      for (let commit = 1; commit <= commits; commit++) {
        commitChange(random, clone, commit)
        if (random.chance(0.2)) await load()
      }
      await load()
      const repository = readRepository(clone, number, { name, url })
      repositories.push(repository)
      written.push(...readCommits(clone, url))
      expect(await readRows(repository)).toEqual(listRows(repository))
    }
    await expectHistories(repositories)

    // The forge's records have other names and owners.
    const renamed = repositories.map((repository, index) => {
      const { url, forge_rest_id: id } = repository
      const owner = people[index % people.length]?.login ?? ''
      return { ...createRepository(id, owner, [], { url }), dependencies: repository.dependencies }
    })
    await loadRecords(service.sql, { repos: renamed.map((each) => ({ ...each, dependencies: null })) })
    for (const repository of renamed) expect(await readRows(repository)).toEqual(listRows(repository))
    await expectHistories(renamed)

    async function expectHistories(repositories: SampleRepository[]): Promise<void> {
      const random = createRandom(`${seed} months`)
      const all = repositories.flatMap(({ dependencies }) => dependencies.map(({ dependency }) => dependency))
      const asked = new Map(all.map((each) => [JSON.stringify(each), each]))
      for (const { dependency_name: name, dependency_file: file } of asked.values()) {
        const data = await expectHistory(service, { users, repositories, commits: written }, name, file)
        if (data.length === 0) continue // no date is known
        const query = { dependency_names: name, dependency_files: file }
        const place = random.integer(0, commits)
        await expectTotals(service, service.key, { query, data, place })
      }
    }
  })

  async function readRows({ full_name }: SampleRepository) {
    const path = `/repos/${full_name}/dependencies?per_page=100`
    const { data } = readListResponse(await service.request(path, { key: service.key }))
    return data.map(({ first_use_date, last_use_date, status, dependency }) => ({
      ...{ first_use_date, last_use_date, status, dependency },
    }))
  }
})

/** What the service should have of a repository. */
function readRepository(
  clone: Clone,
  number: number,
  fields: { name: string; url: string },
): SampleRepository {
  const dependencies = blameByGit(clone, manifests).map(({ dependency, added, removed }) => ({
    url: fields.url,
    first_use_date: added?.date ?? null,
    last_use_date: removed?.date == null ? null : Math.max(added?.date ?? 0, removed.date), // clocks may be wrong
    updated_at: 0, // nothing looks at it
    status: removed === null ? ('active' as const) : ('removed' as const),
    dependency,
  }))
  return createRepository(number, 'acme', [], { ...fields, dependencies })
}

const listRows = ({ dependencies }: SampleRepository) =>
  dependencies.map(({ first_use_date, last_use_date, status, dependency }) => ({
    ...{ first_use_date, last_use_date, status, dependency },
  }))

/** All commits of the branch. */
function readCommits(clone: Clone, url: string): SampleCommit[] {
  return clone
    .git(0, 'log', '-z', '--format=%H%n%ae%n%at%n%ce%n%ct%n%B', 'HEAD')
    .split('\0')
    .filter((text) => text !== '')
    .map((text) => {
      const [commit_hash = '', author_email = '', authored, committer_email = '', committed, ...message] =
        text.split('\n')
      return {
        commit_hash,
        author_email,
        author_date: readDate(authored),
        committer_email,
        committer_date: readDate(committed),
        message: message.join('\n'),
        repo_url: url,
      }
    })
}
