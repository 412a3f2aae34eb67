/** Which commits added and removed dependencies, computed from the files of each commit that git shows. */
import { basename } from 'node:path'
import type { Clone } from './git-clone.ts'

/** A commit as `…/dependencies/blame` has it. */
interface BlamedCommit {
  commit_hash: string
  /** Null: clients can't represent it. */
  date: number | null
  author_email: string
}

/** An item of `…/dependencies/blame`. */
export interface Blame {
  dependency: { dependency_name: string; dependency_file: string }
  added: BlamedCommit | null
  removed: BlamedCommit | null
}

/** Reads what each commit of the main line declares in files with these base names, which are JSON. By name, then file. */
export function blameByGit(clone: Clone, manifests: Readonly<Record<string, string>>): Blame[] {
  const blames = new Map<string, Blame>()
  let before = new Set<string>()
  for (const hash of clone.git(0, 'rev-list', '--first-parent', '--reverse', 'HEAD').split('\n')) {
    const declared = new Set<string>()
    for (const path of clone.git(0, 'ls-tree', '-r', '--name-only', hash).split('\n')) {
      const member = manifests[basename(path)]
      if (member === undefined) continue
      const { [member]: names = {} } = JSON.parse(clone.git(0, 'show', `${hash}:${path}`))
      for (const name of Object.keys(names)) declared.add(JSON.stringify([name, basename(path)]))
    }
    const [date, author_email = ''] = clone
      .git(0, 'show', '--no-patch', '--format=%ct%n%ae', hash)
      .split('\n')
    const commit = { commit_hash: hash, date: readDate(date), author_email }
    for (const key of declared) {
      const blame = blames.get(key)
      const [dependency_name, dependency_file] = JSON.parse(key)
      if (blame !== undefined) blame.removed = null
      else blames.set(key, { dependency: { dependency_name, dependency_file }, added: commit, removed: null })
    }
    for (const key of before) {
      const blame = blames.get(key)
      if (blame !== undefined && !declared.has(key)) blame.removed = commit
    }
    before = declared
  }
  const keyOf = ({ dependency }: Blame) => `${dependency.dependency_name}\0${dependency.dependency_file}`
  return [...blames.values()].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

const endOfYear9999 = Date.parse('9999-12-31T23:59:59Z') / 1_000

/** A date as git writes it. Null: clients can't represent it. */
export function readDate(text = ''): number | null {
  return Number(text) > endOfYear9999 ? null : Number(text)
}
