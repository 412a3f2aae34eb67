/** The list of the names of dependencies, which searches use instead of the database (decisions/0003-lists.md). */
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { type DependencySearch, discoverDependencies } from '../../api/catalog/discovery.ts'
import { createNameFinder, type NameFinder } from '../../api/catalog/name-list.ts'
import { keyDependencyName } from '../../api/names/dependency-names.ts'
import { createRandom } from '../../sample/random.ts'
import { seed } from '../support/drill.ts'
import { describeOnOneDatabase, useService } from '../support/service.ts'

const files = ['package.json', 'requirements.txt', 'Cargo.toml', 'go.mod']
/** Few letters, so that many names have a text; white space, Chinese, and what ecosystems spell in several ways. */
const letters = ['a', 'B', 'ab', '-', '_', '.', '東', '京', 'é', ' ', '%', '/', '@']

describeOnOneDatabase('the list of names', (kind) => {
  const service = useService(kind)
  let names: NameFinder
  beforeAll(async () => {
    const random = createRandom(seed)
    const rows = Array.from({ length: 3_000 }, () => {
      const name = Array.from({ length: random.integer(1, 6) }, () => random.pick(letters)).join('')
      const file = random.pick(files)
      return { name, file, status: random.pick(['active', 'removed']), users: random.integer(0, 9) ** 3 }
    })
    for (const { name, file, status, users } of rows) {
      await service.sql`
        insert into dependencies (name, name_key, file, status, users_count, repositories_count)
        values (${name}, ${keyDependencyName(name, file)}, ${file}, ${status}, ${users}, ${users % 5}) on conflict do nothing`
    }
    names = createNameFinder(service.sql)
  })

  const search = (how: 'prefix' | 'contains', text: string, limit = 20): DependencySearch => ({
    [how]: text,
    files: [],
    limit,
  })
  const isListed = async () =>
    (await names.find({ keys: [], match: 'prefix', files: [], limit: 1, maxCandidates: 1 })) !== undefined
  /** A finder without a list: the database is searched. */
  const none: NameFinder = { find: async () => undefined, noteEdition() {} }

  const text = fc
    .array(fc.constantFrom(...letters), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.join(''))

  test('finds what the database finds, for any text, files and limit', async () => {
    await discoverDependencies(service.sql, names, search('contains', 'a'))
    await expect.poll(isListed).toBe(true)
    const files = fc.subarray(['package.json', 'requirements.txt', 'Cargo.toml', 'nothing.toml'], {
      maxLength: 2,
    })
    await fc.assert(
      fc.asyncProperty(
        ...[fc.constantFrom('prefix', 'contains'), text, files, fc.integer({ min: 1, max: 20 })],
        async (how, text, files, limit) => {
          const asked = { ...search(how, text, limit), files }
          const { items } = await discoverDependencies(service.sql, names, asked)
          expect(items).toEqual((await discoverDependencies(service.sql, none, asked)).items)
        },
      ),
      { numRuns: 200 },
    )
  })

  test('is read again once the dataset has changed, and searches are right until then', async () => {
    await service.sql`
      insert into dependencies (name, name_key, file, users_count, repositories_count)
      values ('newest', ${keyDependencyName('newest', 'package.json')}, 'package.json', 7, 3)`
    await service.sql`update dataset set version = version + 1, edition = gen_random_uuid()`
    const found = {
      items: [{ dependency_name: 'newest', dependency_file: 'package.json', users: 7, repositories: 3 }],
    }
    expect(await discoverDependencies(service.sql, names, search('contains', 'EWES'))).toMatchObject(found)
    await expect.poll(isListed).toBe(true)
    expect(await discoverDependencies(service.sql, names, search('contains', 'EWES'))).toMatchObject(found)
    expect(await isListed()).toBe(true)
  })
})
