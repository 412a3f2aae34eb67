/**
 * Who uses what is what an independent computation finds, over the sample and over random histories
 * (decisions/0004-data.md). Histories with mirrors and removals are in removal-histories.test.ts.
 */
import { expect, test } from 'vitest'
import { identifyLogin } from '../../api/names/forge-names.ts'
import { forgetPerson } from '../../api/people/forget.ts'
import { createRandom } from '../../sample/random.ts'
import type { SampleUser } from '../../sample/records.ts'
import { readTables, resetCatalog } from '../support/catalog-tables.ts'
import { isDrill, seed } from '../support/drill.ts'
import { createRandomForge } from '../support/random-forge.ts'
import { loadRecords } from '../support/records.ts'
import { sampleCommits, sampleRepositories, sampleUsers } from '../support/sample-oracle.ts'
import { describeOnOneDatabase, useService } from '../support/service.ts'
import { type Loaded, listNames, listUses, nameAuthor, nameLogin, sortRows } from '../support/uses.ts'

const histories = isDrill ? 100 : 3
const stepsOfHistory = 4
const firstLoad = { users: 40, repositories: 30, commits: 200 }
const change = { users: 8, repositories: 8, commits: 30 }

describeOnOneDatabase(
  'who uses what, with which status, is what an independent computation finds',
  (kind) => {
    const service = useService(kind, { data: 'sample' })

    async function expectUses(loaded: Loaded): Promise<number> {
      const { userDependencies } = await readTables(service.sql)
      expect(sortRows(userDependencies)).toEqual(sortRows(listUses(loaded)))
      return userDependencies.length
    }

    test('for the sample data', async () => {
      await expectUses({ users: sampleUsers, repositories: sampleRepositories, commits: sampleCommits })
    })

    test('after any history of loads, and of forgetting people', async () => {
      console.info(`seed ${seed}`)
      let uses = 0
      for (let history = 1; history <= histories; history++) {
        const random = createRandom(`${seed} uses ${history}`)
        const forge = createRandomForge(`${seed} uses ${history}`)
        await resetCatalog(service.sql)
        await service.sql`truncate forgotten_people cascade`
        await loadRecords(service.sql, forge.grow(firstLoad))
        uses += await expectUses(forge)
        for (let step = 0; step < stepsOfHistory; step++) {
          await loadRecords(service.sql, random.chance(0.7) ? forge.change(change) : forge.grow(change))
          uses += await expectUses(forge)
        }
        const { login } = random.pickSkewed(listUnmistakable(forge.users))
        const keepRepositories = random.chance(0.5)
        const people = forge.users.filter((user) => nameLogin(user.login) === nameLogin(login))
        const names = new Set(people.flatMap((user) => [...listNames(user)]))
        await forgetPerson(service.sql, { identities: [identifyLogin(login)], keepRepositories })
        uses += await expectUses(withoutPerson(forge, names, keepRepositories))
        forge.grow(change)
        await loadRecords(service.sql, { ...forge, repos: forge.repositories })
        // The load shows that users with the person's address are the person, too.
        const found = forge.users.filter((user) => hasOneOf(user, names))
        const all = new Set([...names, ...found.flatMap((user) => [...listNames(user)])])
        const others = forge.users.filter((user) => !found.includes(user))
        if (others.some((user) => hasOneOf(user, all))) continue // two users with the same login
        uses += await expectUses(withoutPerson(forge, all, keepRepositories))
      }
      console.info(`${histories} histories, ${uses} uses`)
    })
  },
)

/** Those who share their login only with users whose address names no other account, and whose account no address names. */
function listUnmistakable(users: readonly SampleUser[]): SampleUser[] {
  const logins = Map.groupBy(users, ({ login }) => nameLogin(login))
  const mistakable = new Set(
    users.flatMap(({ login, email }) => {
      const named = email === null ? undefined : nameAuthor(email)
      return named !== undefined && logins.has(named) ? [named, nameLogin(login)] : []
    }),
  )
  return users.filter(({ login }) => !mistakable.has(nameLogin(login)))
}

function hasOneOf(user: SampleUser, names: ReadonlySet<string>): boolean {
  return [...listNames(user)].some((name) => names.has(name))
}

/** What is left when somebody with these names is forgotten. */
function withoutPerson(
  { users, repositories, commits }: Loaded,
  names: ReadonlySet<string>,
  keepRepositories: boolean,
): Loaded {
  const isOwn = ({ owner_login }: { owner_login: string }) => names.has(nameLogin(owner_login))
  return {
    users: users.filter((user) => !hasOneOf(user, names)),
    repositories: repositories
      .filter((repository) => keepRepositories || !isOwn(repository))
      .map((repository) => (isOwn(repository) ? { ...repository, owner_login: 'nobody' } : repository)),
    commits: commits.map((commit) =>
      names.has(nameAuthor(commit.author_email)) ? { ...commit, author_email: '' } : commit,
    ),
  }
}
