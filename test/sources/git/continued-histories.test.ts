import { expect, test } from 'vitest'
import type { Clone as OpenedClone } from '../../../api/sources/git/clone.ts'
import { readDependencyHistory } from '../../../api/sources/git/history.ts'
import { createRandom, type Random } from '../../../sample/random.ts'
import { isDrill } from '../../support/drill.ts'
import { Clone, useClones } from '../../support/git-clone.ts'

useClones()

const histories = isDrill ? 100 : 3
const commits = 8
const folders = ['', 'web/', 'lib/', 'lib/inner/']

test('a history that is continued after any of its commits gives the dependencies of the whole history', async () => {
  let continued = 0
  for (let seed = 1; seed <= histories; seed++) {
    const random = createRandom(`continued ${seed}`)
    const clone = new Clone(`continued-${seed}`)
    const heads = Array.from({ length: commits }, (_, commit) => commitChange(random, clone, commit))
    const open = (head = ''): OpenedClone => ({ directory: clone.path, branch: 'main', head })
    const whole = await readDependencyHistory(open(heads.at(-1)))
    for (const head of heads.slice(0, -1)) {
      const { dependencies } = await readDependencyHistory(open(head))
      const read = await readDependencyHistory(open(heads.at(-1)), { known: { head, dependencies } })
      if (read.since === head) continued++
      expect([seed, head, ...sort(read.dependencies)]).toEqual([seed, head, ...sort(whole.dependencies)])
      expect(read.manifests.read).toEqual(whole.manifests.read)
      // What isn't known to be right is read again.
      const [first, ...others] = dependencies.filter(({ status }) => status === 'active')
      if (first === undefined) continue
      const wrong = await readDependencyHistory(open(heads.at(-1)), { known: { head, dependencies: others } })
      expect([wrong.since, ...sort(wrong.dependencies)]).toEqual([undefined, ...sort(whole.dependencies)])
    }
  }
  expect(continued).toBeGreaterThan(histories * 2)
})

function sort(dependencies: readonly object[]): string[] {
  return dependencies.map((each) => JSON.stringify(each)).sort()
}

/** Changes manifests of packages, which depend on each other and on others, move, and end. Some don't parse. */
function commitChange(random: Random, clone: Clone, commit: number): string {
  const seconds = 1_600_000_000 + commit * 100
  const files: Record<string, string | null> = {}
  const tracked = new Set(clone.git(0, 'ls-files').split('\n'))
  for (const folder of folders) {
    if (!random.chance(0.5)) continue
    const names = ['a', ...['web', 'lib', 'b', 'c'].filter(() => random.chance(0.5))]
    const manifest = {
      name: folder.split('/')[0] || 'top',
      ...(folder === '' && random.chance(0.6) && { workspaces: ['web', 'lib/*'] }),
      dependencies: Object.fromEntries(names.map((name) => [name, '1'])),
    }
    const path = `${folder}package.json`
    if (random.chance(0.2) && tracked.has(path)) files[path] = null
    else files[path] = random.chance(0.08) ? '{' : JSON.stringify(manifest)
    if (random.chance(0.3))
      files[`${folder}go.mod`] = `module x\nrequire example.org/${random.pick(names)} v1.0.0\n`
    if (random.chance(0.3))
      files[`${folder}Cargo.toml`] = `[dependencies]\n${random.pick(['a-b', 'a_b', 'A_b'])} = "1"\n`
  }
  if (commit === 0 || !random.chance(0.3)) return clone.commit(seconds, files)
  clone.git(0, 'switch', '--quiet', '--create', `side-${commit}`)
  clone.commit(seconds, files)
  clone.git(0, 'switch', '--quiet', 'main')
  clone.git(seconds + 50, 'merge', '--quiet', '--no-ff', '-m', 'merge', `side-${commit}`)
  return clone.git(0, 'rev-parse', 'HEAD')
}
