/** Git histories that are made up from a seed: people who change manifests, alone or together, and merge branches. */
import type { Random } from '../../sample/random.ts'
import { type Clone, npm } from './git-clone.ts'

/** The manifests of these histories, which are JSON, and the member that has the names. */
export const manifests = { 'package.json': 'dependencies', 'composer.json': 'require' }

const logins = ['ada', 'bob', 'zelda'] as const
/** Who writes the commits. */
export const people = logins.map((login) => ({ login, email: `${login}@example.org` }))

/** A date that clients can't represent, so the service doesn't know it. */
const unknownDate = 300_000_000_000
const secondsPerCommit = 20 * 86_400

/** Somebody changes what two kinds of manifests in a few folders declare. Some commits are merged. */
export function commitChange(random: Random, clone: Clone, commit: number): void {
  /** Some clocks are wrong. */
  const clock = random.chance(0.1) ? commit - 3 : commit
  const draw = 1_300_000_000 + clock * secondsPerCommit
  const seconds = random.chance(0.1) ? unknownDate : draw
  const tracked = new Set(clone.git(0, 'ls-files').split('\n'))
  const files: Record<string, string | null> = { README: String(commit) }
  for (const folder of ['', 'web/', 'lib/']) {
    for (const manifest of Object.keys(manifests)) {
      const path = `${folder}${manifest}`
      if (random.chance(0.6)) continue
      const names = ['a', 'b', 'c', 'd', '__proto__', '7'].filter(() => random.chance(0.4))
      const packages = names.map((name) => (manifest === 'composer.json' ? `v/${name}` : name))
      if (random.chance(0.2) && tracked.has(path)) files[path] = null
      else if (manifest === 'package.json') files[path] = npm(...packages)
      else files[path] = JSON.stringify({ require: Object.fromEntries(packages.map((name) => [name, '*'])) })
    }
  }
  const author = () => [`--author=P <${random.pick(people).email}>`, '--quiet', '--amend', '--no-edit']
  const message = (text: string) =>
    random.chance(0.3) ? `${text}\n\nCo-authored-by: P <${random.pick(people).email}>` : text
  const isMerged = commit > 1 && random.chance(0.25)
  if (isMerged) clone.git(0, 'switch', '--quiet', '--create', `side-${commit}`)
  clone.commit(seconds, files, message(`change ${commit}`))
  clone.git(seconds, 'commit', ...author())
  if (!isMerged) return
  clone.git(0, 'switch', '--quiet', 'main')
  clone.git(draw + 50, 'merge', '--quiet', '--no-ff', '-m', message('merge'), `side-${commit}`)
  clone.git(draw + 50, 'commit', ...author())
}
