/**
 * `GET /repos/{owner}/{name}/dependencies/blame` of git histories (decisions/0003-lists.md).
 *
 * @module-tag later
 */
import { expect, test } from 'vitest'
import { forgottenAddress, identifyAddress } from '../../../api/names/forge-names.ts'
import { forgetPerson } from '../../../api/people/forget.ts'
import { importGit } from '../../../api/sources/git/import.ts'
import { exportNdjson } from '../../../api/sources/ndjson/export.ts'
import { findSources, importNdjson } from '../../../api/sources/ndjson/import.ts'
import { createRandom } from '../../../sample/random.ts'
import { type Blame, blameByGit } from '../../support/blame-oracle.ts'
import { isDrill, seed } from '../../support/drill.ts'
import { createFolder, readFiles } from '../../support/export-folder.ts'
import { Clone, useClones } from '../../support/git-clone.ts'
import { commitChange, manifests } from '../../support/random-git-history.ts'
import { createRepository, loadRecords } from '../../support/records.ts'
import { describeOnEachDatabase, type TestService, useService } from '../../support/service.ts'

useClones()

const histories = isDrill ? 40 : 2
const commits = 14
const origin = 'https://forge.example/acme'
const zelda = 'zelda@example.org'

describeOnEachDatabase('the blame of a git history', (kind) => {
  const service = useService(kind, { data: 'empty', key: { role: 'admin' } })
  const copy = useService(kind, { data: 'empty', key: { role: 'admin' } })

  test('is what git shows of each commit, whatever is loaded, renamed, exported or forgotten', async () => {
    console.info(`seed ${seed}`)
    const names: string[] = []
    const expected = new Map<string, Blame[]>()
    for (let number = 1; number <= histories; number++) {
      const name = `${kind}-${number}`
      const random = createRandom(`${seed} blame ${number}`)
      const clone = new Clone(name)
      const url = `${origin}/${name}`
      const load = () => importGit(service.sql, { clones: [{ path: clone.path, url }] })
      for (let commit = 1; commit <= commits; commit++) {
        commitChange(random, clone, commit)
        // Later loads continue the history.
        if (random.chance(0.2)) await load()
      }
      await load()
      expected.set(name, blameByGit(clone, manifests))
      expect([name, await readBlame(service, `acme/${name}`)]).toEqual([name, expected.get(name)])

      // The forge's record has another name and id.
      const { dependencies: _none, ...record } = createRepository(7_000 + number, 'renamed', [], {
        name,
        url,
      })
      await loadRecords(service.sql, { repos: [{ ...record, dependencies: null }] })
      expect(await readBlame(service, `renamed/${name}`)).toEqual(expected.get(name))
      names.push(name)
    }
    const all = [...expected.values()].flat()
    // A few histories may happen to remove nothing.
    if (isDrill) expect(all.filter(({ removed }) => removed !== null).length).toBeGreaterThan(histories)

    await using folder = await createFolder()
    await using again = await createFolder()
    await exportNdjson(service.sql, folder.path)
    await importNdjson(copy.sql, { sources: await findSources([folder.path]) })
    await exportNdjson(copy.sql, again.path)
    expect(await readFiles(again.path)).toEqual(await readFiles(folder.path))
    for (const name of names) {
      expect(await readBlame(copy, `renamed/${name}`)).toEqual(expected.get(name))
    }

    await forgetPerson(service.sql, { identities: [identifyAddress(zelda) ?? ''], keepRepositories: false })
    for (const name of names) {
      const forgotten = JSON.parse(JSON.stringify(expected.get(name)).replaceAll(zelda, forgottenAddress))
      expect(await readBlame(service, `renamed/${name}`)).toEqual(forgotten)
    }
  })
})

/** Reads it in pages of a few items. */
async function readBlame(service: TestService & { key: string }, fullName: string): Promise<unknown[]> {
  const items: unknown[] = []
  let next: string | undefined = `/repos/${fullName}/dependencies/blame?per_page=5`
  while (next !== undefined) {
    const response = await service.request(next, { key: service.key })
    const { data } = response.json() as { data: unknown[] }
    expect(response.headers.get('X-Credits-Cost')).toBe('0')
    items.push(...data)
    const [, url] = /<([^>]*)>; rel="next"/.exec(response.headers.get('Link') ?? '') ?? []
    next = url && `${new URL(url).pathname}${new URL(url).search}`
  }
  return items
}
